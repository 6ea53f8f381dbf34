//! Watches JSON that is not executed for calls of known tools, so that no call is lost in silence.
//!
//! The text itself passes on as text. When the JSON is over and has named a known tool, a report goes out: a block without
//! a call, with the code `NOT_A_CALL` and the reason.

use super::envelope;
use super::event::{Block, BlockStatus, FIRST_NUMBER, ToolId};
use super::parser::Parser;
use super::recorder::Recorder;
use super::tools::CallField;
use super::{Code, Issue, Settings, Severity, Tools};
use crate::value::text::{first_char, head, owned, piece_of_line, rfind, tail, trim_end};
use crate::value::{Stop, Value, utf16_len};

/// The reason why JSON that names a known tool is not executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoCallReason {
    /// Other text is on the lines of the JSON.
    SharesLine,
    /// The JSON is nested in other JSON, or has another shape.
    OtherJson,
    /// The JSON is quoted: after `>`, in `<pre>` or `<code>`, or after words in a code block without a language.
    Quoted,
    /// Calls without a fence are turned off.
    UnfencedOff,
    /// The call lacks fields of its tool, or is damaged.
    Incomplete,
    /// The message has more calls than a message may have.
    TooMany,
    /// A block before it has an unclosed string, which the JSON may belong to.
    Unfinished,
}

impl NoCallReason {
    /// The message of the issue. It says what to send instead, since models read it.
    const fn sentence(self) -> &'static str {
        match self {
            Self::SharesLine => {
                "Not executed: other text stands on the lines of this call; put it into a ```json block"
            }
            Self::OtherJson => {
                "Not executed: this JSON is no call; write {\"tool\": …} at its top, or a list of such objects"
            }
            Self::Quoted => "Not executed: this call is quoted; put it into a ```json block of its own",
            Self::UnfencedOff => "Not executed: calls without a fence are turned off; put it into a ```json block",
            Self::Incomplete => "Not executed: this call is not valid; put a valid one into a ```json block",
            Self::TooMany => {
                "Not executed: this message has more calls than `maxCalls`; send the calls from here on in another message"
            }
            Self::Unfinished => "Not executed: a string in a block before this call never ends; send both blocks again",
        }
    }

    /// The issue that reports this reason.
    pub(super) fn issue(self) -> Issue {
        let (code, message) = (Code::NotACall, owned(self.sentence()));
        Issue { code, message, path: String::new(), position: None, severity: Severity::Error }
    }
}

/// The extent of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// JSON in a line with other text: only a sound and whole call is reported.
    InLine,
    /// JSON that began a line: up to its end. Broken JSON ends at an empty line at the latest.
    Lines,
    /// A code block that begins with JSON: up to its closing fence. Several values may follow each other.
    Code,
}

/// JSON that passes as text, and is parsed to find the names of tools in it.
#[derive(Debug)]
pub(super) struct Watch {
    parser: Parser,
    pub(super) region: Region,
    reason: NoCallReason,
    /// The JSON so far; `None` if it will not be reported: over the limit, or not JSON.
    raw: Option<String>,
    /// UTF-16 units of the stream before the JSON.
    start: usize,
    /// Whether the JSON has ended.
    pub(super) is_over: bool,
    /// Whether no byte of the JSON has been read.
    is_new: bool,
    /// The first bracket, as long as the byte after it, which decides whether it begins JSON, has not arrived.
    undecided_bracket: Option<u8>,
    /// Whether the line has only blanks so far.
    is_blank_line: bool,
    /// The maximum length of JSON that is reported, in bytes.
    max_bytes: usize,
}

impl Watch {
    /// Watches JSON from its first bracket on.
    pub(super) fn new(region: Region, reason: NoCallReason, start: usize, settings: &Settings) -> Self {
        let recorder = Recorder::new(FIRST_NUMBER, &settings.tools);
        let parser = match region {
            Region::InLine => Parser::strict(recorder, settings),
            Region::Lines | Region::Code => Parser::tolerant(recorder, settings),
        };
        let raw = String::new();
        Self { reason, ..Self::after(parser, raw, region, start, settings) }
    }

    /// Continues to watch JSON of which a parser has read `raw`; `start` UTF-16 units precede it. The reason is `OtherJson`.
    pub(super) fn after(mut parser: Parser, raw: String, region: Region, start: usize, settings: &Settings) -> Self {
        // Only inside a line the values are needed: whole calls are reported there.
        if region != Region::InLine {
            parser.recorder.discard();
        }
        parser.recorder.shows_texts = false;
        parser.recorder.patches = None;
        let max_bytes = settings.limits.max_block_bytes;
        let is_new = raw.is_empty();
        let is_blank_line = is_new || raw.ends_with('\n');
        // Several values may follow each other in a code block.
        if region == Region::Code && parser.lexer.is_complete() {
            parser.lexer.restart();
        }
        Self {
            parser,
            region,
            reason: NoCallReason::OtherJson,
            raw: Some(raw).filter(|raw| raw.len() <= max_bytes),
            start,
            is_over: false,
            is_new,
            undecided_bracket: None,
            is_blank_line,
            max_bytes,
        }
    }

