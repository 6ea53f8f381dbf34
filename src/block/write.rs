//! Writes events and reports as JSON, in the shapes that `src/js/blocks` reads.

use super::code::is_valid;
use super::event::{Block, Delta, Event, TextId, ToolCall, ToolId};
use super::repair::Fix;
use super::report::Report;
use super::tools::{CallField, Tool};
use super::{Issue, Severity};
use crate::value::{Object, Position, Value, put, utf16_len, write_index, write_list, write_string};

/// Writes events and reports as JSON. Long strings may go into a separate buffer, so that JavaScript need not parse
/// them.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    /// The JSON text.
    pub json: String,
    /// The buffer for long strings, concatenated; the JSON then has only their lengths in UTF-16 units. `None` writes
    /// the strings into the JSON. Text of the stream is in neither: the caller has it, so its length is enough.
    pub long_strings: Option<String>,
    /// The fields of the current block that deltas have emitted, in order, with the number of bytes emitted. If `long_strings` is
    /// used, the block has -1 in place of a field that deltas have emitted completely: JavaScript has its text.
    delta_bytes: Vec<(TextId, usize)>,
}

impl Event {
    /// The event as JSON, with all strings in it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut writer = Writer::default();
        writer.event(self);
        writer.json
    }
}

impl Report {
    /// The report as JSON, with all strings in it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut writer = Writer::default();
        writer.report(self);
        writer.json
    }
}

impl Writer {
    /// A writer that appends to `json`, and collects long strings, the texts of files, in `long_strings`.
    #[must_use]
    pub const fn with_long_strings_apart(json: String) -> Self {
        Self { json, long_strings: Some(String::new()), delta_bytes: Vec::new() }
    }

    /// Counts the bytes of a field that a delta has emitted.
    pub fn count_delta(&mut self, delta: &Delta) {
        let more = delta.delta.len();
        // Fields arrive one at a time, so only the last entry can grow.
        match self.delta_bytes.last_mut() {
            Some((text_id, bytes)) if *text_id == delta.text_id => *bytes += more,
            _ => self.delta_bytes.push((delta.text_id, more)),
        }
    }

    /// Writes a text event that has only its length, in UTF-16 units.
    pub fn text_event(&mut self, units: usize) {
        write_index(put(after_comma(&mut self.json), "{\"type\":\"text\",\"text\":"), units);
        put(&mut self.json, "}");
    }

    /// Writes an event of the type `kind` that has only its length, in UTF-16 units: `reasoning`, or `skip` for a tag.
    pub fn length_event(&mut self, kind: &str, units: usize) {
        write_string(put(after_comma(&mut self.json), "{\"type\":"), kind);
        write_index(put(&mut self.json, ",\"text\":"), units);
        put(&mut self.json, "}");
    }

    /// Writes an event.
    pub fn event(&mut self, event: &Event) {
        let out = put(after_comma(&mut self.json), "{\"type\":");
        match event {
            Event::Text(text) => write_string(put(out, "\"text\",\"text\":"), text),
            Event::Reasoning(text) => write_string(put(out, "\"reasoning\",\"text\":"), text),
            Event::Status { tool_id, tool, path } => {
                write_id(put(out, "\"json-tool-status\",\"toolId\":"), *tool_id);
                write_string(put(out, ",\"toolType\":"), tool);
                write_optional(put(out, ",\"path\":"), path.as_deref());
                write_string(put(out, ",\"status\":\"buffering\",\"statusMessage\":"), Tool::status_of(tool));
            }
            Event::Delta(Delta { text_id, delta, length }) => {
                write_id(put(out, "\"json-tool-delta\",\"toolId\":"), text_id.tool_id);
                write_index(put(out, ",\"index\":"), text_id.index);
                write_string(put(out, ",\"field\":"), text_id.field);
                put(out, ",\"delta\":");
                self.long_string(delta);
                write_index(put(&mut self.json, ",\"length\":"), *length);
            }
            Event::Patch { tool_id, index, tool, patch_index, call, patch, .. } => {
                write_id(put(out, "\"json-tool-patch\",\"toolId\":"), *tool_id);
                write_index(put(out, ",\"index\":"), *index);
                write_string(put(out, ",\"toolType\":"), tool);
                write_index(put(out, ",\"path\":null,\"patchIndex\":"), *patch_index);
                call.write_json(put(out, ",\"call\":"));
                patch.write_json(put(out, ",\"patch\":"));
            }
            Event::Block(block) => self.block(block),
        }
        put(&mut self.json, "}");
    }

