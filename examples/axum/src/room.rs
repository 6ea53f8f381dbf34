//! A room: its documents, which are what its log comes to, and its pages. One task owns it, so that all happens in one order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::ws::Utf8Bytes;
use genui_patch::limits::Limits;
use genui_patch::store::{Options, Store};
use genui_patch::value::Value;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use crate::clients::{CallState, Clients, read_call_id};
use crate::entry::{Entry, nothing, target_of};
use crate::identity::{Identity, Role};
use crate::log::{self, Log};
use crate::message::{Message, NotServed, Resume};
use crate::outbox::{AGAIN, Outbox, ROOM_CLOSED};
use crate::recent::Recent;
use crate::rooms::Shared;
use crate::{json, limits};

/// Bytes by which the log grows until the documents are measured again.
const MEASURE_EVERY: usize = 1 << 20;
/// Ids of calls that are not numbered by their client.
const OTHER_IDS: usize = 20_000;

/// What happens to a room.
#[derive(Debug)]
pub(crate) enum Event {
    Join(Member),
    Leave(u64),
    Message { page: u64, message: Message },
}

/// A page of the room.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) id: u64,
    pub(crate) identity: Arc<Identity>,
    pub(crate) outbox: Outbox,
    pub(crate) presence: Value,
    /// Until a page has said where it is, the first message that it needs is unknown.
    pub(crate) has_resumed: bool,
    /// The bytes of the documents that it was sent last, which do not count as unread.
    pub(crate) documents: usize,
}

/// A call on its way to the log.
#[derive(Debug)]
struct Call {
    page: u64,
    identity: Arc<Identity>,
    id: String,
    call: Value,
}

/// The answer to a call that is not written.
enum Answer {
    /// It is in the documents already.
    Made,
    Refused(String),
}

pub(crate) struct Room {
    name: String,
    shared: Arc<Shared>,
    log: Log,
    store: Store,
    clients: Clients,
    /// Ids of calls that are not numbered by their client, with the number of their entry.
    others: HashMap<String, u64>,
    /// The names of the log's continuations, each with the number of its first entry.
    sessions: Vec<(u64, String)>,
    /// Whether this server has named its continuation.
    has_session: bool,
    recent: Recent,
    pages: Vec<Member>,
    /// The bytes of the documents that the limit of the server counts.
    bytes: usize,
    unmeasured: usize,
}

impl Room {
    /// Reads the room's log.
    pub(crate) fn load(name: &str, shared: Arc<Shared>) -> Result<Self, String> {
        let limits = Limits { max_pending: limits::BATCH, max_history: 0, ..Limits::default() };
        let store = Store::new(Options { client_id: "server".into(), limits, ..Options::default() });
        let mut entries = Vec::new();
        let log = Log::open(&shared.folder, name, |entry| entries.push(entry))?;
        let mut room = Self {
            name: name.to_owned(),
            shared,
            log,
            store,
            clients: Clients::default(),
            others: HashMap::new(),
            sessions: Vec::new(),
            has_session: false,
            recent: Recent::default(),
            pages: Vec::new(),
            bytes: 0,
            unmeasured: 0,
        };
        for entry in entries {
            room.take(&entry);
        }
        room.measure();
        Ok(room)
    }

