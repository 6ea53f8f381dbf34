//! Messages from a server: pushes beneath what is pending, what settles a pending call, what the person should see.

use super::task::Task;
use super::{Outcome, Reply, Store, View, too_long};
use crate::patch::{
    self, Call, Code, Operator, PatchError, PathExpr, Refusal, Segment, Target, VERSIONS, Work, article, cut,
};
use crate::value::{Object, Value, concat, join, parse};

/// How the names of AG-UI's events begin that say nothing of state.
const OTHERS: [&str; 10] = [
    "RUN_",
    "STEP_",
    "TEXT_MESSAGE_",
    "TOOL_CALL_",
    "MESSAGES_",
    "ACTIVITY_",
    "THINKING_",
    "REASONING_",
    "RAW",
    "CUSTOM",
];

/// What a message is about.
#[derive(Clone, Copy)]
enum Kind {
    Patch,
    Update,
    /// It names its instance. One of another kind may be about the instance that the page says, or the active one.
    Access,
    /// The same.
    Switch,
    Highlight,
    Snapshot,
    Delta,
}

const KINDS: [(&str, Kind); 7] = [
    ("patch", Kind::Patch),
    ("schema_update", Kind::Update),
    ("switch_instance", Kind::Switch),
    ("highlight_block", Kind::Highlight),
    ("access_instance", Kind::Access),
    ("STATE_SNAPSHOT", Kind::Snapshot),
    ("STATE_DELTA", Kind::Delta),
];

impl Store {
    /// Takes a message, as text. `instance` is the one that it is about where it does not say so itself; without it, that
    /// is the active one.
    ///
    /// A message that names a pending call by `patch_id` or `clientCallId` settles it: what it brings stands for the
    /// call. One that was taken before is ignored.
    pub fn receive(&mut self, message: &str, instance: Option<&str>) -> Reply {
        let limits = &self.options.limits;
        let max = limits.max_document_bytes.max(limits.max_call_bytes);
        if message.len() > max {
            return Reply::refused(None, too_long("message", message.len(), max));
        }
        // A document stands a few levels deep in its message.
        match parse(message, limits.depth() + 3) {
            Ok(Value::Object(message)) => self.take_message(message, instance),
            Ok(other) => Reply::refused(None, unknown(&["The message is ", article(&other), "."])),
            Err(error) => Reply::refused(None, PatchError::from_text(&error)),
        }
    }

    fn take_message(&mut self, mut message: Object, instance: Option<&str>) -> Reply {
        let [patch_id, call_id] = ["patch_id", "clientCallId"].map(|key| take_id(&mut message, key));
        let named = named(&message);
        let about = named.as_deref().or(instance);
        let mut settles = None;
        for id in [&patch_id, &call_id].into_iter().flatten() {
            if self.find_pending(id).is_some() {
                settles = Some(&**id);
                break;
            }
            if self.settled.has(id) || (patch_id.as_ref() == Some(id) && self.seen.has(id)) {
                return self.ignored(about);
            }
        }
        let active = self.active.clone();
        let mut name = Box::default();
        let mut out = Outcome::default();
        let taken = self.take_kind(message, instance, settles.as_slice(), &mut name, &mut out);
        let result = match (taken, settles) {
            (Ok(true), _) => Ok(()),
            (Ok(false), Some(id)) => return self.confirm(id),
            (Ok(false), None) => return self.ignored(about),
            (Err(refusal), _) if name.is_empty() => return Reply::refused(None, refusal),
            (Err(refusal), _) => Err(refusal),
        };
        if result.is_ok() {
            if let Some(id) = &patch_id {
                self.seen.push(id);
            }
            if let Some(id) = settles {
                self.settled.push(id);
                // The call may have been one to another instance.
                out.other = self.drop_pending(id).map(Box::new);
            }
            out.activated = self.active != active;
        }
        self.reply(&name, result, out)
    }

