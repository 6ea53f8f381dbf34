//! Receives messages from a server: changes of the confirmed state, confirmations of pending calls, highlights.

use super::task::Task;
use super::{Outcome, Reply, Store};
use crate::patch::{Arg, Call, Cause, INSTANCE_KEYS, Operator, PathExpr, Refusal, Segment, Target, VERSIONS, Work};
use crate::value::text::boxed;
use crate::value::{Object, Value, join};

#[derive(Clone, Copy)]
enum MessageType {
    Patch,
    Update,
    /// `Access` and `Switch` must name their instance. The default for other messages is the instance that the page names,
    /// or else the active one.
    Access,
    Switch,
    Highlight,
    Snapshot,
    Delta,
}

/// The types of messages, and the key of the content of each.
const KINDS: [(&str, MessageType, &str); 7] = [
    ("patch", MessageType::Patch, "patch"),
    ("schema_update", MessageType::Update, "schema"),
    ("switch_instance", MessageType::Switch, ""),
    ("highlight_block", MessageType::Highlight, "block_id"),
    ("access_instance", MessageType::Access, "schema"),
    ("STATE_SNAPSHOT", MessageType::Snapshot, "snapshot"),
    ("STATE_DELTA", MessageType::Delta, "delta"),
];

impl Store {
    /// Applies a message, given as text. It is about the instance that it names, or else `instance`, or else the active one.
    ///
    /// A message whose `patch_id` or `clientCallId` is the id of a pending call settles that call. A message that was
    /// received before is ignored.
    pub fn receive(&mut self, message: &str, instance: Option<&str>) -> Reply {
        let limits = &self.options.limits;
        // A document is nested a few levels deep in its message.
        match self.parse_limited("message", message, limits.max_document_bytes.max(limits.max_call_bytes), 3) {
            Ok(Value::Object(message)) => self.apply_message(message, instance),
            Ok(other) => Reply::refused(unknown_kind(Cause::MessageKind, Arg::Kind(&other), "The message")),
            Err(refusal) => Reply::refused(refusal),
        }
    }

    fn apply_message(&mut self, mut message: Object, instance: Option<&str>) -> Reply {
        let [patch_id, call_id] = ["patch_id", "clientCallId"].map(|key| remove_id(&mut message, key));
        let named = instance_name_of(&message);
        let target = named.as_deref().or(instance);
        let mut settles = None;
        for id in [&patch_id, &call_id].into_iter().flatten() {
            if self.find_pending(id).is_some() {
                settles = Some(&**id);
                break;
            }
            // A repeated answer to a call, or a repeated patch.
            if self.settled.contains(id) || (patch_id.as_ref() == Some(id) && self.seen.contains(id)) {
                return self.ignored_reply(target);
            }
        }
        let active = self.active.clone();
        // Stays empty if the message names no instance.
        let mut name = Box::default();
        let mut out = Outcome::new();
        let applied = self.apply_body(message, instance, settles.as_slice(), &mut name, &mut out);
        let result = match (applied, settles) {
            (Ok(true), _) => Ok(()),
            (Ok(false), Some(id)) => return self.confirm(id),
            (Ok(false), None) => return self.ignored_reply(target),
            (Err(refusal), _) if name.is_empty() => return Reply::refused(refusal),
            (Err(refusal), _) => Err(refusal),
        };
        if result.is_ok() {
            if let Some(id) = &patch_id {
                self.seen.push(id);
            }
            if let Some(id) = settles {
                self.settled.push(id);
                // The pending call may belong to another instance.
                out.other = self.drop_pending(id).map(Box::new);
            }
            out.activated = self.active != active;
        }
        self.reply(&name, result, out)
    }

