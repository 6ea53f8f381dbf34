//! A patch call, as it was sent: two dialects, one form.

use super::error::{Code, PatchError, Refusal};
use super::op::{Needs, Op};
use super::path::PathExpr;
use super::words::{article, cut, list_names};
use crate::value::{Object, Value};

/// The name that stands for "make a new instance".
pub const CREATE: &str = "__CREATE__";
/// The name that stands for "remove an instance".
pub const DELETE: &str = "__DELETE__";

/// Keys that would make a call one of several versions.
pub const VERSIONS: [&str; 2] = ["version", "baseVersion"];

/// Which seed's keys a call is written in. A new instance carries its page key in the same dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Seed 000: `instanceId`, `newInstanceId`, `targetInstanceId`; the page key is `meta.pageKey`.
    Camel,
    /// Seed 001: `instance_name`, `new_instance_name`, `target_instance_name`; the page key is `page_key`.
    Snake,
}

/// What a call is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The instance of this name.
    Existing(Box<str>),
    /// A new instance of this name.
    Create(Box<str>, Dialect),
    /// The instance of this name, to be removed.
    Delete(Box<str>),
}

impl Target {
    /// The instance's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Existing(name) | Self::Create(name, _) | Self::Delete(name) => name,
        }
    }
}

/// A call: an instance and what to do with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The instance.
    pub target: Target,
    /// The patches, as they were sent.
    pub patches: Vec<Value>,
    /// Keys of the call that mean nothing.
    pub unknown: Vec<Box<str>>,
}

/// One patch, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// The operation.
    pub op: Op,
    /// The path; absent where the operation needs none.
    pub path: Option<PathExpr>,
    /// `value`, where it was sent.
    pub value: Option<Value>,
    /// `items`, where it was sent.
    pub items: Option<Value>,
    /// `index`, where it was sent.
    pub index: Option<Value>,
    /// `all: true`
    pub all: bool,
    /// `condition`, where it was sent.
    pub condition: Option<Box<str>>,
    /// Keys of the patch that mean nothing.
    pub unknown: Vec<Box<str>>,
}

/// Names of the three keys by dialect.
const KEYS: [(Dialect, [&str; 3]); 2] = [
    (Dialect::Camel, ["instanceId", "newInstanceId", "targetInstanceId"]),
    (Dialect::Snake, ["instance_name", "new_instance_name", "target_instance_name"]),
];

impl Call {
    /// Reads a call.
    ///
    /// # Errors
    /// `INVALID_STRUCTURE`, `INVALID_INSTANCE`, `MISSING_VALUE`.
    pub fn from_value(value: Value) -> Result<Self, Refusal> {
        let Value::Object(object) = value else {
            let message = format!("The call is {}.", article(&value));
            let solution = "Send an object {\"instance_name\": …, \"patches\": […]}.";
            return Err(PatchError::new(Code::InvalidStructure, message, solution));
        };
        refuse_version(&object, "call")?;
        let target = target(&object)?;
        let mut call = Self { target, patches: Vec::new(), unknown: Vec::new() };
        for (key, value) in object {
            match (&*key, value) {
                ("patches", Value::Array(patches)) => call.patches = patches.into_iter().collect(),
                ("patches", value) => {
                    let message = format!("\"patches\" is {}.", article(&value));
                    return Err(PatchError::new(Code::InvalidStructure, message, "Send a list of patches."));
                }
                (name, _) if KEYS.iter().any(|(_, keys)| keys.contains(&name)) => {}
                (_, _) => call.unknown.push((*key).into()),
            }
        }
        Ok(call)
    }
}

fn target(object: &Object) -> Result<Target, Refusal> {
    let [instance, new, old] = [0, 1, 2].map(|place| name(object, place));
    let needed = |found: Result<Option<(Box<str>, Dialect)>, Refusal>, place: usize, sentinel: &str| match found? {
        Some((name, _)) => check_name(&name).map(|()| name),
        None => {
            let [camel, snake] = KEYS.map(|(_, keys)| keys.get(place).copied().unwrap_or_default());
            let message = format!("A call to {sentinel} lacks the instance's name.");
            Err(PatchError::new(Code::MissingValue, message, format!("Send it as {snake} (or {camel}).")))
        }
    };
    match instance? {
        None => Err(PatchError::new(
            Code::MissingValue,
            "The call names no instance.",
            "Send instance_name (or instanceId): an instance's name, __CREATE__ or __DELETE__.",
        )),
        Some((name, dialect)) if &*name == CREATE => needed(new, 1, CREATE).map(|name| Target::Create(name, dialect)),
        Some((name, _)) if &*name == DELETE => needed(old, 2, DELETE).map(Target::Delete),
        Some((name, _)) => Ok(Target::Existing(name)),
    }
}

/// Refuses what is no name for an instance.
pub(crate) fn check_name(name: &str) -> Result<(), Refusal> {
    if name.contains(char::is_control) {
        let message = "The instance's name has a control character.";
        return Err(PatchError::new(Code::InvalidInstance, message, "Use a name of visible characters."));
    }
    if !name.is_empty() && name != CREATE && name != DELETE {
        return Ok(());
    }
    let message = format!("\"{name}\" is no name for an instance.");
    Err(PatchError::new(Code::InvalidInstance, message, "Use a non-empty name other than the sentinels."))
}

