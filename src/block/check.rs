//! Validates the calls of a block: its structure, the required fields, the rules of each tool.
//!
//! The check finds all issues, in the order in which a person would fix them.

use super::code::{fill_positions, is_valid};
use super::envelope;
use super::event::{BlockStatus, ToolCall, ToolId};
use super::parser::Parser;
use super::recorder::CallRecord;
use super::repair::{is_rest_of_value, seems_to_continue};
use super::tools::{CallField, IssueSink, Place, check_path, locate};
use super::{Code, Issue, Settings, Severity, Tool, Tools};
use crate::value::text::{cut, owned, tail, trim_end, trim_start};
use crate::value::{FaultKind, Position, Value, concat, decimal, find, utf16_len};

/// How the input ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With its closing fence; or, without a fence, as strict JSON or as a complete call.
    Closed,
    /// As the arguments of a native call, which end with the text.
    Arguments,
    /// The text ended, or the next block began, without a closing fence.
    Unclosed,
    /// At the limit of bytes.
    OverLimit,
}

/// The input of a validation.
#[derive(Debug)]
pub(super) struct CheckInput<'a> {
    /// The text of the JSON. Offsets and positions of issues count from its first byte.
    json: &'a str,
    parser: &'a mut Parser,
    ending: Ending,
    /// The byte offset in `json` at which text after the JSON begins, if there is any.
    trailing_start: Option<usize>,
}

/// The result of a validation.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) status: BlockStatus,
    pub(super) issues: Vec<Issue>,
    /// The calls, if all are valid; else none.
    pub(super) calls: Vec<ToolCall>,
}

impl<'a> CheckInput<'a> {
    /// Creates the input and ends the parser's text.
    pub(super) fn new(json: &'a str, parser: &'a mut Parser, ending: Ending, trailing_start: Option<usize>) -> Self {
        parser.finish();
        Self { json, parser, ending, trailing_start }
    }

    /// Whether the input is complete or truncated.
    pub(super) fn status(&self) -> BlockStatus {
        let lexer = &self.parser.lexer;
        // A comma after the last value announces another one.
        let expects_more = self.trailing_start.is_none() && trim_end(self.json).ends_with(',');
        let is_whole = match self.ending {
            Ending::Closed => true,
            Ending::Arguments => lexer.is_complete(),
            Ending::Unclosed => lexer.is_complete() && !lexer.is_misled() && !expects_more,
            Ending::OverLimit => false,
        };
        if is_whole { BlockStatus::Complete } else { BlockStatus::Truncated }
    }

    /// Validates the block and its calls. If its structure is sound, the values are taken out of lists and envelopes, each is
    /// checked as a call, and the issues get the offsets of the values that they are about. One error makes all calls invalid.
    pub(super) fn check(self, settings: &Settings) -> Checked {
        let mut findings = Findings { issues: Vec::new(), max: settings.limits.max_issues };
        let (mut calls, status) = (Vec::new(), self.status());
        if self.check_structure(status, settings, &mut findings) {
            let recorder = &mut self.parser.recorder;
            // With a given tool, the values are its arguments: envelopes are not opened.
            let tools_of_envelopes = recorder.tool.is_none().then_some(&settings.tools);
            let items = call_items(&mut recorder.values, tools_of_envelopes);
            let (has_several, given_tool) = (items.len() > 1, recorder.tool.as_deref());
            let (empty_record, mut last_record) = (CallRecord::default(), None);
            for (index, CallItem { record, value }) in items.into_iter().enumerate() {
                // Several calls from one envelope share a record; the first one has its number and its repeated fields.
                let is_first = last_record.replace(record) != Some(record);
                let record = recorder.calls.get(record).unwrap_or(&empty_record);
                let number = record.number.filter(|_| is_first).unwrap_or(UNNUMBERED);
                let prefix = if has_several { concat(&[&decimal(index), "."]) } else { String::new() };
                for (field, offset) in record.repeated.iter().filter(|_| is_first) {
                    let message = concat(&["Duplicate \"", field.path(), "\" field"]);
                    let path = concat(&[&prefix, field.path()]);
                    findings.add(Code::DuplicateField, message, path, Some(*offset), Severity::Error);
                }
                let tool_and_path = check_call(&value, given_tool, settings, &mut |code, message, path, severity| {
                    findings.add(code, message, concat(&[&prefix, path]), Some(IN_CALL), severity);
                });
                findings.locate(self.json, record.offset, &prefix, settings.limits.depth());
                if let (Some((tool, path)), Value::Object(args)) = (tool_and_path, value) {
                    calls.push(ToolCall { id: ToolId(number), tool, path, args });
                }
            }
            for call in calls.iter_mut().filter(|call| call.id == ToolId(UNNUMBERED)) {
                call.id = ToolId(recorder.assign_next_number());
            }
            if !is_valid(&findings.issues) {
                calls.clear();
            }
        }
        let mut issues = findings.issues;
        fill_positions(self.json, &mut issues.iter_mut().filter_map(|issue| issue.position.as_mut()));
        Checked { status, calls, issues }
    }

