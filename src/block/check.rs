//! Validates the calls of a block: structure, required fields, what each tool asks for.
//!
//! All issues are found, in the order in which a person would fix them.

use super::code::{errors, positions};
use super::event::{BlockStatus, ToolCall, ToolId};
use super::parser::Parser;
use super::policy::{Policy, check_path};
use super::recorder::CallRecord;
use super::repair::{is_torn, leads_on};
use super::tools::{CallField, Flaw, Place, locate};
use super::{Code, Issue, Settings, Severity, Tool, Tools};
use crate::value::text::{cut, owned, tail, trim_end, trim_start};
use crate::value::{FaultKind, Position, Value, concat, decimal, find, utf16_len};

/// How what was read came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With its closing fence, or as strict JSON.
    Closed,
    /// With the text, where there is no fence.
    Unfenced,
    /// The text ended, or the next block began, without a closing fence.
    Unclosed,
    /// At the limit of so many bytes.
    Full(usize),
}

/// What is to be validated.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    /// The JSON, from position 0 on.
    json: &'a str,
    parser: &'a mut Parser,
    ending: Ending,
    /// Where text after the JSON begins.
    trailing: Option<usize>,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) status: BlockStatus,
    pub(super) issues: Vec<Issue>,
    /// The calls, if all are valid.
    pub(super) calls: Vec<ToolCall>,
}

impl<'a> Reading<'a> {
    /// What a parser read, to which nothing more comes.
    pub(super) fn new(json: &'a str, parser: &'a mut Parser, ending: Ending, trailing: Option<usize>) -> Self {
        parser.finish();
        Self { json, parser, ending, trailing }
    }

    /// Whether what was read came to its end.
    pub(super) fn status(&self) -> BlockStatus {
        let lexer = &self.parser.lexer;
        // A comma after the last value says that there was to be one more.
        let leads_on = self.trailing.is_none() && trim_end(self.json).ends_with(',');
        let is_whole = match self.ending {
            Ending::Closed => true,
            Ending::Unfenced => lexer.is_complete(),
            Ending::Unclosed => lexer.is_complete() && !lexer.is_misled() && !leads_on,
            Ending::Full(_) => false,
        };
        if is_whole { BlockStatus::Complete } else { BlockStatus::Truncated }
    }

    /// Validates.
    pub(super) fn check(self, settings: &Settings) -> Checked {
        let mut findings = Findings { issues: Vec::new(), max: settings.limits.max_issues };
        let (mut calls, status) = (Vec::new(), self.status());
        if self.structure(status, &mut findings) {
            let recorder = &mut self.parser.recorder;
            let mut items = items(&mut recorder.values).into_iter();
            let (several, tool) = (recorder.calls.len() > 1, recorder.tool.as_deref());
            for (index, record) in recorder.calls.iter().enumerate() {
                let value = items.next().unwrap_or_default();
                let prefix = if several { concat(&[&decimal(index), "."]) } else { String::new() };
                let mut check = CallCheck { value: &value, record, prefix: &prefix, tool, findings: &mut findings };
                let checked = check.check(settings);
                findings.locate(self.json, record.offset, &prefix, settings.limits.depth());
                if let (Some((tool, path)), Value::Object(args)) = (checked, value) {
                    calls.push(ToolCall { id: ToolId(record.number.unwrap_or_default()), tool, path, args });
                }
            }
            if findings.has_errors() {
                calls.clear();
            }
        }
        Checked { status, calls, issues: findings.place(self.json) }
    }

    /// The findings that concern the block; whether there are values to go on with.
    fn structure(&self, status: BlockStatus, findings: &mut Findings) -> bool {
        let fault = self.parser.lexer.fault();
        if let Ending::Full(limit) = self.ending {
            let message = concat(&["The block exceeds the limit of ", &decimal(limit), " bytes"]);
            findings.error(Code::LimitExceeded, message, None);
            return false;
        }
        if status == BlockStatus::Truncated {
            let message = owned("The text ends before the block is complete");
            findings.error(Code::Truncated, message, Some(self.json.len()));
            return false;
        }
        if let Some(fault) = fault {
            let code = match fault.kind {
                FaultKind::TooDeep(_) => Code::LimitExceeded,
                _ => Code::JsonSyntax,
            };
            let message = self.syntax_error(&fault.sentence(), fault.offset);
            findings.error(code, message, Some(fault.offset));
        }
        let leads_on = self.trails();
        if let Some(offset) = self.trailing.filter(|_| leads_on && fault.is_none()) {
            let message = self.syntax_error("Unexpected text, expected the end of the text", offset);
            findings.error(Code::JsonSyntax, message, Some(offset));
        } else if let Some(offset) = self.trailing {
            findings.warning(Code::TrailingText, "Text after the JSON is ignored", Some(offset));
        }
        if self.ending == Ending::Unclosed {
            findings.warning(Code::MissingFence, "The closing fence is missing", None);
        }
        if let Some(offset) = self.parser.lexer.lone_surrogate() {
            findings.warning(Code::LoneSurrogate, "Half of a surrogate pair was replaced by U+FFFD", Some(offset));
        }
        fault.is_none() && !leads_on
    }