    /// Until nobody is left for a while.
    pub(crate) async fn run(mut self, inbox: &mut Receiver<Event>) -> Result<(), String> {
        let mut beat = interval(limits::BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut presence_at: Option<Instant> = None;
        let mut left_at = Instant::now();
        loop {
            let event = tokio::select! {
                event = inbox.recv() => event,
                _ = beat.tick() => {
                    // Shows a page that it has missed the last message.
                    self.deliver(&self.resumed(self.session_at(self.log.number())));
                    continue;
                }
                () = sleep_until(presence_at.unwrap_or_else(Instant::now)), if presence_at.is_some() => {
                    presence_at = None;
                    self.tell_presence();
                    continue;
                }
                () = sleep_until(left_at + limits::IDLE), if self.pages.is_empty() => return Ok(()),
            };
            let Some(event) = event else { return Ok(()) };
            let count = self.pages.len();
            let (mut calls, mut length) = (Vec::new(), 0);
            let mut next = Some(event);
            // Calls that wait are written together; what comes after them is looked at when they are written.
            while let Some(event) = next.take() {
                match event {
                    Event::Message { page, message: Message::Call { id, call, bytes } } => {
                        calls.extend(self.call_of(page, id, call));
                        length += bytes;
                        if calls.len() < limits::BATCH && length < limits::BATCH_BYTES {
                            next = inbox.try_recv().ok();
                        }
                    }
                    other => {
                        tokio::task::block_in_place(|| self.write(std::mem::take(&mut calls)))?;
                        if self.hear(other) {
                            presence_at.get_or_insert_with(|| Instant::now() + limits::COLLECT);
                        }
                    }
                }
            }
            tokio::task::block_in_place(|| self.write(calls))?;
            if self.pages.len() < count {
                left_at = Instant::now();
            }
        }
    }

    /// Takes what is not a call. Returns whether presence has changed.
    fn hear(&mut self, event: Event) -> bool {
        match event {
            Event::Join(member) if self.pages.len() >= limits::PAGES => {
                member.outbox.close((AGAIN, "the room is full"));
                false
            }
            Event::Join(member) => {
                self.pages.push(member);
                true
            }
            Event::Leave(id) => {
                self.pages.retain(|page| page.id != id);
                true
            }
            Event::Message { page, message } => {
                let Some(place) = self.pages.iter().position(|own| own.id == page) else { return false };
                match message {
                    Message::Resume(resume) => self.answer_resume(place, &resume),
                    Message::NotServed { what, request } => self.answer_not_served(place, what, request),
                    Message::Presence(state) => {
                        self.pages[place].presence = state;
                        return true;
                    }
                    Message::Call { .. } => {}
                }
                false
            }
        }
    }

    // Calls: tried together, written together, then made.

    /// The call, if its page may make calls.
    fn call_of(&mut self, page: u64, id: String, call: Option<Value>) -> Option<Call> {
        let identity = Arc::clone(&self.pages.iter().find(|own| own.id == page)?.identity);
        let refusal = match (identity.role, call) {
            (Role::Editor, Some(call)) => return Some(Call { page, identity, id, call }),
            (Role::Editor, None) => "INVALID_ARGUMENT: The message has no patch call.",
            _ => "FORBIDDEN: A viewer changes nothing.",
        };
        self.answer(page, &id, &Answer::Refused(refusal.to_owned()));
        None
    }

    fn write(&mut self, mut calls: Vec<Call>) -> Result<(), String> {
        while !calls.is_empty() {
            calls = self.write_batch(calls)?;
        }
        Ok(())
    }

    /// Returns the calls that wait for what this batch comes to.
    fn write_batch(&mut self, calls: Vec<Call>) -> Result<Vec<Call>, String> {
        let mut texts = Vec::new();
        let mut ids = HashSet::new();
        let mut highest: HashMap<String, u64> = HashMap::new();
        let mut tried = Vec::new();
        let mut calls = calls.into_iter();
        let mut rest = Vec::new();
        for call in calls.by_ref() {
            // A call that has come twice at once: the second is looked at when the first is written.
            if !ids.insert(call.id.clone()) {
                rest.push(call);
                break;
            }
            match self.refusal_of(&call, &mut highest, &mut tried) {
                None => texts.push(Entry::call(&call.call, &call.id, &call.identity)),
                Some(answer) => self.answer(call.page, &call.id, &answer),
            }
        }
        rest.extend(calls);
        for id in tried.iter().rev() {
            self.store.reject(id);
        }
        if !texts.is_empty() {
            if !self.has_session {
                texts.insert(0, Entry::session(self.new_session()));
            }
            let first = self.log.number() + 1;
            // Whether they were written is not known then. Pages connect again, and send the calls without an answer again.
            self.log
                .append(&texts)
                .map_err(|error| format!("The room \"{}\" cannot be written: {error}", self.name))?;
            self.has_session = true;
            for (number, text) in (first..).zip(texts) {
                self.take(&log::Entry { number, text });
            }
        }
        Ok(rest)
    }

    /// Tries a call on the documents with all calls of the batch before it. Returns the answer if it is not to be written.
    fn refusal_of(
        &mut self,
        Call { id, call, identity, .. }: &Call,
        highest: &mut HashMap<String, u64>,
        tried: &mut Vec<Arc<str>>,
    ) -> Option<Answer> {
        let refused = |code: &str, message: &str| Some(Answer::Refused(format!("{code}: {message}")));
        let parts = read_call_id(id);
        let late =
            |client: &str| refused("OUT_OF_ORDER", &format!("A later call of the client \"{client}\" was made."));
        match parts.map(|(client, number)| (client, self.clients.state_of(client, number, &identity.id))) {
            Some((_, CallState::Made)) => return Some(Answer::Made),
            Some((client, CallState::Late)) => return late(client),
            Some((client, CallState::Foreign)) => {
                return refused("FOREIGN_CLIENT", &format!("The client \"{client}\" is another user's."));
            }
            Some((_, CallState::New)) => {}
            None if self.others.contains_key(id) => return Some(Answer::Made),
            None => {}
        }
        let text = call.to_json();
        let target = target_of(call);
        if target.is_some_and(|name| name.chars().count() > limits::INSTANCE_NAME) {
            let message = format!("The name of an instance has at most {} characters.", limits::INSTANCE_NAME);
            return refused("LIMIT_EXCEEDED", &message);
        }
        if self.shared.bytes.load(Ordering::Relaxed) + text.len() > limits::DOCUMENTS {
            let message =
                format!("The documents of this server have {} bytes, as many as they may have.", limits::DOCUMENTS);
            return refused("LIMIT_EXCEEDED", &message);
        }
        let is_new = target.is_some_and(|name| self.store.document(name).is_none());
        let reply = self.store.apply_optimistic(&text);
        if let Some(pending) = reply.outcome.as_ref().ok().and_then(|outcome| outcome.pending.clone()) {
            // A later set of the same place is a call of its own.
            self.store.sent(&pending);
            tried.push(pending);
        }
        if let Some(error) = reply.error() {
            return refused(error.code.name(), &error.message);
        }
        // A call that names two instances, one in each dialect.
        if reply.instance.as_deref() != target {
            return refused("INVALID_ARGUMENT", "The call names two instances.");
        }
        if is_new && self.store.names().len() > limits::INSTANCES {
            return refused(
                "LIMIT_EXCEEDED",
                &format!("There are {} instances, as many as there may be.", limits::INSTANCES),
            );
        }
        let (client, number) = parts?;
        if highest.get(client).is_some_and(|last| number < *last) {
            return late(client);
        }
        highest.insert(client.to_owned(), number);
        None
    }

    fn answer(&mut self, page: u64, id: &str, answer: &Answer) {
        let message = match answer {
            Answer::Made => json::object([
                ("type", "confirm".into()),
                ("pendingId", id.into()),
                ("at", json::number(self.log.number())),
            ]),
            Answer::Refused(reason) => {
                json::object([("type", "reject".into()), ("pendingId", id.into()), ("reason", reason.as_str().into())])
            }
        };
        if let Some(place) = self.pages.iter().position(|own| own.id == page) {
            self.send(place, message.to_json().into());
        }
    }

    // From the log to the documents.

    /// Takes an entry, live or from the log: both go the same way.
    fn take(&mut self, entry: &log::Entry) {
        let number = entry.number;
        let read = Entry::read(&entry.text);
        let message = match &read {
            Some(Entry::Session(session)) => {
                self.sessions.push((number, session.clone()));
                None
            }
            Some(Entry::Call { call, id, user }) => {
                let reply = self.store.apply(&call.to_json());
                let user = json::text(user, "id").unwrap_or_default();
                match read_call_id(id) {
                    Some((client, call)) => self.clients.made(client, call, user, number),
                    None => self.remember(id, number),
                }
                reply.error().map(|error| error.message.clone())
            }
            None => Some("it is of no kind that this server knows".to_owned()),
        };
        if let Some(fault) = &message {
            eprintln!("The room \"{}\": entry {number} is left out: {fault}", self.name);
        }
        let message = if message.is_none() { read.map(|entry| entry.message()) } else { None };
        let message = json::with(message.unwrap_or_else(nothing), "revision", json::number(number));
        let text = Utf8Bytes::from(message.to_json());
        self.recent.add(number, text.clone());
        self.deliver(&text);
        self.count(entry.text.len());
        self.unmeasured += entry.text.len();
        // Rarely enough that measuring costs less than the calls, whatever the size of the documents.
        if self.unmeasured > MEASURE_EVERY && self.unmeasured > self.bytes / 2 && !self.pages.is_empty() {
            self.measure();
        }
    }

    fn remember(&mut self, id: &str, number: u64) {
        self.others.insert(id.to_owned(), number);
        if self.others.len() > OTHER_IDS {
            let oldest = number.saturating_sub(OTHER_IDS as u64);
            self.others.retain(|_, number| *number > oldest);
        }
    }

    fn count(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.shared.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts the documents, instead of the calls that have made them.
    fn measure(&mut self) {
        self.shared.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        self.bytes = 0;
        self.unmeasured = 0;
        self.count(self.store.save().len());
    }

    /// A name that no other continuation of this log has.
    fn new_session(&self) -> String {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{:x}-{:x}", since.as_nanos(), std::process::id())
    }

    /// The name of the log's continuation at a number.
    fn session_at(&self, number: u64) -> &str {
        self.sessions.iter().rev().find(|(first, _)| *first <= number).map_or("", |(_, session)| session)
    }

    // Pages.

    /// A message of the log.
    fn deliver(&mut self, text: &Utf8Bytes) {
        for place in (0..self.pages.len()).rev() {
            if self.pages[place].has_resumed {
                self.send(place, text.clone());
            }
        }
    }

    /// Sends a message to the page at a place. A page that does not read is disconnected, and leaves the list.
    fn send(&mut self, place: usize, text: Utf8Bytes) {
        let Some(page) = self.pages.get(place) else { return };
        if page.outbox.unread() > limits::UNREAD + page.documents {
            page.outbox.close((AGAIN, "the page does not read"));
            self.pages.remove(place);
            return;
        }
        page.outbox.send(text);
    }

    /// Sends the messages that a page has missed; whole documents if the last messages do not reach back to it, or the log went
    /// another way.
    fn answer_resume(&mut self, place: usize, resume: &Resume) {
        let own = self.log.number();
        let known = resume.revision.filter(|revision| {
            *revision <= own && !resume.session.is_empty() && resume.session == self.session_at(*revision)
        });
        let missed =
            known.and_then(|revision| if revision == own { Some(Vec::new()) } else { self.recent.after(revision) });
        let mut texts = match missed {
            Some(mut texts) => {
                // The page applies the messages as a part of the continuation that it knows; one of them may name the next.
                texts.push(self.resumed(&resume.session));
                texts
            }
            None => vec![self.snapshot(resume, &Arc::clone(&self.pages[place].identity))],
        };
        let page = &mut self.pages[place];
        page.has_resumed = true;
        page.documents = texts.iter().map(|text| text.len()).sum();
        texts.push(
            json::object([("type", "proposals".into()), ("proposals", Value::from(Vec::new()))]).to_json().into(),
        );
        let id = page.id;
        for text in texts {
            if self.pages.get(place).is_some_and(|page| page.id == id) {
                self.send(place, text);
            }
        }
    }

    fn resumed(&self, session: &str) -> Utf8Bytes {
        let revision = self.log.number();
        let about = [("type", "resumed".into()), ("revision", json::number(revision)), ("session", session.into())];
        json::object(about).to_json().into()
    }

    fn snapshot(&self, resume: &Resume, identity: &Identity) -> Utf8Bytes {
        let revision = self.log.number();
        let is_made = |id: &String| match read_call_id(id) {
            Some((client, number)) => self.clients.state_of(client, number, &identity.id) == CallState::Made,
            None => self.others.contains_key(id),
        };
        let settles = resume.pending.iter().filter(|id| is_made(id)).map(|id| Value::from(id.as_str()));
        let mut instances = json::object([]);
        for name in self.store.names() {
            instances = json::with(instances, name, self.store.confirmed(name).unwrap_or_default());
        }
        let snapshot = json::object([
            ("type", "snapshot".into()),
            ("revision", json::number(revision)),
            ("session", self.session_at(revision).into()),
            ("instances", instances),
            ("settles", Value::from(settles.collect::<Vec<_>>())),
        ]);
        let answered = resume.request.clone().map(|request| json::with(snapshot.clone(), "answers", request));
        answered.unwrap_or(snapshot).to_json().into()
    }

    fn answer_not_served(&mut self, place: usize, what: NotServed, request: Value) {
        let Some(page) = self.pages.get(place) else { return };
        let error = match what {
            NotServed::Decision if page.identity.role != Role::Editor => {
                json::error("FORBIDDEN", "A viewer changes nothing.", "Sign in as an editor.")
            }
            NotServed::Decision => {
                json::error("UNKNOWN_PROPOSAL", "This server has no proposals.", "Change the document by a call.")
            }
            NotServed::Tool => {
                json::error("UNKNOWN_TOOL", "The room has no files and no task flows.", "Use other tools.")
            }
        };
        let result = json::object([("status", "error".into()), ("error", error)]);
        let message = json::object([("type", "answer".into()), ("request", request), ("result", result)]);
        self.send(place, message.to_json().into());
    }

    fn tell_presence(&mut self) {
        let person = |page: &Member| {
            let role = page.identity.role.name().into();
            json::object([("user", page.identity.user.clone()), ("role", role), ("state", page.presence.clone())])
        };
        let people = Value::from(self.pages.iter().map(person).collect::<Vec<_>>());
        let text = Utf8Bytes::from(json::object([("type", "presence".into()), ("people", people)]).to_json());
        for place in (0..self.pages.len()).rev() {
            self.send(place, text.clone());
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        for page in &self.pages {
            page.outbox.close(ROOM_CLOSED);
        }
        self.shared.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
