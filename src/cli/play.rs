//! `chuhe play`: a person's seat in a terminal. The same seat as the page of the link, with the same secret: shows the
//! board as text, takes moves in any notation, and may be left and opened again at any time. Decides nothing: what
//! is legal and what time it is, the runner says. Start at [`execute`].

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::Exit;
use super::run::Language;
use super::seat::overheard;
use super::sources::printable;
use crate::report::{Diagram, Lang};
use crate::runner::{Distrust, Site, Trust};
use crate::xiangqi::{Position, SquareStyle};

/// How long the server may say nothing: it tells the time every ten seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often a lost connection is tried again, and how often on end.
const AGAIN_AFTER: Duration = Duration::from_secs(1);
const MOST_TRIES: u32 = 60;

/// Most bytes of an answer: a long game with its moves in three notations.
const MOST_ANSWER: u64 = 1 << 20;

/// Most lines before an answer; ours has five.
const MOST_HEAD: usize = 100;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The link of the seat, as the organiser gave it: http://ADDRESS/seat#TOKEN or https://HOST/seat#TOKEN. With
    /// https:// the server's certificate has to be one that this machine trusts; SSL_CERT_FILE names a file of
    /// those that are to be trusted instead
    #[arg(long, value_name = "LINK", value_parser = link)]
    seat: Link,
    /// Latin letters and WXF moves, or Chinese pieces and moves
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
}

/// Where a seat is and what opens it.
#[derive(Debug, Clone)]
struct Link {
    site: Site,
    token: String,
    /// Whom we trust, once TLS is to be spoken.
    trust: Option<Trust>,
}

fn link(text: &str) -> Result<Link, String> {
    const EXPECTED: &str = "expected http://ADDRESS/seat#TOKEN or https://, as the organiser gave it";
    let (site, after) = Site::read(text, None).map_err(|why| format!("{why}; {EXPECTED}"))?;
    let token = after.strip_prefix("/seat#").ok_or(EXPECTED)?;
    if token.len() != 32 || !token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err("the link is not complete".to_owned());
    }
    Ok(Link { site, token: token.to_owned(), trust: None })
}

/// What happens.
enum News {
    /// How the seat stands.
    State(Value),
    /// A line was typed.
    Typed(String),
    /// Nothing more is typed.
    Leaves,
    /// The seat cannot be reached; why.
    Lost(String),
}

/// What a server is spoken to over: TCP, or TLS over it.
trait Connection: Read + Write {}

impl<S: Read + Write> Connection for S {}

/// What follows the head of an answer.
type Answer = BufReader<Box<dyn Connection>>;

impl Link {
    fn connect(&self) -> std::io::Result<Box<dyn Connection>> {
        let stream = TcpStream::connect(self.site.address())?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(match &self.trust {
            Some(trust) => Box::new(trust.join_waiting(stream, &self.site)?),
            None => Box::new(stream),
        })
    }

