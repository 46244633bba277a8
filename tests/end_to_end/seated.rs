//! A person at the board, played by a script over the addresses of its page: reads what the seat is told, says
//! moves. Judges nothing. Start at [`Seated`].

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::served::PATIENCE;
use crate::world::{Place, wait_until};

/// The secrets of the links of a run, by the seats' labels.
pub fn links(place: &Place) -> Value {
    let mut found = Value::Null;
    let read = wait_until(Duration::from_secs(10), || {
        let text = std::fs::read_to_string(place.out().join("links.json")).unwrap_or_default();
        found = serde_json::from_str(&text).unwrap_or_default();
        found.is_object()
    });
    assert!(read, "the run folder has no links");
    let secret = |link: &Value| json!(link.as_str().unwrap().rsplit('#').next().unwrap());
    found.as_object_mut().unwrap().values_mut().for_each(|link| *link = secret(link));
    found
}

/// Somebody who has the link of a seat.
#[derive(Clone)]
pub struct Seated {
    address: String,
    token: String,
}

impl Seated {
    pub fn new(address: &str, token: &str) -> Seated {
        Seated { address: address.to_owned(), token: token.to_owned() }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn ask(&self, head: &str, body: &str) -> (u16, Value) {
        let mut stream = self.connect();
        let Seated { address, token } = self;
        let request = format!(
            "{head} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap_or_default())
    }

    /// What the seat is told now, and the answer's status.
    pub fn state(&self) -> (u16, Value) {
        self.ask("GET /seat/state", "\r\n")
    }

    /// Says something: the status and what is answered.
    pub fn say(&self, what: &Value) -> (u16, Value) {
        let body = what.to_string();
        let head = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        self.ask("POST /seat/say", &format!("{head}{body}"))
    }

    pub fn play(&self, turn: &Value, text: &str) -> (u16, Value) {
        self.say(&json!({ "kind": "move", "text": text, "turn": turn["id"] }))
    }

    /// A window on the seat.
    pub fn window(&self) -> Window {
        let mut stream = self.connect();
        let Seated { address, token } = self;
        write!(
            stream,
            "GET /seat/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
        .unwrap();
        Window(BufReader::new(stream))
    }
}

/// What a window is told.
pub struct Window(BufReader<TcpStream>);

impl Window {
    /// The next state; `None` at the end.
    pub fn next(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(state) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(state).unwrap());
            }
        }
    }

    /// The next state with a later turn than `known`; `None` when nothing more follows.
    pub fn turn(&mut self, known: &Value) -> Option<Value> {
        loop {
            let state = self.next()?;
            if state["closed"] == true {
                return None;
            }
            // What waited in the stream may tell of a turn that is over.
            if state["turn"]["id"].as_u64() > known.as_u64() {
                return Some(state);
            }
        }
    }
}
