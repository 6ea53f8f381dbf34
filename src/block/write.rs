//! Events and reports as JSON text, in the shapes that JavaScript knows.

use super::event::{Block, Delta, Event, Status, ToolCall};
use super::repair::Fix;
use super::report::Report;
use super::tools::{Place, Tool};
use super::{Code, Issue, Severity};
use crate::value::{Object, Position, Value, utf16_len, write_number, write_string};

/// Where long strings go.
#[derive(Clone, Debug, Default)]
pub enum Strings {
    /// Into the JSON text.
    #[default]
    Inside,
    /// Into this text, one after the other; in the JSON text stands how many UTF-16 units they have. Text of the stream
    /// itself, which whoever pushed it has, is only told by its length; so are the texts of calls that deltas have shown.
    Beside(String),
}

/// Writes events and reports.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    /// The JSON text.
    pub json: String,
    /// The long strings.
    pub strings: Strings,
    /// The texts of calls that whoever reads this has already: the place of the call in its block, in order, and the field.
    /// Beside the JSON -1 stands for them.
    pub shown: Vec<(usize, &'static str)>,
}

impl Event {
    /// The JSON text of the event, whole.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut writer = Writer::default();
        match self {
            Self::Text(text) => writer.text(text),
            Self::Status(Status { tool_id, tool, path }) => {
                writer.status(&Status { tool_id: *tool_id, tool: tool.as_str(), path: path.as_deref() });
            }
            Self::Delta(Delta { tool_id, index, field, delta, length }) => {
                writer.delta(&Delta { tool_id: *tool_id, index: *index, field, delta, length: *length });
            }
            Self::Block(block) => writer.block(block),
        }
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
    /// A writer that puts long strings beside the JSON.
    #[must_use]
    pub const fn beside() -> Self {
        Self::after(String::new())
    }

    /// A writer that puts long strings beside the JSON, which goes behind what is there.
    #[must_use]
    pub const fn after(json: String) -> Self {
        Self { json, strings: Strings::Beside(String::new()), shown: Vec::new() }
    }

    /// Forgets what was written.
    pub fn clear(&mut self) {
        self.json.clear();
        if let Strings::Beside(strings) = &mut self.strings {
            strings.clear();
        }
    }

    /// Text that belongs to no block.
    pub fn text(&mut self, text: &str) {
        self.json.push_str("{\"type\":\"text\",\"text\":");
        self.short(text);
        self.json.push('}');
    }

    /// So many UTF-16 units of text that belongs to no block.
    pub fn text_of(&mut self, units: usize) {
        self.json.push_str("{\"type\":\"text\",\"text\":");
        self.number(units);
        self.json.push('}');
    }

    /// A call has begun.
    pub fn status(&mut self, status: &Status<&str>) {
        self.json.push_str("{\"type\":\"json-tool-status\",\"toolId\":");
        self.short(&status.tool_id.to_string());
        self.json.push_str(",\"toolType\":");
        self.short(status.tool);
        self.json.push_str(",\"path\":");
        self.optional(status.path);
        self.json.push_str(",\"status\":\"buffering\",\"statusMessage\":");
        self.short(Tool::status_of(status.tool));
        self.json.push('}');
    }

    /// More of a field's text.
    pub fn delta(&mut self, delta: &Delta<&str>) {
        self.json.push_str("{\"type\":\"json-tool-delta\",\"toolId\":");
        self.short(&delta.tool_id.to_string());
        self.json.push_str(",\"index\":");
        self.number(delta.index);
        self.json.push_str(",\"field\":");
        self.short(delta.field);
        self.json.push_str(",\"delta\":");
        self.long(delta.delta);
        self.json.push_str(",\"length\":");
        self.number(delta.length);
        self.json.push('}');
    }