    /// Adds the findings about the block as a whole; returns whether its values can be checked as calls.
    fn check_structure(&self, status: BlockStatus, settings: &Settings, findings: &mut Findings) -> bool {
        let mut report = |severity, code, message: &str, offset| {
            findings.add(code, owned(message), String::new(), offset, severity);
        };
        let fault = self.parser.lexer.fault();
        // The offset of a finding about all of the block.
        let no_offset = None;
        if self.ending == Ending::Closed && self.json.trim_ascii().is_empty() {
            report(Severity::Error, Code::EmptyBlock, "Empty JSON content", no_offset);
            return false;
        }
        if self.ending == Ending::OverLimit {
            let limit = decimal(settings.limits.max_block_bytes);
            let message = concat(&["The block exceeds the limit of ", &limit, " bytes"]);
            report(Severity::Error, Code::LimitExceeded, &message, no_offset);
            return false;
        }
        if status == BlockStatus::Truncated {
            let end = Some(self.json.len());
            report(Severity::Error, Code::Truncated, "The text ends before the block is complete", end);
            return false;
        }
        if let Some(fault) = fault {
            let code = match fault.kind {
                FaultKind::TooDeep(_) => Code::LimitExceeded,
                _ => Code::JsonSyntax,
            };
            report(Severity::Error, code, &self.syntax_error(&fault.sentence(), fault.offset), Some(fault.offset));
        }
        let has_more_values = self.has_more_values();
        if let Some(offset) = self.trailing_start.filter(|_| has_more_values && fault.is_none()) {
            let message = self.syntax_error("Unexpected text, expected the end of the text", offset);
            report(Severity::Error, Code::JsonSyntax, &message, Some(offset));
        } else if self.trailing_start.is_some() {
            report(Severity::Warning, Code::TrailingText, "Text after the JSON is ignored", self.trailing_start);
        }
        if self.ending == Ending::Unclosed {
            report(Severity::Warning, Code::MissingFence, "The closing fence is missing", no_offset);
        }
        let surrogate_offset = self.parser.lexer.lone_surrogate();
        if surrogate_offset.is_some() {
            report(
                Severity::Warning,
                Code::LoneSurrogate,
                "Half of a surrogate pair was replaced by U+FFFD",
                surrogate_offset,
            );
        }
        fault.is_none() && !has_more_values
    }

    /// The message about a problem with the syntax at a byte offset.
    fn syntax_error(&self, problem: &str, offset: usize) -> String {
        let Position { line, column, .. } = Position::of(self.json, offset);
        concat(&["JSON parsing error: ", problem, " at line ", &decimal(line), " column ", &decimal(column)])
    }

