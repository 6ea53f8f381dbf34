//! Requests and handshakes: who may do what, and where it goes.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, Weak};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message as Frame, WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::http::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HOST, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use genui_patch::value::Value;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::timeout;

use crate::connection::{self, Page};
use crate::identity::{Identity, Role};
use crate::outbox::{AGAIN, BAD_MESSAGE, Close, FORBIDDEN, NO_ROOM, Outbox, UNAUTHORIZED};
use crate::rate::Buckets;
use crate::rooms::{Rooms, is_room_name};
use crate::settings::Settings;
use crate::{json, limits};

/// A page with an event stream: its room, the id that it chose, and the id of its user.
type StreamKey = (String, String, String);

/// The pages of event streams, and what is on its way to them.
type Streams = std::sync::Mutex<HashMap<StreamKey, (Weak<Mutex<Page>>, Outbox)>>;

#[derive(Debug)]
pub(crate) struct Server {
    settings: Settings,
    rooms: Arc<Rooms>,
    buckets: Buckets,
    strangers: Semaphore,
    streams: Streams,
}

impl Server {
    pub(crate) fn new(settings: Settings) -> Self {
        let rooms = Arc::new(Rooms::new(settings.folder.clone()));
        let strangers = Semaphore::new(limits::STRANGERS);
        Self { settings, rooms, buckets: Buckets::default(), strangers, streams: Streams::default() }
    }

    /// Whether a request names this server, and comes from one of its pages.
    fn is_own(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default().to_lowercase());
        let Some(host) = text(HOST).filter(|host| self.settings.hosts.contains(host)) else { return false };
        text(ORIGIN).is_none_or(|origin| {
            let is_same =
                ["http://", "https://"].iter().any(|scheme| origin.strip_prefix(scheme) == Some(host.as_str()));
            is_same || self.settings.origins.contains(&origin)
        })
    }

    /// Closes the stream that the page had before.
    fn add_stream(&self, key: StreamKey, page: &Arc<Mutex<Page>>, outbox: Outbox) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|_, (page, _)| page.strong_count() > 0);
        if let Some((_, before)) = streams.insert(key, (Arc::downgrade(page), outbox)) {
            before.close((AGAIN, "another stream has this page"));
        }
    }

    fn stream(&self, key: &StreamKey) -> Option<Arc<Mutex<Page>>> {
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.get(key).and_then(|(page, _)| page.upgrade())
    }

    fn authorize(&self, headers: &HeaderMap) -> Option<Arc<Identity>> {
        let token = headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?;
        self.settings.tokens.find(token)
    }
}

pub(crate) fn router(server: Arc<Server>) -> Router {
    Router::new().fallback(answer).with_state(server)
}

type Handshake = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

async fn answer(State(server): State<Arc<Server>>, handshake: Handshake, request: Request) -> Response<Body> {
    if let Ok(handshake) = handshake {
        let (uri, headers) = (request.uri().clone(), request.headers().clone());
        return handshake
            // Longer ones end the connection without a reason.
            .max_message_size(2 * limits::MESSAGE)
            .max_frame_size(2 * limits::MESSAGE)
            .on_upgrade(async move |socket| welcome(server, socket, &uri, &headers).await);
    }
    let uri = request.uri().clone();
    if uri.path() == "/health" {
        return health(&server);
    }
    if !server.is_own(request.headers()) {
        return status(StatusCode::FORBIDDEN);
    }
    let (room, door) = place(&uri);
    let Some(room) = room.filter(|_| ["mcp", "events", "messages"].contains(&door)) else {
        return status(StatusCode::NOT_FOUND);
    };
    if parameter(&uri, "token").is_some() {
        return problem(
            StatusCode::BAD_REQUEST,
            "TOKEN_IN_ADDRESS",
            TOKEN_IN_ADDRESS,
            "Send the header \"authorization\".",
        );
    }
    let method = if door == "events" { Method::GET } else { Method::POST };
    if request.method() != method {
        return with(status(StatusCode::METHOD_NOT_ALLOWED), ALLOW, method.as_str());
    }
    let Some(identity) = server.authorize(request.headers()) else {
        return with(status(StatusCode::UNAUTHORIZED), WWW_AUTHENTICATE, "Bearer");
    };
    if !server.buckets.try_take(&identity.id) {
        return with(status(StatusCode::TOO_MANY_REQUESTS), RETRY_AFTER, "1");
    }
    if !is_room_name(room) || !identity.may_enter(room) {
        return status(StatusCode::NOT_FOUND);
    }
    if door == "mcp" {
        let message = "This server has no MCP.";
        return problem(StatusCode::NOT_IMPLEMENTED, "NOT_SERVED", message, "Use genui-patch/server for agents.");
    }
    if identity.role == Role::Agent {
        return problem(
            StatusCode::FORBIDDEN,
            "FORBIDDEN",
            "An agent calls by MCP, and approves nothing.",
            "Sign in as an editor.",
        );
    }
    let id = parameter(&uri, "page").unwrap_or_default();
    let key = (room.to_owned(), id.to_owned(), identity.id.clone());
    if door == "messages" {
        return take_message(&server, &key, request.into_body()).await;
    }
    if !is_page_id(id) {
        return problem(StatusCode::BAD_REQUEST, "INVALID_ARGUMENT", "The address names no page.", PAGE_ID);
    }
    open_stream(&server, key, identity).await
}

// Event streams.

