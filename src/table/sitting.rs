//! What is played as one: a table, or the boards of an exhibition (II.2), between which a master walks with his
//! one session. A pure machine above tables: begins the display when all boards are ready, says where the
//! master goes next, and draws what is not decided when the time of all boards is over (II.5). Never knows
//! processes or the tournament. Start at [`Sitting::step`].

use std::time::Duration;

use super::{Chair, Effect, Input, Table};
use crate::engine::Session;
use crate::game::{MoveMade, Overran, OverrunRule};
use crate::plan::{Exhibition, Visit};
use crate::time::At;
use crate::xiangqi::Side;

/// What is to be done, in order.
#[derive(Debug)]
pub enum Doing {
    /// Something at a table (its number, from 0).
    At(usize, Effect),
    /// The master goes from one table to another, with his process.
    Walk {
        /// Where he sat.
        from: usize,
        /// Where he sits now.
        to: usize,
    },
    /// The clock of all boards runs from now.
    SessionRuns,
}

/// Tables that are played as one.
#[derive(Debug)]
pub struct Sitting {
    tables: Vec<Table>,
    display: Option<Display>,
    /// Room for the effects of one step.
    effects: Vec<Effect>,
}

/// Where an exhibition stands.
#[derive(Debug)]
struct Display {
    terms: Exhibition,
    /// Time of the session that was used before.
    used: Duration,
    /// Since when its clock runs.
    since: Option<At>,
    /// The table at which the master sits.
    place: usize,
    /// Whether his visit there is not over yet.
    visiting: bool,
    /// Of each table: how often the master has moved there or come for nothing.
    served: Vec<u32>,
    /// The table at which he moved last.
    last: Option<usize>,
}

/// How an exhibition stood when the runner stopped; the default is its beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// Time of the session that was used.
    pub used: Duration,
    /// Of each table: how often the master has moved there or come for nothing.
    pub served: Vec<u32>,
    /// The table at which he moved last.
    pub last: Option<usize>,
}

impl Sitting {
    /// One table.
    pub fn of(table: Table) -> Sitting {
        Sitting { tables: vec![table], display: None, effects: Vec::new() }
    }

    /// The boards of an exhibition, at least one, each with a [`Chair::away`] for the master, who comes with
    /// his own chair and sits down at [`Sitting::place`].
    pub fn exhibition(
        mut tables: Vec<Table>,
        mut master: Chair,
        terms: Exhibition,
        standing: Standing,
    ) -> Sitting {
        let Standing { used, mut served, last } = standing;
        served.resize(tables.len(), 0);
        let mut display = Display { terms, used, since: None, place: 0, visiting: true, served, last };
        display.place = match terms.visit {
            Visit::Skip => last.map_or(0, |last| (last + 1) % tables.len().max(1)),
            Visit::Wait | Visit::Stay => display.next_in_turn(&tables).unwrap_or(0),
        };
        for table in &mut tables {
            table.in_exhibition(terms.colour);
        }
        if let Some(table) = tables.get_mut(display.place) {
            master.walk(&mut table.chairs[terms.colour]);
        }
        Sitting { tables, display: Some(display), effects: Vec::new() }
    }

    /// Its tables.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// A table.
    pub fn table(&self, table: usize) -> &Table {
        &self.tables[table]
    }

    /// Where the master of an exhibition sits, and on which side.
    pub fn place(&self) -> Option<(usize, Side)> {
        self.display.as_ref().map(|display| (display.place, display.terms.colour))
    }

    /// What is to be written to a seat's engine.
    pub fn outbox(&mut self, table: usize, side: Side) -> &mut Vec<u8> {
        self.tables[table].outbox(side)
    }

    /// The session of a seat.
    pub fn session(&self, table: usize, side: Side) -> &Session {
        self.tables[table].session(side)
    }

    /// Takes the tables back when all have settled.
    pub fn into_tables(self) -> Vec<Table> {
        self.tables
    }

