//! Messages from a server: pushes beneath what is pending, what settles a pending call, what the person should see.

use std::sync::Arc;

use super::task::Task;
use super::{Outcome, Reply, Store};
use crate::patch::{
    self, Call, Code, Operator, PatchError, PathExpr, Refusal, Segment, Target, VERSIONS, Work, article, cut,
};
use crate::value::{Object, Value, parse, write_number};

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

/// The types that are understood, for whoever sends another one.
const TYPES: &str = "patch, schema_update, switch_instance, highlight_block, access_instance, STATE_SNAPSHOT, \
                     STATE_DELTA, or a patch call without a type";

/// What a message is about.
#[derive(Clone, Copy)]
enum Kind {
    Patch,
    Update,
    Access,
    Switch,
    Highlight,
    Snapshot,
    Delta,
}

/// Whether a message names its instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Always,
    /// Else it is about the one that the page says, or the active one.
    Sometimes,
}

const KINDS: [(&str, Kind, Names); 7] = [
    ("patch", Kind::Patch, Names::Sometimes),
    ("schema_update", Kind::Update, Names::Sometimes),
    ("access_instance", Kind::Access, Names::Always),
    ("switch_instance", Kind::Switch, Names::Always),
    ("highlight_block", Kind::Highlight, Names::Sometimes),
    ("STATE_SNAPSHOT", Kind::Snapshot, Names::Sometimes),
    ("STATE_DELTA", Kind::Delta, Names::Sometimes),
];

