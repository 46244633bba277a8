//! What the live page's server answers: a few fixed addresses, each answer under a policy that lets nothing run
//! but our own script. Asks of another host, with another method or with a body where none belongs are refused
//! before anything is looked at. Start at [`router`].

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Path, Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN,
    REFERRER_POLICY, TRANSFER_ENCODING, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::OpenDesk;
use super::desk;
use super::guard::Door;
use super::hub::{Full, SharedHub};
use super::remote;
use super::seat_pages;
use super::seats::Seats;
use crate::report::live::{BOARD, ICON, Page, SCRIPT, STYLE};
use crate::tournament::GameId;

/// Longest address that is looked at.
const MOST_ADDRESS: usize = 256;

/// Nothing but our own files may be loaded, and nothing inline runs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Most bytes that may be said at a seat or at the desk.
pub const MOST_BODY: usize = 16 * 1024;

/// A page.
pub const HTML: &str = "text/html; charset=utf-8";
/// JSON.
pub const JSON: &str = "application/json";
/// A style sheet.
pub const STYLE_TYPE: &str = "text/css; charset=utf-8";
/// A script.
pub const SCRIPT_TYPE: &str = "text/javascript; charset=utf-8";

/// The names under which the page may be asked for. A foreign page that has its own name point to us (DNS
/// rebinding) sends its own name.
#[derive(Debug)]
pub struct Hosts {
    bound: IpAddr,
    names: Vec<String>,
}