    /// A block is over. Beside the JSON, `content` is -1 where it is the same as `raw`.
    pub fn block(&mut self, block: &Block) {
        self.json.push_str("{\"type\":\"json-tool-block\",\"toolId\":");
        self.short(&block.tool_id.to_string());
        self.json.push_str(",\"toolType\":");
        self.optional(block.tool.as_deref());
        self.json.push_str(",\"path\":");
        self.optional(block.path.as_deref());
        self.json.push_str(",\"status\":");
        self.short(block.status.name());
        self.json.push_str(",\"start\":");
        self.number(block.start);
        self.json.push_str(",\"raw\":");
        match self.strings {
            Strings::Inside => {
                self.short(&block.raw);
                self.json.push_str(",\"content\":");
                self.short(block.repaired.as_ref().map_or(&block.raw, |repaired| &repaired.content));
            }
            Strings::Beside(_) => {
                self.number(block.end.saturating_sub(block.start));
                self.json.push_str(",\"content\":");
                match &block.repaired {
                    Some(repaired) => self.long(&repaired.content),
                    None => self.json.push_str("-1"),
                }
            }
        }
        self.json.push_str(",\"validationPassed\":");
        self.json.push_str(if block.validation_passed() { "true" } else { "false" });
        self.json.push_str(",\"corrected\":");
        self.json.push_str(if block.repaired.is_some() { "true,\"correctedBy\":\"repair\"" } else { "false" });
        self.issues(&block.issues);
        self.fixes(block.repaired.as_ref().map_or(&[], |repaired| &repaired.fixes));
        self.calls(&block.calls, Self::call);
        self.json.push('}');
    }

    /// The report on one block. Beside the JSON the values are left out that are in the block's text.
    pub fn report(&mut self, report: &Report) {
        self.json.push_str("{\"isValid\":");
        self.json.push_str(if report.is_valid() { "true" } else { "false" });
        self.issues(&report.issues);
        match self.strings {
            Strings::Inside => self.calls(&report.calls, Self::call),
            Strings::Beside(_) => {
                // Its arguments are those of `parsedJson`.
                for (index, call) in report.calls.iter().enumerate() {
                    self.shown.extend(call.texts().map(|(place, _)| (index, place.key())));
                }
                self.calls(&report.calls, |writer, place, call| {
                    writer.head(place, call);
                    writer.json.push('}');
                });
            }
        }
        let is_left = matches!(self.strings, Strings::Beside(_)) && report.json_end.is_some();
        if let Some(parsed) = report.parsed.as_ref().filter(|_| !is_left) {
            self.json.push_str(",\"parsedJson\":");
            parsed.write_json(&mut self.json);
        }
        self.json.push_str(",\"jsonStart\":");
        self.number(report.json_start);
        self.json.push('}');
    }

    fn issues(&mut self, issues: &[Issue]) {
        self.json.push_str(",\"errors\":");
        self.list(super::code::errors(issues), |writer, message| writer.short(message));
        self.json.push_str(",\"issues\":");
        self.list(issues.iter(), Self::issue);
    }

    fn issue(&mut self, issue: &Issue) {
        let Issue { code, message, path, position, severity } = issue;
        self.json.push_str("{\"code\":");
        self.short(Code::name(*code));
        self.json.push_str(",\"message\":");
        self.short(message);
        self.json.push_str(",\"path\":");
        self.short(path);
        if let Some(position) = position {
            self.position(*position);
        }
        self.json.push_str(",\"severity\":");
        self.short(Severity::name(*severity));
        self.json.push('}');
    }

    fn position(&mut self, position: Position) {
        self.json.push_str(",\"position\":{\"offset\":");
        self.number(position.offset);
        self.json.push_str(",\"line\":");
        self.number(position.line);
        self.json.push_str(",\"column\":");
        self.number(position.column);
        self.json.push('}');
    }

    /// The report on one block; `jsonEnd`, if its values are to be read in the text; and what a repair did before.
    pub fn outcome(&mut self, report: &Report, fixes: &[Fix]) {
        self.json.push_str("{\"report\":");
        self.report(report);
        if let Some(end) = report.json_end {
            self.json.push_str(",\"jsonEnd\":");
            self.number(end);
        }
        self.fixes(fixes);
        self.json.push('}');
    }