    fn syntax_error(&self, what: &str, offset: usize) -> String {
        let Position { line, column, .. } = Position::of(self.json, offset);
        concat(&["JSON parsing error: ", what, " at line ", &decimal(line), " column ", &decimal(column)])
    }

    /// Whether what stands after the values has signs of more of them.
    fn trails(&self) -> bool {
        let Some(offset) = self.trailing else { return false };
        let rest = tail(self.json, offset.max(self.parser.recorder.end.unwrap_or_default()));
        leads_on(trim_start(rest)) || is_torn(trim_start(tail(self.json, offset)))
    }

    /// What was read, as one value; and UTF-16 units of the JSON, if it is one list or object that `JSON.parse` reads alike.
    pub(super) fn parsed(&self) -> (Option<Value>, Option<usize>) {
        let Parser { lexer, recorder, .. } = &*self.parser;
        if lexer.fault().is_some() || !lexer.is_complete() || self.trails() {
            return (None, None);
        }
        match &*recorder.values {
            [] => (None, None),
            [value] => {
                let alike = |json: &&str| lexer.lone_surrogate().is_none() && is_alike(json);
                let json = recorder.end.and_then(|end| self.json.get(..end)).filter(alike);
                (Some(value.clone()), json.map(utf16_len))
            }
            values => (Some(Value::from(values.to_vec())), None),
        }
    }
}

/// Takes the values that should be calls.
fn items(values: &mut [Value]) -> Vec<Value> {
    let mut items = Vec::new();
    for value in values {
        match value {
            Value::Array(list) if !list.is_empty() => {
                for place in 0..list.len() {
                    items.push(list.get_mut(place).map(std::mem::take).unwrap_or_default());
                }
            }
            other => items.push(std::mem::take(other)),
        }
    }
    items
}

struct CallCheck<'a, 'f> {
    value: &'a Value,
    record: &'a CallRecord,
    prefix: &'a str,
    tool: Option<&'a str>,
    findings: &'f mut Findings,
}

impl CallCheck<'_, '_> {
    /// Finds what is wrong with the call; gives its tool and its path if both are good.
    fn check(&mut self, settings: &Settings) -> Option<(Tool, String)> {
        for (field, offset) in &self.record.repeated {
            let message = concat(&["Duplicate \"", field.path(), "\" field"]);
            let path = concat(&[self.prefix, field.path()]);
            self.findings.add(Code::DuplicateField, message, path, Some(*offset), Severity::Error);
        }
        let tool = self.check_tool(&settings.tools);
        let written = CallField::Tool.of(self.value).and_then(Value::as_str);
        let meant = || settings.tools.find_alias(written?);
        let path = match tool.clone().or_else(meant) {
            // Whether there must be a path is for the tool to say.
            Some(tool) if tool.is_custom() && !(tool.path_is_file() && self.path().is_some()) => Some(String::new()),
            Some(_) | None => self.check_path(&settings.policy),
        };
        let tool = tool?;
        for Flaw { code, message, path, severity } in tool.flaws(self.value, settings) {
            self.add(code, message, &path, severity);
        }
        Some((tool, path?))
    }

