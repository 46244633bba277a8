//! The addresses of a person's seat: its page, what happens there as a stream, and what the person says. Each but the
//! page itself wants the secret of the seat's link. Start at [`routes`].

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};

use super::chamber::{Reply, Say, Taken};
use super::hub::Full;
use super::pages::{HTML, JSON, MOST_BODY, Room, SCRIPT_TYPE, STYLE_TYPE, text};
use super::person::PersonSeat;
use super::seats::Behind;
use crate::report::live::{Page, SEAT_SCRIPT, SEAT_STYLE};

/// How long the body of a request may take.
const BODY_PATIENCE: Duration = Duration::from_secs(10);

/// The addresses.
pub fn routes() -> Router<Room> {
    Router::new()
        .route("/seat", get(async || text(HTML, Page::Seat.document())))
        .route("/seat.css", get(async || text(STYLE_TYPE, SEAT_STYLE)))
        .route("/seat.js", get(async || text(SCRIPT_TYPE, SEAT_SCRIPT)))
        .route("/seat/state", get(state))
        .route("/seat/events", get(events))
        .route("/seat/say", post(say))
}

/// The seat whose secret a request has.
fn admitted(room: &Room, headers: &HeaderMap) -> Option<Arc<PersonSeat>> {
    match &room.seats.of_request(headers)?.behind {
        Behind::Person(seat) => Some(Arc::clone(seat)),
        Behind::Remote(_) => None,
    }
}

/// What everybody else is told.
fn stranger() -> Response {
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")]).into_response()
}

async fn state(State(room): State<Room>, headers: HeaderMap) -> Response {
    admitted(&room, &headers).map_or_else(stranger, |seat| text(JSON, seat.state().to_string()))
}

async fn events(State(room): State<Room>, method: Method, headers: HeaderMap) -> Response {
    let Some(seat) = admitted(&room, &headers) else { return stranger() };
    if method == Method::HEAD {
        return text("text/event-stream", "");
    }
    match seat.enter() {
        Ok(messages) => text("text/event-stream", Body::new(messages)),
        Err(Full) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

async fn say(State(room): State<Room>, request: Request) -> Response {
    let Some(seat) = admitted(&room, request.headers()) else { return stranger() };
    let body = tokio::time::timeout(BODY_PATIENCE, to_bytes(request.into_body(), MOST_BODY)).await;
    let body = match body {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        Err(_) => return StatusCode::REQUEST_TIMEOUT.into_response(),
    };
    let reply = match serde_json::from_slice::<Say>(&body) {
        Ok(say) => seat.say(&say),
        Err(_) => Reply::new(Taken::No, "this cannot be said at a seat", "格式有误"),
    };
    let status = match reply.taken {
        Taken::Yes => StatusCode::OK,
        Taken::No => StatusCode::BAD_REQUEST,
        Taken::Stale => StatusCode::CONFLICT,
    };
    (status, text(JSON, reply.json().to_string())).into_response()
}