async fn open_stream(server: &Server, key: StreamKey, identity: Arc<Identity>) -> Response<Body> {
    let joined = match server.rooms.enter(&key.0) {
        Some(inbox) => Page::join(inbox, identity).await,
        None => None,
    };
    let Some((page, outlet)) = joined else {
        return with(status(StatusCode::SERVICE_UNAVAILABLE), RETRY_AFTER, "5");
    };
    let outbox = page.outbox.clone();
    let page = Arc::new(Mutex::new(page));
    server.add_stream(key, &page, outbox);
    let response = Response::builder()
        .header(CONTENT_TYPE, "text/event-stream")
        .header(CACHE_CONTROL, "no-store")
        .header("x-accel-buffering", "no");
    response.body(connection::events(outlet, page)).unwrap_or_default()
}

async fn take_message(server: &Server, key: &StreamKey, body: Body) -> Response<Body> {
    let bytes = match timeout(limits::DEADLINE, to_bytes(body, limits::MESSAGE)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return status(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => return status(StatusCode::REQUEST_TIMEOUT),
    };
    let Some(page) = server.stream(key) else {
        let solution = "Open /events with the same ?page=… first.";
        return problem(StatusCode::CONFLICT, "NO_STREAM", "The page has no open event stream.", solution);
    };
    // One after another, in the order in which they were read.
    page.lock().await.receive(&String::from_utf8_lossy(&bytes)).await;
    status(StatusCode::ACCEPTED)
}

// Sockets.

async fn welcome(server: Arc<Server>, mut socket: WebSocket, uri: &Uri, headers: &HeaderMap) {
    match admit(&server, &mut socket, uri, headers).await {
        Ok((room, identity)) => match server.rooms.enter(&room) {
            Some(inbox) => connection::serve(socket, inbox, identity).await,
            None => connection::refuse(socket, (AGAIN, "too many rooms are in use")).await,
        },
        Err(close) => connection::refuse(socket, close).await,
    }
}

/// The room and the identity of a socket that may enter it.
async fn admit(
    server: &Server,
    socket: &mut WebSocket,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(String, Arc<Identity>), Close> {
    const NONE: Close = (NO_ROOM, "no such room");
    if !server.is_own(headers) {
        return Err((FORBIDDEN, "foreign host or origin"));
    }
    if parameter(uri, "token").is_some() {
        return Err((BAD_MESSAGE, TOKEN_IN_ADDRESS));
    }
    let (room, door) = place(uri);
    let room = room.filter(|_| ["", "socket"].contains(&door)).ok_or(NONE)?;
    let identity = match server.authorize(headers) {
        Some(identity) => Some(identity),
        None => authenticate(server, socket).await,
    };
    let identity = identity.ok_or((UNAUTHORIZED, "unauthorized"))?;
    if identity.role == Role::Agent {
        return Err((FORBIDDEN, "an agent has no page"));
    }
    if !is_room_name(room) || !identity.may_enter(room) {
        return Err(NONE);
    }
    Ok((room.to_owned(), identity))
}

/// A socket without credentials has a while to send a token.
async fn authenticate(server: &Server, socket: &mut WebSocket) -> Option<Arc<Identity>> {
    let _one_of_them = server.strangers.try_acquire().ok()?;
    let Ok(Some(Ok(Frame::Text(text)))) = timeout(limits::DEADLINE, socket.recv()).await else { return None };
    let message = json::read(text.as_str()).filter(|_| text.len() <= limits::AUTHENTICATION)?;
    let token = message.get("type").and_then(Value::as_str).filter(|kind| *kind == "authenticate");
    server.settings.tokens.find(token.and_then(|_| json::text(&message, "token"))?)
}

// Addresses and answers.

const TOKEN_IN_ADDRESS: &str = "a token does not belong into an address";
const PAGE_ID: &str = "Add ?page=… with 8 to 64 letters and digits of your choice, the same for /events and /messages.";

/// The room and what is asked of it: `/rooms/<room>/<door>`.
fn place(uri: &Uri) -> (Option<&str>, &str) {
    let Some(rest) = uri.path().strip_prefix("/rooms/") else { return (None, "") };
    let (room, door) = rest.split_once('/').unwrap_or((rest, ""));
    (Some(room).filter(|_| !door.contains('/')), door)
}

/// A parameter of an address. Those of this protocol need no escapes.
fn parameter<'a>(uri: &'a Uri, name: &str) -> Option<&'a str> {
    let pairs = uri.query().unwrap_or_default().split('&');
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).find(|(key, _)| *key == name).map(|(_, value)| value)
}

fn is_page_id(id: &str) -> bool {
    (8..=64).contains(&id.len()) && is_room_name(id)
}

fn health(server: &Server) -> Response<Body> {
    let mut failing = json::object([]);
    for (room, problem) in server.rooms.failing() {
        failing = json::with(failing, &room, problem.into());
    }
    let is_ok = failing.as_object().is_some_and(|failing| failing.is_empty());
    let body = json::object([("ok", is_ok.into()), ("failing", failing)]);
    full(if is_ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, &body)
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    with(with(response, CACHE_CONTROL, "no-store"), axum::http::header::X_CONTENT_TYPE_OPTIONS, "nosniff")
}

fn full(code: StatusCode, body: &Value) -> Response<Body> {
    with(status(code), CONTENT_TYPE, "application/json").map(|_| Body::from(body.to_json()))
}

fn problem(code: StatusCode, error: &str, message: &str, solution: &str) -> Response<Body> {
    full(code, &json::object([("error", json::error(error, message, solution))]))
}

fn with(mut response: Response<Body>, name: axum::http::HeaderName, value: &str) -> Response<Body> {
    if let Ok(value) = value.parse() {
        response.headers_mut().insert(name, value);
    }
    response
}
