//! The referee's desk of a run that is played: takes what comes from its page one at a time, writes decisions
//! and words into the journal and lets the hall obey them. A decision comes to the same as one written into a
//! run that stands still. Knows nothing of HTTP and of tokens. Start at [`attend`].

use std::rc::Rc;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::decide::{NotDecided, Why, Wish, Word, held_blocks, read_clocks, written};
use super::desk::{Desk, DeskError};
use super::hall::{Hall, Halt};
use super::lock::{Admission, locks, relock};
use super::wall::date;
use crate::engine::printable;
use crate::record::{Answer, Ordered, Run, Said, Spoken, What};
use crate::report::live::desk_state;
use crate::tournament::GameId;

/// Petitions that wait for the hall at most; a desk is one person, seats are some dozens.
const MOST_WAITING: usize = 64;

/// Most requests for a correction of a run, and longest texts: what is said at the desk stays in memory.
const MOST_REQUESTS: usize = 1000;
const LONGEST_NAME: usize = 80;
const LONGEST_TEXT: usize = 1000;

/// What somebody says to the hall. Which fields are needed follows from the kind.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Say {
    /// `rule`, `annul`, `replay`, `correct`, `withdraw`, `place`, `admit`, `announce`, `pause`, `go-on`, `ask`,
    /// `grant`, `refuse`.
    pub kind: String,
    /// Which game, with its attempt.
    pub game: Option<GameId>,
    /// The result: `1-0`, `0-1`, `1/2-1/2`.
    pub result: Option<String>,
    /// The last half-move that stands.
    pub to_move: Option<u32>,
    /// Both clocks, Red first, as `29m,28m30s`; as they stood then if not given.
    pub clocks: Option<String>,
    /// Who withdraws or is admitted.
    pub entrant: Option<String>,
    /// Equals, best first.
    pub order: Option<Vec<String>>,
    /// What is announced.
    pub text: Option<String>,
    /// Which request for a correction is granted or refused.
    pub request: Option<u32>,
    /// Who asks for a correction, where somebody else enters it.
    pub by: Option<String>,
    /// Who says it.
    pub person: String,
    /// The article it rests on; the event's own if not given.
    pub article: Option<String>,
    /// Why.
    pub reason: String,
}

/// Why nothing was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is not said as it has to be.
    Unclear(Why),
    /// It cannot be.
    Impossible(Why),
    /// Nobody listens any more: the run has ended or is ending.
    Over,
}

/// What came of it: the events that were written, as JSON.
pub type Heard = Result<Value, Refusal>;

/// Something that waits for the hall.
#[derive(Debug)]
enum Petition {
    Say(Box<Say>, oneshot::Sender<Heard>),
    State(oneshot::Sender<Value>),
}

/// Where pages put what the hall is to hear.
#[derive(Debug, Clone)]
pub struct Petitions(mpsc::Sender<Petition>);

/// Where the hall finds it.
#[derive(Debug)]
pub struct Waiting(mpsc::Receiver<Petition>);

impl Petitions {
    /// A pair of both ends.
    pub fn new() -> (Petitions, Waiting) {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        (Petitions(sender), Waiting(receiver))
    }

    /// Says something and waits for what comes of it.
    ///
    /// # Errors
    /// Why nothing was written.
    pub async fn say(&self, say: Say) -> Heard {
        let (answer, heard) = oneshot::channel();
        self.0.try_send(Petition::Say(Box::new(say), answer)).map_err(|_| Refusal::Over)?;
        heard.await.unwrap_or(Err(Refusal::Over))
    }

    /// How the run stands at this moment, for the desk; nothing when it has ended.
    pub async fn state(&self) -> Option<Value> {
        let (answer, state) = oneshot::channel();
        self.0.try_send(Petition::State(answer)).ok()?;
        state.await.ok()
    }
}

/// Hears petitions until the run is over.
pub async fn attend(hall: Rc<Hall>, mut waiting: Waiting) {
    while let Some(petition) = waiting.0.recv().await {
        match petition {
            Petition::Say(said, answer) => {
                let admission = read_anew(&hall, &said).await;
                drop(answer.send(hear(&hall, *said, admission)));
            }
            Petition::State(answer) => drop(answer.send(state(&hall))),
        }
    }
}