    /// Writes the members of a block. If `long_strings` is used, a `content` that equals `raw` is written as -1.
    fn block(&mut self, block: &Block) {
        let out = &mut self.json;
        write_id(put(out, "\"json-tool-block\",\"toolId\":"), block.tool_id);
        write_optional(put(out, ",\"toolType\":"), block.tool.as_deref());
        write_optional(put(out, ",\"path\":"), block.path.as_deref());
        write_string(put(out, ",\"status\":"), block.status.name());
        write_index(put(out, ",\"start\":"), block.start);
        put(out, ",\"raw\":");
        let content = block.repaired.as_ref().map(|repaired| &*repaired.content);
        // JavaScript has the text of a block that arrives now, so the length is enough. A `NOT_A_CALL` report
        // (`in_text`) comes after its text, so it must contain that text.
        if self.long_strings.is_some() && !block.in_text {
            write_index(out, block.end.saturating_sub(block.start));
            put(out, if content.is_some() { ",\"content\":" } else { ",\"content\":-1" });
            content.into_iter().for_each(|content| self.long_string(content));
        } else {
            write_string(out, &block.raw);
            let is_split = self.long_strings.is_some();
            put(out, if is_split { ",\"content\":-1" } else { ",\"content\":" });
            if !is_split {
                write_string(out, content.unwrap_or(&block.raw));
            }
        }
        write_flag(put(&mut self.json, ",\"validationPassed\":"), is_valid(&block.issues));
        write_flag(put(&mut self.json, ",\"corrected\":"), block.repaired.is_some());
        if block.repaired.is_some() {
            put(&mut self.json, ",\"correctedBy\":\"repair\"");
            // The repaired texts differ from those that deltas emitted, so none may be replaced by -1.
            self.delta_bytes.clear();
        }
        write_issues(&mut self.json, &block.issues);
        write_fixes(&mut self.json, block.repaired.as_ref().map_or(&[], |repaired| &repaired.fixes));
        let with_arguments = true;
        self.calls(&block.calls, with_arguments);
        self.delta_bytes.clear();
    }

    /// Writes the report on one block. If `long_strings` is used, it omits values that JavaScript can parse from the block.
    pub fn report(&mut self, report: &Report) {
        write_flag(put(&mut self.json, "{\"isValid\":"), report.is_valid());
        write_issues(&mut self.json, &report.issues);
        // If `long_strings` is used, JavaScript reads the arguments from `parsedJson`.
        let is_split = self.long_strings.is_some();
        if report.has_envelopes {
            // The arguments of an envelope are not those of `parsedJson`, so they are written in full.
            let (long_strings, with_arguments) = (self.long_strings.take(), true);
            self.calls(&report.calls, with_arguments);
            self.long_strings = long_strings;
        } else {
            let with_arguments = !is_split;
            self.calls(&report.calls, with_arguments);
        }
        if let Some(parsed) = &report.parsed
            && !(is_split && report.json_end.is_some())
        {
            parsed.write_json(put(&mut self.json, ",\"parsedJson\":"));
        }
        write_index(put(&mut self.json, ",\"jsonStart\":"), report.json_start);
        put(&mut self.json, "}");
    }

    /// Writes the report on one block and the fixes of the repair before it. `jsonEnd` tells JavaScript to parse the
    /// values from the block's text.
    pub fn repair_outcome(&mut self, report: &Report, fixes: &[Fix]) {
        put(&mut self.json, "{\"report\":");
        self.report(report);
        if let Some(end) = report.json_end {
            write_index(put(&mut self.json, ",\"jsonEnd\":"), end);
        }
        write_fixes(&mut self.json, fixes);
        put(&mut self.json, "}");
    }

    /// Writes one call as the member `call`, several as `calls`, none not at all.
    fn calls(&mut self, calls: &[ToolCall], with_arguments: bool) {
        match calls {
            [] => return,
            [_] => put(&mut self.json, ",\"call\":"),
            _ => put(&mut self.json, ",\"calls\":["),
        };
        for (index, call) in calls.iter().enumerate() {
            self.call(index, call, with_arguments);
        }
        put(&mut self.json, if calls.len() > 1 { "]" } else { "" });
    }

