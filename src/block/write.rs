//! Events and reports as JSON text, in the shapes that JavaScript knows.

use super::code::is_valid;
use super::event::{Block, CallText, Delta, Event, ToolCall, ToolId};
use super::repair::Fix;
use super::report::Report;
use super::tools::{CallField, Tool};
use super::{Issue, Severity};
use crate::value::{Object, Position, Value, utf16_len, write_index, write_string};

/// Writes events and reports.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    /// The JSON text.
    pub json: String,
    /// Long strings, one after the other, if they go beside the JSON text, in which stands then how many UTF-16 units they
    /// have. Text of the stream itself, which whoever pushed it has, is only told by its length.
    pub beside: Option<String>,
    /// The texts of the next block that deltas have shown, in order, and how many bytes. Beside the JSON -1 stands for those
    /// that were shown whole.
    shown: Vec<(CallText, usize)>,
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
    /// A writer that puts long strings beside the JSON, which goes behind what is there.
    #[must_use]
    pub const fn after(json: String) -> Self {
        Self { json, beside: Some(String::new()), shown: Vec::new() }
    }

    /// Notes that this much of a text was told of.
    pub fn show(&mut self, delta: &Delta) {
        let more = delta.delta.len();
        // Fields come one after the other.
        match self.shown.last_mut() {
            Some((of, bytes)) if *of == delta.of => *bytes += more,
            _ => self.shown.push((delta.of, more)),
        }
    }

    /// So many UTF-16 units of text that belongs to no block.
    pub fn text_of(&mut self, units: usize) {
        self.begin();
        self.field("type", "text");
        self.count("text", units);
        self.json.push('}');
    }

    /// An event, its texts written out.
    pub fn event(&mut self, event: &Event) {
        self.begin();
        match event {
            Event::Text(text) => {
                self.field("type", "text");
                self.field("text", text);
            }
            Event::Status { tool_id, tool, path } => {
                self.field("type", "json-tool-status");
                self.id("toolId", *tool_id);
                self.field("toolType", tool);
                self.optional("path", path.as_deref());
                self.field("status", "buffering");
                self.field("statusMessage", Tool::status_of(tool));
            }
            Event::Delta(Delta { of, delta, length }) => {
                self.field("type", "json-tool-delta");
                self.id("toolId", of.tool_id);
                self.count("index", of.index);
                self.field("field", of.field);
                self.long("delta", delta);
                self.count("length", *length);
            }
            Event::Block(block) => self.block(block),
        }
        self.json.push('}');
    }

    /// The entries of a block. Beside the JSON, `content` is -1 where it is the same as `raw`.
    fn block(&mut self, block: &Block) {
        self.field("type", "json-tool-block");
        self.id("toolId", block.tool_id);
        self.optional("toolType", block.tool.as_deref());
        self.optional("path", block.path.as_deref());
        self.field("status", block.status.name());
        self.count("start", block.start);
        let content = block.repaired.as_ref().map(|repaired| &*repaired.content);
        if self.beside.is_some() {
            self.count("raw", block.end.saturating_sub(block.start));
            match content {
                Some(content) => self.long("content", content),
                None => self.plain("content", "-1"),
            }
        } else {
            self.field("raw", &block.raw);
            self.field("content", content.unwrap_or(&block.raw));
        }
        self.flag("validationPassed", is_valid(&block.issues));
        self.flag("corrected", block.repaired.is_some());
        if block.repaired.is_some() {
            self.field("correctedBy", "repair");
            // Its texts are others than those that were shown.
            self.shown.clear();
        }
        self.issues(&block.issues);
        self.fixes(block.repaired.as_ref().map_or(&[], |repaired| &repaired.fixes));
        self.calls(&block.calls, true);
        self.shown.clear();
    }

    /// The report on one block. Beside the JSON the values are left out that are in the block's text.
    pub fn report(&mut self, report: &Report) {
        self.begin();
        self.flag("isValid", report.is_valid());
        self.issues(&report.issues);
        // Beside the JSON its arguments are those of `parsedJson`.
        let is_beside = self.beside.is_some();
        self.calls(&report.calls, !is_beside);
        if let Some(parsed) = &report.parsed
            && !(is_beside && report.json_end.is_some())
        {
            self.key("parsedJson");
            parsed.write_json(&mut self.json);
        }
        self.count("jsonStart", report.json_start);
        self.json.push('}');
    }

    fn issues(&mut self, issues: &[Issue]) {
        self.list("errors");
        for issue in issues {
            if issue.severity == Severity::Error {
                self.next();
                write_string(&mut self.json, &issue.message);
            }
        }
        self.json.push(']');
        self.list("issues");
        for Issue { code, message, path, position, severity } in issues {
            self.begin();
            self.field("code", code.name());
            self.field("message", message);
            self.field("path", path);
            if let Some(position) = position {
                self.position(*position);
            }
            self.field("severity", severity.name());
            self.json.push('}');
        }
        self.json.push(']');
    }

    fn position(&mut self, position: Position) {
        self.key("position");
        self.begin();
        self.count("offset", position.offset);
        self.count("line", position.line);
        self.count("column", position.column);
        self.json.push('}');
    }

    /// The report on one block; `jsonEnd`, if its values are to be read in the text; and what a repair did before.
    pub fn outcome(&mut self, report: &Report, fixes: &[Fix]) {
        self.begin();
        self.key("report");
        self.report(report);
        if let Some(end) = report.json_end {
            self.count("jsonEnd", end);
        }
        self.fixes(fixes);
        self.json.push('}');
    }

    /// What a repair did, as an entry after others.
    pub fn fixes(&mut self, fixes: &[Fix]) {
        self.list("fixes");
        for fix in fixes {
            self.begin();
            self.field("code", fix.kind.name());
            self.field("message", &fix.message);
            self.position(fix.position);
            self.json.push('}');
        }
        self.json.push(']');
    }

    /// `call` for one, `calls` for several.
    fn calls(&mut self, calls: &[ToolCall], with_arguments: bool) {
        match calls {
            [] => return,
            [_] => self.key("call"),
            _ => self.list("calls"),
        }
        for (index, call) in calls.iter().enumerate() {
            self.call(index, call, with_arguments);
        }
        if calls.len() > 1 {
            self.json.push(']');
        }
    }

    /// A call. Beside the JSON, 0 stands for its long texts among its arguments.
    fn call(&mut self, index: usize, call: &ToolCall, with_arguments: bool) {
        self.begin();
        self.id("id", call.id);
        self.field("tool", call.tool.name());
        if !call.tool.is_custom() || !call.path.is_empty() {
            self.field("path", &call.path);
        }
        self.field("status", "detected");
        for field in call.tool.texts() {
            if *field == CallField::OldString {
                self.key("search_replace");
                self.begin();
            }
            let text = field.in_object(&call.args).and_then(Value::as_str).unwrap_or_default();
            if with_arguments && !self.is_shown(index, field.key(), text.len()) {
                self.long(field.key(), text);
            } else {
                self.plain(field.key(), "-1");
            }
            if *field == CallField::NewString {
                self.json.push('}');
            }
        }
        if with_arguments {
            self.key("args");
            self.args(None, &call.args, call.tool.texts());
        }
        self.json.push('}');
    }

    fn is_shown(&self, index: usize, key: &str, bytes: usize) -> bool {
        let from = self.shown.partition_point(|(of, _)| of.index < index);
        let mut own = self.shown.get(from..).unwrap_or_default().iter().take_while(|(of, _)| of.index == index);
        own.any(|(of, shown)| of.field == key && *shown == bytes)
    }

    fn args(&mut self, parent: Option<CallField>, object: &Object, texts: &[CallField]) {
        self.begin();
        for (key, value) in object.iter() {
            self.key(key);
            let field = if self.beside.is_some() { CallField::find(parent, key) } else { None };
            match (field, value) {
                (Some(field), _) if texts.contains(&field) => self.json.push('0'),
                (Some(_), Value::Object(inner)) if texts.iter().any(|text| text.parent() == field) => {
                    self.args(field, inner, texts);
                }
                _ => value.write_json(&mut self.json),
            }
        }
        self.json.push('}');
    }

    /// Another entry or item follows, unless it is the first.
    fn next(&mut self) {
        if !matches!(self.json.as_bytes().last(), None | Some(b'{' | b'[' | b':' | b'\n')) {
            self.json.push(',');
        }
    }

    fn begin(&mut self) {
        self.next();
        self.json.push('{');
    }

    fn key(&mut self, key: &str) {
        self.next();
        write_string(&mut self.json, key);
        self.json.push(':');
    }

    fn list(&mut self, key: &str) {
        self.key(key);
        self.json.push('[');
    }

    fn plain(&mut self, key: &str, json: &str) {
        self.key(key);
        self.json.push_str(json);
    }

    fn flag(&mut self, key: &str, flag: bool) {
        self.plain(key, if flag { "true" } else { "false" });
    }

    fn field(&mut self, key: &str, text: &str) {
        self.key(key);
        write_string(&mut self.json, text);
    }

    fn optional(&mut self, key: &str, text: Option<&str>) {
        match text {
            Some(text) => self.field(key, text),
            None => self.plain(key, "null"),
        }
    }

    fn id(&mut self, key: &str, id: ToolId) {
        self.plain(key, "\"tool_");
        write_index(&mut self.json, id.0 as usize);
        self.json.push('"');
    }

    fn long(&mut self, key: &str, text: &str) {
        if let Some(beside) = &mut self.beside {
            beside.push_str(text);
            self.count(key, utf16_len(text));
        } else {
            self.field(key, text);
        }
    }

    fn count(&mut self, key: &str, number: usize) {
        self.key(key);
        write_index(&mut self.json, number);
    }
}
