//! The most that the server takes. Sizes are bytes.

use std::time::Duration;

/// A message or a request.
pub(crate) const MESSAGE: usize = 8 << 20;
/// The first message of a socket that has no credentials.
pub(crate) const AUTHENTICATION: usize = 8_192;
/// The documents of all rooms.
pub(crate) const DOCUMENTS: usize = 256 << 20;
/// The instances of a room.
pub(crate) const INSTANCES: usize = 1_000;
/// The characters in the name of an instance.
pub(crate) const INSTANCE_NAME: usize = 256;
/// Pages of a room.
pub(crate) const PAGES: usize = 1_000;
/// Rooms that are loaded at once.
pub(crate) const ROOMS: usize = 10_000;
/// Sockets that have not said who they are.
pub(crate) const STRANGERS: usize = 1_000;
/// Messages of a page or requests of a user in one second; twice as many at once.
pub(crate) const PER_SECOND: f64 = 200.0;
/// Messages to a room that wait. A page whose message does not fit is not read meanwhile.
pub(crate) const WAITING: usize = 1_000;
/// What a page has not read yet, beside the last documents that it was sent.
pub(crate) const UNREAD: usize = 16 << 20;
/// Calls that are written together, and their bytes.
pub(crate) const BATCH: usize = 500;
pub(crate) const BATCH_BYTES: usize = 4 << 20;
/// The presence of a page, and the id of a call.
pub(crate) const PRESENCE: usize = 2_048;
pub(crate) const CALL_ID: usize = 200;
/// Ids of pending calls that a `resume` may name.
pub(crate) const PENDING: usize = 100_000;
/// Lists and objects inside each other in a message: a call, and what it stands in.
pub(crate) const DEPTH: usize = 136;

/// Until a socket has to be authenticated, and a request has to be read.
pub(crate) const DEADLINE: Duration = Duration::from_secs(5);
/// For a page to take one message.
pub(crate) const WRITE: Duration = Duration::from_secs(30);
/// Without a page until a room is unloaded.
pub(crate) const IDLE: Duration = Duration::from_secs(60);
/// Between two messages that show pages the last revision.
pub(crate) const BEAT: Duration = Duration::from_secs(15);
/// For which changes of presence are collected.
pub(crate) const COLLECT: Duration = Duration::from_millis(50);