    /// Applies the content of a message, and sets `name` to its instance. Returns whether the message has content.
    fn apply_body(
        &mut self,
        mut message: Object,
        instance: Option<&str>,
        settles: &[&str],
        name: &mut Box<str>,
        out: &mut Outcome,
    ) -> Result<bool, Refusal> {
        let settling = !settles.is_empty();
        let (kind, key) = match message.get("type") {
            Some(Value::String(sent)) => match KINDS.iter().find(|(own, ..)| *own == &**sent) {
                Some((_, kind, key)) => (*kind, *key),
                None if is_event_name(sent) => return Ok(false),
                None => return Err(unknown_kind(Cause::MessageType, Arg::Cut(sent), "")),
            },
            Some(other) => return Err(unknown_kind(Cause::MessageKind, Arg::Kind(other), "The type of the message")),
            // A patch call.
            None if INSTANCE_KEYS.iter().any(|key| message.contains(key)) => {
                let mut sent = Value::Object(message);
                remove_version(&mut sent);
                let mut call = Call::from_value(sent)?;
                if matches!(call.target, Target::Existing(_)) && call.patches.is_empty() && settling {
                    return Ok(false);
                }
                call.patches.iter_mut().for_each(remove_version);
                let (target, task) = Task::of(call, out);
                *name = target;
                return self.perform(name, task, settles, out).map(|()| true);
            }
            None if settling => return Ok(false),
            None => return Err(unknown_kind(Cause::MessageWithoutType, Arg::Text(""), "")),
        };
        let must_be_named = matches!(kind, MessageType::Access | MessageType::Switch);
        let target = instance.or(self.active.as_deref()).filter(|_| !must_be_named).map(boxed);
        *name = instance_name_of(&message).or(target).ok_or_else(|| missing_key("instance_name"))?;
        let value = match kind {
            // The rules decide whether null is a valid document.
            MessageType::Snapshot => message.remove(key).map(|(_, value)| value),
            MessageType::Patch => {
                remove_non_null(&mut message, key).or_else(|| remove_non_null(&mut message, "patches"))
            }
            _ => remove_non_null(&mut message, key),
        };
        let task = match (kind, value) {
            (MessageType::Switch, _) | (MessageType::Access, None) => None,
            (MessageType::Patch, None) if settling => return Ok(false),
            (_, None) => return Err(missing_key(key)),
            (MessageType::Patch, Some(sent)) => {
                let mut patches: Vec<_> = match sent {
                    Value::Array(patches) => patches.into_iter().collect(),
                    Value::Object(entries) => entries.into_iter().map(set_patch).collect(),
                    other => return Err(Cause::MessagePatchKind.refuse(&[Arg::Kind(&other)])),
                };
                if patches.is_empty() && settling {
                    return Ok(false);
                }
                patches.iter_mut().for_each(remove_version);
                Some(Task::Work(Work::Patches(patches)))
            }
            (MessageType::Delta, Some(operations)) => Some(Task::Work(Work::StateDelta(operations))),
            (MessageType::Highlight, Some(sent)) => {
                out.highlight = ids_of(Some(sent));
                let id = out.highlight.first().ok_or_else(|| missing_key(key))?;
                let segments = vec![Segment::Key("blocks".into()), Segment::Id((**id).into())];
                self.resolve(name, &PathExpr { segments, operator: Operator::Plain })?;
                None
            }
            (MessageType::Update | MessageType::Access | MessageType::Snapshot, Some(document)) => {
                if matches!(kind, MessageType::Update) {
                    out.highlight = ids_of(remove_non_null(&mut message, "highlight"));
                }
                self.check_length(&document)?;
                let (value, status) = self.check_document(name, document, None)?;
                Some(Task::Update(value, status))
            }
        };
        match task {
            Some(task) => self.perform(name, task, settles, out)?,
            None => out.revision = self.revision(name),
        }
        if must_be_named {
            self.set_active(Some(name))?;
        }
        Ok(true)
    }

    /// The answer to a message that changes nothing.
    pub(super) fn ignored_reply(&self, instance: Option<&str>) -> Reply {
        let name = instance.or(self.active.as_deref()).unwrap_or_default();
        let out = Outcome { revision: self.revision(name), ignored: true, ..Outcome::new() };
        self.reply(name, Ok(()), out)
    }
}

/// Whether a type is that of an event of AG-UI, such as `RUN_STARTED`. Types that a later version adds are events too.
fn is_event_name(sent: &str) -> bool {
    !sent.is_empty() && sent.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Removes a key, and returns its value; `None` for null.
fn remove_non_null(message: &mut Object, key: &str) -> Option<Value> {
    message.remove(key).map(|(_, value)| value).filter(|value| *value != Value::Null)
}

/// The name of a message's instance. `instance_name` (seed 001) comes before `instanceId`.
fn instance_name_of(message: &Object) -> Option<Box<str>> {
    INSTANCE_KEYS.iter().rev().find_map(|key| message.get(key)?.as_str()).map(boxed)
}

/// Removes an id, and returns it: a string, or the text of a number.
fn remove_id(message: &mut Object, key: &str) -> Option<Box<str>> {
    match message.remove(key)?.1 {
        Value::String(id) => Some(id),
        Value::Number(number) => Some(Value::Number(number).to_json().into()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The patch for an entry of `{path: value}`.
fn set_patch((path, value): (crate::value::Key, Value)) -> Value {
    let entries = [("op", Value::from("set")), ("path", Value::from(&*path)), ("value", value)];
    Value::Object(entries.into_iter().collect())
}

/// Removes version numbers: messages apply in the order in which they arrive.
fn remove_version(sent: &mut Value) {
    if let Value::Object(sent) = sent {
        for key in VERSIONS {
            sent.remove(key);
        }
    }
}

/// The ids in a value: a string, or the strings of a list.
fn ids_of(sent: Option<Value>) -> Vec<Box<str>> {
    match sent {
        Some(Value::String(id)) => vec![id],
        Some(list) => list.strings().into_iter().map(boxed).collect(),
        None => Vec::new(),
    }
}

/// Refuses a message for its kind or type, with a list of the known types.
fn unknown_kind(cause: Cause, found: Arg<'_>, what: &str) -> Refusal {
    cause.refuse(&[found, Arg::Text(&join(&KINDS.map(|(name, ..)| name), ", ")), Arg::Text(what)])
}

fn missing_key(key: &str) -> Refusal {
    Cause::MessageLacks.refuse(&[Arg::Text(key)])
}