impl Hosts {
    /// Our own machine, the address bound, any address where all are bound, and further names.
    pub fn new(bound: IpAddr, names: &[String]) -> Hosts {
        Hosts { bound, names: names.iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    /// Whether an authority (`name`, `name:port`) is one of them.
    fn knows(&self, authority: &str) -> bool {
        let (name, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((address, port)) => (address, port),
            None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
        };
        let port = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
        let name = name.to_ascii_lowercase();
        let address = || {
            name.parse::<IpAddr>()
                .is_ok_and(|ip| ip.is_loopback() || ip == self.bound || self.bound.is_unspecified())
        };
        port && (name == "localhost" || self.names.contains(&name) || address())
    }
}

/// What the pages need.
#[derive(Debug, Clone)]
pub struct Room {
    /// The run.
    pub hub: SharedHub,
    /// Who may ask.
    pub door: Arc<Door>,
    /// Under which names.
    pub hosts: Arc<Hosts>,
    /// Who plays from elsewhere.
    pub seats: Arc<Seats>,
    /// The referee's desk, if it is open.
    pub desk: Option<OpenDesk>,
}

/// All addresses, for a connection from `from`.
pub fn router(room: Room, from: IpAddr) -> Router {
    Router::new()
        .route("/", get(async || text(HTML, Page::Live.document())))
        .route("/live.css", get(async || text(STYLE_TYPE, STYLE)))
        .route("/live.js", get(async || text(SCRIPT_TYPE, SCRIPT)))
        .route("/board.js", get(async || text(SCRIPT_TYPE, BOARD)))
        .route("/icon.svg", get(async || text("image/svg+xml", ICON)))
        .route("/state", get(state))
        .route("/events", get(events))
        .route("/game/{id}", get(game))
        .route("/ruling/{id}", get(ruling))
        .merge(desk::routes())
        .merge(seat_pages::routes())
        .merge(remote::routes())
        .fallback(async || StatusCode::NOT_FOUND)
        .layer(from_fn_with_state(room.clone(), check))
        .layer(Extension(from))
        .with_state(room)
}

/// An answer of a kind.
pub fn text(kind: &'static str, text: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, kind)], text.into()).into_response()
}

async fn state(State(room): State<Room>) -> Response {
    text(JSON, room.hub.lock().state().to_string())
}

async fn game(State(room): State<Room>, Path(id): Path<String>) -> Response {
    found(id.parse().ok().and_then(|id: GameId| room.hub.lock().game(id)))
}

async fn ruling(State(room): State<Room>, Path(id): Path<String>) -> Response {
    found(id.parse().ok().and_then(|id: GameId| room.hub.lock().ruling(id)))
}

fn found(json: Option<String>) -> Response {
    json.map_or(StatusCode::NOT_FOUND.into_response(), |json| text(JSON, json))
}

async fn events(State(room): State<Room>, method: Method, headers: HeaderMap) -> Response {
    if method == Method::HEAD {
        return text("text/event-stream", "");
    }
    let known = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    match room.hub.lock().enter(known) {
        Ok(messages) => text("text/event-stream", Body::new(messages)),
        Err(Full) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// What every request has to pass, and what every answer says.
async fn check(
    State(room): State<Room>,
    Extension(from): Extension<IpAddr>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match refusal(&room, from, &request) {
        Some(StatusCode::METHOD_NOT_ALLOWED) => {
            (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")]).into_response()
        }
        Some(status) => status.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    let says = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    for (name, value) in says {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Why a request is refused, if it is.
fn refusal(room: &Room, from: IpAddr, request: &Request) -> Option<StatusCode> {
    let headers = request.headers();
    let mut hosts = headers.get_all(HOST).iter();
    let (host, second) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next());
    let origin = headers.get(ORIGIN).map(|origin| origin.to_str().unwrap_or(""));
    let own = |origin: &str| {
        let authority = origin.strip_prefix("http://").or(origin.strip_prefix("https://"));
        authority.is_some_and(|authority| room.hosts.knows(authority))
    };
    let body = headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0");
    let says = *request.method() == Method::POST && may_say(request.uri().path());
    if !room.door.may_ask(from) {
        Some(StatusCode::TOO_MANY_REQUESTS)
    } else if !host.is_some_and(|host| room.hosts.knows(host)) || second.is_some() {
        Some(StatusCode::MISDIRECTED_REQUEST)
    } else if request.uri().authority().is_some_and(|asked| !room.hosts.knows(asked.as_str()))
        || origin.is_some_and(|origin| !own(origin))
    {
        Some(StatusCode::FORBIDDEN)
    } else if says {
        unsayable(headers)
    } else if !matches!(*request.method(), Method::GET | Method::HEAD) {
        Some(StatusCode::METHOD_NOT_ALLOWED)
    } else if body || headers.contains_key(TRANSFER_ENCODING) {
        Some(StatusCode::BAD_REQUEST)
    } else if request.uri().path().len() + request.uri().query().map_or(0, str::len) > MOST_ADDRESS {
        Some(StatusCode::URI_TOO_LONG)
    } else {
        None
    }
}

/// Whether something can be said at an address: only those with a token of their own take any.
fn may_say(path: &str) -> bool {
    ["/seat/", "/desk/"].iter().any(|place| path.starts_with(place))
}

/// Why what is said is not even looked at, if it is not: JSON of a stated, small length.
fn unsayable(headers: &HeaderMap) -> Option<StatusCode> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if kind.split(';').next().map(str::trim) != Some(JSON) {
        return Some(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    match length {
        None => Some(StatusCode::LENGTH_REQUIRED),
        Some(length) if length > MOST_BODY => Some(StatusCode::PAYLOAD_TOO_LARGE),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_hosts_are_answered() {
        let check = |bound: &str, names: &[&str], authority: &str, known: bool| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let hosts = Hosts::new(bound.parse().unwrap(), &names);
            assert_eq!(hosts.knows(authority), known, "{bound} {authority}");
        };
        for authority in ["localhost", "LocalHost:8090", "127.0.0.1:8090", "[::1]:8090", "[::1]"] {
            check("127.0.0.1", &[], authority, true);
        }
        for authority in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.1:x",
            "192.0.2.1",
            "[::1",
            "localhost:",
        ] {
            check("127.0.0.1", &[], authority, false);
        }
        check("192.0.2.1", &[], "192.0.2.1:80", true);
        check("0.0.0.0", &[], "192.0.2.1:80", true);
        check("0.0.0.0", &[], "hall.example", false);
        check("0.0.0.0", &["Hall.example"], "hall.example:443", true);
    }
}
