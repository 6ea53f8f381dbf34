//! Giving a call the names that it should have: of its tool, of its fields.

use super::fix::{FixKind, Mark};
use crate::block::tools::Place;
use crate::block::{Tool, Tools};
use crate::value::{Object, Value, run_length};

/// What mending the fields of calls needs to know.
pub(super) struct Context<'a> {
    pub(super) tools: &'a Tools,
    /// The tool, if it is known from elsewhere.
    pub(super) given: Option<&'a str>,
    /// The text from a call's value at a key on, if the calls are whole.
    pub(super) source: &'a dyn Fn(usize, &str) -> Option<&'a str>,
}

/// Mends the fields of calls; tells what was done, with a word that stands in the text where it was.
///
/// Nothing is guessed: two keys that mean one field stay as they are.
pub(super) fn mend(values: &mut [Value], context: &Context<'_>) -> Vec<(FixKind, String)> {
    let mut done = Vec::new();
    let mut index = 0;
    for value in values {
        match value {
            Value::Array(items) => {
                let mut calls: Vec<Value> = items.iter().cloned().collect();
                for (place, call) in calls.iter_mut().enumerate() {
                    mend_call(call, index + place, context, &mut done);
                }
                index += calls.len().max(1);
                *value = Value::from(calls);
            }
            call => {
                mend_call(call, index, context, &mut done);
                index += 1;
            }
        }
    }
    done
}

fn mend_call(call: &mut Value, index: usize, context: &Context<'_>, done: &mut Vec<(FixKind, String)>) {
    let Context { tools, given, source } = *context;
    let Value::Object(object) = call else { return };
    let written = object.get(Place::Tool.key()).and_then(Value::as_str).map(str::to_owned);
    let Some(name) = given.or(written.as_deref()) else { return };
    let Some(tool) = tools.find(name).or_else(|| tools.find_alias(name)) else { return };
    if written.as_deref().is_some_and(|written| written != tool.name() && tools.find_alias(written).is_some()) {
        done.push((FixKind::ToolAlias, written.clone().unwrap_or_default()));
        object.set(Place::Tool.key(), Value::from(tool.name()));
    }
    let content = Place::Content.key();
    let is_content = |key: &&str| *key == content || tool.meant_by(None, key) == Some((None, content));
    let written_content = object.keys().find(is_content).map(str::to_owned);
    let mut renamed = Vec::new();
    if has_other_names(object, None, &tool)
        && let Some(own) = rename(object, None, &tool, &mut renamed)
    {
        *object = own;
        done.extend(renamed.into_iter().map(|key| (FixKind::FieldAlias, key)));
    }
    let is_json = Place::Path.in_object(object).and_then(Value::as_str).is_some_and(is_json_path);
    if is_json
        && tool.texts().contains(&Place::Content)
        && let Some(own @ (Value::Object(_) | Value::Array(_))) = object.get_mut(content)
        && let Some(text) = written_content.and_then(|key| source(index, &key))
    {
        // From the text itself: as a value its numbers would lose digits.
        *own = Value::from(pretty(text));
        done.push((FixKind::ContentObject, content.to_owned()));
    }
}

/// Whether some call has a field of another tool, or one that belongs elsewhere in it.
pub(super) fn are_mixed(values: &[Value], tools: &Tools, given: Option<&str>) -> bool {
    values.iter().any(|value| match value {
        Value::Array(items) => items.iter().any(|call| is_mixed(call, tools, given)),
        call => is_mixed(call, tools, given),
    })
}

fn is_mixed(call: &Value, tools: &Tools, given: Option<&str>) -> bool {
    let Some(call) = call.as_object() else { return false };
    let written = || call.get(Place::Tool.key()).and_then(Value::as_str);
    let Some(tool) = given.or_else(written).and_then(|name| tools.find(name)) else { return false };
    let edit = call.get(Place::SearchReplace.key()).and_then(Value::as_object);
    let mut keys = edit.into_iter().flat_map(Object::keys);
    call.keys().any(|key| tool.is_foreign(None, key))
        || keys.any(|key| tool.is_foreign(Some(Place::SearchReplace), key))
}

fn is_json_path(path: &str) -> bool {
    path.len() > 5 && path.get(path.len() - 5..).is_some_and(|end| end.eq_ignore_ascii_case(".json"))
}