    /// Writes a call. If `long_strings` is used, `args` has 0 in place of each long string: the call's own members have it.
    /// Without `with_arguments` there is no `args`, and -1 stands for the long strings: JavaScript has parsed them. The object
    /// `search_replace` begins at its first string and ends after its second.
    fn call(&mut self, index: usize, call: &ToolCall, with_arguments: bool) {
        let out = put(after_comma(&mut self.json), "{\"id\":");
        write_id(out, call.id);
        write_string(put(out, ",\"tool\":"), call.tool.name());
        if !call.tool.is_custom() || !call.path.is_empty() {
            write_string(put(out, ",\"path\":"), &call.path);
        }
        put(out, ",\"status\":\"detected\"");
        for field in call.tool.text_fields() {
            // A call with `edits` has no `search_replace`.
            if field.in_object(&call.args).is_none() {
                continue;
            }
            let parent = if *field == CallField::OldString { ",\"search_replace\":{" } else { "," };
            write_string(put(&mut self.json, parent), field.key());
            put(&mut self.json, ":");
            let text = field.in_object(&call.args).and_then(Value::as_str).unwrap_or_default();
            if with_arguments && !self.is_in_deltas(index, field.key(), text.len()) {
                self.long_string(text);
            } else {
                put(&mut self.json, "-1");
            }
            put(&mut self.json, if *field == CallField::NewString { "}" } else { "" });
        }
        if with_arguments {
            put(&mut self.json, ",\"args\":");
            self.args(CallField::TOP, &call.args, call.tool.text_fields());
        }
        put(&mut self.json, "}");
    }

    /// Whether deltas have emitted all `bytes` of the field `key` of call `index`.
    fn is_in_deltas(&self, index: usize, key: &str, bytes: usize) -> bool {
        let first = self.delta_bytes.partition_point(|(text_id, _)| text_id.index < index);
        let mut fields_of_call =
            self.delta_bytes.get(first..).unwrap_or_default().iter().take_while(|(text_id, _)| text_id.index == index);
        fields_of_call.any(|(text_id, emitted_bytes)| text_id.field == key && *emitted_bytes == bytes)
    }

    /// Writes the arguments, or the object of the field `parent` in them. `text_fields` are the fields of long strings.
    fn args(&mut self, parent: Option<CallField>, object: &Object, text_fields: &[CallField]) {
        put(&mut self.json, "{");
        for (key, value) in object.iter() {
            write_string(after_comma(&mut self.json), key);
            put(&mut self.json, ":");
            let field = if self.long_strings.is_some() { CallField::find(parent, key) } else { None };
            match (field, value) {
                (Some(field), _) if text_fields.contains(&field) => _ = put(&mut self.json, "0"),
                (Some(_), Value::Object(inner)) if text_fields.iter().any(|text| text.parent() == field) => {
                    self.args(field, inner, text_fields);
                }
                _ => value.write_json(&mut self.json),
            }
        }
        put(&mut self.json, "}");
    }

    /// Writes a long string; if `long_strings` is used, the string goes there and its length in UTF-16 units into the JSON.
    fn long_string(&mut self, text: &str) {
        let Some(long_strings) = &mut self.long_strings else { return write_string(&mut self.json, text) };
        long_strings.push_str(text);
        write_index(&mut self.json, utf16_len(text));
    }
}

/// Writes the changes of a repair as the member `fixes`.
pub fn write_fixes(out: &mut String, fixes: &[Fix]) {
    write_list(put(out, ",\"fixes\":"), fixes, |out, fix| {
        write_string(put(out, "{\"code\":"), fix.kind.name());
        write_string(put(out, ",\"message\":"), &fix.message);
        write_position(out, fix.position);
        put(out, "}");
    });
}

/// Writes the comma before a member or an item, unless it is the first; returns the output.
fn after_comma(out: &mut String) -> &mut String {
    let is_first = matches!(out.as_bytes().last(), None | Some(b'{' | b'[' | b':'));
    put(out, if is_first { "" } else { "," })
}

fn write_flag(out: &mut String, flag: bool) {
    put(out, if flag { "true" } else { "false" });
}

fn write_optional(out: &mut String, text: Option<&str>) {
    match text {
        Some(text) => write_string(out, text),
        None => _ = put(out, "null"),
    }
}

fn write_id(out: &mut String, id: ToolId) {
    write_index(put(out, "\"tool_"), id.0 as usize);
    put(out, "\"");
}

fn write_position(out: &mut String, position: Position) {
    write_index(put(out, ",\"position\":{\"offset\":"), position.offset);
    write_index(put(out, ",\"line\":"), position.line);
    write_index(put(out, ",\"column\":"), position.column);
    put(out, "}");
}

fn write_issues(out: &mut String, issues: &[Issue]) {
    let errors = issues.iter().filter(|issue| issue.severity == Severity::Error);
    write_list(put(out, ",\"errors\":"), errors, |out, issue| write_string(out, &issue.message));
    write_list(put(out, ",\"issues\":"), issues, |out, Issue { code, message, path, position, severity }| {
        write_string(put(out, "{\"code\":"), code.name());
        write_string(put(out, ",\"message\":"), message);
        write_string(put(out, ",\"path\":"), path);
        position.iter().for_each(|position| write_position(out, *position));
        write_string(put(out, ",\"severity\":"), severity.name());
        put(out, "}");
    });
}