    /// Notes that the byte after the first bracket has not arrived, which decides whether JSON begins there.
    pub(super) fn decide_later(&mut self, bracket: u8) {
        self.undecided_bracket = Some(bracket);
    }

    /// Reads more of the JSON; returns the number of bytes that belong to it, and whether it is over. It is over when a value is
    /// complete, but in a code block another value may follow. JSON that began a line is also over before a line that begins with
    /// a tag or a fence and, once it is broken, after an empty line.
    pub(super) fn feed(&mut self, text: &str) -> (usize, bool) {
        // With an undecided bracket, `text` begins with the byte after it.
        if !self.is_new
            && let Some(bracket) = self.undecided_bracket.take()
            && !may_be_json(bracket, text.as_bytes().first())
        {
            self.raw = None;
            return (0, true);
        }
        let (mut read_bytes, mut is_over) = (0, false);
        while read_bytes < text.len() && !is_over {
            let rest = tail(text, read_bytes);
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
            // No line of JSON begins with a tag, an HTML comment, or a fence: the JSON ends before it.
            let solid_byte = rest.as_bytes().get(blanks);
            let is_markup = self.region == Region::Lines && matches!(solid_byte, Some(b'<' | b'`' | b'~'));
            is_over = is_markup && self.is_blank_line && !self.is_new;
            let (bytes, stop) = self.parser.feed(if is_over { head(rest, blanks) } else { piece_of_line(rest) });
            read_bytes += bytes;
            self.is_new &= read_bytes == 0;
            match stop {
                Stop::Input | Stop::Line => {}
                Stop::Complete if self.region == Region::Code => self.parser.lexer.restart(),
                Stop::Complete => is_over = true,
                // Only the strict parser of JSON inside a line stops at a fault: such JSON is not reported.
                Stop::Fault => {
                    self.raw = None;
                    is_over = true;
                }
            }
            let read_text = head(rest, bytes);
            self.is_blank_line &= read_text.trim_ascii().is_empty();
            if read_text.ends_with('\n') {
                is_over |= self.region == Region::Lines && self.parser.has_fault() && self.is_blank_line;
                self.is_blank_line = true;
            }
        }
        // The first bracket counts as read even if the parser refuses it: otherwise the scanner would begin a watch there again
        // and again.
        if read_bytes == 0 && self.is_new {
            read_bytes = first_char(text).len();
        }
        self.is_new = false;
        self.parser.recorder.events.clear();
        if let Some(raw) = &mut self.raw {
            raw.push_str(head(text, read_bytes));
        }
        // JSON over the limit could not be reported whole.
        if self.raw.as_ref().is_some_and(|raw| raw.len() > self.max_bytes) {
            self.raw = None;
        }
        (read_bytes, is_over)
    }

    /// Removes the closing fence of the code block, which is the last line that was read, from the JSON.
    pub(super) fn remove_last_line(&mut self) {
        if let Some(raw) = &mut self.raw {
            let fence_line = rfind(trim_end(raw), [b'\n'; 2]).unwrap_or_default();
            raw.truncate(trim_end(head(raw, fence_line)).len());
        }
    }

    /// The report on the JSON; `None` if it names no known tool, or if it is inside a line and not a complete call.
    pub(super) fn into_report(self, tools: &Tools) -> Option<NotACall> {
        let raw = self.raw?;
        let recorder = self.parser.recorder;
        let mut tool_in_line = None;
        if self.region == Region::InLine {
            let value = recorder.values.first()?;
            // The call may name its tool by an alias.
            tool_in_line = CallField::Tool.of(value).and_then(Value::as_str);
            let is_call = |value| tools.is_whole_call(value) || envelope::open(value, tools).is_some();
            let holds_call = match value.as_array() {
                Some(items) => items.iter().any(is_call),
                None => is_call(value),
            };
            if !holds_call {
                return None;
            }
        }
        let tool = recorder.named_tool().or(tool_in_line)?;
        Some(NotACall { reason: self.reason, tool: owned(tool), raw, start: self.start })
    }
}

/// Whether a bracket inside a line may begin a call, judged by the byte after it; `None`: that byte has not arrived.
pub(super) fn may_be_json(bracket: u8, next: Option<&u8>) -> bool {
    match next {
        None | Some(b' ' | b'\t' | b'\r' | b'\n' | b'"') => true,
        Some(next) => bracket == b'[' && matches!(next, b'{' | b'['),
    }
}

/// JSON that names a known tool and was not executed.
#[derive(Debug)]
pub(super) struct NotACall {
    pub(super) reason: NoCallReason,
    /// The name of the tool, as the model wrote it.
    pub(super) tool: String,
    /// The JSON.
    pub(super) raw: String,
    /// UTF-16 units of the stream before the JSON.
    pub(super) start: usize,
}

impl NotACall {
    /// The block that reports the JSON.
    pub(super) fn into_block(self, tool_id: ToolId) -> Block {
        let end = self.start + utf16_len(&self.raw);
        Block {
            tool_id,
            tool: Some(self.tool),
            path: None,
            status: BlockStatus::Complete,
            start: self.start,
            end,
            raw: self.raw,
            issues: vec![self.reason.issue()],
            repaired: None,
            calls: Vec::new(),
            in_text: true,
        }
    }
}