    /// The moment after which [`Sitting::timer`] is due.
    pub fn wakeup(&self) -> Option<At> {
        let tables = self.tables.iter().filter_map(Table::wakeup).min();
        [tables, self.session_end()].into_iter().flatten().min()
    }

    /// Time of the session that was used before its clock ran on.
    pub fn session_used(&self) -> Duration {
        self.display.as_ref().map_or(Duration::ZERO, |display| display.used)
    }

    /// When the time of all boards is over; `None` before it runs, when all is decided, and without one.
    pub fn session_end(&self) -> Option<At> {
        let display = self.display.as_ref()?;
        let since = display.since.filter(|_| self.tables.iter().any(|table| !table.is_over()))?;
        Some(since + display.terms.session.saturating_sub(display.used))
    }

    /// All tables may begin to get ready.
    pub fn begin(&mut self, at: At, doings: &mut Vec<Doing>) {
        for table in 0..self.tables.len() {
            self.feed(at, table, Input::Begin, doings);
        }
        self.go_on(at, doings);
    }

    /// A table takes an input; what is to be done is appended to `doings`.
    pub fn step(&mut self, at: At, table: usize, input: Input<'_>, doings: &mut Vec<Doing>) {
        if self.display.is_some() {
            self.look_at_session(at, doings);
        }
        self.feed(at, table, input, doings);
        if self.display.is_some() {
            self.go_on(at, doings);
        }
    }

    /// A moment named by [`Sitting::wakeup`] has come.
    pub fn timer(&mut self, at: At, doings: &mut Vec<Doing>) {
        self.look_at_session(at, doings);
        for table in 0..self.tables.len() {
            if self.tables[table].wakeup().is_some_and(|due| at >= due) {
                self.feed(at, table, Input::Timer, doings);
            }
        }
        self.go_on(at, doings);
    }

    fn feed(&mut self, at: At, table: usize, input: Input<'_>, doings: &mut Vec<Doing>) {
        self.seat_master();
        let mut effects = std::mem::take(&mut self.effects);
        self.tables[table].step(at, input, &mut effects);
        self.pass_on(table, effects, doings);
    }

    /// Passes the effects of a table on; those that end a visit are looked at.
    fn pass_on(&mut self, table: usize, mut effects: Vec<Effect>, doings: &mut Vec<Doing>) {
        for effect in effects.drain(..) {
            if let Some(display) = &mut self.display {
                display.watch(table, &effect);
            }
            doings.push(Doing::At(table, effect));
        }
        self.effects = effects;
    }

    /// A moment at the very end of the session's time is after it: what was answered before it counts.
    fn look_at_session(&mut self, at: At, doings: &mut Vec<Doing>) {
        if self.session_end().is_none_or(|end| at < end) {
            return;
        }
        for table in 0..self.tables.len() {
            if !self.tables[table].is_over() {
                let mut effects = std::mem::take(&mut self.effects);
                self.tables[table].end_session(at, &mut effects);
                self.pass_on(table, effects, doings);
            }
        }
    }

    /// Begins the display when all boards are ready, and sends the master on when a visit is over.
    fn go_on(&mut self, at: At, doings: &mut Vec<Doing>) {
        self.begin_display(at, doings);
        while let Some(to) = self.next_table(at, doings) {
            let Some(display) = &mut self.display else { return };
            let (from, master) = (display.place, display.terms.colour);
            if from != to {
                if !self.tables[from].chairs[master].is_free() {
                    return;
                }
                display.place = to;
                let fresh = display.terms.isolate;
                self.walk(from, to, master, fresh);
                doings.push(Doing::Walk { from, to });
                let mut effects = std::mem::take(&mut self.effects);
                self.tables[from].settle(&mut effects);
                self.pass_on(from, effects, doings);
            }
            if let Some(display) = &mut self.display {
                display.visiting = true;
            }
            self.let_in(at, to, doings);
        }
    }

