//! A page's connection: a socket, or a stream of events with messages by POST. Either way the page has an outbox.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::ws::{CloseFrame, Message as Frame, WebSocket};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt, stream};
use genui_patch::value::Value;
use tokio::sync::mpsc::Sender;
use tokio::time::{sleep, timeout};

use crate::identity::Identity;
use crate::limits;
use crate::message::Message;
use crate::outbox::{BAD_MESSAGE, Close, Outbox, Outgoing, Outlet, ROOM_CLOSED, outbox};
use crate::rate::Bucket;
use crate::room::{Event, Member};

/// The page's end of a room. When it is dropped, the page leaves.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) id: u64,
    room: Sender<Event>,
    pub(crate) outbox: Outbox,
    bucket: Bucket,
}

impl Page {
    /// Joins a room. `None`: the room has ended meanwhile.
    pub(crate) async fn join(room: Sender<Event>, identity: Arc<Identity>) -> Option<(Self, Outlet)> {
        static PAGES: AtomicU64 = AtomicU64::new(0);
        let id = PAGES.fetch_add(1, Ordering::Relaxed);
        let (outbox, outlet) = outbox();
        let presence = Value::Null;
        let member = Member { id, identity, outbox: outbox.clone(), presence, has_resumed: false, documents: 0 };
        room.send(Event::Join(member)).await.ok()?;
        Some((Self { id, room, outbox, bucket: Bucket::new() }, outlet))
    }

    /// Passes a message on to the room, as soon as the page may send one. Returns false for one that ends the connection.
    pub(crate) async fn receive(&mut self, text: &str) -> bool {
        match Message::read(text) {
            Ok(message) => {
                let wait = self.bucket.take();
                if wait > Duration::ZERO {
                    sleep(wait).await;
                }
                let is_open = self.room.send(Event::Message { page: self.id, message }).await.is_ok();
                if !is_open {
                    self.outbox.close(ROOM_CLOSED);
                }
                is_open
            }
            Err(reason) => {
                self.outbox.close((BAD_MESSAGE, reason));
                false
            }
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let (room, id) = (self.room.clone(), self.id);
        // The inbox may be full.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { room.send(Event::Leave(id)).await });
        }
    }
}

/// Serves a page until its socket is closed, from either end.
pub(crate) async fn serve(socket: WebSocket, room: Sender<Event>, identity: Arc<Identity>) {
    let (sink, mut frames) = socket.split();
    let Some((mut page, outlet)) = Page::join(room, identity).await else {
        return end(sink, ROOM_CLOSED).await;
    };
    let mut writer = tokio::spawn(write(sink, outlet));
    let ended = tokio::select! {
        _ = &mut writer => None,
        is_told = read(&mut page, &mut frames) => Some(is_told),
    };
    match ended {
        // The room has closed the page, or it does not read.
        None => {}
        Some(true) => _ = timeout(limits::DEADLINE, writer).await,
        Some(false) => return writer.abort(),
    }
    drop(page);
    finish(frames).await;
}

/// Passes messages on until there are no more. Returns whether the page has to be told why the connection ends.
async fn read(page: &mut Page, frames: &mut SplitStream<WebSocket>) -> bool {
    loop {
        let is_good = match frames.next().await {
            Some(Ok(Frame::Text(text))) => page.receive(&text).await,
            // Not text.
            Some(Ok(Frame::Binary(_))) => page.receive("").await,
            // A close frame is answered when the next frame is asked for.
            Some(Ok(Frame::Ping(_) | Frame::Pong(_) | Frame::Close(_))) => true,
            Some(Err(_)) | None => return false,
        };
        if !is_good {
            return true;
        }
    }
}

/// Sends what is in the outbox, and at last the reason of the end.
async fn write(mut sink: SplitSink<WebSocket, Frame>, mut outlet: Outlet) {
    loop {
        match outlet.next().await {
            Outgoing::Text(text) => match timeout(limits::WRITE, sink.send(Frame::Text(text))).await {
                Ok(Ok(())) => {}
                _ => return,
            },
            Outgoing::Close(close) => return end(sink, close).await,
        }
    }
}

async fn end(mut sink: SplitSink<WebSocket, Frame>, (code, reason): Close) {
    let frame = CloseFrame { code, reason: reason.into() };
    _ = timeout(limits::WRITE, sink.send(Frame::Close(Some(frame)))).await;
}

/// Waits until the page has answered the close frame: a connection that ends with unread messages loses the frame.
async fn finish(mut frames: SplitStream<WebSocket>) {
    _ = timeout(limits::DEADLINE, async { while let Some(Ok(_)) = frames.next().await {} }).await;
}

/// Refuses a socket.
pub(crate) async fn refuse(socket: WebSocket, close: Close) {
    let (sink, frames) = socket.split();
    end(sink, close).await;
    finish(frames).await;
}

/// The messages of an outbox as server-sent events. `kept` is dropped when the page is gone.
pub(crate) fn events<Kept: Send + 'static>(outlet: Outlet, kept: Kept) -> Body {
    // The first bytes, so that the stream counts as open.
    let first = stream::once(async { Ok::<_, std::convert::Infallible>(Bytes::from_static(b": open\n\n")) });
    let rest = stream::unfold((outlet, kept), async |(mut outlet, kept)| match outlet.next().await {
        Outgoing::Text(text) => Some((Ok(Bytes::from(format!("data: {}\n\n", text.as_str()))), (outlet, kept))),
        Outgoing::Close(_) => None,
    });
    Body::from_stream(first.chain(rest))
}
