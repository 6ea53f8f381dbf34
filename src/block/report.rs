//! Validates and repairs a single complete block.

use super::check::{CheckInput, Checked, Ending, js_reads_the_same};
use super::code::is_valid;
use super::event::{Event, FIRST_NUMBER, Output, Receiver};
use super::finder::{Finder, FinderState, StepResult};
use super::parser::Parser;
use super::quote::Quotation;
use super::reader::{ReadMode, Reader};
use super::recorder::Recorder;
use super::repair::{DamagedBlock, Fix, Reach, RepairedBlock};
use super::scanner::ResumeAt;
use super::{Code, Issue, Settings, Severity, TextEnd, ToolCall};
use crate::value::text::{head, line_length, owned, part, prefix_within, put, tail, trim_json_start, trim_start};
use crate::value::{Stop, Value, concat, utf16_len};

/// The result of validating a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Findings, in the order in which they matter.
    pub issues: Vec<Issue>,
    /// The calls, if all of them are valid; else none.
    pub calls: Vec<ToolCall>,
    /// The value of valid JSON; a list if there are several values.
    pub parsed: Option<Value>,
    /// UTF-16 units of the text before the JSON, from where positions count.
    pub json_start: usize,
    /// Whether calls are wrapped in envelopes, so that their arguments differ from `parsed`.
    #[doc(hidden)]
    pub has_envelopes: bool,
    /// UTF-16 units of the text up to the end of the JSON, if `JSON.parse` would read it as `parsed`.
    pub json_end: Option<usize>,
}

impl Report {
    /// Whether nothing makes the block invalid.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        is_valid(&self.issues)
    }
}

/// Validates the first JSON block of a text, or a text that is JSON.
#[must_use]
pub fn validate_tool_block(text: &str, settings: &Settings) -> Report {
    match first_block(text, settings) {
        Some(mut first) => first.report(settings),
        None => validate_unfenced(text, settings),
    }
}

/// Validates a text that is JSON.
pub(super) fn validate_unfenced(text: &str, settings: &Settings) -> Report {
    let json = trim_json_start(text);
    let recorder = Recorder::new(FIRST_NUMBER, &settings.tools);
    let mut parser = Parser::strict(recorder, settings);
    let mut ending = Ending::OverLimit;
    if json.len() <= settings.limits.max_block_bytes {
        ending = Ending::Closed;
        let (taken, stop) = parser.feed(json);
        if stop == Stop::Complete {
            // To the strict lexer, text after the value is a fault.
            parser.feed(tail(json, taken));
        }
        parser.finish();
        if parser.has_fault() && !json.starts_with(['{', '[']) {
            return no_block();
        }
    }
    let (trailing_start, json_start) = (None, utf16_len(head(text, text.len() - json.len())));
    validate_json(CheckInput::new(json, &mut parser, ending, trailing_start), json_start, settings)
}

/// Validates JSON that `json_start` UTF-16 units precede.
fn validate_json(input: CheckInput<'_>, json_start: usize, settings: &Settings) -> Report {
    let has_envelopes = input.has_envelopes(&settings.tools);
    let (parsed, length) = input.value_and_length(has_envelopes);
    let Checked { issues, calls, .. } = input.check(settings);
    Report { issues, calls, parsed, json_start, has_envelopes, json_end: length.map(|units| json_start + units) }
}

/// The first block of a text.
pub(super) struct FirstBlock {
    pub(super) reader: Box<Reader>,
    pub(super) ending: Ending,
    /// UTF-16 units of the text before the JSON.
    json_start: usize,
    /// The byte offset of the JSON in the text.
    json_offset: usize,
    /// The byte offsets of the start and the end of the block in the text.
    start: usize,
    end: usize,
    /// Whether the lines of the block begin with quote marks.
    is_quoted: bool,
}

impl FirstBlock {
    /// Validates the block as it stands in the text.
    fn report(&mut self, settings: &Settings) -> Report {
        let report = validate_json(self.reader.check_input(self.ending), self.json_start, settings);
        // JSON between quote marks cannot be parsed where it stands.
        Report { json_end: report.json_end.filter(|_| !self.is_quoted), ..report }
    }

    /// Converts the offsets of a block in a quotation, which begins at byte `begin` of `text`, to offsets in `text`.
    fn in_quotation(self, quote: &Quotation, text: &str, begin: usize) -> Self {
        let in_text = |offset: usize| begin + quote.raw_offset(offset);
        // `raw_offset` converts the start of a line to the offset before its quote marks. The JSON begins after them: one byte
        // before its second byte.
        let json_offset = in_text(self.json_offset + 1).saturating_sub(1);
        let (start, end) = (in_text(self.start), in_text(self.end));
        Self { json_start: utf16_len(head(text, json_offset)), json_offset, start, end, ..self }
    }