type Taken = (Arc<str>, Result<Outcome, Refusal>);

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
            let text = format!("The message has {} bytes; the limit is {max}.", message.len());
            return Reply::refused(None, PatchError::new(Code::LimitExceeded, text, "Send less at once."));
        }
        // A document stands a few levels deep in its message.
        match parse(message, limits.depth() + 3) {
            Ok(Value::Object(message)) => self.take_message(message, instance),
            Ok(other) => {
                let text = format!("The message is {}.", article(&other));
                Reply::refused(None, PatchError::new(Code::UnknownMessage, text, format!("Send an object: {TYPES}.")))
            }
            Err(error) => Reply::refused(None, PatchError::from_text(&error)),
        }
    }

    fn take_message(&mut self, mut message: Object, instance: Option<&str>) -> Reply {
        let [patch_id, call_id] = ["patch_id", "clientCallId"].map(|key| take_id(&mut message, key));
        let named = named(&message);
        let about = named.as_deref().or(instance);
        let is_pending = |id: &&String| self.find_pending(id).is_some();
        let mut settles = patch_id.as_ref().filter(is_pending).cloned();
        if settles.is_none() {
            if patch_id.as_ref().is_some_and(|id| self.seen.has(id) || self.settled.has(id)) {
                return self.ignored(about);
            }
            settles = call_id.as_ref().filter(is_pending).cloned();
            if settles.is_none() && call_id.as_ref().is_some_and(|id| self.settled.has(id)) {
                return self.ignored(about);
            }
        }
        let active = self.active.clone();
        let (name, mut outcome) = match (self.take_kind(message, instance, settles.as_deref().as_slice()), &settles) {
            (Some(taken), _) => taken,
            (None, Some(id)) => return self.confirm(id),
            (None, None) => return self.ignored(about),
        };
        if let Ok(outcome) = &mut outcome {
            patch_id.iter().for_each(|id| self.seen.push(id));
            settles.iter().for_each(|id| self.settled.push(id));
            // The call may have been one to another instance.
            let left = settles.and_then(|id| self.find_pending(&id));
            outcome.other = left.map(|(slot, place)| Box::new(self.drop_pending(slot, place)));
            outcome.activated = self.active != active;
        }
        match outcome {
            Err(refusal) if name.is_empty() => Reply::refused(None, refusal),
            outcome => self.reply(name, outcome),
        }
    }

    /// Does what a message says; nothing where it brings nothing.
    fn take_kind(&mut self, mut message: Object, instance: Option<&str>, settles: &[&str]) -> Option<Taken> {
        let kind = match message.get("type") {
            Some(Value::String(kind)) => kind.clone(),
            None => return self.take_call(message, settles),
            Some(other) => return Some(unknown(&format!("The type of the message is {}.", article(other)))),
        };
        let Some((_, kind, names)) = KINDS.iter().find(|(name, ..)| *name == &*kind) else {
            let is_other = OTHERS.iter().any(|begin| kind.starts_with(begin));
            return (!is_other).then(|| unknown(&format!("There are no messages of type \"{}\".", cut(&kind))));
        };
        let given = named(&message);
        let about = instance.or(self.active.as_deref()).filter(|_| *names != Names::Always).map(str::to_owned);
        let Some(name) = given.or(about) else { return Some(("".into(), Err(missing("instance_name")))) };
        let outcome = self.act(*kind, &name, &mut message, settles)?;
        Some((name.into(), outcome))
    }

    /// Takes a message without a type, which is a patch call.
    fn take_call(&mut self, message: Object, settles: &[&str]) -> Option<Taken> {
        if !["instance_name", "instanceId"].into_iter().any(|key| message.contains(key)) {
            return settles.is_empty().then(|| unknown("The message has no type, and is no patch call."));
        }
        let mut sent = Value::Object(message);
        forget_version(&mut sent);
        match Call::from_value(sent) {
            Ok(Call { target: Target::Existing(_), patches, .. }) if patches.is_empty() && !settles.is_empty() => None,
            Ok(mut call) => {
                call.patches.iter_mut().for_each(forget_version);
                Some(self.take(call, settles))
            }
            Err(refusal) => Some(("".into(), Err(refusal))),
        }
    }

    fn act(
        &mut self,
        kind: Kind,
        name: &str,
        message: &mut Object,
        settles: &[&str],
    ) -> Option<Result<Outcome, Refusal>> {
        let mut given = |key: &str| message.remove(key).map(|(_, value)| value).filter(|value| *value != Value::Null);
        let outcome = match kind {
            Kind::Patch => {
                let mut patches = match given("patch").or_else(|| given("patches")) {
                    Some(Value::Object(entries)) => entries.into_iter().map(set).collect(),
                    Some(Value::Array(patches)) => Vec::from_iter(patches),
                    Some(other) => {
                        let text = format!("\"patch\" is {}.", article(&other));
                        let solution = "Send {path: value, …} or a list of patches.";
                        return Some(Err(PatchError::new(Code::InvalidStructure, text, solution)));
                    }
                    None if !settles.is_empty() => return None,
                    None => return Some(Err(missing("patch"))),
                };
                if patches.is_empty() && !settles.is_empty() {
                    return None;
                }
                patches.iter_mut().for_each(forget_version);
                self.perform_and_settle(name, Task::Work(Work::Patches(patches)), settles)
            }
            Kind::Update => {
                let ids = ids(given("highlight"));
                let outcome = self.update(name, given("schema"), "schema", settles);
                outcome.map(|outcome| Outcome { highlight: ids, ..outcome })
            }
            Kind::Access => {
                let outcome = match given("schema") {
                    Some(schema) => self.update(name, Some(schema), "schema", settles),
                    None => Ok(self.unchanged(name)),
                };
                outcome.and_then(|outcome| self.set_active(Some(name)).map(|()| outcome))
            }
            Kind::Switch => self.set_active(Some(name)).map(|()| self.unchanged(name)),
            Kind::Highlight => self.find_block(name, ids(given("block_id"))),
            // Null is a document like any other: the rules say whether it may be one.
            Kind::Snapshot => {
                self.update(name, message.remove("snapshot").map(|(_, value)| value), "snapshot", settles)
            }
            Kind::Delta => match given("delta") {
                Some(delta) => self.perform_and_settle(name, Task::Work(Work::JsonPatch(delta)), settles),
                None => Err(missing("delta")),
            },
        };
        Some(outcome)
    }

    fn unchanged(&self, name: &str) -> Outcome {
        Outcome { revision: self.revision(name), ..Outcome::default() }
    }

    fn find_block(&mut self, name: &str, ids: Vec<Box<str>>) -> Result<Outcome, Refusal> {
        let id = ids.first().ok_or_else(|| missing("block_id"))?;
        let segments = vec![Segment::Key("blocks".into()), Segment::Id((&**id).into())];
        self.resolve(name, &PathExpr { segments, operator: Operator::Plain })?;
        Ok(Outcome { highlight: ids, ..self.unchanged(name) })
    }

    /// Takes a document, whole, of which only what differs is a change. `key` is where it should have been.
    fn update(&mut self, name: &str, value: Option<Value>, key: &str, settles: &[&str]) -> Result<Outcome, Refusal> {
        let value = value.ok_or_else(|| missing(key))?;
        patch::check_name(name)?;
        let known = self.instance(name).and_then(super::Instance::confirmed_rules);
        let rules = known.unwrap_or(self.options.rules);
        self.check_length(&value)?;
        self.check(&value, rules)?;
        self.perform_and_settle(name, Task::Update(value, rules), settles)
    }

    /// The answer to a message that changes nothing.
    pub(super) fn ignored(&self, instance: Option<&str>) -> Reply {
        let name = instance.or(self.active.as_deref()).unwrap_or_default();
        self.reply(name.into(), Ok(Outcome { revision: self.revision(name), ignored: true, ..Outcome::default() }))
    }
}

/// The instance that a message names.
fn named(message: &Object) -> Option<String> {
    ["instance_name", "instanceId"].into_iter().find_map(|key| message.get(key)?.as_str()).map(str::to_owned)
}

/// An id of a message: a string, or a number's text.
fn take_id(message: &mut Object, key: &str) -> Option<String> {
    match message.remove(key)?.1 {
        Value::String(id) => Some(id.into()),
        Value::Number(number) => {
            let mut text = String::new();
            write_number(&mut text, number);
            Some(text)
        }
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
        Some(Value::Array(ids)) => ids.iter().filter_map(Value::as_str).map(Into::into).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
    }
}

#[cold]
fn unknown(message: &str) -> Taken {
    ("".into(), Err(PatchError::new(Code::UnknownMessage, message, format!("Send one of {TYPES}."))))
}

#[cold]
fn missing(key: &str) -> Refusal {
    PatchError::new(Code::MissingValue, format!("The message has no \"{key}\"."), format!("Send \"{key}\" with it."))
}
