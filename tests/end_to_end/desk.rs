//! A run with its referee's desk, spoken to by plain connections, and what the public page shows of it. Decides
//! nothing that a test is about. Start at [`Desk::say`].

use chuhe::record::What;
use serde_json::{Value, json};

use crate::served::{PATIENCE, Served};
use crate::world::{Place, wait_until};

/// A run with its desk.
pub struct Desk {
    pub served: Served,
    pub token: String,
}

impl Desk {
    pub fn open(place: &Place, config: &Value) -> Desk {
        Desk::of(Served::run(place, config, &["--desk"]))
    }

    pub fn of(mut served: Served) -> Desk {
        let token = served.desk_token();
        assert_eq!(token.len(), 32, "{token}");
        Desk { served, token }
    }

    /// Posts to the desk: the status and what is said.
    pub fn post(&self, token: &str, more: &str, body: &str) -> (u16, Value) {
        let (host, length) = (&self.served.address, body.len());
        let answer = self.served.raw(
            format!(
                "POST /desk/say HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
                 Content-Length: {length}\r\n{more}\r\n{body}"
            )
            .as_bytes(),
        );
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no answer: {answer}"));
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    /// Says something; the fields of a person and a reason are added where they are missing.
    pub fn say(&self, mut said: Value) -> (u16, Value) {
        for (field, usual) in [("person", "Chief Li"), ("reason", "a slip")] {
            let fields = said.as_object_mut().unwrap();
            fields.entry(field).or_insert_with(|| json!(usual));
        }
        self.post(&self.token, "Content-Type: application/json\r\n", &said.to_string())
    }

    /// Says something that is granted; what was written.
    pub fn order(&self, said: Value) -> Value {
        let (status, answer) = self.say(said.clone());
        assert_eq!(status, 200, "{said}: {answer}");
        answer["written"].clone()
    }

    /// Says something that cannot be: why, in English and Chinese.
    pub fn refused(&self, status: u16, said: Value, english: &str, chinese: &str) {
        let (found, answer) = self.say(said.clone());
        assert_eq!(found, status, "{said}: {answer}");
        let why = |lang: &str| answer["why"][lang].as_str().unwrap_or_default().to_owned();
        assert!(why("en").contains(english) && why("zh").contains(chinese), "{said}: {answer}");
    }

    pub fn state(&self) -> Value {
        let (host, token) = (&self.served.address, &self.token);
        let request = format!(
            "GET /desk/state HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        let answer = self.served.raw(request.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// Waits until the public page shows something.
    pub fn public(&self, what: &str, shows: impl Fn(&Value) -> bool) -> Value {
        let mut state = Value::Null;
        let seen = wait_until(PATIENCE, || {
            state = self.served.json("/state");
            shows(&state)
        });
        assert!(seen, "the public does not see {what}: {state}");
        state
    }

    /// Waits until the public page shows a word of the desk in both languages.
    pub fn public_word(&self, english: &str, chinese: &str) {
        self.public(english, |state| {
            let words = state["tables"]["desk"]["words"].as_array().cloned().unwrap_or_default();
            words.iter().any(|word| {
                word["en"].as_str().unwrap().contains(english)
                    && word["zh"].as_str().unwrap().contains(chinese)
            })
        });
    }

    /// Waits until a game has ended.
    pub fn ended(&self, place: &Place, game: &str) {
        let ended = || place.games().iter().any(|over| over.game.to_string() == game);
        let games = || -> Vec<String> { place.games().iter().map(|over| over.game.to_string()).collect() };
        assert!(wait_until(PATIENCE, ended), "{game} does not end: {:?} {}", games(), self.state());
    }
}

/// Half-moves of a game in the journal so far, struck ones included.
pub fn plies(place: &Place, game: &str) -> usize {
    let own = |what: &What| matches!(what, What::Moved(moved) if moved.game.to_string() == game);
    place.events().iter().filter(|event| own(&event.what)).count()
}

/// The run folder is as it should be.
pub fn verify(place: &Place) {
    place.chuhe(&["verify", &place.out().to_string_lossy()]).expect(0);
}