    /// How far a repair may go; `None` if the block must not be repaired.
    fn reach(&mut self, text_end: TextEnd) -> Option<Reach> {
        Reach::of(self.ending, text_end, self.reader.check_input(self.ending).status())
    }

    /// Returns the whole text with `json` in place of this block's JSON, and the byte offset at which `json` ends in it. Never
    /// `None`, since the offsets are inside of the text.
    fn with_json(&self, text: &str, json: &str) -> Option<(String, usize)> {
        let (block, end) = self.reader.with_json(json);
        let block = if self.is_quoted { with_quote_marks(&block) } else { block };
        Some((concat(&[text.get(..self.start)?, &block, text.get(self.end..)?]), self.start + end))
    }

    /// The report on a text in which this block is closed, and its JSON is one valid call or a list of them. The JSON ends at
    /// byte `end`.
    fn report_of(&self, calls: Vec<ToolCall>, text: &str, end: usize) -> Report {
        let json = part(text, self.json_offset..end);
        let json_end = js_reads_the_same(json).then(|| self.json_start + utf16_len(json));
        let mut args = Vec::new();
        for call in &calls {
            args.push(Value::Object(call.args.clone()));
        }
        let parsed = if trim_start(json).starts_with('[') { Some(Value::from(args)) } else { args.pop() };
        Report { issues: Vec::new(), calls, parsed, json_start: self.json_start, has_envelopes: false, json_end }
    }
}

/// Puts a quote mark before each line but the first, whose mark precedes the block.
fn with_quote_marks(text: &str) -> String {
    let (mut quoted, mut rest) = (String::new(), text);
    while !rest.is_empty() {
        let (line, more) = (head(rest, line_length(rest)), tail(rest, line_length(rest)));
        put(put(&mut quoted, line), if more.is_empty() { "" } else { "> " });
        rest = more;
    }
    quoted
}

/// The number of bytes of a block that are read at a time, so that little is read in vain: after the piece with a fault, the
/// recorder builds no values any more.
const PIECE_BYTES: usize = 1 << 13;

/// Finds the first JSON block: fenced, or after a wrapper tag; also in a quotation.
fn first_block(text: &str, settings: &Settings) -> Option<FirstBlock> {
    let is_quoted = false;
    find_block(text, settings, is_quoted)
}

/// Finds the first JSON block of a text, or of a quotation without its marks (`is_quoted`), which begins with a fence; `None` if
/// none exists. The finder is stepped until a construct is over. The result is a fenced block, a call after a wrapper tag, or a
/// block in a quotation; other constructs are passed over.
fn find_block(text: &str, settings: &Settings, is_quoted: bool) -> Option<FirstBlock> {
    let mut finder = Finder::new(ReadMode::Json, settings);
    if is_quoted {
        // No reasoning is open in it, whatever the settings say.
        finder.continue_in_text(ResumeAt::LineStart);
    }
    let mut out = Output { receiver: &mut NullReceiver, units: 0 };
    // The number of bytes of the text that were read.
    let mut offset = 0_usize;
    loop {
        let rest = tail(text, offset);
        let result = match &mut finder.state {
            FinderState::Block(reader) if rest.is_empty() => StepResult::Block(reader.end(settings)),
            FinderState::Bare(bare) if rest.is_empty() => {
                let step = bare.end(settings);
                finder.bare_step(step, settings, &mut out)
            }
            FinderState::Quote(_) if rest.is_empty() => StepResult::Quote,
            _ if rest.is_empty() => return None,
            state => {
                let is_block = matches!(state, FinderState::Block(_));
                let piece = if is_block { prefix_within(rest, PIECE_BYTES) } else { rest };
                let (taken, result) = finder.step(piece, settings, &mut out);
                offset += taken;
                result
            }
        };
        let (reader, unread_bytes, ending) = match (result, std::mem::replace(&mut finder.state, FinderState::Text)) {
            (StepResult::Block(ending), FinderState::Block(reader)) => {
                let unread_bytes = reader.pushback.len();
                (reader, unread_bytes, ending)
            }
            (StepResult::Call, FinderState::Bare(bare)) => {
                let (reader, unread) = bare.into_reader();
                (Box::new(reader), unread.len(), Ending::Closed)
            }
            (StepResult::Interrupted | StepResult::Unfinished, FinderState::Bare(mut bare)) => {
                let opener_bytes = bare.split_opener().len();
                let (reader, unread) = bare.into_reader();
                (Box::new(reader), unread.len() + opener_bytes, Ending::Unclosed)
            }
            (StepResult::Quote, FinderState::Quote(mut quote)) => {
                quote.end();
                let inner_is_quoted = true;
                let inner = if is_quoted { None } else { find_block(&quote.text, settings, inner_is_quoted) };
                if let Some(inner) = inner {
                    return Some(inner.in_quotation(&quote, text, offset.saturating_sub(quote.raw.len())));
                }
                finder.continue_in_text(ResumeAt::after(&quote.raw));
                continue;
            }
            // Validation looks for JSON: a call that is not written in JSON is text.
            (StepResult::Foreign, _) => {
                finder.continue_in_text(ResumeAt::InLine);
                continue;
            }
            (_, state) => {
                finder.state = state;
                // What the finder has pushed back is read again.
                offset = offset.saturating_sub(std::mem::take(&mut finder.pushback).len());
                continue;
            }
        };
        let end = offset.saturating_sub(unread_bytes);
        let start = end.saturating_sub(reader.raw.len());
        let json_offset = start + reader.opener().len();
        // UTF-16 units are counted only here: counting them at each fence that opens no block would take quadratic time.
        return Some(FirstBlock {
            reader,
            ending,
            json_start: utf16_len(head(text, json_offset)),
            json_offset,
            start,
            end,
            is_quoted,
        });
    }
}

