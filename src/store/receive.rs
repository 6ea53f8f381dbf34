//! Messages from a server: pushes beneath what is pending, what settles a pending call, what the person should see.

use std::sync::Arc;

use super::task::Task;
use super::{Outcome, Reply, Store};
use crate::patch::{Call, Code, Operator, PatchError, PathExpr, Refusal, Segment, Target, Work, article, cut};
use crate::value::{Object, Value, parse, write_number};

/// So many ids of messages are kept, by which one that comes again is known.
pub(super) const MAX_SEEN: usize = 256;

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

type Taken = (Arc<str>, Result<Outcome, Refusal>);

/// What a message says beside what it does.
struct Ids {
    /// The pending call that it settles.
    settles: Option<String>,
    /// What it is known by when it comes again.
    own: Vec<String>,
}

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
        match parse(message, limits.max_depth + 3) {
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
        let is_pending = |id: &&String| self.find_pending(id).is_some();
        let mut settles = patch_id.as_ref().filter(is_pending).cloned();
        if settles.is_none() {
            if patch_id.as_ref().is_some_and(|id| self.has_seen(id)) {
                return self.ignored(instance);
            }
            settles = call_id.as_ref().filter(is_pending).cloned();
            if settles.is_none() && call_id.as_ref().is_some_and(|id| self.has_seen(id)) {
                return self.ignored(instance);
            }
        }
        let own = patch_id.into_iter().chain(settles.clone()).collect();
        let ids = Ids { settles, own };
        let active = self.active.clone();
        let Some((name, mut outcome)) = self.take_kind(message, instance, &ids) else {
            return match &ids.settles {
                Some(id) => self.confirm(id),
                None => self.ignored(instance),
            };
        };
        if let Ok(outcome) = &mut outcome {
            ids.own.iter().for_each(|id| self.mark_seen(id));
            // The call may have been one to another instance.
            let left = ids.settles.and_then(|id| self.find_pending(&id));
            outcome.other = left.map(|(slot, place)| Box::new(self.drop_pending(slot, place)));
            outcome.activated = self.active != active;
        }
        self.reply(name, outcome)
    }

    /// Does what a message says; nothing where it brings nothing.
    fn take_kind(&mut self, mut message: Object, instance: Option<&str>, ids: &Ids) -> Option<Taken> {
        let kind = match message.get("type") {
            Some(Value::String(kind)) => kind.clone(),
            None => "".into(),
            Some(_) => "?".into(),
        };
        let settles = ids.settles.as_deref();
        let named = take_name(&mut message);
        let about = instance.or(self.active.as_deref()).map(str::to_owned);
        let taken = match &*kind {
            "" if named.is_some() => {
                put_name(&mut message, named);
                match Call::from_value(Value::Object(message)) {
                    Ok(Call { target: Target::Existing(_), patches, .. })
                        if patches.is_empty() && settles.is_some() =>
                    {
                        return None;
                    }
                    Ok(call) => self.take(call, settles),
                    Err(refusal) => ("".into(), Err(refusal)),
                }
            }
            "" if settles.is_some() => return None,
            "patch" => {
                let patches = match message.remove("patch").or_else(|| message.remove("patches")).map(|(_, sent)| sent)
                {
                    Some(Value::Object(entries)) => Ok(entries.into_iter().map(set).collect()),
                    Some(Value::Array(patches)) => Ok(Vec::from_iter(patches)),
                    None | Some(Value::Null) if settles.is_some() => Ok(Vec::new()),
                    None => Err(missing("patch")),
                    Some(other) => {
                        let text = format!("\"patch\" is {}.", article(&other));
                        let solution = "Send {path: value, …} or a list of patches.";
                        Err(PatchError::new(Code::InvalidStructure, text, solution))
                    }
                };
                match patches {
                    Ok(patches) if patches.is_empty() && settles.is_some() => return None,
                    Ok(patches) => self.about(named.map(|(_, name)| name).or(about), |store, name| {
                        store.perform_and_settle(name, Task::Work(Work::Patches(patches)), settles)
                    }),
                    Err(refusal) => ("".into(), Err(refusal)),
                }
            }
            "schema_update" | "access_instance" => {
                let schema = message.remove("schema").map(|(_, schema)| schema).filter(|schema| *schema != Value::Null);
                let access = &*kind == "access_instance";
                let mut taken = self.about(named.map(|(_, name)| name), |store, name| match schema {
                    Some(schema) => store.load_checked(name, schema, settles),
                    None if access => Ok(Outcome { revision: store.revision(name), ..Outcome::default() }),
                    None => Err(missing("schema")),
                });
                if let (name, Ok(outcome)) = &mut taken {
                    outcome.highlight = highlight(message.get("highlight"));
                    if access && let Err(refusal) = self.set_active(Some(name)) {
                        return Some((name.clone(), Err(refusal)));
                    }
                }
                taken
            }
            "switch_instance" => self.about(named.map(|(_, name)| name), |store, name| {
                store.set_active(Some(name))?;
                Ok(Outcome { revision: store.revision(name), ..Outcome::default() })
            }),
            "highlight_block" => self.about(named.map(|(_, name)| name).or(about), |store, name| {
                let ids = highlight(message.get("block_id"));
                let id = ids.first().ok_or_else(|| missing("block_id"))?;
                let segments = vec![Segment::Key("blocks".into()), Segment::Id((&**id).into())];
                store.resolve(name, &PathExpr { segments, operator: Operator::Plain })?;
                Ok(Outcome { revision: store.revision(name), highlight: ids, ..Outcome::default() })
            }),
            "STATE_SNAPSHOT" => self.about(about, |store, name| match message.remove("snapshot") {
                Some((_, snapshot)) => store.load_checked(name, snapshot, settles),
                None => Err(missing("snapshot")),
            }),
            "STATE_DELTA" => self.about(about, |store, name| match message.remove("delta") {
                Some((_, delta)) => store.perform_and_settle(name, Task::Work(Work::JsonPatch(delta)), settles),
                None => Err(missing("delta")),
            }),
            kind if OTHERS.iter().any(|begin| kind.starts_with(begin)) => return None,
            kind => {
                let text = match kind {
                    "" => "The message has no type, and is no patch call.".to_owned(),
                    kind => format!("There are no messages of type \"{}\".", cut(kind)),
                };
                ("".into(), Err(PatchError::new(Code::UnknownMessage, text, format!("Send one of {TYPES}."))))
            }
        };
        Some(taken)
    }

    /// Does something to the instance that a message is about.
    fn about(&mut self, name: Option<String>, act: impl FnOnce(&mut Self, &str) -> Result<Outcome, Refusal>) -> Taken {
        match name {
            Some(name) => {
                let outcome = act(self, &name);
                (name.into(), outcome)
            }
            None => ("".into(), Err(missing("instance_name"))),
        }
    }

    fn load_checked(&mut self, name: &str, value: Value, settles: Option<&str>) -> Result<Outcome, Refusal> {
        super::instance::check_name(name)?;
        let known = self.instance(name).filter(|instance| instance.is_present()).map(|instance| instance.held.rules);
        let rules = known.unwrap_or(self.options.rules);
        self.check(&value, rules)?;
        self.perform_and_settle(name, Task::Update(value, rules), settles)
    }

    pub(super) fn has_seen(&self, id: &str) -> bool {
        self.seen.iter().any(|own| **own == *id)
    }

    pub(super) fn mark_seen(&mut self, id: &str) {
        if self.has_seen(id) {
            return;
        }
        if self.seen.len() >= MAX_SEEN {
            self.seen.remove(0);
        }
        self.seen.push(id.into());
    }

    /// The answer to a message that changes nothing.
    pub(super) fn ignored(&self, instance: Option<&str>) -> Reply {
        let name = instance.or(self.active.as_deref()).unwrap_or_default();
        self.reply(name.into(), Ok(Outcome { revision: self.revision(name), ignored: true, ..Outcome::default() }))
    }
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

