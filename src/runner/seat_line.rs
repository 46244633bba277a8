//! The line of a seat whose moves come from elsewhere: a small process of our own in the place of an engine, which
//! carries every byte between the runner and the runner's own server, where a person or a remote engine is found.
//! To the hall it is an engine like any other: it is started, watched, recorded and ended as one, and ends as the
//! engine at the other end did. Understands no word of what it carries. Start at [`seat_line`].

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};

/// First argument with which our own binary acts as the line of a seat.
pub const SEAT_WORD: &str = "__seat";

/// The variable that tells such a process where the server is: `NAME SECRET`, an abstract socket and the word
/// that opens it. Only our own user can read it.
pub const SEATS: &str = "CHUHE_SEATS";

/// What the server says last, after whole lines, begins with this where it tells how the far engine has ended.
pub const ENDED: u8 = 0;

/// Bytes carried at once.
const BUFFER: usize = 16 * 1024;

/// The `main` of a line: `KIND LABEL` as its arguments. Carries until either end closes.
pub fn seat_line(args: impl Iterator<Item = std::ffi::OsString>) -> i32 {
    let words: Vec<String> = args.filter_map(|word| word.into_string().ok()).collect();
    match connect(&words.join(" ")) {
        Ok(server) => carry_both(server),
        Err(error) => {
            eprintln!("chuhe: no line to the runner's server: {error}");
            1
        }
    }
}

fn connect(whose: &str) -> std::io::Result<UnixStream> {
    let place = std::env::var(SEATS).map_err(|_| std::io::Error::other("it is not said where it is"))?;
    let (name, secret) =
        place.split_once(' ').ok_or_else(|| std::io::Error::other("its place is garbled"))?;
    let mut server = UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?)?;
    writeln!(server, "{secret} {whose}")?;
    Ok(server)
}

fn carry_both(server: UnixStream) -> i32 {
    let Ok(up) = server.try_clone() else { return 1 };
    let sending = std::thread::spawn(move || {
        carry(std::io::stdin().lock(), &up);
        // The runner has nothing more to say: the other end may finish what it says.
        let _ = up.shutdown(Shutdown::Write);
    });
    let how = carry_lines(&server, std::io::stdout().lock());
    if let Some(how) = &how {
        eprintln!("the engine on its own machine: {how}");
    }
    // The other end is gone, whatever the runner still wants to say.
    how.map_or(i32::from(!sending.is_finished()), |how| status_of(&how))
}

/// The exit status that stands for the end of the far engine: its own, or 1 where it has none.
fn status_of(how: &str) -> i32 {
    how.strip_prefix("exit status ").and_then(|status| status.parse().ok()).unwrap_or(1)
}

/// Passes whole lines on as they come, until there are no more or nobody takes them; what was said last of the
/// engine's end, if anything was.
fn carry_lines(mut from: impl Read, mut to: impl Write) -> Option<String> {
    let mut bytes = [0; BUFFER];
    let mut held = Vec::new();
    loop {
        match from.read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => {
                held.extend_from_slice(&bytes[..count]);
                let whole = memchr::memrchr(b'\n', &held).map_or(0, |newline| newline + 1);
                to.write_all(&held[..whole]).and_then(|()| to.flush()).ok()?;
                held.drain(..whole);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    if let Some((&ENDED, how)) = held.split_first() {
        return Some(String::from_utf8_lossy(how).into_owned());
    }
    let _ = to.write_all(&held).and_then(|()| to.flush());
    None
}

/// Passes bytes on as they come, until there are no more or nobody takes them.
fn carry(mut from: impl Read, mut to: impl Write) {
    let mut bytes = [0; BUFFER];
    loop {
        match from.read(&mut bytes) {
            Ok(0) => return,
            Ok(count) => {
                if to.write_all(&bytes[..count]).and_then(|()| to.flush()).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads what is given in pieces.
    struct Pieces<'a>(Vec<&'a [u8]>);

    impl Read for Pieces<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let Some(piece) = (!self.0.is_empty()).then(|| self.0.remove(0)) else { return Ok(0) };
            to[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn the_end_of_the_far_engine_is_told_after_its_lines() {
        let check = |pieces: &[&[u8]], carried: &str, ended: Option<&str>, status: Option<i32>| {
            let mut to = Vec::new();
            let how = carry_lines(Pieces(pieces.to_vec()), &mut to);
            assert_eq!(String::from_utf8(to).unwrap(), carried);
            assert_eq!((how.as_deref(), how.as_deref().map(status_of)), (ended, status));
        };
        check(&[b"a\nb", b"\n\0exit ", b"status 3"], "a\nb\n", Some("exit status 3"), Some(3));
        check(&[b"\0signal 6"], "", Some("signal 6"), Some(1));
        // A line of an engine may begin like that too; a torn one is passed on.
        check(&[b"\0a\nb"], "\0a\nb", None, None);
        check(&[], "", None, None);
    }
}
