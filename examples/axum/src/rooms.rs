//! The rooms that are loaded.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::{Sender, channel};

use crate::limits;
use crate::outbox::ROOM_CLOSED;
use crate::room::{Event, Room};

/// What all rooms share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) folder: PathBuf,
    /// The bytes of all documents.
    pub(crate) bytes: AtomicUsize,
}

#[derive(Debug)]
pub(crate) struct Rooms {
    shared: Arc<Shared>,
    inboxes: Mutex<HashMap<String, Sender<Event>>>,
    /// Rooms that cannot be read or written, and why.
    failing: Mutex<BTreeMap<String, String>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Names of rooms are parts of addresses and names of files.
pub(crate) fn is_room_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._~-".contains(&byte);
    (1..=128).contains(&name.len()) && name.bytes().all(is_plain) && name != "." && name != ".."
}

impl Rooms {
    pub(crate) fn new(folder: PathBuf) -> Self {
        let shared = Arc::new(Shared { folder, bytes: AtomicUsize::new(0) });
        Self { shared, inboxes: Mutex::default(), failing: Mutex::default() }
    }

    /// The inbox of a room, which is loaded if need be; `None` if too many are loaded. A page that joins a room that cannot be
    /// loaded is disconnected, and may try again.
    pub(crate) fn enter(self: &Arc<Self>, name: &str) -> Option<Sender<Event>> {
        let mut inboxes = locked(&self.inboxes);
        if let Some(inbox) = inboxes.get(name).filter(|inbox| !inbox.is_closed()) {
            return Some(inbox.clone());
        }
        if inboxes.len() >= limits::ROOMS {
            return None;
        }
        let (inbox, mut events) = channel(limits::WAITING);
        inboxes.insert(name.to_owned(), inbox.clone());
        drop(inboxes);
        let (rooms, name) = (Arc::clone(self), name.to_owned());
        tokio::spawn(async move {
            let loaded = tokio::task::block_in_place(|| Room::load(&name, Arc::clone(&rooms.shared)));
            let ended = match loaded {
                Ok(room) => {
                    locked(&rooms.failing).remove(&name);
                    room.run(&mut events).await
                }
                Err(problem) => Err(problem),
            };
            if let Err(problem) = ended {
                eprintln!("{problem}");
                locked(&rooms.failing).insert(name.clone(), problem);
            }
            // A room of this name may be in use again already.
            events.close();
            while let Ok(event) = events.try_recv() {
                if let Event::Join(member) = event {
                    member.outbox.close(ROOM_CLOSED);
                }
            }
            let mut inboxes = locked(&rooms.inboxes);
            if inboxes.get(&name).is_some_and(Sender::is_closed) {
                inboxes.remove(&name);
            }
        });
        Some(inbox)
    }

    /// The rooms that cannot be read or written, with the reasons.
    pub(crate) fn failing(&self) -> BTreeMap<String, String> {
        locked(&self.failing).clone()
    }
}