/// The value of one of the three keys, in whichever dialect it was sent.
fn name(object: &Object, place: usize) -> Result<Option<(Box<str>, Dialect)>, Refusal> {
    let mut found: Option<(Box<str>, Dialect)> = None;
    for (dialect, keys) in KEYS {
        let key = keys.get(place).copied().unwrap_or_default();
        match (object.get(key), &found) {
            (None | Some(Value::Null), _) => {}
            (Some(Value::String(name)), None) => found = Some((name.clone(), dialect)),
            (Some(Value::String(name)), Some((other, _))) if name == other => {}
            (Some(Value::String(_)), Some(_)) => {
                let message = format!("\"{key}\" and its other spelling name two instances.");
                return Err(PatchError::new(Code::InvalidStructure, message, "Send one of the two."));
            }
            (Some(value), _) => {
                let message = format!("\"{key}\" is {}.", article(value));
                return Err(PatchError::new(Code::InvalidInstance, message, "Send the instance's name as a string."));
            }
        }
    }
    Ok(found)
}

fn refuse_version(object: &Object, what: &str) -> Result<(), Refusal> {
    match VERSIONS.into_iter().find(|key| object.contains(key)) {
        None => Ok(()),
        Some(key) => Err(PatchError::new(
            Code::InvalidStructure,
            format!("The {what} carries \"{key}\"; calls are neither versioned nor merged."),
            format!("Leave \"{key}\" out."),
        )),
    }
}

impl Patch {
    /// Reads a patch: its operation, then its path, then what it carries. What it carries is taken out of the value,
    /// which keeps the operation and the path to be named in errors.
    ///
    /// # Errors
    /// `INVALID_STRUCTURE`, `INVALID_OP`, `INVALID_PATH`, `LIMIT_EXCEEDED`.
    pub fn from_value(value: &mut Value, max_depth: usize) -> Result<Self, Refusal> {
        let Value::Object(object) = value else {
            let message = format!("The patch is {}.", article(value));
            let solution = "Send an object {\"op\": …, \"path\": …, \"value\": …}.";
            return Err(PatchError::new(Code::InvalidStructure, message, solution));
        };
        refuse_version(object, "patch")?;
        let op = Op::from_value(object.get("op"))?;
        let path = match object.get("path") {
            // What is wrong with these is that they are here, whatever their path.
            _ if matches!(op, Op::Create | Op::Delete) => None,
            Some(Value::String(text)) => Some(PathExpr::parse(text, max_depth)?),
            None => None,
            Some(other) => {
                let message = format!("\"path\" is {}.", article(other));
                return Err(PatchError::new(Code::InvalidPath, message, "Send the path as a string."));
            }
        };
        let mut patch =
            Self { op, path, value: None, items: None, index: None, all: false, condition: None, unknown: Vec::new() };
        for (key, value) in object.iter_mut() {
            match (key, value) {
                ("op" | "path", _) => {}
                // A model that has nothing to say of these may say null.
                ("items" | "index" | "condition", Value::Null) => {}
                ("value", value) => patch.value = Some(std::mem::take(value)),
                ("items", value) => patch.items = Some(std::mem::take(value)),
                ("index", value) => patch.index = Some(std::mem::take(value)),
                ("all", value) => patch.all = *value == Value::Bool(true),
                ("condition", Value::String(text)) => patch.condition = Some(std::mem::take(text)),
                ("condition", value) => {
                    let message = format!("\"condition\" is {}.", article(value));
                    let solution = "Send it as a string, such as state.params.count > 0.";
                    return Err(PatchError::new(Code::InvalidStructure, message, solution));
                }
                (key, _) => patch.unknown.push(key.into()),
            }
        }
        Ok(patch)
    }

    /// Whether a patch carries what the operation needs.
    pub(super) fn check_needs(&self) -> Result<(), Refusal> {
        let name = self.op.name();
        if self.op.needs() != Needs::Nothing && self.path.is_none() {
            let solution = "Send the path of what to change, such as state.params.count.";
            return Err(PatchError::new(Code::InvalidPath, format!("{name} has no \"path\"."), solution));
        }
        let missing = match self.op.needs() {
            Needs::Value if self.value.is_none() => "\"value\" (null is a value)",
            Needs::ValueOrItems if self.value.is_none() && self.items.is_none() => "\"value\" or \"items\"",
            Needs::Value | Needs::ValueOrItems | Needs::Path | Needs::Nothing => return Ok(()),
        };
        Err(PatchError::new(Code::MissingValue, format!("{name} has no value."), format!("Send {missing} with it.")))
    }
}

/// Refuses an instance's name that is not there, with those that are.
pub(crate) fn unknown_instance<'a>(name: &str, names: impl ExactSizeIterator<Item = &'a str>) -> Refusal {
    let known = list_names(name, names);
    let solution = if known.is_empty() {
        "There is no instance yet: create one with __CREATE__.".to_owned()
    } else {
        format!("Use one of {known}, or create it with {CREATE}.")
    };
    PatchError::new(Code::InvalidInstance, format!("There is no instance \"{}\".", cut(name)), solution)
}