/// The report on a text without a JSON block.
fn no_block() -> Report {
    let (code, message) = (Code::NoBlock, owned("No valid JSON code block found"));
    let issue = Issue { code, message, path: String::new(), position: None, severity: Severity::Error };
    Report { issues: vec![issue], calls: Vec::new(), parsed: None, json_start: 0, has_envelopes: false, json_end: None }
}

/// The result of repairing a text that should hold a block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockRepair {
    /// The text with its block repaired; the unchanged text if nothing had to be repaired, or nothing could be.
    pub text: String,
    /// The changes.
    pub fixes: Vec<Fix>,
    /// The result of validating `text`.
    pub report: Report,
}

/// Repairs the first JSON block of a text, or a text that should be JSON. With [`TextEnd::Complete`], missing brackets and a
/// missing fence at the end are added.
#[must_use]
pub fn repair_tool_block(text: &str, text_end: TextEnd, settings: &Settings) -> BlockRepair {
    let unchanged = |report| BlockRepair { text: owned(text), fixes: Vec::new(), report };
    let Some(mut first) = first_block(text, settings) else {
        // Without a block, the whole text is repaired. No lexer has read it so far, so no fault is known.
        let reach = if text_end == TextEnd::Complete { Reach::Complete } else { Reach::Closed };
        let damaged = DamagedBlock { json: text, has_fault: false, reach, tool: None, number: FIRST_NUMBER };
        let is_in_limits = text.len() <= settings.limits.max_block_bytes;
        return match is_in_limits.then(|| damaged.repair(settings)).flatten() {
            Some(repaired) => {
                let RepairedBlock { json, fixes, .. } = *repaired;
                BlockRepair { report: validate_tool_block(&json, settings), text: json, fixes }
            }
            None => unchanged(validate_unfenced(text, settings)),
        };
    };
    // A block with a fault is validated only if its repair fails.
    let mut report_before_repair = None;
    if !first.reader.has_fault() {
        let report = first.report(settings);
        if !report.calls.is_empty() {
            return unchanged(report);
        }
        report_before_repair = Some(report);
    }
    let repaired = first.reach(text_end).and_then(|reach| first.reader.repair(reach, settings));
    let repaired = repaired.and_then(|repaired| {
        let RepairedBlock { json, fixes, checked, is_flat, .. } = *repaired;
        let (text, end) = first.with_json(text, &json)?;
        let is_valid = is_flat && !checked.calls.is_empty() && checked.issues.is_empty();
        // In a closed block, the report follows from the repair: the text need not be read again.
        let report = if is_valid && first.ending == Ending::Closed && !first.is_quoted {
            let report = first.report_of(checked.calls, &text, end);
            debug_assert_eq!(validate_tool_block(&text, settings), report);
            report
        } else {
            validate_tool_block(&text, settings)
        };
        Some(BlockRepair { text, fixes, report })
    });
    repaired.unwrap_or_else(|| unchanged(report_before_repair.unwrap_or_else(|| first.report(settings))))
}

/// Discards the text around the block.
struct NullReceiver;

impl Receiver for NullReceiver {
    fn text(&mut self, _: &str) {}
    fn reasoning(&mut self, _: &str) {}
    fn event(&mut self, _: Event) {}
}
