//! Reads a patch call: both dialects come to one form.

use super::error::{Arg, Cause, Checked, Refusal};
use super::op::{Act, Items, Op, Plan};
use super::path::{PathExpr, has_control};
use super::planner::Planner;
use super::run::RunOptions;
use super::words::{COMPARED, Suggestions};
use crate::value::text::boxed;
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

/// The keys that name instances, in both dialects: the one that the call is about, a new one, one to be removed.
const INSTANCE: [&str; 2] = ["instanceId", "instance_name"];
const MADE: [&str; 2] = ["newInstanceId", "new_instance_name"];
const REMOVED: [&str; 2] = ["targetInstanceId", "target_instance_name"];

impl Call {
    /// Reads a call.
    ///
    /// # Errors
    /// `INVALID_STRUCTURE`, `INVALID_INSTANCE`, `MISSING_VALUE`.
    pub fn from_value(value: Value) -> Result<Self, Refusal> {
        let Value::Object(object) = value else { return Err(Cause::CallKind.refuse(&[Arg::Kind(&value)])) };
        refuse_version(&object, "call")?;
        let mut call = Self { target: target(&object)?, patches: Vec::new(), unknown: Vec::new() };
        for (key, value) in object {
            match (&*key, value) {
                ("patches", Value::Array(patches)) => call.patches = patches.into_iter().collect(),
                ("patches", value) => return Err(Cause::PatchesKind.refuse(&[Arg::Kind(&value)])),
                (name, _) if [INSTANCE, MADE, REMOVED].as_flattened().contains(&name) => {}
                (name, _) => call.unknown.push(boxed(name)),
            }
        }
        Ok(call)
    }
}

fn target(object: &Object) -> Result<Target, Refusal> {
    match name(object, INSTANCE)? {
        None => Err(Cause::NoInstance.refuse(&[])),
        Some((name, dialect)) if &*name == CREATE => Ok(Target::Create(other_name(object, MADE, CREATE)?, dialect)),
        Some((name, _)) if &*name == DELETE => Ok(Target::Delete(other_name(object, REMOVED, DELETE)?)),
        Some((name, _)) => Ok(Target::Existing(name)),
    }
}