    /// What a repair did, as an entry after others.
    pub fn fixes(&mut self, fixes: &[Fix]) {
        self.json.push_str(",\"fixes\":");
        self.list(fixes.iter(), |writer, fix| {
            writer.json.push_str("{\"code\":");
            writer.short(fix.kind.name());
            writer.json.push_str(",\"message\":");
            writer.short(&fix.message);
            writer.position(fix.position);
            writer.json.push('}');
        });
    }

    /// `call` for one, `calls` for several.
    fn calls(&mut self, calls: &[ToolCall], write: fn(&mut Self, usize, &ToolCall)) {
        match calls {
            [] => {}
            [call] => {
                self.json.push_str(",\"call\":");
                write(self, 0, call);
            }
            calls => {
                self.json.push_str(",\"calls\":");
                self.list(calls.iter().enumerate(), |writer, (place, call)| write(writer, place, call));
            }
        }
    }

    fn head(&mut self, index: usize, call: &ToolCall) {
        self.json.push_str("{\"id\":");
        self.short(&call.id.to_string());
        self.json.push_str(",\"tool\":");
        self.short(call.tool.name());
        if !call.tool.is_custom() || !call.path.is_empty() {
            self.json.push_str(",\"path\":");
            self.short(&call.path);
        }
        self.json.push_str(",\"status\":\"detected\"");
        for (place, text) in call.texts() {
            let is_first = place == Place::OldString;
            self.json.push_str(if is_first { ",\"search_replace\":{\"" } else { ",\"" });
            self.json.push_str(place.key());
            self.json.push_str("\":");
            if self.is_shown(index, place.key()) {
                self.json.push_str("-1");
            } else {
                self.long(text);
            }
            if place == Place::NewString {
                self.json.push('}');
            }
        }
    }

    fn is_shown(&self, index: usize, key: &str) -> bool {
        let from = self.shown.partition_point(|(own, _)| *own < index);
        self.shown.iter().skip(from).take_while(|(own, _)| *own == index).any(|(_, own)| *own == key)
    }

    /// A call with its arguments. Beside the JSON, 0 stands for its long texts there.
    fn call(&mut self, index: usize, call: &ToolCall) {
        self.head(index, call);
        self.json.push_str(",\"args\":");
        self.args(None, &call.args, &call.texts().map(|(place, _)| place).collect::<Vec<_>>());
        self.json.push('}');
    }

    fn args(&mut self, parent: Option<Place>, object: &Object, texts: &[Place]) {
        let mut first = true;
        self.json.push('{');
        for (key, value) in object.iter() {
            if !std::mem::take(&mut first) {
                self.json.push(',');
            }
            self.short(key);
            self.json.push(':');
            let place = Place::find(parent, key);
            let is_lent = place.is_some_and(|place| texts.contains(&place));
            let holds_lent = place.is_some() && texts.iter().any(|text| text.parent() == place);
            match (value, &self.strings) {
                (_, Strings::Beside(_)) if is_lent => self.json.push('0'),
                (Value::Object(inner), Strings::Beside(_)) if holds_lent => self.args(place, inner, texts),
                _ => value.write_json(&mut self.json),
            }
        }
        self.json.push('}');
    }

    fn list<T>(&mut self, items: impl Iterator<Item = T>, write: impl Fn(&mut Self, T)) {
        self.json.push('[');
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            write(self, item);
        }
        self.json.push(']');
    }

    fn optional(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.short(text),
            None => self.json.push_str("null"),
        }
    }

    fn short(&mut self, text: &str) {
        write_string(&mut self.json, text);
    }

    fn long(&mut self, text: &str) {
        match &mut self.strings {
            Strings::Inside => write_string(&mut self.json, text),
            Strings::Beside(beside) => {
                beside.push_str(text);
                self.number(utf16_len(text));
            }
        }
    }

    fn number(&mut self, number: usize) {
        #[expect(clippy::cast_precision_loss, reason = "no text is 2^53 units long")]
        write_number(&mut self.json, number as f64);
    }
}
