//! Envelopes: the shapes in which models wrap a call that the tools' own fields do not have, such as
//! `{"name": "delete_file", "arguments": {"path": "a.txt"}}`.
//!
//! One table of keys describes them all. An envelope is valid as it arrives and needs no repair: [`open`] turns it into the
//! flat form `{"tool": "delete_file", "path": "a.txt"}`, which `check` validates. Where the flat reading of an object fits
//! its tool, the object is no envelope.

use super::tools::{CallField, folded_eq};
use super::{Tool, Tools};
use crate::value::{Object, Value, parse};

/// What a key of an envelope holds. Keys are compared without regard to case, `_` and `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnvelopePart {
    /// The name of the tool, as a string.
    Name,
    /// The arguments: an object, or the JSON text of one.
    Arguments,
    /// Name and arguments in an object of their own.
    Call,
    /// A list of envelopes.
    Calls,
}

/// The keys, in the order in which they are looked for. One key may hold different things.
const KEYS: &[(EnvelopePart, &str)] = &[
    (EnvelopePart::Name, "tool"),
    (EnvelopePart::Name, "name"),
    (EnvelopePart::Name, "function"),
    (EnvelopePart::Name, "toolname"),
    (EnvelopePart::Name, "functionname"),
    (EnvelopePart::Name, "action"),
    // OpenAI's multi_tool_use: {"tool_uses": [{"recipient_name": "functions.read", "parameters": {}}]}
    (EnvelopePart::Name, "recipientname"),
    (EnvelopePart::Arguments, "args"),
    (EnvelopePart::Arguments, "arguments"),
    (EnvelopePart::Arguments, "parameters"),
    (EnvelopePart::Arguments, "params"),
    (EnvelopePart::Arguments, "input"),
    (EnvelopePart::Arguments, "toolinput"),
    (EnvelopePart::Arguments, "actioninput"),
    // OpenAI: {"type": "function", "function": {"name": "read", "arguments": "{}"}}
    (EnvelopePart::Call, "function"),
    (EnvelopePart::Call, "functioncall"),
    (EnvelopePart::Call, "toolcall"),
    (EnvelopePart::Call, "tooluse"),
    (EnvelopePart::Call, "action"),
    (EnvelopePart::Calls, "toolcalls"),
    (EnvelopePart::Calls, "functioncalls"),
    (EnvelopePart::Calls, "tooluses"),
];

/// Arguments given as text may nest no deeper than this inside their envelope.
const TEXT_DEPTH: usize = 128;

/// Whether a key may hold a part of an envelope.
pub(super) fn is_part(key: &str, part: EnvelopePart) -> bool {
    KEYS.iter().any(|(own, name)| *own == part && folded_eq(name, key))
}

/// Whether a key may hold some part of an envelope.
pub(super) fn is_key(key: &str) -> bool {
    KEYS.iter().any(|(_, name)| folded_eq(name, key))
}

/// The first value in an object that is the given part of an envelope and is accepted.
fn find<'a, Found>(
    object: &'a Object,
    part: EnvelopePart,
    accept: impl Fn(&'a Value) -> Option<Found>,
) -> Option<(&'a str, Found)> {
    KEYS.iter().filter(|(own, _)| *own == part).find_map(|(_, name)| {
        object.iter().find_map(|(key, value)| Some((key, accept(value).filter(|_| folded_eq(name, key))?)))
    })
}

/// The calls in an envelope, in the flat form; `None` if the value is no envelope of calls of known tools.
pub(super) fn open(value: &Value, tools: &Tools) -> Option<Vec<Value>> {
    let object = value.as_object()?;
    let list = find(object, EnvelopePart::Calls, |value| value.as_array().filter(|list| !list.is_empty()));
    let Some((_, list)) = list else { return Some(vec![open_one(value, tools)?]) };
    list.iter().map(|item| open_one(item, tools).or_else(|| tools.is_whole_call(item).then(|| item.clone()))).collect()
}

fn open_one(value: &Value, tools: &Tools) -> Option<Value> {
    let object = value.as_object()?;
    if tools.is_whole_call(value) {
        return None;
    }
    let known = |value| Value::as_str(value).filter(|name| tools.find_meant(name).is_some());
    let Some((_, name)) = find(object, EnvelopePart::Name, known) else {
        let (_, inner) = find(object, EnvelopePart::Call, |value| value.as_object().map(|_| value))?;
        return open_one(inner, tools).or_else(|| tools.is_whole_call(inner).then(|| inner.clone()));
    };
    let (_, arguments) = find(object, EnvelopePart::Arguments, arguments)?;
    if is_schema(&arguments) || arguments.contains(CallField::Tool.key()) {
        return None;
    }
    let mut flat = Object::new();
    // An alias stays as it is written: to replace it is a repair.
    let tool = tools.find_written(name);
    flat.set(CallField::Tool.key(), Value::from(tool.as_ref().map_or(name, Tool::name)));
    for (key, value) in arguments.iter() {
        flat.set(key, value.clone());
    }
    Some(flat.into())
}

fn arguments(value: &Value) -> Option<Object> {
    match value {
        Value::Object(object) => Some(object.clone()),
        Value::Null => Some(Object::new()),
        Value::String(text) if text.trim_ascii().is_empty() => Some(Object::new()),
        Value::String(text) => match parse(text, TEXT_DEPTH).ok()? {
            Value::Object(object) => Some(object),
            // Some models encode them twice.
            Value::String(inner) => parse(&inner, TEXT_DEPTH).ok()?.as_object().cloned(),
            _ => None,
        },
        _ => None,
    }
}

/// Whether arguments are the JSON Schema of a tool: then the object defines the tool and does not call it.
fn is_schema(arguments: &Object) -> bool {
    arguments.get("type").and_then(Value::as_str) == Some("object")
        && arguments.get("properties").is_some_and(|properties| properties.as_object().is_some())
}

/// The name under which an object calls a known tool although it has no `tool`: `{"action": "delete_file", "path": "a"}`.
pub(super) fn name_key<'a>(object: &'a Object, tools: &Tools) -> Option<&'a str> {
    find(object, EnvelopePart::Name, |value| tools.find_meant(value.as_str()?)).map(|(key, _)| key)
}