/// Whether some key may mean a field of the tool.
fn has_other_names(object: &Object, parent: Option<&str>, tool: &Tool) -> bool {
    object.iter().any(|(key, value)| {
        let inner = value.as_object().filter(|_| parent.is_none());
        tool.meant_by(parent, key).is_some() || inner.is_some_and(|inner| has_other_names(inner, Some(key), tool))
    })
}

/// The object under the names of its tool's fields; `None` if two of its keys mean one field.
fn rename(object: &Object, parent: Option<&str>, tool: &Tool, renamed: &mut Vec<String>) -> Option<Object> {
    let mut own = Object::new();
    for (key, value) in object.iter() {
        let (holder, target) = match tool.meant_by(parent, key) {
            // Under its own name the field is there: then the other key is something else.
            Some((None, target)) if object.contains(target) => (None, key),
            Some((Some(_), target)) if parent.is_some() && object.contains(target) => (None, key),
            Some((Some(holder), target)) if object.get(holder).is_some_and(|inner| inner.get(target).is_some()) => {
                (None, key)
            }
            Some((holder, target)) => {
                renamed.push(key.to_owned());
                (holder.filter(|_| parent.is_none()), target)
            }
            None => (None, key),
        };
        let value = match value {
            Value::Object(inner) if parent.is_none() => Value::Object(rename(inner, Some(target), tool, renamed)?),
            other => other.clone(),
        };
        match (holder, own.get_mut(target)) {
            (None, Some(Value::Object(before))) => merge(before, value)?,
            (None, Some(_)) => return None,
            (None, None) => drop(own.set(target, value)),
            (Some(holder), _) => {
                let mut inner = Object::new();
                inner.set(target, value);
                match own.get_mut(holder) {
                    Some(Value::Object(before)) => merge(before, Value::Object(inner))?,
                    Some(_) => return None,
                    None => drop(own.set(holder, Value::Object(inner))),
                }
            }
        }
    }
    Some(own)
}

/// Adds the entries of one object to another that has none of them.
fn merge(object: &mut Object, more: Value) -> Option<()> {
    let Value::Object(more) = more else { return None };
    for (key, value) in more.iter() {
        object.set(key, value.clone()).is_none().then_some(())?;
    }
    Some(())
}

/// The JSON value with which a text begins, over several lines, each level two blanks further in, as
/// `JSON.stringify(value, null, 2)` lays it out; its strings and numbers stay as they are written.
pub(super) fn pretty(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth: usize = 0;
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(BLANKS);
        let Some(first) = rest.chars().next() else { return out };
        let length = match first {
            '"' => string_length(rest.as_bytes()),
            '{' | '[' | '}' | ']' | ',' | ':' => 1,
            _ => rest.find([' ', '\t', '\r', '\n', ',', ':', '}', ']']).unwrap_or(rest.len()),
        };
        let (token, more) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = more.trim_start_matches(BLANKS);
        let is_empty = matches!(first, '{' | '[') && rest.starts_with(['}', ']']);
        depth = match first {
            '{' | '[' => depth + 1,
            '}' | ']' => depth.saturating_sub(1),
            _ => depth,
        };
        if matches!(first, '}' | ']') && !out.ends_with(['{', '[']) {
            line(&mut out, depth);
        }
        out.push_str(token);
        match first {
            ':' => out.push(' '),
            ',' | '{' | '[' if !is_empty => line(&mut out, depth),
            _ => {}
        }
        if depth == 0 {
            return out;
        }
    }
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str("  ");
    }
}

/// How long the string is that stands at the beginning, with its quotes.
fn string_length(bytes: &[u8]) -> usize {
    let mut end = 1;
    loop {
        end += run_length(bytes.get(end..).unwrap_or_default(), b'"');
        match bytes.get(end) {
            Some(b'\\') => end += 2,
            Some(b'"') | None => return end + 1,
            Some(_) => end += 1,
        }
    }
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// Where in the text the names stand that were replaced.
pub(super) fn marks(text: &str, done: Vec<(FixKind, String)>, most: usize) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for (kind, word) in done.into_iter().take(most) {
        let from = marks.last().map_or(0, |mark| mark.offset);
        let rest = text.get(from..).unwrap_or_default();
        let quoted = ['"', '\''].iter().find_map(|quote| rest.find(&format!("{quote}{word}{quote}")));
        let offset = from + quoted.or_else(|| rest.find(&*word)).unwrap_or_default();
        marks.push(Mark { kind, offset, count: 1 });
    }
    marks
}