    /// Does what a message says, and gives the name of its instance. Whether it brings something.
    fn take_kind(
        &mut self,
        mut message: Object,
        instance: Option<&str>,
        settles: &[&str],
        name: &mut Box<str>,
        out: &mut Outcome,
    ) -> Result<bool, Refusal> {
        let kind = match message.get("type") {
            Some(Value::String(kind)) => kind.clone(),
            None => return self.take_call(message, settles, name, out),
            Some(other) => return Err(unknown(&["The type of the message is ", article(other), "."])),
        };
        let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == &*kind) else {
            if OTHERS.iter().any(|begin| kind.starts_with(begin)) {
                return Ok(false);
            }
            return Err(unknown(&["There are no messages of type \"", cut(&kind), "\"."]));
        };
        let is_named = matches!(kind, Kind::Access | Kind::Switch);
        let about = instance.or(self.active.as_deref()).filter(|_| !is_named).map(Into::into);
        *name = named(&message).or(about).ok_or_else(|| missing("instance_name"))?;
        self.act(*kind, name, &mut message, settles, out)
    }

    /// Takes a message without a type, which is a patch call.
    fn take_call(
        &mut self,
        message: Object,
        settles: &[&str],
        name: &mut Box<str>,
        out: &mut Outcome,
    ) -> Result<bool, Refusal> {
        if named_by(&message).is_none() {
            return if settles.is_empty() {
                Err(unknown(&["The message has no type, and is no patch call."]))
            } else {
                Ok(false)
            };
        }
        let mut sent = Value::Object(message);
        forget_version(&mut sent);
        let mut call = Call::from_value(sent)?;
        if matches!(call.target, Target::Existing(_)) && call.patches.is_empty() && !settles.is_empty() {
            return Ok(false);
        }
        call.patches.iter_mut().for_each(forget_version);
        let (about, task) = Task::of(call, out);
        *name = about;
        self.perform(name, task, settles, out).map(|()| true)
    }

    fn act(
        &mut self,
        kind: Kind,
        name: &str,
        message: &mut Object,
        settles: &[&str],
        out: &mut Outcome,
    ) -> Result<bool, Refusal> {
        let task = match kind {
            Kind::Patch => {
                let sent = given(message, "patch").or_else(|| given(message, "patches"));
                let mut patches = match sent {
                    Some(Value::Array(patches)) => Vec::from_iter(patches),
                    Some(Value::Object(entries)) => entries.into_iter().map(set).collect(),
                    Some(other) => {
                        let text = concat(&["\"patch\" is ", article(&other), "."]);
                        let solution = "Send {path: value, …} or a list of patches.";
                        return Err(PatchError::new(Code::InvalidStructure, text, solution));
                    }
                    None if !settles.is_empty() => return Ok(false),
                    None => return Err(missing("patch")),
                };
                if patches.is_empty() && !settles.is_empty() {
                    return Ok(false);
                }
                patches.iter_mut().for_each(forget_version);
                Task::Work(Work::Patches(patches))
            }
            Kind::Delta => Task::Work(Work::JsonPatch(given(message, "delta").ok_or_else(|| missing("delta"))?)),
            Kind::Update => {
                out.highlight = ids(given(message, "highlight"));
                self.update(name, given(message, "schema"), "schema")?
            }
            // Null is a document like any other: the rules say whether it may be one.
            Kind::Snapshot => self.update(name, message.remove("snapshot").map(|(_, value)| value), "snapshot")?,
            Kind::Access | Kind::Switch => {
                out.revision = self.revision(name);
                let schema = if matches!(kind, Kind::Access) { given(message, "schema") } else { None };
                if schema.is_some() {
                    let task = self.update(name, schema, "schema")?;
                    self.perform(name, task, settles, out)?;
                }
                return self.set_active(Some(name)).map(|()| true);
            }
            Kind::Highlight => {
                out.highlight = ids(given(message, "block_id"));
                let id = out.highlight.first().ok_or_else(|| missing("block_id"))?.clone();
                let segments = vec![Segment::Key("blocks".into()), Segment::Id((&*id).into())];
                self.resolve(name, &PathExpr { segments, operator: Operator::Plain })?;
                out.revision = self.revision(name);
                return Ok(true);
            }
        };
        self.perform(name, task, settles, out).map(|()| true)
    }

    /// Checks a document, whole, of which only what differs is to be a change. `key` is where it should have been.
    fn update(&self, name: &str, value: Option<Value>, key: &str) -> Result<Task<'static>, Refusal> {
        let value = value.ok_or_else(|| missing(key))?;
        patch::check_name(name)?;
        let rules = self.rules(name, View::Confirmed);
        self.check_length(&value)?;
        self.check(value, rules).map(Task::Update)
    }

    /// The answer to a message that changes nothing.
    pub(super) fn ignored(&self, instance: Option<&str>) -> Reply {
        let name = instance.or(self.active.as_deref()).unwrap_or_default();
        let out = Outcome { revision: self.revision(name), ignored: true, ..Outcome::default() };
        self.reply(name, Ok(()), out)
    }
}

/// What a message has under a key; null is nothing.
#[inline(never)]
fn given(message: &mut Object, key: &str) -> Option<Value> {
    message.remove(key).map(|(_, value)| value).filter(|value| *value != Value::Null)
}

/// What stands where a message names its instance.
fn named_by(message: &Object) -> Option<&Value> {
    message.get("instance_name").or_else(|| message.get("instanceId"))
}

/// The instance that a message names.
fn named(message: &Object) -> Option<Box<str>> {
    ["instance_name", "instanceId"].into_iter().find_map(|key| message.get(key)?.as_str()).map(Into::into)
}

/// An id of a message: a string, or a number's text.
fn take_id(message: &mut Object, key: &str) -> Option<Box<str>> {
    match message.remove(key)?.1 {
        Value::String(id) => Some(id),
        Value::Number(number) => Some(Value::Number(number).to_json().into()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The patch for an entry of `{path: value}`.
fn set((path, value): (crate::value::Key, Value)) -> Value {
    let entries = [("op", Value::from("set")), ("path", Value::from(&*path)), ("value", value)];
    Value::Object(entries.into_iter().collect())
}

/// A server may number its calls and patches. They count in the order in which they come, whatever their numbers.
fn forget_version(sent: &mut Value) {
    if let Value::Object(sent) = sent {
        for key in VERSIONS {
            sent.remove(key);
        }
    }
}

/// One id, or a list of them.
fn ids(sent: Option<Value>) -> Vec<Box<str>> {
    match sent {
        Some(Value::String(id)) => vec![id],
        Some(list) => list.strings().into_iter().map(Into::into).collect(),
        None => Vec::new(),
    }
}

#[cold]
fn unknown(message: &[&str]) -> Refusal {
    let types = join(&KINDS.map(|(name, _)| name), ", ");
    let solution = concat(&["Send an object of one of the types ", &types, ", or a patch call without a type."]);
    PatchError::new(Code::UnknownMessage, concat(message), solution)
}

#[cold]
fn missing(key: &str) -> Refusal {
    let message = concat(&["The message has no \"", key, "\"."]);
    PatchError::new(Code::MissingValue, message, concat(&["Send \"", key, "\" with it."]))
}