/// What the engines of an entrant that is to be admitted are made of now. Its files are read on another thread:
/// no game waits for that.
async fn read_anew(hall: &Hall, say: &Say) -> Option<Result<Admission, Why>> {
    let entrant = say.entrant.as_deref().filter(|_| say.kind == "admit")?;
    let (dir, locks) = {
        let desk = hall.desk();
        (desk.dir().to_owned(), locks(desk.run(), entrant))
    };
    let (index, locks) = match locks {
        Ok(found) => found,
        Err(why) => return Some(Err(why)),
    };
    let read = tokio::task::spawn_blocking(move || relock(&dir, index, locks)).await;
    Some(read.unwrap_or_else(|error| Err(Why::new(error.to_string(), error.to_string()))))
}

/// A run that was paused when its runner stopped, and is resumed without a desk that could let it go on, goes on.
///
/// # Errors
/// The journal cannot take it.
pub fn go_on_undirected(desk: &mut Desk) -> Result<(), DeskError> {
    if desk.run().paused().is_none() || desk.is_attended() {
        return Ok(());
    }
    let (person, reason) = ("the runner".to_owned(), "resumed without a referee's desk".to_owned());
    let spoken = Spoken { date: date(), person, article: None, reason, said: Said::WentOn };
    let at = desk.run().last();
    desk.record(at, What::Spoken(Box::new(spoken)))
}

fn state(hall: &Hall) -> Value {
    let desk = hall.desk();
    let run = desk.run();
    let mut state = desk_state(run);
    if let Value::Object(fields) = &mut state {
        let names = |block: &Vec<usize>| block.iter().map(|one| run.name(*one)).collect::<Vec<_>>();
        let blocks: Vec<_> = held_blocks(run).iter().map(names).collect();
        fields.insert("equals".to_owned(), json!(blocks));
        fields.insert("waits".to_owned(), json!(hall.director.borrow().waits_for_desk()));
    }
    state
}

fn unclear<T>(english: &str, chinese: &str) -> Result<T, Refusal> {
    Err(Refusal::Unclear(Why::new(english, chinese)))
}

fn impossible<T>(english: impl Into<String>, chinese: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Impossible(Why::new(english, chinese)))
}

/// A text as it may be written: one line, nothing that a terminal obeys, not too long.
fn text(text: &str, most: usize, needed: &str, chinese: &str) -> Result<String, Refusal> {
    let clean = printable(text.trim().as_bytes());
    match clean.chars().count() {
        0 => unclear(&format!("{needed} is missing"), &format!("缺少{chinese}")),
        count if count > most => unclear(
            &format!("{needed} is longer than {most} characters"),
            &format!("{chinese}超过 {most} 个字符"),
        ),
        _ => Ok(clean),
    }
}

/// Takes one thing in: all of it is written, or nothing.
fn hear(hall: &Hall, say: Say, admission: Option<Result<Admission, Why>>) -> Heard {
    if hall.halt() != Halt::No {
        return Err(Refusal::Over);
    }
    let article = say.article.as_deref().map(str::trim).filter(|article| !article.is_empty());
    let word = Word {
        person: text(&say.person, LONGEST_NAME, "the person's name", "姓名")?,
        article: article.map(|article| text(article, LONGEST_NAME, "the article", "条款")).transpose()?,
        reason: text(&say.reason, LONGEST_TEXT, "the reason", "理由")?,
    };
    match say.kind.as_str() {
        "announce" => {
            let text = text(say.text.as_deref().unwrap_or(""), LONGEST_TEXT, "the announcement", "通告内容")?;
            speak(hall, word, Said::Announced { text })
        }
        "pause" | "go-on" => pause(hall, word, say.kind == "pause"),
        "ask" => ask(hall, &say, word),
        "grant" => {
            let (number, game, to_move) = open_request(hall.desk().run(), &say)?;
            let wish = Wish::Correct(game, say.to_move.unwrap_or(to_move), clocks(&say)?);
            decide(hall, &wish, &word, Some(number), None)
        }
        "refuse" => {
            let (request, game, _) = open_request(hall.desk().run(), &say)?;
            speak(hall, word, Said::Refused { request, game })
        }
        _ => {
            let wish = wish(&say)?;
            decide(hall, &wish, &word, None, admission.transpose().map_err(Refusal::Impossible)?)
        }
    }
}

