//! The test engine's CECP: its board is a `position` line of UCI that grows with the moves, so that the
//! sources of moves serve it too. Never judges a move. Start at [`Board::hear`].

/// What the engine says to `protover`.
pub const FEATURES: &str = "feature ping=1 setboard=1 usermove=1 variants=\"xiangqi\" myname=\"Fake\"\n\
    feature sigint=0 sigterm=0 option=\"Hash -spin 16 1 64\" done=1\n";

/// The engine's board and whether it answers the opponent's moves.
#[derive(Debug, Default)]
pub struct Board {
    position: Vec<u8>,
    plays: bool,
}

/// What a line wants of the engine.
#[derive(Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing.
    Nothing,
    /// The board is new.
    NewGame,
    /// A move of its own.
    Move,
}

impl Board {
    /// Takes a line; `None` if it is not about the board.
    pub fn hear(&mut self, word: &[u8], rest: &[u8]) -> Option<Wanted> {
        match word {
            b"new" => {
                self.position = b"position startpos".to_vec();
                self.plays = false;
                return Some(Wanted::NewGame);
            }
            b"force" => self.plays = false,
            b"setboard" => {
                self.position = b"position fen ".to_vec();
                self.position.extend_from_slice(rest);
            }
            b"usermove" => {
                self.play(rest);
                return Some(if self.plays { Wanted::Move } else { Wanted::Nothing });
            }
            b"go" => {
                self.plays = true;
                return Some(Wanted::Move);
            }
            _ => return None,
        }
        Some(Wanted::Nothing)
    }

    /// Makes a move on the board.
    pub fn play(&mut self, mv: &[u8]) {
        if memchr::memmem::find(&self.position, b" moves ").is_none() {
            self.position.extend_from_slice(b" moves");
        }
        self.position.push(b' ');
        self.position.extend_from_slice(mv);
    }

    /// The board as a `position` line.
    pub fn position(&self) -> &[u8] {
        &self.position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_wanted_only_where_it_plays() {
        let mut board = Board::default();
        let mut heard = |line: &str| {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            board.hear(word.as_bytes(), rest.as_bytes())
        };
        assert_eq!(heard("new"), Some(Wanted::NewGame));
        assert_eq!(heard("usermove h2e2"), Some(Wanted::Nothing));
        assert_eq!(heard("go"), Some(Wanted::Move));
        assert_eq!(heard("usermove h9g7"), Some(Wanted::Move));
        assert_eq!(heard("force"), Some(Wanted::Nothing));
        assert_eq!(heard("time 500"), None);
        assert_eq!(board.position(), b"position startpos moves h2e2 h9g7");
    }
}
