//! Events and reports as JSON text, in the shapes that JavaScript knows.

use super::code::is_valid;
use super::event::{Block, Delta, Event, TextId, ToolCall, ToolId};
use super::repair::Fix;
use super::report::Report;
use super::tools::{CallField, Tool};
use super::{Issue, Severity};
use crate::value::{Object, Position, Value, put, utf16_len, write_index, write_list, write_string};

/// Writes events and reports.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    /// The JSON text.
    pub json: String,
    /// Long strings, one after the other: the JSON contains only their lengths in UTF-16 units. `None`: the strings are
    /// part of the JSON. For text of the stream itself, which the caller already has, only the length is written.
    pub beside: Option<String>,
    /// The texts of the next block that deltas have shown, in order, and their lengths in bytes. Outside the JSON, -1
    /// stands for a text that deltas have shown completely.
    shown: Vec<(TextId, usize)>,
}

impl Event {
    /// The JSON text of the event, whole.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut writer = Writer::default();
        writer.event(self);
        writer.json
    }
}

impl Report {
    /// The JSON text of the report, whole.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut writer = Writer::default();
        writer.report(self);
        writer.json
    }
}

impl Writer {
    /// A writer that appends to `json` and keeps long strings outside of it.
    #[must_use]
    pub const fn after(json: String) -> Self {
        Self { json, beside: Some(String::new()), shown: Vec::new() }
    }

    /// Counts the text of a delta.
    pub fn show(&mut self, delta: &Delta) {
        let more = delta.delta.len();
        // Fields come one after the other.
        match self.shown.last_mut() {
            Some((of, bytes)) if *of == delta.of => *bytes += more,
            _ => self.shown.push((delta.of, more)),
        }
    }

    /// Writes a text event by its length in UTF-16 units.
    pub fn text_of(&mut self, units: usize) {
        write_index(put(next(&mut self.json), "{\"type\":\"text\",\"text\":"), units);
        put(&mut self.json, "}");
    }

    /// Writes reasoning by its length in UTF-16 units, or a tag around it, which belongs to no event.
    pub fn units_of(&mut self, kind: &str, units: usize) {
        write_string(put(next(&mut self.json), "{\"type\":"), kind);
        write_index(put(&mut self.json, ",\"text\":"), units);
        put(&mut self.json, "}");
    }