/// The name that a call to a sentinel needs.
fn other_name(object: &Object, keys: [&'static str; 2], sentinel: &str) -> Result<Box<str>, Refusal> {
    let Some((name, _)) = name(object, keys)? else {
        let [camel, snake] = keys;
        return Err(Cause::NoTarget.refuse(&[sentinel, camel, snake].map(Arg::Text)));
    };
    check_name(&name)?;
    Ok(name)
}

/// Refuses what is no name for an instance.
pub(crate) fn check_name(name: &str) -> Checked {
    if has_control(name) {
        Err(Cause::NameControl.refuse(&[]))
    } else if name.is_empty() || name == CREATE || name == DELETE {
        Err(Cause::NoName.refuse(&[Arg::Text(name)]))
    } else {
        Ok(())
    }
}

/// The name at one of two keys, and the dialect of that key.
fn name(object: &Object, keys: [&'static str; 2]) -> Result<Option<(Box<str>, Dialect)>, Refusal> {
    let mut found: Option<(Box<str>, Dialect)> = None;
    for (key, dialect) in keys.into_iter().zip([Dialect::Camel, Dialect::Snake]) {
        match (object.get(key), &found) {
            (None | Some(Value::Null), _) => {}
            (Some(Value::String(name)), None) => found = Some((name.clone(), dialect)),
            (Some(Value::String(name)), Some((other, _))) if name == other => {}
            (Some(Value::String(_)), Some(_)) => return Err(Cause::TwoNames.refuse(&[Arg::Text(key)])),
            (Some(value), _) => return Err(Cause::NameKind.refuse(&[Arg::Text(key), Arg::Kind(value)])),
        }
    }
    Ok(found)
}

fn refuse_version(object: &Object, what: &str) -> Checked {
    match VERSIONS.into_iter().find(|key| object.contains(key)) {
        None => Ok(()),
        Some(key) => Err(versioned(what, key)),
    }
}

#[cold]
fn versioned(what: &str, key: &str) -> Refusal {
    Cause::Versioned.refuse(&[what, key].map(Arg::Text))
}

/// One patch, read.
pub(super) struct Patch {
    op: Op,
    given: OpInput,
    all: bool,
    index: Option<Value>,
    /// `condition`, where it was sent.
    pub(super) condition: Option<Box<str>>,
    /// Whether it has keys that mean nothing.
    pub(super) has_others: bool,
}

/// What a patch gives its operation.
enum OpInput {
    Value(Act<Value>, PathExpr, Value),
    Items(Act<Items>, PathExpr, Items),
    Path(Act<Option<Value>>, PathExpr, Option<Value>),
    Nothing(fn(&mut Planner<'_>, Option<&PathExpr>, Option<Value>) -> Checked, Option<PathExpr>, Option<Value>),
}

impl Patch {
    /// The keys that a patch may have.
    pub(super) const KEYS: [&str; 7] = ["op", "path", "value", "items", "index", "all", "condition"];

    /// Reads a patch: its operation, then its path, then what it carries. What it carries is taken out of the value,
    /// which keeps the operation and the path to be named in errors.
    ///
    /// # Errors
    /// `INVALID_STRUCTURE`, `INVALID_OP`, `INVALID_PATH`, `LIMIT_EXCEEDED`, `MISSING_VALUE`.
    pub(super) fn from_value(sent: &mut Value, options: RunOptions<'_>) -> Result<Self, Refusal> {
        let Value::Object(object) = sent else { return Err(Cause::PatchKind.refuse(&[Arg::Kind(sent)])) };
        let (mut op, mut path, mut value, mut items, mut index, mut condition) = (None, None, None, None, None, None);
        let (mut all, mut has_others, mut version) = (false, false, None);
        for (key, member) in object.iter_mut() {
            match (key, member) {
                ("op", member) => op = Some(&*member),
                ("path", member) => path = Some(&*member),
                ("value", member) => value = Some(std::mem::take(member)),
                // A model that has nothing to say of these may say null.
                ("items" | "index" | "condition", Value::Null) => {}
                ("items", member) => items = Some(std::mem::take(member)),
                ("index", member) => index = Some(std::mem::take(member)),
                ("all", member) => all = *member == Value::Bool(true),
                ("condition", member) => condition = Some(std::mem::take(member)),
                (key, _) => {
                    has_others = true;
                    if VERSIONS.contains(&key) && version != VERSIONS.first() {
                        version = VERSIONS.iter().find(|own| **own == key);
                    }
                }
            }
        }
        if let Some(key) = version {
            return Err(versioned("patch", key));
        }
        let op = Op::from_value(op)?;
        let path = match path {
            // What is wrong with these is that they are here, whatever their path.
            _ if matches!(op, Op::Create | Op::Delete) => None,
            Some(Value::String(text)) => Some(PathExpr::parse(text, options.limits.depth())?),
            None => None,
            Some(other) => return Err(Cause::PathKind.refuse(&[Arg::Kind(other)])),
        };
        let condition = match condition {
            None => None,
            Some(Value::String(text)) => Some(text),
            Some(other) => return Err(Cause::ConditionKind.refuse(&[Arg::Kind(&other)])),
        };
        if let (Some(path), false) = (&path, options.rules.is_open()) {
            path.check_page()?;
        }
        let lacks = |cause: Cause| Err(cause.refuse(&[Arg::Text(op.name())]));
        let given = match (op.row().plan, path) {
            (Plan::Nothing(act), path) => OpInput::Nothing(act, path, value),
            (_, None) => return lacks(Cause::NoPath),
            (Plan::Path(act), Some(path)) => OpInput::Path(act, path, value),
            (Plan::Value(act), Some(path)) => match value {
                Some(value) => OpInput::Value(act, path, value),
                None => return lacks(Cause::NoValue),
            },
            (Plan::Items(act), Some(path)) => match (value, items) {
                (Some(value), None) => OpInput::Items(act, path, Items::Value(value)),
                (None, Some(items)) => OpInput::Items(act, path, Items::Several(items)),
                (Some(_), Some(_)) => OpInput::Items(act, path, Items::Both),
                (None, None) => return lacks(Cause::NoValueOrItems),
            },
        };
        Ok(Self { op, given, all, index, condition, has_others })
    }

    /// Plans the edits that make the patch so, on the document as it stands.
    ///
    /// # Errors
    /// Why the operation cannot be done here.
    pub(super) fn plan(self, planner: &mut Planner<'_>) -> Checked {
        (planner.op, planner.all, planner.index) = (self.op, self.all, self.index);
        match self.given {
            OpInput::Value(act, path, value) => act(planner, &path, value),
            OpInput::Items(act, path, items) => act(planner, &path, items),
            OpInput::Path(act, path, value) => act(planner, &path, value),
            OpInput::Nothing(act, path, value) => act(planner, path.as_ref(), value),
        }
    }
}

/// Refuses an instance's name that is not there, with those that are.
#[cold]
pub(crate) fn unknown_instance<'a>(name: &str, mut names: impl ExactSizeIterator<Item = &'a str>) -> Refusal {
    unknown_among(name, names.len(), &mut names)
}

fn unknown_among(name: &str, count: usize, names: &mut dyn Iterator<Item = &str>) -> Refusal {
    let mut near = Suggestions::new(name);
    for known in names.take(COMPARED) {
        near.take(known);
    }
    let cause = if count == 0 { Cause::NoInstances } else { Cause::UnknownInstance };
    cause.refuse(&[Arg::Cut(name), Arg::Text(&near.list(count.saturating_sub(COMPARED), "\""))])
}