    /// Asks for something in HTTP/1.0, whose answers come unpacked and end with the connection. Returns the
    /// status and what follows the head.
    fn ask(&self, head: &str, body: &str) -> std::io::Result<(u16, Answer)> {
        let mut stream = self.connect()?;
        let (host, token, length) = (self.site.authority(), &self.token, body.len());
        let request = format!(
            "{head} HTTP/1.0\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes())?;
        stream.flush()?;
        let mut reader = BufReader::new(stream);
        let status = answer_line(&mut reader)?;
        let status = status.split(' ').nth(1).and_then(|status| status.parse().ok());
        for _ in 0..MOST_HEAD {
            if answer_line(&mut reader)?.trim().is_empty() {
                return Ok((status.unwrap_or_default(), reader));
            }
        }
        Err(std::io::Error::new(ErrorKind::InvalidData, "the head of the answer does not end"))
    }

    /// Says something; returns what is answered.
    fn say(&self, what: &Value) -> std::io::Result<Value> {
        let (status, reader) = self.ask("POST /seat/say", &what.to_string())?;
        let mut text = Vec::new();
        match reader.take(MOST_ANSWER).read_to_end(&mut text) {
            // TLS that ends without a word could be cut short by anybody; what is cut is no JSON.
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(error),
            Ok(_) | Err(_) => {}
        }
        serde_json::from_slice(&text).map_err(|_| refused(status))
    }

    /// Passes on how the seat stands, for as long as the connection lasts; `heard` tells whether anything was heard.
    fn follow(&self, news: &Sender<News>, heard: &mut bool) -> std::io::Result<()> {
        let (status, mut reader) = self.ask("GET /seat/events", "")?;
        if status != 200 {
            return Err(refused(status));
        }
        loop {
            let line = answer_line(&mut reader)?;
            if line.is_empty() {
                return Ok(());
            }
            *heard = true;
            let state = line.strip_prefix("data: ").and_then(|state| serde_json::from_str(state).ok());
            if state.is_some_and(|state| news.send(News::State(state)).is_err()) {
                return Ok(());
            }
        }
    }
}

fn refused(status: u16) -> std::io::Error {
    let why = match status {
        401 => "the link opens no seat".to_owned(),
        300..=399 => format!("the server answers {status}; is https:// meant?"),
        status => format!("the server answers {status}"),
    };
    // A proxy says that when there is no run behind it just now: it may go on.
    let kind = if status >= 500 { ErrorKind::ConnectionRefused } else { ErrorKind::PermissionDenied };
    std::io::Error::new(kind, why)
}

/// A line of an answer, empty at its end.
fn answer_line(reader: &mut Answer) -> std::io::Result<String> {
    let mut line = String::new();
    reader.take(MOST_ANSWER).read_line(&mut line)?;
    if line.len() as u64 == MOST_ANSWER && !line.ends_with('\n') {
        return Err(std::io::Error::new(ErrorKind::InvalidData, "a line of the answer does not end"));
    }
    Ok(line)
}

/// Follows the seat; a lost connection is made again, for the seat waits.
fn follow_always(link: &Link, news: &Sender<News>) {
    let mut tries = 0;
    loop {
        let mut heard = false;
        let followed = link.follow(news, &mut heard);
        if heard {
            tries = 0;
        }
        let why = match followed {
            Ok(()) => "the connection ended".to_owned(),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                let _ = news.send(News::Lost(error.to_string()));
                return;
            }
            Err(error) => error.to_string(),
        };
        tries += 1;
        if tries > MOST_TRIES {
            let _ = news.send(News::Lost(why));
            return;
        }
        std::thread::sleep(AGAIN_AFTER);
    }
}

fn read_lines(news: &Sender<News>) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if news.send(News::Typed(line)).is_err() {
            return;
        }
    }
    let _ = news.send(News::Leaves);
}

/// Takes the seat of a link, with those whom this machine trusts where TLS is spoken; in words, why it cannot.
fn sit_down(link: &Link, lang: Lang) -> Result<Link, String> {
    let trust = link.site.is_secure().then(Trust::of_system).transpose();
    let trust = trust.map_err(|distrust| distrust.words(lang))?;
    if link.site.is_overheard() {
        eprintln!("{}", overheard(&link.site, lang));
    }
    let seat = Link { trust, ..link.clone() };
    let in_words = |error: std::io::Error| {
        Distrust::of(&error).map_or_else(|| error.to_string(), |distrust| distrust.words(lang))
    };
    seat.say(&json!({ "kind": "here" })).map_err(in_words)?;
    Ok(seat)
}

pub fn execute(arguments: &Arguments) -> Exit {
    let lang = Lang::from(arguments.lang);
    let seat = match sit_down(&arguments.seat, lang) {
        Ok(seat) => seat,
        Err(why) => {
            eprintln!("error: {}: {}", arguments.seat.site, printable(&why));
            return Exit::Usage;
        }
    };
    let (sender, news) = channel();
    let (typing, link) = (sender.clone(), seat.clone());
    std::thread::spawn(move || follow_always(&link, &sender));
    std::thread::spawn(move || read_lines(&typing));
    println!("{}", help(lang));
    let mut terminal = Terminal { lang, link: &seat, state: Value::Null, resigns: false };
    for news in news {
        match news {
            News::State(state) => {
                if terminal.sees(state) {
                    return Exit::Done;
                }
            }
            News::Typed(line) => terminal.typed(line.trim()),
            News::Leaves => return Exit::Done,
            News::Lost(why) => {
                eprintln!("error: {}: {}", seat.site, printable(&why));
                return Exit::Internal;
            }
        }
    }
    Exit::Done
}

