//! Repairs the fields of a call: other names of its tool and of its fields, and an object as the text of a file.

use super::fix::{FixKind, Mark};
use super::{find, first, last, part};
use crate::block::envelope;
use crate::block::recorder::CallRecord;
use crate::block::tools::{CallField, Place, locate};
use crate::block::{Tool, Tools};
use crate::value::text::owned;
use crate::value::{Object, Value, run_length};

/// The context for repairing the fields of calls.
pub(super) struct Context<'a> {
    pub(super) tools: &'a Tools,
    /// The tool, if the block does not name it itself, e.g. in native arguments.
    pub(super) given: Option<&'a str>,
    /// The JSON of the calls, if they are complete.
    pub(super) json: Option<&'a str>,
    pub(super) calls: &'a [CallRecord],
    pub(super) max_depth: usize,
}

/// Applied fixes, each with the replaced word, by which [`add_marks`] finds its position.
pub(super) type FieldFixes = Vec<(FixKind, String)>;

impl Context<'_> {
    /// Repairs the fields of calls. Two keys that mean the same field stay unchanged.
    pub(super) fn repair(&self, values: &mut [Value]) -> FieldFixes {
        let mut applied = Vec::new();
        let mut index = 0;
        for value in values {
            let Value::Array(items) = value else {
                self.repair_call(value, index, &mut applied);
                index += 1;
                continue;
            };
            for place in 0..items.len() {
                // The list has no index by id yet, so its items may be changed in place.
                items.get_mut(place).into_iter().for_each(|call| self.repair_call(call, index + place, &mut applied));
            }
            index += items.len().max(1);
        }
        applied
    }

    /// Repairs a call. A call in an envelope is replaced by its flat form, but only if a fix applies.
    fn repair_call(&self, call: &mut Value, index: usize, applied: &mut FieldFixes) {
        let opened = if self.given.is_none() { envelope::open(call, self.tools) } else { None };
        let Some(mut calls) = opened else { return self.repair_flat(call, index, applied) };
        let before = applied.len();
        // The positions of its fields in the text are unknown here.
        calls.iter_mut().for_each(|call| self.repair_flat(call, usize::MAX, applied));
        if applied.len() > before {
            *call = if calls.len() == 1 { calls.pop().unwrap_or_default() } else { Value::from(calls) };
        }
    }

    /// Repairs a call in the flat form. `index`: its record in `calls`, if that is known.
    fn repair_flat(&self, call: &mut Value, index: usize, applied: &mut FieldFixes) {
        let Value::Object(object) = call else { return };
        // repair: another key for the tool, e.g. `{"action": "delete_file", "path": "a.txt"}`
        if self.given.is_none()
            && !object.contains(CallField::Tool.key())
            && let Some(key) = envelope::key_of_name(object, self.tools).map(owned)
        {
            let renamed = object
                .iter()
                .map(|(name, value)| (if name == key { CallField::Tool.key() } else { name }, value.clone()));
            let flat: Object = renamed.collect();
            if self.tools.is_whole_call(&flat.clone().into()) {
                *object = flat;
                applied.push((FixKind::FieldAlias, key));
            }
        }
        let written = object.get(CallField::Tool.key()).and_then(Value::as_str);
        let Some(name) = self.given.or(written) else { return };
        let Some(tool) = self.tools.find_by_any_name(name) else { return };
        if let Some(written) = written
            && written != tool.name()
            && self.tools.find(written).is_none()
            && self.tools.find_by_any_name(written).is_some()
        {
            // repair: another name of a tool, e.g. `"tool": "create_file"`
            applied.push((FixKind::ToolAlias, owned(written)));
            object.set(CallField::Tool.key(), Value::from(tool.name()));
        }
        let content = CallField::Content.key();
        let is_object = |value: &Value| matches!(value, Value::Object(_) | Value::Array(_));
        // An object as the text of a file is copied from the JSON: parsing would lose digits of its numbers.
        let (mut first, mut has_object) = (None, false);
        for (key, value) in object.iter() {
            if key == content || tool.field_of_alias(None, key) == Some((None, content)) {
                first = first.or(Some(key));
                has_object |= is_object(value);
            }
        }
        let source = || {
            let (json, mut offset) = (self.json?, 0);
            let place = Place { path: first?, offset: &mut offset };
            locate(json, self.calls.get(index)?.offset, &mut [place], self.max_depth);
            json.get(offset..)
        };
        let source = if has_object { source() } else { None };
        let mut renamed = Vec::new();
        if let Some(canonical) = tool.canonical(None, object, &mut renamed)
            && !renamed.is_empty()
        {
            // repair: another name of a field, e.g. `"filename": "a.txt"`
            *object = canonical;
            for key in renamed {
                applied.push((FixKind::FieldAlias, key));
            }
        }
        let is_json = CallField::Path.in_object(object).and_then(Value::as_str).is_some_and(is_json_path);
        if is_json
            && tool.text_fields().contains(&CallField::Content)
            && let Some(value) = object.get_mut(content)
            && is_object(value)
            && let Some(text) = source
        {
            // repair: object as the text of a JSON file, e.g. `"path": "a.json", "content": {"b": 1}`
            *value = Value::from(pretty(text));
            applied.push((FixKind::ContentObject, owned(content)));
        }
    }

    /// Whether some call has a field of another tool, or a field at the wrong level.
    pub(super) fn are_mixed(&self, values: &[Value]) -> bool {
        values.iter().any(|value| match value {
            Value::Array(items) => items.iter().any(|call| self.is_mixed(call)),
            call => self.is_mixed(call),
        })
    }

    /// Whether a call has a field of another tool, or a field at the wrong level.
    fn is_mixed(&self, call: &Value) -> bool {
        let Some(call) = call.as_object() else { return false };
        let written = call.get(CallField::Tool.key()).and_then(Value::as_str);
        let Some(tool) = self.given.or(written).and_then(|name| self.tools.find(name)) else { return false };
        let edit = call.get(CallField::SearchReplace.key()).and_then(Value::as_object);
        has_foreign(call, &tool, None)
            || edit.is_some_and(|edit| has_foreign(edit, &tool, Some(CallField::SearchReplace)))
    }
}