    fn check_tool(&mut self, tools: &Tools) -> Option<Tool> {
        let written = CallField::Tool.of(self.value);
        let written_name = written.and_then(Value::as_str);
        let name = match (written, self.tool) {
            (None, None) => {
                self.error(Code::MissingTool, owned("Missing \"tool\" field"), CallField::Tool);
                return None;
            }
            (Some(_), Some(given)) if written_name != Some(given) => None,
            (_, Some(given)) => Some(given),
            (Some(_), None) => written_name,
        };
        let tool = name.and_then(|name| tools.find(name));
        if tool.is_none() {
            let found = match (name.or(written_name), written) {
                (Some(name), _) => owned(name),
                (None, written) => written.map(Value::to_json).unwrap_or_default(),
            };
            let expected = match self.tool {
                Some(given) if name.is_none() => owned(given),
                _ => tools.sentence(),
            };
            let message = concat(&["Invalid tool type: ", &shown(&found), ". Must be ", &expected]);
            self.error(Code::UnknownTool, message, CallField::Tool);
        }
        tool
    }

    fn path(&self) -> Option<&str> {
        CallField::Path.of(self.value).and_then(Value::as_str)
    }

    fn check_path(&mut self, policy: &Policy) -> Option<String> {
        let Some(path) = self.path() else {
            let message = owned("Missing or invalid \"path\" field (must be string)");
            self.error(Code::MissingPath, message, CallField::Path);
            return None;
        };
        match check_path(path, policy) {
            Ok(checked) => {
                for warning in checked.warnings {
                    self.add(Code::UnsafePath, warning, CallField::Path.path(), Severity::Warning);
                }
                Some(checked.path)
            }
            Err(refusal) => {
                self.error(Code::UnsafePath, refusal.message, CallField::Path);
                None
            }
        }
    }

    fn error(&mut self, code: Code, message: String, field: CallField) {
        self.add(code, message, field.path(), Severity::Error);
    }

    fn add(&mut self, code: Code, message: String, path: &str, severity: Severity) {
        self.findings.add(code, message, concat(&[self.prefix, path]), Some(IN_CALL), severity);
    }
}

/// The longest value that a message repeats.
const SHOWN: usize = 100;

/// A value as a message shows it.
fn shown(text: &str) -> String {
    let short = cut(text, SHOWN);
    concat(&[short, if short.len() < text.len() { "…" } else { "" }])
}

/// Findings with byte offsets as positions; the rest of those is found all at once, in one walk over the text.
struct Findings {
    issues: Vec<Issue>,
    max: usize,
}

/// An offset that is still to be found, by the path of the issue in the call that is checked.
const IN_CALL: usize = usize::MAX;

impl Findings {
    fn error(&mut self, code: Code, message: String, offset: Option<usize>) {
        self.add(code, message, String::new(), offset, Severity::Error);
    }

    fn warning(&mut self, code: Code, message: &str, offset: Option<usize>) {
        self.add(code, owned(message), String::new(), offset, Severity::Warning);
    }

    /// Errors go before warnings once there are too many: what is invalid must not look valid.
    fn add(&mut self, code: Code, message: String, path: String, offset: Option<usize>, severity: Severity) {
        if self.issues.len() >= self.max.max(1) {
            let warning = self.issues.iter().rposition(|issue| issue.severity == Severity::Warning);
            match (severity, warning) {
                (Severity::Error, Some(place)) if !self.has_errors() => _ = self.issues.remove(place),
                (Severity::Error | Severity::Warning, _) => return,
            }
        }
        let position = offset.map(|offset| Position { offset, line: 0, column: 0 });
        self.issues.push(Issue { code, message, path, position, severity });
    }

    fn has_errors(&self) -> bool {
        errors(&self.issues).next().is_some()
    }

    /// Finds the offsets in the call that begins at one.
    fn locate(&mut self, json: &str, call: usize, prefix: &str, max_depth: usize) {
        let mut places = Vec::new();
        for Issue { path, position, .. } in &mut self.issues {
            if let Some(Position { offset, .. }) = position.as_mut().filter(|position| position.offset == IN_CALL) {
                places.push(Place { path: tail(path, prefix.len()), offset });
            }
        }
        locate(json, call, &mut places, max_depth);
    }

    fn place(mut self, json: &str) -> Vec<Issue> {
        let mut offsets = Vec::new();
        for issue in &self.issues {
            offsets.push(issue.position.map_or(0, |position| position.offset));
        }
        positions(json, &offsets, &mut |index, position| {
            if let Some(own) = self.issues.get_mut(index).and_then(|issue| issue.position.as_mut()) {
                *own = position;
            }
        });
        self.issues
    }
}

/// Whether JavaScript reads the same, if there is no escape of half a surrogate pair: what it has as such a half is U+FFFD
/// here.
pub(super) fn is_alike(json: &str) -> bool {
    find(json, "\u{fffd}").is_none()
}
