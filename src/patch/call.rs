//! Parses patch calls: the call, whose keys have two spellings ([`Dialect`]), and each of its patches.

use super::error::{Arg, Cause, Checked, Refusal};
use super::op::{Arguments, Op};
use super::options::RunOptions;
use super::path::{Operator, PathExpr};
use super::segment::has_control;
use super::words::{IN_QUOTES, nearest};
use crate::value::text::boxed;
use crate::value::{Object, Value};

/// The value in place of an instance's name in a call that creates one.
pub const CREATE: &str = "__CREATE__";
/// The value in place of an instance's name in a call that deletes one.
pub const DELETE: &str = "__DELETE__";

/// Keys by which a call or a patch asks for a version of the instance. Instances have no versions: such calls are refused.
pub const VERSIONS: [&str; 2] = ["version", "baseVersion"];

/// The seed whose keys a call uses. A new instance has its page key in the same dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Seed 000: `instanceId`, `newInstanceId`, `targetInstanceId`; the page key is `meta.pageKey`.
    Camel,
    /// Seed 001: `instance_name`, `new_instance_name`, `target_instance_name`; the page key is `page_key`.
    Snake,
}

/// The instance of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An existing instance of this name.
    Existing(Box<str>),
    /// A new instance of this name.
    Create(Box<str>, Dialect),
    /// The instance of this name, which is to be deleted.
    Delete(Box<str>),
}

impl Target {
    /// The instance's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Existing(name) | Self::Create(name, _) | Self::Delete(name) => name,
        }
    }
}

/// A call: an instance and the patches on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The instance.
    pub target: Target,
    /// The patches, as they were sent.
    pub patches: Vec<Value>,
    /// The keys of the call that are not known. They have no effect, and are reported.
    pub unknown_keys: Vec<Box<str>>,
}

/// The keys of the instance's name in any call, in the dialects camel and snake.
pub(crate) const INSTANCE_KEYS: [&str; 2] = ["instanceId", "instance_name"];
/// The keys of the new instance's name in a call to [`CREATE`].
const CREATE_KEYS: [&str; 2] = ["newInstanceId", "new_instance_name"];
/// The keys of the deleted instance's name in a call to [`DELETE`].
const DELETE_KEYS: [&str; 2] = ["targetInstanceId", "target_instance_name"];

impl Call {
    /// Parses a call.
    ///
    /// # Errors
    /// `INVALID_STRUCTURE`, `INVALID_INSTANCE`, `MISSING_VALUE`.
    pub fn from_value(value: Value) -> Result<Self, Refusal> {
        let Value::Object(object) = value else { return Err(Cause::CallKind.refuse(&[Arg::Kind(&value)])) };
        if let Some(version) = VERSIONS.iter().position(|key| object.contains(key)) {
            return Err(refuse_version("call", version));
        }
        let Some((name, dialect)) = name_at(&object, INSTANCE_KEYS)? else { return Err(Cause::NoInstance.refuse(&[])) };
        let target = match &*name {
            CREATE => Target::Create(target_name(&object, CREATE_KEYS, CREATE)?, dialect),
            DELETE => Target::Delete(target_name(&object, DELETE_KEYS, DELETE)?),
            _ => Target::Existing(name),
        };
        let mut call = Self { target, patches: Vec::new(), unknown_keys: Vec::new() };
        for (key, value) in object {
            match (&*key, value) {
                ("patches", Value::Array(patches)) => call.patches = patches.into_iter().collect(),
                ("patches", value) => return Err(Cause::PatchesKind.refuse(&[Arg::Kind(&value)])),
                (name, _) if [INSTANCE_KEYS, CREATE_KEYS, DELETE_KEYS].as_flattened().contains(&name) => {}
                (name, _) => call.unknown_keys.push(boxed(name)),
            }
        }
        Ok(call)
    }
}