fn game(say: &Say) -> Result<GameId, Refusal> {
    say.game.map_or_else(|| unclear("the game is missing", "缺少对局编号"), Ok)
}

fn clocks(say: &Say) -> Result<Option<[u64; 2]>, Refusal> {
    let typed = say.clocks.as_deref().map(str::trim).filter(|typed| !typed.is_empty());
    let bad = |why: String| {
        Refusal::Unclear(Why::new(format!("the clocks: {why}"), "双方余时应写作 29m,28m30s（红方在前）"))
    };
    typed.map(|typed| read_clocks(typed).map_err(bad)).transpose()
}

fn to_move(say: &Say) -> Result<u32, Refusal> {
    say.to_move.map_or_else(|| unclear("the half-move is missing", "缺少半回合序号"), Ok)
}

/// The decision that is wished, as the commands of the same names have it.
fn wish(say: &Say) -> Result<Wish, Refusal> {
    let entrant = || {
        let name = say.entrant.clone().filter(|name| !name.is_empty());
        name.map_or_else(|| unclear("the entrant is missing", "缺少参赛者"), Ok)
    };
    Ok(match say.kind.as_str() {
        "rule" => Wish::Rule(game(say)?, say.result.clone().unwrap_or_default()),
        "annul" => Wish::Annul(game(say)?),
        "replay" => Wish::Replay(game(say)?),
        "correct" => Wish::Correct(game(say)?, to_move(say)?, clocks(say)?),
        "withdraw" => Wish::Withdraw(entrant()?),
        "admit" => Wish::Admit(entrant()?),
        "place" => Wish::Place(say.order.clone().unwrap_or_default()),
        _ => return unclear("this is nothing that the desk can do", "裁判席无此操作"),
    })
}

/// Writes something that decides no result.
fn speak(hall: &Hall, word: Word, said: Said) -> Heard {
    let Word { person, article, reason } = word;
    let spoken = Spoken { date: date(), person, article, reason, said };
    let told = json!([spoken]);
    hall.record(hall.wall.now(), What::Spoken(Box::new(spoken)));
    hall.reconsider();
    Ok(told)
}

fn pause(hall: &Hall, word: Word, wanted: bool) -> Heard {
    let paused = hall.desk().run().paused().is_some();
    match (paused, wanted) {
        (true, true) => impossible("the run is paused already", "比赛已经暂停"),
        (false, false) => impossible("the run is not paused", "比赛并未暂停"),
        (false, true) => speak(hall, word, Said::Paused),
        (true, false) => speak(hall, word, Said::WentOn),
    }
}

/// A person asks for a correction (I.12): it must be one that could be granted now.
fn ask(hall: &Hall, say: &Say, word: Word) -> Heard {
    let (game, to_move) = (game(say)?, to_move(say)?);
    let by = say.by.as_deref().map(str::trim).filter(|by| !by.is_empty());
    let by = by.map(|by| text(by, LONGEST_NAME, "the name of who asks", "申请人姓名")).transpose()?;
    let (person, entered_by) = match by {
        Some(by) if by != word.person => (by, Some(word.person)),
        Some(_) | None => (word.person, None),
    };
    let request = {
        let desk = hall.desk();
        let run = desk.run();
        no_later_attempt(hall, game)?;
        possible(written(
            desk.dir(),
            run,
            &Wish::Correct(game, to_move, clocks(say)?),
            &unsaid(),
            (None, Vec::new()),
        ))?;
        let own = |game: GameId, by: &str| {
            let open = run.requests().iter().filter(|request| request.answer == Answer::Open);
            open.into_iter().any(|request| request.game == game && request.by == by)
        };
        if own(game, &person) {
            return impossible(
                format!("a request of {person} on game {game} waits already"),
                format!("{person} 就对局 {game} 的申请尚待答复"),
            );
        }
        if run.requests().len() >= MOST_REQUESTS {
            return impossible("there were too many requests in this run", "本次比赛的申请已过多");
        }
        run.requests().len() as u32 + 1
    };
    let said = Said::Asked { request, game, to_move, entered_by };
    speak(hall, Word { person, article: word.article, reason: word.reason }, said)
}

/// A word for a decision of which is only seen whether it could be.
fn unsaid() -> Word {
    Word { person: String::new(), article: None, reason: String::new() }
}