/// The instance that a message names, with the key by which it does.
fn take_name(message: &mut Object) -> Option<(&'static str, String)> {
    ["instance_name", "instanceId"].into_iter().find_map(|key| match message.get(key)? {
        Value::String(_) => match message.remove(key)?.1 {
            Value::String(name) => Some((key, name.into())),
            _ => None,
        },
        _ => None,
    })
}

fn put_name(message: &mut Object, name: Option<(&'static str, String)>) {
    if let Some((key, name)) = name {
        message.set(key, name.into());
    }
}

/// The patch for an entry of `{path: value}`.
fn set((path, value): (crate::value::Key, Value)) -> Value {
    let entries = [("op", Value::from("set")), ("path", Value::from(&*path)), ("value", value)];
    Value::Object(entries.into_iter().collect())
}

/// One id, or a list of them.
fn highlight(sent: Option<&Value>) -> Vec<Box<str>> {
    match sent {
        Some(Value::String(id)) => vec![id.clone()],
        Some(Value::Array(ids)) => ids.iter().filter_map(Value::as_str).map(Into::into).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
    }
}

#[cold]
fn missing(key: &str) -> Refusal {
    PatchError::new(Code::MissingValue, format!("The message has no \"{key}\"."), format!("Send \"{key}\" with it."))
}
