//! Envelopes: the shapes in which models wrap a call, such as
//! `{"name": "delete_file", "arguments": {"path": "a.txt"}}`.
//!
//! One table of keys describes them all. An envelope is valid as it arrives and needs no repair: [`open`] turns it into
//! the flat form `{"tool": "delete_file", "path": "a.txt"}`, which `check` validates. An object whose flat form fits
//! its tool is not treated as an envelope.

use super::tools::{CallField, folded_eq};
use super::{Tool, Tools};
use crate::value::text::find_line;
use crate::value::{Object, Value, parse};

/// The part of an envelope that a key holds. Comparisons of keys ignore case, `_` and `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnvelopePart {
    /// The name of the tool, as a string.
    Name,
    /// The arguments: an object, or the JSON text of one.
    Arguments,
    /// An inner object that holds the name and the arguments.
    Call,
    /// A list of envelopes.
    Calls,
}

impl EnvelopePart {
    /// The keys of the part, one per line, in order of preference. Some keys, such as `function`, belong to two parts.
    const fn keys(self) -> &'static str {
        match self {
            // `recipientname` is OpenAI's multi_tool_use: {"tool_uses": [{"recipient_name": "functions.read",
            // "parameters": {}}]}
            Self::Name => "tool\nname\nfunction\ntoolname\nfunctionname\naction\nrecipientname\n",
            Self::Arguments => "args\narguments\nparameters\nparams\ninput\ntoolinput\nactioninput\n",
            // OpenAI: {"type": "function", "function": {"name": "read", "arguments": "{}"}}
            Self::Call => "function\nfunctioncall\ntoolcall\ntooluse\naction\n",
            Self::Calls => "toolcalls\nfunctioncalls\ntooluses\n",
        }
    }
}

/// The keys of each part, under the part's name in the JavaScript API: in lower case, without `_` and `-`.
#[must_use]
pub fn envelope_keys() -> [(&'static str, Vec<&'static str>); 4] {
    use EnvelopePart::{Arguments, Call, Calls, Name};
    [("name", Name), ("arguments", Arguments), ("call", Call), ("calls", Calls)]
        .map(|(name, part)| (name, part.keys().lines().collect()))
}

/// The maximum nesting depth of arguments that an envelope holds as text: the default of the limit `maxDepth`.
const TEXT_DEPTH: usize = 128;

/// Whether a key may hold this part of an envelope.
// Not inlined: that makes the module smaller.
#[inline(never)]
pub(super) fn may_hold(key: &str, part: EnvelopePart) -> bool {
    // A quick check, since broken JSON is full of short strings: `args` is the shortest key in the table.
    key.len() >= "args".len() && find_line(part.keys(), &mut |name| folded_eq(name, key)).is_some()
}

/// Whether a key may hold any part of an envelope.
pub(super) fn is_envelope_key(key: &str) -> bool {
    use EnvelopePart::{Arguments, Call, Calls, Name};
    [Name, Arguments, Call, Calls].iter().any(|part| may_hold(key, *part))
}

/// Finds a part of an envelope in an object: the first value that `accepts` allows, and its key. The order of
/// [`EnvelopePart::keys`] decides, not the order of the object. `None` if the object has no value for the part.
fn find<'a>(object: &'a Object, part: EnvelopePart, accepts: &dyn Fn(&Value) -> bool) -> Option<(&'a str, &'a Value)> {
    let mut entry = None;
    find_line(part.keys(), &mut |name| {
        for (key, value) in object.iter() {
            if entry.is_none() && folded_eq(name, key) && accepts(value) {
                entry = Some((key, value));
            }
        }
        entry.is_some()
    });
    entry
}

/// Opens an envelope: returns its calls in the flat form; `None` if the value is not an envelope, or if one of its calls
/// names no known tool.
pub(super) fn open(value: &Value, tools: &Tools) -> Option<Vec<Value>> {
    let is_list = |value: &Value| value.as_array().is_some_and(|list| !list.is_empty());
    let Some((_, list)) = find(value.as_object()?, EnvelopePart::Calls, &is_list) else {
        return Some(vec![open_single(value, tools)?]);
    };
    let mut calls = Vec::new();
    for item in list.as_array()?.iter() {
        calls.push(flat_call(item, tools)?);
    }
    Some(calls)
}

/// Returns a call in the flat form, whether or not it is in an envelope; `None` if the value is no call of a known tool.
fn flat_call(value: &Value, tools: &Tools) -> Option<Value> {
    open_single(value, tools).or_else(|| tools.is_whole_call(value).then(|| value.clone()))
}

/// Opens an envelope with one call; `None` if the value is not one. A call that has its fields in the flat form is not an
/// envelope, nor is an object whose arguments are a schema, or have a member `tool`, since it then names two tools.
fn open_single(value: &Value, tools: &Tools) -> Option<Value> {
    let object = value.as_object()?;
    if tools.is_whole_call(value) {
        return None;
    }
    let is_known = |value: &Value| value.as_str().is_some_and(|name| tools.find_by_any_name(name).is_some());
    let Some((_, name)) = find(object, EnvelopePart::Name, &is_known) else {
        let (_, inner) = find(object, EnvelopePart::Call, &|value| value.as_object().is_some())?;
        return flat_call(inner, tools);
    };
    let name = name.as_str()?;
    let (_, arguments) = find(object, EnvelopePart::Arguments, &|value| parse_arguments(value).is_some())?;
    let arguments = parse_arguments(arguments)?;
    if is_schema(&arguments) || arguments.contains(CallField::Tool.key()) {
        return None;
    }
    let mut flat = Object::new();
    // An alias stays as it is: only a repair may replace it, and reports that.
    let tool = tools.find_written(name);
    flat.set(CallField::Tool.key(), Value::from(tool.as_ref().map_or(name, Tool::name)));
    for (key, value) in arguments.iter() {
        flat.set(key, value.clone());
    }
    Some(flat.into())
}

/// Parses the arguments of an envelope; `None` if the value is no object and no JSON text of one. Null and blank text are empty
/// arguments.
fn parse_arguments(value: &Value) -> Option<Object> {
    match value {
        Value::Object(object) => Some(object.clone()),
        Value::Null => Some(Object::new()),
        Value::String(text) if text.trim_ascii().is_empty() => Some(Object::new()),
        Value::String(text) => match parse(text, TEXT_DEPTH).ok()? {
            Value::Object(object) => Some(object),
            // Some models encode the arguments twice.
            Value::String(inner) => parse(&inner, TEXT_DEPTH).ok()?.as_object().cloned(),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the arguments are a JSON Schema: the object then defines a tool instead of calling it.
fn is_schema(arguments: &Object) -> bool {
    arguments.get("type").and_then(Value::as_str) == Some("object")
        && arguments.get("properties").is_some_and(|properties| properties.as_object().is_some())
}

/// The key under which an object names a known tool, e.g. `action` in `{"action": "delete_file", "path": "a"}`; `None` if it
/// names none.
pub(super) fn key_of_name<'a>(object: &'a Object, tools: &Tools) -> Option<&'a str> {
    let is_known = |value: &Value| value.as_str().is_some_and(|name| tools.find_by_any_name(name).is_some());
    find(object, EnvelopePart::Name, &is_known).map(|(key, _)| key)
}

/// Whether a value is an envelope, or a list with at least one.
pub(super) fn holds_envelope(value: &Value, tools: &Tools) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| open(item, tools).is_some()),
        value => open(value, tools).is_some(),
    }
}