fn help(lang: Lang) -> &'static str {
    lang.pick(
        "Type a move in any notation (h2e2, H2-E2, C2.5, 炮二平五), or:\n\
         \x20 draw      offer a draw with the next move, or accept the one that is offered\n\
         \x20 resign    give the game up\n\
         \x20 say TEXT  advise the member of the team who is on turn\n\
         \x20 board     show everything again\n\
         \x20 help      show this\n\
         The end of the input leaves the seat; it waits, and its clock runs on.",
        "可用任何记谱法输入着法（h2e2、H2-E2、C2.5、炮二平五），或：\n\
         \x20 draw      下一着同时提和；对方提和时表示同意\n\
         \x20 resign    认输\n\
         \x20 say 文字  给轮走的队友提建议\n\
         \x20 board     重新显示\n\
         \x20 help      显示本说明\n\
         输入结束即离席；席位保留，棋钟照走。",
    )
}

struct Terminal<'a> {
    lang: Lang,
    link: &'a Link,
    state: Value,
    /// Whether the next `yes` gives the game up.
    resigns: bool,
}

impl Terminal<'_> {
    /// The seat stands so now; true when nothing more follows.
    fn sees(&mut self, state: Value) -> bool {
        let shown = |state: &Value| {
            let moves = state["game"]["moves"].as_array().map(Vec::len);
            (state["game"]["number"].clone(), moves, state["turn"]["id"].clone(), state["advice"].clone())
        };
        let changed = shown(&state) != shown(&self.state);
        let closed = state["closed"] == true;
        self.state = state;
        if changed && !closed {
            println!("{}", picture(&self.state, self.lang));
        }
        if closed {
            println!("{}", self.lang.pick("The match is over.", "比赛结束。"));
        }
        closed
    }

    fn typed(&mut self, line: &str) {
        let turn = &self.state["turn"];
        let confirmed = std::mem::take(&mut self.resigns) && line == "yes";
        let say = match line.split_once(' ').unwrap_or((line, "")) {
            ("", _) => return,
            ("help", "") => return println!("{}", help(self.lang)),
            ("board", "") => return println!("{}", picture(&self.state, self.lang)),
            ("resign", "") => {
                self.resigns = true;
                return println!("{}", self.lang.pick("Type yes to resign.", "输入 yes 确认认输。"));
            }
            ("yes", "") if confirmed => json!({ "kind": "resign", "turn": turn["id"] }),
            ("draw", "") if turn["draw_offered"] == true => {
                json!({ "kind": "accept-draw", "turn": turn["id"] })
            }
            ("draw", "") => json!({ "kind": "offer-draw", "on": self.state["offers_draw"] != true }),
            ("say", text) => json!({ "kind": "advise", "text": text }),
            _ if turn.is_null() => {
                return println!("{}", self.lang.pick("It is not your turn.", "还没轮到你。"));
            }
            _ => json!({ "kind": "move", "text": line, "turn": turn["id"] }),
        };
        match self.link.say(&say) {
            Ok(answer) => {
                let text = answer[self.lang.pick("en", "zh")].as_str().unwrap_or_default();
                println!("{}", printable(text));
            }
            Err(error) => println!("{}{error}", self.lang.pick("not said: ", "没有送到：")),
        }
    }
}

/// A time as a clock shows it.
fn clock(milliseconds: &Value, used: u64) -> Option<String> {
    let left = milliseconds.as_u64()?.saturating_sub(used) / 1000;
    let (hours, minutes, seconds) = (left / 3600, left / 60 % 60, left % 60);
    Some(if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    })
}