    /// An event, its texts written out.
    pub fn event(&mut self, event: &Event) {
        let out = put(next(&mut self.json), "{\"type\":");
        match event {
            Event::Text(text) => write_string(put(out, "\"text\",\"text\":"), text),
            Event::Reasoning(text) => write_string(put(out, "\"reasoning\",\"text\":"), text),
            Event::Status { tool_id, tool, path } => {
                write_id(put(out, "\"json-tool-status\",\"toolId\":"), *tool_id);
                write_string(put(out, ",\"toolType\":"), tool);
                write_optional(put(out, ",\"path\":"), path.as_deref());
                write_string(put(out, ",\"status\":\"buffering\",\"statusMessage\":"), Tool::status_of(tool));
            }
            Event::Delta(Delta { of, delta, length }) => {
                write_id(put(out, "\"json-tool-delta\",\"toolId\":"), of.tool_id);
                write_index(put(out, ",\"index\":"), of.index);
                write_string(put(out, ",\"field\":"), of.field);
                put(out, ",\"delta\":");
                self.long(delta);
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

    /// The entries of a block. Beside the JSON, `content` is -1 where it is the same as `raw`.
    fn block(&mut self, block: &Block) {
        let out = &mut self.json;
        write_id(put(out, "\"json-tool-block\",\"toolId\":"), block.tool_id);
        write_optional(put(out, ",\"toolType\":"), block.tool.as_deref());
        write_optional(put(out, ",\"path\":"), block.path.as_deref());
        write_string(put(out, ",\"status\":"), block.status.name());
        write_index(put(out, ",\"start\":"), block.start);
        put(out, ",\"raw\":");
        let content = block.repaired.as_ref().map(|repaired| &*repaired.content);
        // A report contains its text, which has been emitted before.
        if self.beside.is_some() && !block.in_text {
            write_index(out, block.end.saturating_sub(block.start));
            put(out, if content.is_some() { ",\"content\":" } else { ",\"content\":-1" });
            content.into_iter().for_each(|content| self.long(content));
        } else {
            write_string(out, &block.raw);
            let is_beside = self.beside.is_some();
            put(out, if is_beside { ",\"content\":-1" } else { ",\"content\":" });
            if !is_beside {
                write_string(out, content.unwrap_or(&block.raw));
            }
        }
        write_flag(put(&mut self.json, ",\"validationPassed\":"), is_valid(&block.issues));
        write_flag(put(&mut self.json, ",\"corrected\":"), block.repaired.is_some());
        if block.repaired.is_some() {
            put(&mut self.json, ",\"correctedBy\":\"repair\"");
            // Its texts are others than those that were shown.
            self.shown.clear();
        }
        write_issues(&mut self.json, &block.issues);
        write_fixes(&mut self.json, block.repaired.as_ref().map_or(&[], |repaired| &repaired.fixes));
        self.calls(&block.calls, true);
        self.shown.clear();
    }

    /// The report on one block. Beside the JSON the values are left out that are in the block's text.
    pub fn report(&mut self, report: &Report) {
        write_flag(put(&mut self.json, "{\"isValid\":"), report.is_valid());
        write_issues(&mut self.json, &report.issues);
        // Long strings kept outside: the arguments are those of `parsedJson`.
        let is_beside = self.beside.is_some();
        if report.has_envelopes {
            // The arguments in an envelope differ from the JSON.
            let beside = self.beside.take();
            self.calls(&report.calls, true);
            self.beside = beside;
        } else {
            self.calls(&report.calls, !is_beside);
        }
        if let Some(parsed) = &report.parsed
            && !(is_beside && report.json_end.is_some())
        {
            parsed.write_json(put(&mut self.json, ",\"parsedJson\":"));
        }
        write_index(put(&mut self.json, ",\"jsonStart\":"), report.json_start);
        put(&mut self.json, "}");
    }

    /// The report on one block; `jsonEnd`, if its values are to be read in the text; and what a repair did before.
    pub fn outcome(&mut self, report: &Report, fixes: &[Fix]) {
        put(&mut self.json, "{\"report\":");
        self.report(report);
        if let Some(end) = report.json_end {
            write_index(put(&mut self.json, ",\"jsonEnd\":"), end);
        }
        write_fixes(&mut self.json, fixes);
        put(&mut self.json, "}");
    }

    /// `call` for one, `calls` for several.
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

    /// Writes a call. If long strings are kept outside the JSON, 0 replaces them among the arguments.
    fn call(&mut self, index: usize, call: &ToolCall, with_arguments: bool) {
        let out = put(next(&mut self.json), "{\"id\":");
        write_id(out, call.id);
        write_string(put(out, ",\"tool\":"), call.tool.name());
        if !call.tool.is_custom() || !call.path.is_empty() {
            write_string(put(out, ",\"path\":"), &call.path);
        }
        put(out, ",\"status\":\"detected\"");
        for field in call.tool.texts() {
            let parent = if *field == CallField::OldString { ",\"search_replace\":{" } else { "," };
            write_string(put(&mut self.json, parent), field.key());
            put(&mut self.json, ":");
            let text = field.in_object(&call.args).and_then(Value::as_str).unwrap_or_default();
            if with_arguments && !self.is_shown(index, field.key(), text.len()) {
                self.long(text);
            } else {
                put(&mut self.json, "-1");
            }
            put(&mut self.json, if *field == CallField::NewString { "}" } else { "" });
        }
        if with_arguments {
            put(&mut self.json, ",\"args\":");
            self.args(None, &call.args, call.tool.texts());
        }
        put(&mut self.json, "}");
    }

    fn is_shown(&self, index: usize, key: &str, bytes: usize) -> bool {
        let from = self.shown.partition_point(|(of, _)| of.index < index);
        let mut own = self.shown.get(from..).unwrap_or_default().iter().take_while(|(of, _)| of.index == index);
        own.any(|(of, shown)| of.field == key && *shown == bytes)
    }

    fn args(&mut self, parent: Option<CallField>, object: &Object, texts: &[CallField]) {
        put(&mut self.json, "{");
        for (key, value) in object.iter() {
            write_string(next(&mut self.json), key);
            put(&mut self.json, ":");
            let field = if self.beside.is_some() { CallField::find(parent, key) } else { None };
            match (field, value) {
                (Some(field), _) if texts.contains(&field) => _ = put(&mut self.json, "0"),
                (Some(_), Value::Object(inner)) if texts.iter().any(|text| text.parent() == field) => {
                    self.args(field, inner, texts);
                }
                _ => value.write_json(&mut self.json),
            }
        }
        put(&mut self.json, "}");
    }

    /// A long string, or, if it goes beside the JSON, how many UTF-16 units it has.
    fn long(&mut self, text: &str) {
        let Some(beside) = &mut self.beside else { return write_string(&mut self.json, text) };
        beside.push_str(text);
        write_index(&mut self.json, utf16_len(text));
    }
}

/// Writes the changes of a repair as one more entry.
pub fn write_fixes(out: &mut String, fixes: &[Fix]) {
    write_list(put(out, ",\"fixes\":"), fixes, |out, fix| {
        write_string(put(out, "{\"code\":"), fix.kind.name());
        write_string(put(out, ",\"message\":"), &fix.message);
        write_position(out, fix.position);
        put(out, "}");
    });
}

/// The comma before an entry or an item, unless it is the first.
fn next(out: &mut String) -> &mut String {
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
