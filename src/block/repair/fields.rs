//! Repairs the fields of a call: other names of its tool and of its fields, and an object as the text of a file.

use super::fix::{FixKind, Mark};
use super::{find, first_byte, last_byte, part};
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
    pub(super) tool: Option<&'a str>,
    /// The JSON of the calls, from which an object is copied that becomes the text of a file. `None` if the repair had to add
    /// brackets: the object may then be cut short, and must not become a file.
    pub(super) json: Option<&'a str>,
    /// The recorder's records of the calls, in the order of the JSON.
    pub(super) calls: &'a [CallRecord],
    pub(super) max_depth: usize,
}

/// The fixes of fields, call by call, each with the replaced word, by which [`add_marks`] finds its position.
pub(super) type FieldFixes = Vec<(FixKind, String)>;

/// The index in [`Context::calls`] of a call that has no record there.
const NO_RECORD: usize = usize::MAX;

impl Context<'_> {
    /// Repairs the fields of calls: of each value, or of each item if the value is a list. Two keys that mean the same field stay
    /// unchanged.
    pub(super) fn repair(&self, values: &mut [Value]) -> FieldFixes {
        let mut fixes = Vec::new();
        // The index in `calls`.
        let mut record_index = 0;
        for value in values {
            let Value::Array(items) = value else {
                self.repair_call(value, record_index, &mut fixes);
                record_index += 1;
                continue;
            };
            for index in 0..items.len() {
                // `Array::get_mut` does not update the lookup tables of a list. This list was just parsed, and has none.
                let item = items.get_mut(index);
                item.into_iter().for_each(|call| self.repair_call(call, record_index + index, &mut fixes));
            }
            // An empty list has a record, too.
            record_index += items.len().max(1);
        }
        fixes
    }

    /// Repairs a call. A call in an envelope is replaced by its flat form `{tool, …fields}`, an envelope of several calls by a
    /// list of them; but only if a fix applies.
    fn repair_call(&self, call: &mut Value, record_index: usize, fixes: &mut FieldFixes) {
        let flat_calls = if self.tool.is_none() { envelope::open(call, self.tools) } else { None };
        let Some(mut calls) = flat_calls else { return self.repair_flat(call, record_index, fixes) };
        let fixes_before = fixes.len();
        // The records describe envelopes as they are, so the flat calls have none.
        calls.iter_mut().for_each(|call| self.repair_flat(call, NO_RECORD, fixes));
        if fixes.len() > fixes_before {
            *call = if calls.len() == 1 { calls.pop().unwrap_or_default() } else { Value::from(calls) };
        }
    }

    /// Repairs a call in the flat form, in this order: the key of its tool, the name of its tool, the names of its fields, and an
    /// object as the text of a JSON file. `record_index`: the index of its record in `calls`, or [`NO_RECORD`].
    fn repair_flat(&self, call: &mut Value, record_index: usize, fixes: &mut FieldFixes) {
        let Value::Object(object) = call else { return };
        // repair: another key for the tool, e.g. `{"action": "delete_file", "path": "a.txt"}`
        if self.tool.is_none()
            && !object.contains(CallField::Tool.key())
            && let Some(key) = envelope::key_of_name(object, self.tools).map(owned)
        {
            let with_tool_key = object
                .iter()
                .map(|(name, value)| (if name == key { CallField::Tool.key() } else { name }, value.clone()));
            let flat: Object = with_tool_key.collect();
            if self.tools.is_whole_call(&flat.clone().into()) {
                *object = flat;
                fixes.push((FixKind::FieldAlias, key));
            }
        }
        let written_name = object.get(CallField::Tool.key()).and_then(Value::as_str);
        let Some(name) = self.tool.or(written_name) else { return };
        let Some(tool) = self.tools.find_by_any_name(name) else { return };
        // `self.tool` counts, even if the call names another tool. The name in the call is replaced by that of `tool` if it is an
        // alias or another spelling, of whichever tool; the exact name of another tool stays.
        if let Some(written_name) = written_name
            && written_name != tool.name()
            && self.tools.find(written_name).is_none()
            && self.tools.find_by_any_name(written_name).is_some()
        {
            // repair: another name of a tool, e.g. `"tool": "create_file"`
            fixes.push((FixKind::ToolAlias, owned(written_name)));
            object.set(CallField::Tool.key(), Value::from(tool.name()));
        }
        let content = CallField::Content.key();
        // The parent of the fields of the call itself.
        let top: Option<&str> = None;
        let is_object = |value: &Value| matches!(value, Value::Object(_) | Value::Array(_));
        // An object as the text of a file is copied from the JSON: parsing would lose digits of its numbers. It is located before
        // its key is replaced.
        let (mut content_key, mut has_object) = (None, false);
        for (key, value) in object.iter() {
            if key == content || tool.field_of_alias(top, key) == Some((top, content)) {
                // The field's own name counts before its aliases: they stay as they are then.
                content_key = content_key.filter(|_| key != content).or(Some(key));
                has_object |= is_object(value);
            }
        }
        let locate_content = || {
            let (json, mut offset) = (self.json?, 0);
            let place = Place { path: content_key?, offset: &mut offset };
            // Sets `offset` to that of the value: the call has the key.
            locate(json, self.calls.get(record_index)?.offset, &mut [place], self.max_depth);
            json.get(offset..)
        };
        // The JSON from the object on.
        let content_json = if has_object { locate_content() } else { None };
        let mut alias_keys = Vec::new();
        if let Some(canonical) = tool.canonical(top, object, &mut alias_keys)
            && !alias_keys.is_empty()
        {
            // repair: another name of a field, e.g. `"filename": "a.txt"`
            *object = canonical;
            for key in alias_keys {
                fixes.push((FixKind::FieldAlias, key));
            }
        }
        let is_json = CallField::Path.in_object(object).and_then(Value::as_str).is_some_and(is_json_path);
        if is_json
            && tool.text_fields().contains(&CallField::Content)
            && let Some(value) = object.get_mut(content)
            && is_object(value)
            && let Some(text) = content_json
        {
            // repair: object as the text of a JSON file, e.g. `"path": "a.json", "content": {"b": 1}`
            *value = Value::from(pretty(text));
            fixes.push((FixKind::ContentObject, owned(content)));
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
        let written_name = call.get(CallField::Tool.key()).and_then(Value::as_str);
        let Some(tool) = self.tool.or(written_name).and_then(|name| self.tools.find(name)) else { return false };
        let edit = call.get(CallField::SearchReplace.key()).and_then(Value::as_object);
        let top = None;
        has_foreign_key(call, &tool, top)
            || edit.is_some_and(|edit| has_foreign_key(edit, &tool, Some(CallField::SearchReplace)))
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

/// Whether an object, the call itself or the one at `parent`, has a field of file tools that this tool does not have there.
fn has_foreign_key(object: &Object, tool: &Tool, parent: Option<CallField>) -> bool {
    object.keys().any(|key| tool.is_foreign(parent, key))
}

/// Whether a path has a name before the extension `.json`, which has five bytes.
fn is_json_path(path: &str) -> bool {
    path.len() > 5 && path.get(path.len() - 5..).is_some_and(|end| end.eq_ignore_ascii_case(".json"))
}

/// Formats the JSON value at the start of `text` as `JSON.stringify(value, null, 2)` does, but keeps strings and numbers as
/// they are written: it copies token by token, and puts a line break or a space before each. The end is where all brackets are
/// closed.
pub(super) fn pretty(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut depth: usize = 0;
    let mut at = 0;
    // The first byte of the previous token; 0 before the first token.
    let mut previous = 0;
    while let Some(byte) = bytes.get(at).copied() {
        let start = at;
        at += 1;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            // A string, up to its closing quote.
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
            // A number or a literal.
            _ => {
                while bytes.get(at).is_some_and(|byte| !b" \t\r\n,:}]".contains(byte)) {
                    at += 1;
                }
            }
        }
        let closes = matches!(byte, b'}' | b']');
        depth = depth.saturating_sub(closes.into());
        let follows_opener = matches!(previous, b'{' | b'[');
        // A line break follows an opening bracket and precedes a closing one, but an empty list or object has none.
        if previous == b',' || follows_opener != closes {
            out.push('\n');
            for _ in 0..depth {
                out.push_str("  ");
            }
        } else if previous == b':' {
            out.push(' ');
        }
        depth += usize::from(matches!(byte, b'{' | b'['));
        out.push_str(part(text, start..at));
        if depth == 0 {
            break;
        }
        previous = byte;
    }
    out
}

/// Adds the fixes to `marks`, up to `max_fixes`. Each word is searched in `text`, from the offset of the fix before it on. The
/// offset of its fix is that of the quote before its first occurrence in quotes; else that of its first occurrence; else that of
/// the fix before it.
pub(super) fn add_marks(text: &str, fixes: FieldFixes, max_fixes: usize, marks: &mut Vec<Mark>) {
    let mut from = 0;
    for (kind, word) in fixes {
        if marks.len() >= max_fixes {
            return;
        }
        let (mut search_start, mut offset) = (from, None);
        while let Some(occurrence) = find(text, search_start, &word) {
            let rest = part(text, occurrence + word.len()..text.len());
            let quote_before = last_byte(part(text, 0..occurrence));
            if matches!(quote_before, b'"' | b'\'') && matches!(first_byte(rest), b'"' | b'\'') {
                offset = Some(occurrence - 1);
                break;
            }
            offset = offset.or(Some(occurrence));
            search_start = occurrence + 1;
        }
        from = offset.unwrap_or(from);
        marks.push(Mark { kind, offset: from, count: 1 });
    }
}
