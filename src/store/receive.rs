//! Receives messages from a server: changes of the confirmed state, confirmations of pending calls, highlights. A message is
//! a patch call, or an object with a `type` of seed 001 or of AG-UI (`STATE_SNAPSHOT`, `STATE_DELTA`).

use super::task::Task;
use super::{Outcome, Reply, Store};
use crate::patch::{Arg, Call, Cause, INSTANCE_KEYS, Operator, PathExpr, Refusal, Segment, Target, VERSIONS, Work};
use crate::value::text::boxed;
use crate::value::{Object, Value, join};

/// The effect of a message. `Access` and `Switch` must name their instance.
#[derive(Clone, Copy)]
enum MessageType {
    /// Applies patches.
    Patch,
    /// Replaces the document, and may highlight blocks.
    Update,
    /// Makes an instance the active one, and replaces its document if the message has one.
    Access,
    /// Makes an instance the active one.
    Switch,
    /// Highlights blocks.
    Highlight,
    /// Replaces the document.
    Snapshot,
    /// Applies a JSON Patch.
    Delta,
}

/// The types of messages: the name, the effect, and the key of the content; an empty key for a message without content.
const MESSAGE_TYPES: [(&str, MessageType, &str); 7] = [
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
    /// A message whose `patch_id` or `clientCallId` is the id of a pending call settles that call: the call is dropped, since the
    /// content of the message has its effect; without content, the call is confirmed. A message that was received before is
    /// ignored.
    pub fn receive(&mut self, message: &str, instance: Option<&str>) -> Reply {
        let limits = &self.options.limits;
        let max_bytes = limits.max_document_bytes.max(limits.max_call_bytes);
        // A value that a message sets is at most three levels deep in it: in its patch, the list of patches, and the message.
        let max_depth = limits.depth() + 3;
        match self.parse_to_depth("message", message, max_bytes, max_depth) {
            Ok(Value::Object(message)) => self.apply_message(message, instance),
            Ok(other) => Reply::refused(unknown_type(Cause::MessageKind, Arg::Kind(&other), "The message")),
            Err(refusal) => Reply::refused(refusal),
        }
    }

    /// Finds the call that a message settles, ignores a repeated message, applies the content, and reports what became of the
    /// settled call. `instance` is the default if the message names no instance.
    fn apply_message(&mut self, mut message: Object, instance: Option<&str>) -> Reply {
        let [patch_id, call_id] = ["patch_id", "clientCallId"].map(|key| remove_id(&mut message, key));
        let named_instance = instance_name_of(&message);
        let target = named_instance.as_deref().or(instance);
        // The id of the pending call that the message settles.
        let mut settled_id = None;
        for id in [&patch_id, &call_id].into_iter().flatten() {
            if self.find_pending(id).is_some() {
                settled_id = Some(&**id);
                break;
            }
            let is_applied_message = patch_id.as_ref() == Some(id) && self.applied_messages.contains(id);
            if self.confirmed_ids.contains(id) || is_applied_message {
                return self.ignored_reply(target);
            }
        }
        let active_before = self.active.clone();
        // Stays empty if the message is refused before its instance is known.
        let mut name = Box::default();
        let mut out = Outcome::new();
        let has_content = self.apply_content(message, instance, settled_id.as_slice(), &mut name, &mut out);
        let result = match (has_content, settled_id) {
            (Ok(true), _) => Ok(()),
            (Ok(false), Some(id)) => return self.confirm(id),
            (Ok(false), None) => return self.ignored_reply(target),
            (Err(refusal), _) if name.is_empty() => return Reply::refused(refusal),
            (Err(refusal), _) => Err(refusal),
        };
        if result.is_ok() {
            if let Some(id) = &patch_id {
                self.applied_messages.push(id);
            }
            if let Some(id) = settled_id {
                self.confirmed_ids.push(id);
                // Still pending if it belongs to another instance than the message, or if the message has no task.
                out.other = self.drop_pending(id).map(Box::new);
            }
            out.activated = self.active != active_before;
        }
        self.reply(&name, result, out)
    }

    /// Applies the content of a message, and sets `name` to its instance. Returns whether the message has content: a message
    /// without it may only confirm the call in `settles`, or is an event of AG-UI that is not about documents.
    ///
    /// The type decides which key has the content. The content becomes a task, which changes the confirmed state. A message that
    /// only switches or highlights has no task.
    fn apply_content(
        &mut self,
        mut message: Object,
        instance: Option<&str>,
        settles: &[&str],
        name: &mut Box<str>,
        out: &mut Outcome,
    ) -> Result<bool, Refusal> {
        let is_settling = !settles.is_empty();
        let (kind, key) = match message.get("type") {
            Some(Value::String(type_name)) => match MESSAGE_TYPES.iter().find(|(known, ..)| *known == &**type_name) {
                Some((_, kind, key)) => (*kind, *key),
                None if is_event_name(type_name) => return Ok(false),
                None => return Err(unknown_type(Cause::MessageType, Arg::Cut(type_name), "")),
            },
            Some(other) => return Err(unknown_type(Cause::MessageKind, Arg::Kind(other), "The type of the message")),
            // A patch call.
            None if INSTANCE_KEYS.iter().any(|key| message.contains(key)) => {
                let mut call_json = Value::Object(message);
                remove_version(&mut call_json);
                let mut call = Call::from_value(call_json)?;
                if matches!(call.target, Target::Existing(_)) && call.patches.is_empty() && is_settling {
                    return Ok(false);
                }
                call.patches.iter_mut().for_each(remove_version);
                let (target, task) = Task::of(call, out);
                *name = target;
                return self.perform(name, task, settles, out).map(|()| true);
            }
            None if is_settling => return Ok(false),
            None => return Err(unknown_type(Cause::MessageWithoutType, Arg::Text(""), "")),
        };
        let must_be_named = matches!(kind, MessageType::Access | MessageType::Switch);
        let default = instance.or(self.active.as_deref()).filter(|_| !must_be_named).map(boxed);
        *name = instance_name_of(&message).or(default).ok_or_else(|| missing_key("instance_name"))?;
        let value = match kind {
            // Null is content too: whether it is a valid document, the rules decide.
            MessageType::Snapshot => message.remove(key).map(|(_, value)| value),
            MessageType::Patch => {
                remove_non_null(&mut message, key).or_else(|| remove_non_null(&mut message, "patches"))
            }
            _ => remove_non_null(&mut message, key),
        };
        let task = match (kind, value) {
            (MessageType::Switch, _) | (MessageType::Access, None) => None,
            (MessageType::Patch, None) if is_settling => return Ok(false),
            (_, None) => return Err(missing_key(key)),
            (MessageType::Patch, Some(sent)) => {
                let mut patches: Vec<_> = match sent {
                    Value::Array(patches) => patches.into_iter().collect(),
                    Value::Object(entries) => entries.into_iter().map(set_patch).collect(),
                    other => return Err(Cause::MessagePatchKind.refuse(&[Arg::Kind(&other)])),
                };
                if patches.is_empty() && is_settling {
                    return Ok(false);
                }
                patches.iter_mut().for_each(remove_version);
                Some(Task::Work(Work::Patches(patches)))
            }
            (MessageType::Delta, Some(operations)) => Some(Task::Work(Work::StateDelta(operations))),
            (MessageType::Highlight, Some(sent)) => {
                out.highlight = ids_of(Some(sent));
                let id = out.highlight.first().ok_or_else(|| missing_key(key))?;
                // Refuses a highlight whose first block is not there.
                let segments = vec![Segment::Key("blocks".into()), Segment::Id((**id).into())];
                self.resolve(name, &PathExpr { segments, operator: Operator::Plain })?;
                None
            }
            (MessageType::Update | MessageType::Access | MessageType::Snapshot, Some(document)) => {
                if matches!(kind, MessageType::Update) {
                    out.highlight = ids_of(remove_non_null(&mut message, "highlight"));
                }
                self.check_length(&document)?;
                let new_rules = None;
                let (value, status) = self.check_document(name, document, new_rules)?;
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

    /// The reply to a message that is ignored; about the active instance if `instance` is absent.
    pub(super) fn ignored_reply(&self, instance: Option<&str>) -> Reply {
        let name = instance.or(self.active.as_deref()).unwrap_or_default();
        let out = Outcome { revision: self.revision(name), ignored: true, ..Outcome::new() };
        self.reply(name, Ok(()), out)
    }
}

/// Whether a type is that of an event of AG-UI, such as `RUN_STARTED`. Types that a later version adds are events too.
fn is_event_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Removes a key, and returns its value; `None` if it is absent or null.
fn remove_non_null(message: &mut Object, key: &str) -> Option<Value> {
    message.remove(key).map(|(_, value)| value).filter(|value| *value != Value::Null)
}

/// The name of a message's instance; `None` if it names none. `instance_name` (seed 001) comes before `instanceId`.
fn instance_name_of(message: &Object) -> Option<Box<str>> {
    INSTANCE_KEYS.iter().rev().find_map(|key| message.get(key)?.as_str()).map(boxed)
}

/// Removes the id at a key, and returns it: a string, or the text of a number. `None` for any other value.
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

/// Removes version numbers. Unlike an agent's call, a server's message may have them; they have no effect, since messages apply
/// in the order in which they arrive.
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

/// The refusal of a message for its kind or type, with a list of the known types. `subject` is that of the sentence of
/// [`Cause::MessageKind`]; the sentences of other causes do not need it.
fn unknown_type(cause: Cause, kind_or_type: Arg<'_>, subject: &str) -> Refusal {
    let known_types = join(&MESSAGE_TYPES.map(|(name, ..)| name), ", ");
    cause.refuse(&[kind_or_type, Arg::Text(&known_types), Arg::Text(subject)])
}

/// The refusal of a message that lacks a key.
fn missing_key(key: &str) -> Refusal {
    Cause::MessageLacks.refuse(&[Arg::Text(key)])
}
