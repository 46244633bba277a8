//! The line of a seat whose moves come from elsewhere: a small process of our own in the place of an engine, which
//! carries every byte between the runner and the runner's own server, where a person or a remote engine is found.
//! To the hall it is an engine like any other: it is started, watched, recorded and ended as one. Understands no
//! word of what it carries. Start at [`seat_line`].

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};

/// First argument with which our own binary acts as the line of a seat.
pub const SEAT_WORD: &str = "__seat";

/// The variable that tells such a process where the server is: `NAME SECRET`, an abstract socket and the word
/// that opens it. Only our own user can read it.
pub const SEATS: &str = "CHUHE_SEATS";

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
    carry(&server, std::io::stdout().lock());
    // The other end is gone, whatever the runner still wants to say.
    i32::from(!sending.is_finished())
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
