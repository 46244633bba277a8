//! Numbers in as few bytes as they need, for what is kept of every game of a long run. Never kept on disk:
//! the form may change with the program. Start at [`put`] and [`take`].

use crate::tournament::GameId;

/// Appends a number: seven bits a byte, the lowest first, the highest bit set where more follow.
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes the number at the front; `None` where there is no whole one.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Appends the number of a game.
pub fn put_id(out: &mut Vec<u8>, id: GameId) {
    let GameId { stage, round, pair, leg, attempt } = id;
    out.extend([stage, leg, attempt]);
    put(out, round.into());
    put(out, pair.into());
}

/// Takes the number of a game from the front.
pub fn take_id(bytes: &mut &[u8]) -> Option<GameId> {
    let (&[stage, leg, attempt], rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    let mut next = || take(bytes).and_then(|number| u32::try_from(number).ok());
    Some(GameId { stage, round: next()?, pair: next()?, leg, attempt })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_taken() {
        let numbers = [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::from(u32::MAX), u64::MAX - 1, u64::MAX];
        let ids = [
            GameId { stage: 1, round: 1, pair: 1, leg: 1, attempt: 1 },
            GameId { stage: u8::MAX, round: u32::MAX, pair: 300, leg: 200, attempt: u8::MAX },
        ];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| put(&mut bytes, *number));
        ids.iter().for_each(|id| put_id(&mut bytes, *id));
        let mut rest = &bytes[..];
        for number in numbers {
            assert_eq!(take(&mut rest), Some(number));
        }
        for id in ids {
            assert_eq!(take_id(&mut rest), Some(id));
        }
        assert_eq!((take(&mut rest), take_id(&mut rest)), (None, None));
        assert_eq!(take(&mut &[0x80, 0x80][..]), None);
    }
}