    /// Whether the text after the values looks like more JSON. Any other text is ignored with a warning.
    fn has_more_values(&self) -> bool {
        let Some(offset) = self.trailing_start else { return false };
        let trailing_text = tail(self.json, offset);
        // Other values may follow the first trailing text.
        let after_values = tail(self.json, offset.max(self.parser.recorder.values_end.unwrap_or_default()));
        seems_to_continue(trim_start(after_values)) || is_rest_of_value(trim_start(trailing_text))
    }

    /// Whether some of the values are envelopes.
    pub(super) fn has_envelopes(&self, tools: &Tools) -> bool {
        let recorder = &self.parser.recorder;
        recorder.tool.is_none() && recorder.values.iter().any(|value| envelope::holds_envelope(value, tools))
    }

    /// The value of valid JSON, or the list of several values; `None` for other text. And the length of the JSON in UTF-16 units,
    /// if there is only one value, without an envelope, and `JSON.parse` reads the same value from it.
    pub(super) fn value_and_length(&self, has_envelopes: bool) -> (Option<Value>, Option<usize>) {
        let Parser { lexer, recorder, .. } = &*self.parser;
        if lexer.fault().is_some() || !lexer.is_complete() || self.has_more_values() {
            return (None, None);
        }
        if has_envelopes && recorder.values.len() == 1 {
            return (recorder.values.first().cloned(), None);
        }
        match &*recorder.values {
            [] => (None, None),
            [value] => {
                let reads_the_same = |json: &&str| lexer.lone_surrogate().is_none() && js_reads_the_same(json);
                let json = recorder.values_end.and_then(|end| self.json.get(..end)).filter(reads_the_same);
                (Some(value.clone()), json.map(utf16_len))
            }
            values => (Some(Value::from(values.to_vec())), None),
        }
    }
}

/// Placeholder for the number of a call that got none while it was read, because it came from a list in an envelope.
const UNNUMBERED: u32 = u32::MAX;

/// A value that should be a call, in the flat form.
struct CallItem {
    /// The index of its record in `calls` of the recorder: that of the envelope, if it came from one.
    record: usize,
    value: Value,
}

/// Takes the values that should be calls out of lists and, if there are `tools` that an envelope may name, out of envelopes.
fn call_items(values: &mut [Value], tools: Option<&Tools>) -> Vec<CallItem> {
    let (mut items, mut record) = (Vec::new(), 0);
    let mut add = |value: Value| {
        match tools.and_then(|tools| envelope::open(&value, tools)) {
            Some(calls) => items.extend(calls.into_iter().map(|value| CallItem { record, value })),
            None => items.push(CallItem { record, value }),
        }
        record += 1;
    };
    for value in values {
        match value {
            Value::Array(list) if !list.is_empty() => {
                for place in 0..list.len() {
                    add(list.get_mut(place).map(std::mem::take).unwrap_or_default());
                }
            }
            other => add(std::mem::take(other)),
        }
    }
    items
}

/// Reports the findings about a call; returns its tool and path if both are valid. `given_tool` is the tool if the
/// block does not name it itself, as in native arguments.
fn check_call(
    call: &Value,
    given_tool: Option<&str>,
    settings: &Settings,
    report: &mut IssueSink<'_>,
) -> Option<(Tool, String)> {
    let text = |field: CallField| field.of(call).and_then(Value::as_str);
    let tool = check_tool(CallField::Tool.of(call), given_tool, &settings.tools, report);
    // An alias is not valid, but shows which tool decides about the path.
    let tool_of_alias = || settings.tools.find_alias(text(CallField::Tool)?);
    let path = match (tool.clone().or_else(tool_of_alias), text(CallField::Path)) {
        // The definition of a host's tool decides whether it needs a path, and may make `path` a pointer.
        (Some(Tool::Custom(tool)), path) if tool.path_is_pointer || path.is_none() => Some(String::new()),
        (_, Some(path)) => check_path(path, CallField::Path.path(), &settings.policy, report),
        (_, None) => {
            let message = owned("Missing or invalid \"path\" field (must be string)");
            report(Code::MissingPath, message, CallField::Path.path(), Severity::Error);
            None
        }
    };
    let tool = tool?;
    tool.check(call, &settings.policy, settings.limits.max_issues, report);
    Some((tool, path?))
}

