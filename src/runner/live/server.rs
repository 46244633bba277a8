//! Takes connections and serves the pages on them, each with limits on size, time and number. A connection
//! that goes wrong ends alone. Start at [`serve`].

use std::convert::Infallible;
use std::net::TcpListener;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;

use super::guard::{Guarded, Ticket};
use super::pages::{Room, router};

/// How long the head of a request may take; also how long a connection may stand idle between two.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);

/// Most bytes of a request's head, and most fields in it.
const MOST_HEAD: usize = 8192;
const MOST_FIELDS: usize = 64;

/// How long bytes may be under way to one who has gone without a word.
const GONE_AFTER_MS: u32 = 30_000;

/// The pause after the system refused a connection (too many open files).
const REFUSED_PAUSE: Duration = Duration::from_millis(200);

/// Takes connections for ever.
pub async fn serve(listener: TcpListener, room: Room) -> std::io::Result<Infallible> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        match listener.accept().await {
            Ok((stream, from)) => {
                // One too many is closed at once: it may come again.
                if let Some(ticket) = room.door.enter(from.ip()) {
                    tokio::spawn(attend(stream, ticket, room.clone()));
                }
            }
            Err(_) => tokio::time::sleep(REFUSED_PAUSE).await,
        }
    }
}

async fn attend(stream: TcpStream, ticket: Ticket, room: Room) {
    let _ = stream.set_nodelay(true);
    let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, GONE_AFTER_MS);
    let service = TowerToHyperService::new(router(room, ticket.from));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .max_buf_size(MOST_HEAD)
        .max_headers(MOST_FIELDS)
        .serve_connection(TokioIo::new(Guarded::new(stream, ticket)), service)
        .with_upgrades();
    // Whatever goes wrong on a connection concerns nobody else.
    let _ = connection.await;
}