/// Whether a value contains a list of replacements, at any depth: a call may be in an envelope.
pub(super) fn has_list_of_edits(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.iter().any(|(key, value)| {
            let is_edits = matches!(CallField::find_anywhere(key), Some(CallField::SearchReplace | CallField::Edits));
            is_edits && matches!(value, Value::Array(_)) || has_list_of_edits(value)
        }),
        Value::Array(items) => items.iter().any(has_list_of_edits),
        _ => false,
    }
}

/// Whether an object, the call itself or the one at `parent`, has a field that the tool does not have there.
fn has_foreign(object: &Object, tool: &Tool, parent: Option<CallField>) -> bool {
    object.keys().any(|key| tool.is_foreign(parent, key))
}

fn is_json_path(path: &str) -> bool {
    path.len() > 5 && path.get(path.len() - 5..).is_some_and(|end| end.eq_ignore_ascii_case(".json"))
}

/// Formats the JSON value at the start of `text` as `JSON.stringify(value, null, 2)` does, but keeps strings and numbers as
/// they are written.
pub(super) fn pretty(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut depth: usize = 0;
    let mut at = 0;
    // The first byte of the previous token.
    let mut last = 0;
    while let Some(byte) = bytes.get(at).copied() {
        let start = at;
        at += 1;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'"' => loop {
                at += run_length(bytes.get(at..).unwrap_or_default(), b'"');
                at += 1;
                match bytes.get(at - 1) {
                    Some(b'\\') => at += 1,
                    Some(b'"') | None => break,
                    Some(_) => {}
                }
            },
            b'{' | b'[' | b'}' | b']' | b',' | b':' => {}
            _ => {
                while bytes.get(at).is_some_and(|byte| !b" \t\r\n,:}]".contains(byte)) {
                    at += 1;
                }
            }
        }
        let closes = matches!(byte, b'}' | b']');
        depth = depth.saturating_sub(closes.into());
        let opened = matches!(last, b'{' | b'[');
        // A line break follows an opening bracket and precedes a closing one, but an empty list or object has none.
        if last == b',' || opened != closes {
            out.push('\n');
            for _ in 0..depth {
                out.push_str("  ");
            }
        } else if last == b':' {
            out.push(' ');
        }
        depth += usize::from(matches!(byte, b'{' | b'['));
        out.push_str(part(text, start..at));
        if depth == 0 {
            break;
        }
        last = byte;
    }
    out
}

/// Adds the fixes to `marks`, up to `max_fixes`. Their offsets are those of the replaced words in `text`, in quotes if possible.
pub(super) fn add_marks(text: &str, applied: FieldFixes, max_fixes: usize, marks: &mut Vec<Mark>) {
    let mut from = 0;
    for (kind, word) in applied {
        if marks.len() >= max_fixes {
            return;
        }
        let (mut at, mut found) = (from, None);
        while let Some(place) = find(text, at, &word) {
            let end = part(text, place + word.len()..text.len());
            if matches!(last(part(text, 0..place)), b'"' | b'\'') && matches!(first(end), b'"' | b'\'') {
                found = Some(place - 1);
                break;
            }
            found = found.or(Some(place));
            at = place + 1;
        }
        from = found.unwrap_or(from);
        marks.push(Mark { kind, offset: from, count: 1 });
    }
}