/// The request that is answered: its number, its game, the half-move that is to stand.
fn open_request(run: &Run, say: &Say) -> Result<(u32, GameId, u32), Refusal> {
    let Some(number) = say.request else { return unclear("the request is missing", "缺少申请号") };
    let found = run.requests().iter().find(|one| one.number == number && one.answer == Answer::Open);
    match found {
        Some(request) => Ok((number, request.game, request.to_move)),
        None => impossible(
            format!("no request {number} waits for an answer"),
            format!("没有待答复的第 {number} 号申请"),
        ),
    }
}

fn possible<T>(written: Result<T, NotDecided>) -> Result<T, Refusal> {
    written.map_err(|error| match error {
        NotDecided::Impossible(why) => Refusal::Impossible(why),
        NotDecided::Run(error) => Refusal::Impossible(Why::new(error.to_string(), error.to_string())),
    })
}

/// What was played before is not ruled on while it is played again.
fn no_later_attempt(hall: &Hall, game: GameId) -> Result<(), Refusal> {
    let first = |id: GameId| GameId { attempt: 1, ..id };
    let later = hall
        .director
        .borrow()
        .running()
        .find_map(|(id, _)| (first(id) == first(game) && id.attempt > game.attempt).then_some(id));
    match later {
        None => Ok(()),
        Some(later) => impossible(
            format!("game {game} is being played again as {later}"),
            format!("对局 {game} 正以 {later} 重赛"),
        ),
    }
}

fn decide(
    hall: &Hall,
    wish: &Wish,
    word: &Word,
    request: Option<u32>,
    admission: Option<Admission>,
) -> Heard {
    match wish {
        Wish::Rule(game, _) | Wish::Annul(game) | Wish::Replay(game) | Wish::Correct(game, ..) => {
            no_later_attempt(hall, *game)?;
        }
        Wish::Withdraw(_) | Wish::Place(_) | Wish::Admit(_) => {}
    }
    let (orders, events) = {
        let desk = hall.desk();
        let relocked = admission.as_ref().map_or_else(Vec::new, |read| read.locked.clone());
        possible(written(desk.dir(), desk.run(), wish, word, (request, relocked)))?
    };
    let told: Vec<Value> = events.iter().map(|event| json!(event)).collect();
    // From here to the end nothing waits: no game can come in between.
    let broken = broken_off(hall, &orders);
    let at = hall.wall.now();
    events.into_iter().for_each(|event| hall.record(at, event));
    if let (Wish::Admit(name), Some(admission)) = (wish, admission)
        && let Some(index) = hall.desk().run().index_of(name)
    {
        hall.admit(index, admission);
    }
    hall.break_off(&broken);
    hall.reconsider();
    Ok(Value::Array(told))
}

/// The games under way that cannot go on as they are: the one that is corrected, those of an entrant that
/// withdraws, and of an exhibition all boards of the sitting that another game joins.
fn broken_off(hall: &Hall, orders: &[Ordered]) -> Vec<GameId> {
    let director = hall.director.borrow();
    let display = |stage: u8| {
        let stage = hall.plan.stages.get(usize::from(stage).saturating_sub(1));
        stage.is_some_and(|stage| stage.format.exhibition().is_some())
    };
    let mut broken = Vec::new();
    for ordered in orders {
        let all = director.running();
        match ordered {
            Ordered::Corrected { game, .. }
            | Ordered::Reopened { game, .. }
            | Ordered::Replay { game, .. } => broken.extend(
                all.map(|(id, _)| id)
                    .filter(|id| id == game || id.stage == game.stage && display(game.stage)),
            ),
            Ordered::Withdrawn { entrant, stage, .. } => {
                let leaves =
                    |seats: [usize; 2]| seats.iter().any(|seat| hall.plan.entrants[*seat].name == *entrant);
                let own = |id: &GameId, seats: [usize; 2]| {
                    id.stage >= *stage && leaves(seats) || id.stage == *stage && display(*stage)
                };
                broken.extend(all.filter(|(id, seats)| own(id, [seats.red, seats.black])).map(|(id, _)| id));
            }
            Ordered::Result { .. }
            | Ordered::Annulled { .. }
            | Ordered::Placed { .. }
            | Ordered::Admitted { .. } => {}
        }
    }
    broken
}
