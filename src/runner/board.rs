//! A board in the hall: a game's sheet and the seats of those who play it, set up at its beginning and cleared
//! at its end. Plays nothing itself. Start at [`set_up`].

use std::collections::VecDeque;
use std::sync::Arc;

use super::hall::{Hall, Idle};
use super::live::{Aloud, Message};
use super::process::EngineProcess;
use super::seat::Seat;
use super::wall::date;
use crate::director::{Assignment, seating};
use crate::plan::{Exhibition, Rotation};
use crate::record::{GameBegan, Scoresheet, Unfinished, What};
use crate::table::{Chair, Manners, Table};
use crate::time::At;
use crate::xiangqi::{BySide, Position, Side};

/// A game and who sits at its board.
pub struct Board {
    /// Which game, and who plays it.
    pub assignment: Assignment,
    /// Who sits at the board.
    pub seats: BySide<Seat>,
    /// Members of teams that wait for their turn, the next one first.
    pub benches: BySide<VecDeque<Seat>>,
    /// The game's record in the making.
    pub sheet: Scoresheet,
    /// Whether nothing is outstanding any more.
    pub settled: bool,
    /// Where the live page finds what the engines say.
    pub aloud: Option<Arc<Aloud>>,
}

/// An engine of an entrant's member (from 0) at a board: an idle one, or one that is still to be started.
/// `place` is the one of the hall at which it is played, from 0.
pub fn seat_one(hall: &Hall, entrant: usize, member: usize, place: usize, start: &Position) -> (Seat, Chair) {
    let entry = &hall.plan.entrants[entrant];
    let manifest = entry.members().nth(member).unwrap_or(&entry.engine);
    let mut seat = Seat { member, ..Seat::default() };
    let chair = match hall.take_idle((entrant, member, hall.home(place))) {
        None => Chair::absent(manifest, start),
        Some(Idle { mut process, session }) => {
            process.clear_tails();
            seat.process = Some(process);
            Chair::seated(manifest, session, start)
        }
    };
    (seat, chair)
}

/// Sets a game up: its table, who sits there, its sheet. In an exhibition the master's seat is empty yet.
pub fn set_up(
    hall: &Hall,
    assignment: Assignment,
    place: usize,
    now: At,
    exhibition: Option<Exhibition>,
) -> (Board, Table, Option<Unfinished>) {
    let unfinished = hall.take_unfinished(assignment.id);
    let sheet = begin_sheet(hall, &assignment, now, unfinished.clone());
    let game = seating::referee(&hall.plan, &assignment, &sheet, unfinished.as_ref());
    let master = exhibition.map(|exhibition| exhibition.colour);
    let mut teams: BySide<VecDeque<Seat>> = BySide::default();
    let mut chairs: BySide<Vec<Chair>> = BySide::default();
    for side in Side::BOTH {
        let entrant = assignment.seats[side];
        let entry = &hall.plan.entrants[entrant];
        for member in 0..entry.members().count() {
            let (seat, mut chair) = if master == Some(side) {
                (Seat::default(), Chair::away(&entry.engine, game.trail().start()))
            } else {
                seat_one(hall, entrant, member, place, game.trail().start())
            };
            chair.enter_all(game.trail());
            teams[side].push_back(seat);
            chairs[side].push(chair);
        }
    }
    let further = BySide::from_fn(|side| chairs[side].split_off(1));
    let first = BySide::from_fn(|side| chairs[side].remove(0));
    let seats = BySide::from_fn(|side| teams[side].pop_front().unwrap_or_default());
    let first_members = BySide::from_fn(|side| first_member(hall, &assignment, side));
    let table = Table::new(game, first, Manners::of(&hall.plan.conduct))
        .with_team(Side::Red, further.red)
        .with_team(Side::Black, further.black)
        .with_first_member(Side::Red, first_members.red)
        .with_first_member(Side::Black, first_members.black);
    let table = seating::laid(&hall.plan, table, assignment.id, unfinished.as_ref());
    let aloud = sit_down_live(hall, &assignment);
    let board = Board { assignment, seats, benches: teams, sheet, settled: false, aloud };
    (board, table, unfinished)
}