    fn walk(&mut self, from: usize, to: usize, master: Side, fresh: bool) {
        let Ok([from, to]) = self.tables.get_disjoint_mut([from, to]) else { return };
        from.chairs[master].walk(&mut to.chairs[master]);
        to.chairs[master].fresh |= fresh;
    }

    /// The master knows where he sits, also after his process was started again.
    fn seat_master(&mut self) {
        let Some((place, side)) = self.place() else { return };
        if let (Some(table), Ok(number)) = (self.tables.get_mut(place), u32::try_from(place + 1)) {
            table.chairs[side].session.sit_at(number);
        }
    }

    /// The master comes to a table, or passes it.
    fn let_in(&mut self, at: At, table: usize, doings: &mut Vec<Doing>) {
        self.seat_master();
        let mut effects = std::mem::take(&mut self.effects);
        self.tables[table].arrive(at, &mut effects);
        self.pass_on(table, effects, doings);
    }

    fn begin_display(&mut self, at: At, doings: &mut Vec<Doing>) {
        let Some(display) = self.display.as_mut().filter(|display| display.since.is_none()) else { return };
        let mut live = self.tables.iter().filter(|table| !table.is_over()).peekable();
        if live.peek().is_none() || !live.all(Table::is_ready) {
            return;
        }
        display.since = Some(at);
        let master = display.terms.colour;
        let place = display.place;
        display.visiting = display.terms.visit != Visit::Skip || self.tables[place].game.side() == master;
        doings.push(Doing::SessionRuns);
        for table in 0..self.tables.len() {
            let mut effects = std::mem::take(&mut self.effects);
            self.tables[table].permit(at, &mut effects);
            self.pass_on(table, effects, doings);
        }
        if self.display.as_ref().is_some_and(|display| display.visiting) && self.tables[place].is_barred() {
            self.let_in(at, place, doings);
        }
        self.look_at_session(at, doings);
    }

    /// Where the master has to go now, if he has.
    fn next_table(&mut self, at: At, doings: &mut Vec<Doing>) -> Option<usize> {
        let display = self.display.as_ref().filter(|display| !display.visiting)?;
        if display.terms.visit != Visit::Skip || display.since.is_none() {
            return display.next_in_turn(&self.tables);
        }
        let (count, master) = (self.tables.len(), display.terms.colour);
        let first = display.last.map_or(0, |last| last + 1);
        for table in (first..first + count).map(|table| table % count) {
            if self.tables[table].is_over() {
                continue;
            }
            if self.tables[table].is_barred() {
                self.let_in(at, table, doings);
            }
            if self.tables[table].game.side() == master {
                return Some(table);
            }
        }
        None
    }
}

impl Display {
    /// The live table that was served least, the first of them; at a stay simply the first.
    fn next_in_turn(&self, tables: &[Table]) -> Option<usize> {
        let live = (0..tables.len()).filter(|table| !tables[*table].is_over());
        match self.terms.visit {
            Visit::Stay => live.min(),
            Visit::Wait | Visit::Skip => live.min_by_key(|table| (self.served[*table], *table)),
        }
    }

    fn watch(&mut self, table: usize, effect: &Effect) {
        let ends = match effect {
            Effect::Moved(MoveMade { side, .. }, _) if *side == self.terms.colour => {
                self.last = Some(table);
                self.served[table] += 1;
                true
            }
            // The visit at which the move was due has passed without one, wherever the master is now.
            Effect::Overran(Overran { rule: OverrunRule::Wait, .. }, _) => {
                self.served[table] += 1;
                true
            }
            Effect::Over(_) => true,
            Effect::Start(_)
            | Effect::Send(_)
            | Effect::Kill(_)
            | Effect::Moved(..)
            | Effect::Overran(..)
            | Effect::Advised(..)
            | Effect::Note(..)
            | Effect::Rotate(_)
            | Effect::Settled => false,
        };
        if ends && table == self.place {
            self.visiting = false;
        }
    }
}