/// Reports a missing, unknown or conflicting tool; returns the tool of the call if it is valid. `value` is that of the call's
/// field `tool`, `given_tool` as in [`check_call`].
fn check_tool(
    value: Option<&Value>,
    given_tool: Option<&str>,
    tools: &Tools,
    report: &mut IssueSink<'_>,
) -> Option<Tool> {
    if value.is_none() && given_tool.is_none() {
        report(Code::MissingTool, owned("Missing \"tool\" field"), CallField::Tool.path(), Severity::Error);
        return None;
    }
    let name = value.and_then(Value::as_str);
    // The given tool, if the call names another one.
    let conflicting_tool = given_tool.filter(|_| value.is_some() && name != given_tool);
    let tool = if conflicting_tool.is_some() { None } else { given_tool.or(name).and_then(|name| tools.find(name)) };
    if tool.is_none() {
        let actual = match value {
            Some(Value::String(name)) => owned(name),
            Some(value) => value.to_json(),
            None => owned(given_tool.unwrap_or_default()),
        };
        let expected = conflicting_tool.map_or_else(|| tools.name_list(), owned);
        let message = concat(&["Invalid tool type: ", &shown(&actual), ". Must be ", &expected]);
        report(Code::UnknownTool, message, CallField::Tool.path(), Severity::Error);
    }
    tool
}

/// The longest value that a message repeats, in characters.
const MAX_SHOWN: usize = 100;

/// A value as a message shows it: cut if it is long.
fn shown(text: &str) -> String {
    let beginning = cut(text, MAX_SHOWN);
    concat(&[beginning, if beginning.len() < text.len() { "…" } else { "" }])
}

/// The findings so far. Their positions have only byte offsets: `fill_positions` adds lines and columns at the end, in one walk
/// over the text.
struct Findings {
    issues: Vec<Issue>,
    /// The maximum number of issues.
    max: usize,
}

/// Placeholder for the offset of an issue that has only a path so far; [`Findings::locate`] replaces it.
const IN_CALL: usize = usize::MAX;

impl Findings {
    /// Adds an issue. Over the limit, the first error still replaces the last warning, so that an invalid block never looks
    /// valid.
    fn add(&mut self, code: Code, message: String, path: String, offset: Option<usize>, severity: Severity) {
        if self.issues.len() >= self.max.max(1) {
            if severity == Severity::Warning || !is_valid(&self.issues) {
                return;
            }
            self.issues.pop();
        }
        let position = offset.map(|offset| Position { offset, line: 0, column: 0 });
        self.issues.push(Issue { code, message, path, position, severity });
    }

    /// Replaces [`IN_CALL`] in the issues of one call, which begins at byte `call` of `json`. `prefix` begins the paths of
    /// these issues.
    fn locate(&mut self, json: &str, call: usize, prefix: &str, max_depth: usize) {
        let mut places = Vec::new();
        for Issue { path, position, .. } in &mut self.issues {
            if let Some(Position { offset, .. }) = position.as_mut().filter(|position| position.offset == IN_CALL) {
                places.push(Place { path: tail(path, prefix.len()), offset });
            }
        }
        locate(json, call, &mut places, max_depth);
    }
}

/// Whether `JSON.parse` certainly reads the same value from this JSON: not if it contains U+FFFD, which may stand for half of a
/// surrogate pair in JavaScript's text.
pub(super) fn js_reads_the_same(json: &str) -> bool {
    find(json, "\u{fffd}").is_none()
}