/// The name of the instance that a call to `sentinel` ([`CREATE`] or [`DELETE`]) creates or deletes.
fn target_name(object: &Object, keys: [&'static str; 2], sentinel: &str) -> Result<Box<str>, Refusal> {
    let Some((name, _)) = name_at(object, keys)? else {
        let [camel, snake] = keys;
        return Err(Cause::NoTarget.refuse(&[sentinel, camel, snake].map(Arg::Text)));
    };
    check_instance_name(&name)?;
    Ok(name)
}

/// Refuses a name that no instance may have.
pub(crate) fn check_instance_name(name: &str) -> Checked {
    if has_control(name) {
        Err(Cause::NameControl.refuse(&[]))
    } else if name.is_empty() || name == CREATE || name == DELETE {
        Err(Cause::NoName.refuse(&[Arg::Text(name)]))
    } else {
        Ok(())
    }
}

/// The name at one of two keys (camel, snake), and the dialect of that key; `None` if both keys are absent or null. Both may be
/// sent if they have the same name.
fn name_at(object: &Object, keys: [&'static str; 2]) -> Result<Option<(Box<str>, Dialect)>, Refusal> {
    let mut first: Option<(Box<str>, Dialect)> = None;
    for (key, dialect) in keys.into_iter().zip([Dialect::Camel, Dialect::Snake]) {
        match (object.get(key), &first) {
            (None | Some(Value::Null), _) => {}
            (Some(Value::String(name)), None) => first = Some((name.clone(), dialect)),
            (Some(Value::String(name)), Some((first_name, _))) if name == first_name => {}
            (Some(Value::String(_)), Some(_)) => return Err(Cause::TwoNames.refuse(&[Arg::Text(key)])),
            (Some(value), _) => return Err(Cause::NameKind.refuse(&[Arg::Text(key), Arg::Kind(value)])),
        }
    }
    Ok(first)
}

/// Refuses a call or a patch (`what`) that has a key of [`VERSIONS`], of which `version` is the index.
fn refuse_version(what: &str, version: usize) -> Refusal {
    Cause::Versioned.refuse(&[Arg::Text(what), Arg::Text(VERSIONS.get(version).unwrap_or(&""))])
}

/// A parsed patch.
pub(super) struct Patch {
    pub(super) op: Op,
    pub(super) arguments: Arguments,
    /// The text of the condition under which the patch is applied.
    pub(super) condition: Option<Box<str>>,
    /// The keys of the patch that are not known. They have no effect, and are reported.
    pub(super) unknown_keys: Vec<Box<str>>,
}

impl Patch {
    /// Parses a patch, and moves its members out of `sent`. Only `op` and `path` stay there: a later refusal quotes them.
    ///
    /// # Errors
    /// `INVALID_STRUCTURE`, `INVALID_OP`, `INVALID_PATH`, `LIMIT_EXCEEDED`, `MISSING_VALUE`.
    pub(super) fn from_value(sent: &mut Value, options: RunOptions<'_>) -> Result<Self, Refusal> {
        const KEYS: [&str; 10] =
            ["op", "path", "value", "items", "index", "to", "all", "condition", VERSIONS[0], VERSIONS[1]];
        let Value::Object(object) = sent else { return Err(Cause::PatchKind.refuse(&[Arg::Kind(sent)])) };
        // The members in the order of `KEYS`.
        let mut members = [const { None }; KEYS.len()];
        let mut unknown_keys = Vec::new();
        for (key, member) in object.iter_mut() {
            match KEYS.iter().position(|known| *known == key).and_then(|index| members.get_mut(index)) {
                Some(slot) => *slot = Some(member),
                None => unknown_keys.push(boxed(key)),
            }
        }
        let [op, path, value, items, index, to, all, condition, versions @ ..] = members;
        if let Some(version) = versions.iter().position(Option::is_some) {
            return Err(refuse_version("patch", version));
        }
        // These two are only read, and stay in `sent`; the others are taken out of it.
        let (op, path) = (op.map(|op| &*op), path.map(|path| &*path));
        let (has_value, value) = (value.is_some(), value.map(std::mem::take).unwrap_or_default());
        // Models send null for members that they do not use.
        let [items, index, to, condition] = [items, index, to, condition]
            .map(|member| member.map(std::mem::take).filter(|value| *value != Value::Null));
        let all = all.is_some_and(|all| *all == Value::Bool(true));
        let op = Op::from_value(op)?;
        let path = match path {
            // These operations have no path. One that is sent is not even parsed: its error would hide that of the operation.
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
        if let Some(path) = &path
            && !options.rules.is_open()
        {
            path.check_page()?;
        }
        let path = path.unwrap_or(PathExpr { segments: Vec::new(), operator: Operator::Plain });
        let arguments = Arguments { path, value, has_value, items, index, all, to };
        op.check(&arguments)?;
        Ok(Self { op, arguments, condition, unknown_keys })
    }
}

/// Refuses an unknown name of an instance. Suggests the nearest of `names`, the known instances; without any, to create one.
pub(crate) fn unknown_instance(name: &str, names: &[&str]) -> Refusal {
    let nearest_names = nearest(name, names.len(), IN_QUOTES, &mut names.iter().map(|known| Some((*known).into())));
    let cause = if names.is_empty() { Cause::NoInstances } else { Cause::UnknownInstance };
    cause.refuse(&[Arg::Cut(name), Arg::Text(&nearest_names)])
}