/// An engine after its game: it is kept for the next one, which tells its number, or it quits.
pub fn let_go(hall: &Hall, entrant: usize, place: usize, seat: Seat, chair: Chair) -> Option<u32> {
    let mut process = seat.process?;
    let usable = chair.is_usable();
    let session = chair.into_session();
    if let Some(transcript) = &mut process.transcript {
        transcript.flush();
    }
    let reuse = hall.plan.conduct.reuse && session.reusable();
    let idle = Idle { process, session };
    if usable && reuse && !idle.process.has_unsent() {
        return hall.give_idle((entrant, seat.member, hall.home(place)), idle);
    }
    hall.quit(idle);
    None
}

impl Board {
    /// The member of a side's team that sits at the board, from 1; nobody where the side is no team.
    pub fn mover(&self, side: Side) -> Option<u8> {
        self.numbered(side, self.seats[side].member)
    }

    /// A member of a side's team (from 0) as records number it.
    pub fn numbered(&self, side: Side, member: usize) -> Option<u8> {
        let member = u8::try_from(member + 1).unwrap_or(u8::MAX);
        (!self.benches[side].is_empty()).then_some(member)
    }

    /// The next member of a side's team sits down.
    pub fn rotate(&mut self, side: Side) {
        if let Some(next) = self.benches[side].pop_front() {
            self.benches[side].push_back(std::mem::replace(&mut self.seats[side], next));
        }
    }
}

/// A sheet for a game; its beginning is journalled, unless it goes on where it stood when the runner
/// stopped.
pub fn begin_sheet(
    hall: &Hall,
    assignment: &Assignment,
    now: At,
    unfinished: Option<Unfinished>,
) -> Scoresheet {
    let names = assignment.seats.map(|entrant| hall.plan.entrants[entrant].name.clone());
    let given = hall.tap.as_ref().and_then(|tap| tap.opening(assignment.id));
    let opening = given.as_ref().or_else(|| hall.plan.openings.opening(assignment.opening));
    let mut sheet = Scoresheet::new(assignment.id, names, opening, now, date());
    match unfinished {
        Some(unfinished) => sheet.go_on(unfinished),
        None => {
            let lock = |side: Side| {
                hall.desk().run().lock(assignment.seats[side], 0).map(|locked| locked.id.clone())
            };
            let locks = lock(Side::Red).zip(lock(Side::Black)).map(|(red, black)| [red, black]);
            hall.record(now, What::GameBegan(GameBegan { locks, ..sheet.began() }));
        }
    }
    sheet
}

/// Which member (from 0) of a side's team makes its first move of a game.
fn first_member(hall: &Hall, assignment: &Assignment, side: Side) -> usize {
    let entrant = assignment.seats[side];
    match hall.plan.conduct.rotation {
        Rotation::Restart => 0,
        Rotation::Continue => {
            let turns = hall.desk().run().moves_in_bout(entrant, assignment.id) as usize;
            turns % hall.plan.entrants[entrant].members().count()
        }
    }
}

/// A place for the engines' lines that the live page reads, if there is one.
fn sit_down_live(hall: &Hall, assignment: &Assignment) -> Option<Arc<Aloud>> {
    let live = hall.live.as_ref()?;
    let styles = assignment.seats.map(|entrant| hall.plan.entrants[entrant].engine.squares);
    let aloud = Arc::new(Aloud::new(styles));
    live.tell(Message::Seated(assignment.id, Arc::clone(&aloud)));
    Some(aloud)
}

/// The number of the process at a seat.
pub fn numbered(seat: &Seat) -> Option<u32> {
    seat.process.as_ref().map(EngineProcess::number)
}
