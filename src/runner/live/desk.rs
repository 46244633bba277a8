//! The addresses of the referee's desk: its page, how the run stands, and what is said. Each but the page itself
//! wants the desk's token; what is said goes to the hall, which alone decides. Start at [`routes`].

use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};

use super::OpenDesk;
use super::pages::{HTML, JSON, MOST_BODY, Room, SCRIPT_TYPE, STYLE_TYPE, text};
use super::token::bearer;
use crate::report::live::{DESK_SCRIPT, DESK_STYLE, Page};
use crate::runner::decide::Why;
use crate::runner::hearing::{Refusal, Say};

/// How long the body of a request may take.
const BODY_PATIENCE: Duration = Duration::from_secs(10);

/// The addresses; without an open desk there is nothing at them.
pub fn routes() -> Router<Room> {
    Router::new()
        .route("/desk", get(async |room: State<Room>| page(&room, HTML, Page::Desk.document())))
        .route("/desk.css", get(async |room: State<Room>| page(&room, STYLE_TYPE, DESK_STYLE)))
        .route("/desk.js", get(async |room: State<Room>| page(&room, SCRIPT_TYPE, DESK_SCRIPT)))
        .route("/desk/state", get(state))
        .route("/desk/say", post(say))
}

fn page(room: &Room, kind: &'static str, content: impl Into<Body>) -> Response {
    if room.desk.is_some() { text(kind, content) } else { StatusCode::NOT_FOUND.into_response() }
}

/// The desk, for whom has its token; else the status with which he is sent away.
fn admitted<'a>(room: &'a Room, headers: &HeaderMap) -> Result<&'a OpenDesk, StatusCode> {
    let desk = room.desk.as_ref().ok_or(StatusCode::NOT_FOUND)?;
    match bearer(headers) {
        Some(token) if desk.token.matches(token) => Ok(desk),
        Some(_) | None => Err(StatusCode::UNAUTHORIZED),
    }
}

async fn state(State(room): State<Room>, headers: HeaderMap) -> Response {
    let desk = match admitted(&room, &headers) {
        Ok(desk) => desk,
        Err(status) => return (status, [(WWW_AUTHENTICATE, "Bearer")]).into_response(),
    };
    match desk.petitions.state().await {
        Some(state) => text(JSON, state.to_string()),
        None => refused(Refusal::Over),
    }
}

async fn say(State(room): State<Room>, request: Request) -> Response {
    let desk = match admitted(&room, request.headers()) {
        Ok(desk) => desk,
        Err(status) => return (status, [(WWW_AUTHENTICATE, "Bearer")]).into_response(),
    };
    let body = tokio::time::timeout(BODY_PATIENCE, to_bytes(request.into_body(), MOST_BODY)).await;
    let body = match body {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        Err(_) => return StatusCode::REQUEST_TIMEOUT.into_response(),
    };
    let heard = match serde_json::from_slice::<Say>(&body) {
        Ok(say) => desk.petitions.say(say).await,
        Err(error) => Err(Refusal::Unclear(Why::new(error.to_string(), format!("格式有误：{error}")))),
    };
    match heard {
        Ok(written) => text(JSON, json!({ "written": written }).to_string()),
        Err(refusal) => refused(refusal),
    }
}

fn refused(refusal: Refusal) -> Response {
    let (status, why) = match refusal {
        Refusal::Unclear(why) => (StatusCode::BAD_REQUEST, why),
        Refusal::Impossible(why) => (StatusCode::CONFLICT, why),
        Refusal::Over => {
            let why = Why::new("the run has ended or is ending", "比赛已经结束或即将结束");
            (StatusCode::SERVICE_UNAVAILABLE, why)
        }
    };
    let why: Value = json!({ "en": why.english, "zh": why.chinese });
    (status, text(JSON, json!({ "why": why }).to_string())).into_response()
}