/// All that a seat shows, as text.
fn picture(state: &Value, lang: Lang) -> String {
    let mut out = String::new();
    let (game, turn) = (&state["game"], &state["turn"]);
    if game.is_null() {
        return lang.pick("Waiting for the game to begin.", "等待对局开始。").to_owned();
    }
    let black = game["colour"] == "black";
    let colour = if black { lang.pick("Black", "黑方") } else { lang.pick("Red", "红方") };
    let number = &game["number"];
    let ([before, before_zh], after_zh) = match game["board"].is_null() {
        true => (["Game ", "第 "], " 局，"),
        false => (["Board ", "第 "], " 台，"),
    };
    let _ = writeln!(out, "\n{}{number}{}{colour}", lang.pick(before, before_zh), lang.pick(", ", after_zh));
    let notation = lang.pick("wxf", "zh");
    let mut last = &game["last"][notation];
    if let Some(position) = game["fen"].as_str().and_then(|fen| Position::from_fen(fen).ok()) {
        let moves = game["moves"].as_array();
        let played = moves.and_then(|moves| moves.last()?.as_str());
        let marked = played.and_then(|text| SquareStyle::Zero.read(text.as_bytes()));
        let marked: Vec<_> = marked.into_iter().flat_map(|mv| [mv.from, mv.to]).collect();
        let diagram = Diagram { black_below: black, ..Diagram::of(lang) };
        let _ = write!(out, "{}", diagram.text(&position, &marked));
        last = game[notation].as_array().and_then(|all| all.last()).unwrap_or(&Value::Null);
    }
    if let Some(last) = last.as_str() {
        let _ = writeln!(out, "{}{}", lang.pick("Last move: ", "上一着："), printable(last));
    }
    for advice in state["advice"].as_array().into_iter().flatten() {
        let text = printable(advice["text"].as_str().unwrap_or_default());
        let _ = writeln!(out, "{} {}: {text}", lang.pick("Member", "队员"), advice["member"]);
    }
    if turn.is_null() {
        let _ = writeln!(out, "{}", lang.pick("Not your turn.", "未轮到你。"));
    } else {
        put_turn(turn, lang, &mut out);
    }
    out
}

fn put_turn(turn: &Value, lang: Lang, out: &mut String) {
    let used = turn["asked_ms"].as_u64().unwrap_or_default();
    let own = clock(&turn["left_ms"], used).or_else(|| clock(&turn["move_ms"], used));
    if let Some(own) = own {
        let _ = write!(out, "{}{own}", lang.pick("Your clock ", "你的棋钟 "));
        if let Some(other) = clock(&turn["opponent_left_ms"], 0) {
            let _ = write!(out, "{}{other}", lang.pick(", the opponent's ", "，对方 "));
        }
        out.push('\n');
    }
    if turn["draw_offered"] == true {
        let _ = writeln!(out, "{}", lang.pick("The opponent offers a draw.", "对方提和。"));
    }
    let _ = write!(out, "{}", lang.pick("Your move: ", "请走棋："));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::read_move;

    #[test]
    fn links_as_typed() {
        let token = "0123456789abcdef0123456789abcdef";
        let check = |text: String, expected: Option<(&str, bool)>| {
            let found = link(&text).ok().map(|link| (link.site.address(), link.site.is_secure()));
            let found = found.as_ref().map(|(address, secure)| (address.as_str(), *secure));
            assert_eq!(found, expected, "{text}");
        };
        check(format!("http://127.0.0.1:8090/seat#{token}"), Some(("127.0.0.1:8090", false)));
        check(format!("http://[::1]:8090/seat#{token}"), Some(("[::1]:8090", false)));
        check(format!("http://hall.example/seat#{token}"), Some(("hall.example:80", false)));
        check(format!("https://hall.example/seat#{token}"), Some(("hall.example:443", true)));
        check(format!("hall.example/seat#{token}"), None);
        check(format!("http://127.0.0.1:8090/seat#{}", &token[1..]), None);
        check(format!("http://127.0.0.1:8090/remote#{token}"), None);
    }

    #[test]
    fn a_seat_is_drawn_and_whoever_plays_blindfold_sees_no_board() {
        let position = Position::start();
        let mv = read_move(&position, "h2e2", None).unwrap();
        let state = json!({
            "game": { "number": 2, "colour": "black", "fen": position.after(mv).fen(), "moves": ["h2e2"],
                "wxf": ["C2.5"], "zh": ["炮二平五"] },
            "turn": { "id": 3, "left_ms": 3_600_000, "opponent_left_ms": 61_000, "asked_ms": 1000,
                "draw_offered": true },
            "advice": [{ "member": 2, "text": "H8+7\u{1b}", "move": null }],
        });
        let text = picture(&state, Lang::English);
        for part in
            ["Game 2, Black", "[C]", "Last move: C2.5", "Member 2: H8+7\u{FFFD}", "59:59", "1:01", "offers"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let state = json!({
            "game": { "number": 4, "board": 4, "colour": "red", "last": { "wxf": "H8+7", "zh": "马８进７" } },
            "turn": { "id": 3, "move_ms": 60_000, "asked_ms": 0, "draw_offered": false },
            "advice": [],
        });
        let text = picture(&state, Lang::Chinese);
        assert!(text.contains("第 4 台，红方\n上一着：马８进７\n你的棋钟 1:00\n请走棋："), "{text}");
    }
}
