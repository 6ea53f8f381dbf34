//! What is on its way to a page.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::ws::Utf8Bytes;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The code with which a socket is closed, and why. `connect` gives up on codes from 4000 to 4999.
pub(crate) type Close = (u16, &'static str);

/// The page may connect again at once.
pub(crate) const AGAIN: u16 = 1013;
pub(crate) const BAD_MESSAGE: u16 = 4400;
pub(crate) const UNAUTHORIZED: u16 = 4401;
pub(crate) const FORBIDDEN: u16 = 4403;
pub(crate) const NO_ROOM: u16 = 4404;

/// The room is unloaded, or loaded anew.
pub(crate) const ROOM_CLOSED: Close = (AGAIN, "the room is closed");

#[derive(Debug)]
pub(crate) enum Outgoing {
    Text(Utf8Bytes),
    Close(Close),
}

/// The end of the room. It is bounded by [`Outbox::unread`], which the room looks at before it sends.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    sender: UnboundedSender<Outgoing>,
    unread: Arc<AtomicUsize>,
}

/// The end of the connection.
#[derive(Debug)]
pub(crate) struct Outlet {
    receiver: UnboundedReceiver<Outgoing>,
    unread: Arc<AtomicUsize>,
    /// The bytes of the message that was taken last: they are unread until the next one is taken.
    taken: usize,
}

pub(crate) fn outbox() -> (Outbox, Outlet) {
    let (sender, receiver) = unbounded_channel();
    let unread = Arc::new(AtomicUsize::new(0));
    (Outbox { sender, unread: Arc::clone(&unread) }, Outlet { receiver, unread, taken: 0 })
}

impl Outbox {
    pub(crate) fn send(&self, text: Utf8Bytes) {
        self.unread.fetch_add(text.len(), Ordering::Relaxed);
        // A page that is gone is told to the room by its connection.
        _ = self.sender.send(Outgoing::Text(text));
    }

    pub(crate) fn close(&self, close: Close) {
        _ = self.sender.send(Outgoing::Close(close));
    }

    /// The bytes that the page has not taken yet.
    pub(crate) fn unread(&self) -> usize {
        self.unread.load(Ordering::Relaxed)
    }
}

impl Outlet {
    pub(crate) async fn next(&mut self) -> Outgoing {
        self.unread.fetch_sub(self.taken, Ordering::Relaxed);
        let next = self.receiver.recv().await.unwrap_or(Outgoing::Close(ROOM_CLOSED));
        self.taken = if let Outgoing::Text(text) = &next { text.len() } else { 0 };
        next
    }
}
