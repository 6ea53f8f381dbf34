//! `ToolBlockStream`: finds the tool blocks of a text that arrives in pieces.

mod nested;

use super::check::{Checked, Ending};
use super::event::{Block, Event, FIRST_NUMBER, Output, Receiver, Repaired, ToolId};
use super::finder::{Finder, FinderState, StepResult};
use super::formats::LONGEST_HEADER;
use super::parser::Parser;
use super::patches::PatchList;
use super::reader::{ReadMode, Reader};
use super::recorder::Recorder;
use super::repair::Reach;
use super::report::{BlockRepair, Report, repair_tool_block};
use super::scanner::ResumeAt;
use super::tools::CallField;
use super::watch::{NoCallReason, NotACall};
use super::{BlockStatus, Code, Issue, Settings, Severity, TextEnd};
use crate::value::Value;
use crate::value::text::{owned, prefix_within, tail};

/// Finds the tool blocks of a text that arrives in pieces. The result does not depend on how the text is cut.
///
/// ```
/// use genui_patch::block::{Event, Settings, TextEnd, ToolBlockStream};
///
/// let mut stream = ToolBlockStream::new(Settings::default());
/// let mut events: Vec<Event> = Vec::new();
/// stream.push("Look:\n```json\n{\"tool\": \"delete_file\", ", &mut events);
/// stream.push("\"path\": \"a.txt\"}\n```\nDone.", &mut events);
/// stream.end(TextEnd::MaybeCut, &mut events);
/// let Some(Event::Block(block)) = events.iter().find(|event| matches!(event, Event::Block(_))) else { panic!() };
/// assert_eq!(block.calls[0].path, "a.txt");
/// assert_eq!(events.last(), Some(&Event::Text("\nDone.".to_owned())));
/// ```
#[derive(Debug)]
pub struct ToolBlockStream {
    settings: Settings,
    finder: Finder,
    /// UTF-16 units emitted so far.
    units: usize,
    /// Whether a part of the text is being read as a text of its own: a quotation, or the inside of a block.
    is_nested: bool,
}

impl ToolBlockStream {
    /// A stream at its beginning.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let finder = Finder::new(ReadMode::Calls, &settings);
        Self { settings, finder, units: 0, is_nested: false }
    }

    /// A stream of the arguments of one native call of a known tool: JSON without a fence, which produces one block at the
    /// end. Input after the end or the limit is ignored.
    #[must_use]
    pub fn of_call(tool: &str, settings: Settings) -> Self {
        let mut recorder = Recorder::new(FIRST_NUMBER, &settings.tools);
        (recorder.tool, recorder.shows_texts) = (Some(owned(tool)), settings.content_deltas);
        recorder.patches = settings.patches.then(PatchList::default);
        let (opening_line, opener) = (String::new(), None);
        let parser = Parser::tolerant(recorder, &settings);
        let reader = Reader::new(opening_line, opener, parser, ReadMode::Arguments);
        let mut stream = Self::new(settings);
        (stream.finder.mode, stream.finder.state) = (ReadMode::Arguments, FinderState::Block(Box::new(reader)));
        stream
    }

    /// Reads the next piece of the text, and emits what can be shown of the current block.
    pub fn push(&mut self, text: &str, receiver: &mut dyn Receiver) {
        let mut out = Output { receiver, units: self.units };
        let mut rest = text;
        loop {
            if !self.finder.pushback.is_empty() {
                let unread = std::mem::take(&mut self.finder.pushback);
                let mut offset = 0;
                // Text that a step pushes back comes before the rest of `unread`.
                while self.finder.pushback.is_empty() && offset < unread.len() {
                    offset += self.step(tail(&unread, offset), &mut out);
                }
                self.finder.pushback.push_str(tail(&unread, offset));
            } else if rest.is_empty() {
                break;
            } else {
                let taken = self.step(rest, &mut out);
                rest = tail(rest, taken);
            }
        }
        // After an unclosed string, calls are only reported, so they have no previews.
        if let FinderState::Block(reader) = &mut self.finder.state
            && !self.finder.follows_unclosed_string
        {
            show(reader.recorder(), out.receiver);
        }
        self.units = out.units;
    }

    /// Ends the text. Text pushed later begins a new text; ids and offsets continue.
    pub fn end(&mut self, text_end: TextEnd, receiver: &mut dyn Receiver) {
        // The end of one construct may push text back, in which others begin.
        loop {
            self.push("", receiver);
            if self.end_state(text_end, receiver) && self.finder.pushback.is_empty() {
                break;
            }
        }
        // The text of a native call ends only once.
        if self.finder.mode != ReadMode::Arguments {
            let next_number = self.finder.next_number;
            self.finder = Finder::new(self.finder.mode, &self.settings);
            self.finder.next_number = next_number;
        }
    }

    /// Ends the current state at the end of the text; returns whether all is ended. If not, the new state must be ended too.
    fn end_state(&mut self, text_end: TextEnd, receiver: &mut dyn Receiver) -> bool {
        let mut out = Output { receiver, units: self.units };
        let settings = &self.settings;
        let (mut result, mut is_over) = (StepResult::Nothing, false);
        match &mut self.finder.state {
            FinderState::Over | FinderState::Rest => return true,
            FinderState::Text => {
                self.finder.scanner.end(settings, &mut out);
                self.finder.report(&mut out);
                is_over = true;
            }
            FinderState::Bare(bare) => {
                let step = bare.end(settings);
                result = self.finder.bare_step(step, settings, &mut out);
            }
            FinderState::Reasoning(reasoning) => {
                out.reasoning(&reasoning.take_possible_tag());
                self.finder.continue_in_text(ResumeAt::LineStart);
            }
            FinderState::Quote(quote) => {
                quote.end();
                result = StepResult::Quote;
            }
            FinderState::Foreign(_) => result = StepResult::Foreign,
            FinderState::Overflow(reader) => {
                out.text(&reader.raw);
                self.finder.continue_in_text(ResumeAt::LineStart);
            }
            FinderState::Block(reader) => result = StepResult::Block(reader.end(settings)),
        }
        self.handle(result, text_end, &mut out);
        self.units = out.units;
        is_over
    }

    /// Reads one step of the text; returns the number of bytes read.
    fn step(&mut self, text: &str, out: &mut Output<'_>) -> usize {
        let (taken, result) = self.finder.step(text, &self.settings, out);
        // The text has not ended here, so nothing that is open is completed.
        self.handle(result, TextEnd::MaybeCut, out);
        taken
    }

    /// Leaves the state of the construct that is over, if one is.
    fn handle(&mut self, result: StepResult, text_end: TextEnd, out: &mut Output<'_>) {
        match result {
            StepResult::Nothing => {}
            StepResult::Block(ending) => self.leave(ending, text_end, out),
            StepResult::Call => self.leave_bare(Ending::Closed, text_end, out),
            StepResult::Interrupted => self.leave_bare(Ending::Unclosed, text_end, out),
            StepResult::Unfinished => {
                self.leave_bare(Ending::Unclosed, text_end, out);
                self.finder.follows_unclosed_string = true;
            }
            StepResult::Quote => self.leave_quote(out),
            StepResult::Foreign => self.leave_foreign(out),
        }
    }

    /// Leaves a finished block, and selects the state for the text after it.
    fn leave(&mut self, ending: Ending, text_end: TextEnd, out: &mut Output<'_>) {
        let FinderState::Block(mut reader) = std::mem::replace(&mut self.finder.state, FinderState::Text) else {
            return;
        };
        let unread = std::mem::take(&mut reader.pushback);
        self.finder.read_again(&unread);
        let is_block = self.finish(&mut reader, ending, text_end, out);
        match ending {
            // The rest of the text is not examined.
            _ if self.finder.is_full => self.finder.continue_in_text(ResumeAt::InLine),
            Ending::Closed => self.finder.continue_in_text(ResumeAt::InLine),
            Ending::Arguments => self.finder.state = FinderState::Over,
            Ending::OverLimit if self.finder.mode == ReadMode::Arguments => self.finder.state = FinderState::Over,
            // The line of another block's opener follows, or nothing.
            Ending::Unclosed => self.finder.continue_in_text(ResumeAt::LineStart),
            Ending::OverLimit if is_block => {
                reader.stop();
                self.finder.state = FinderState::Overflow(reader);
            }
            // Other code than a tool block goes on to its closing fence.
            Ending::OverLimit => self.finder.skip_code(&reader),
        }
    }

    /// Leaves a call without a fence. An incomplete one may end with the opener of another block, which is read again.
    fn leave_bare(&mut self, ending: Ending, text_end: TextEnd, out: &mut Output<'_>) {
        let FinderState::Bare(mut bare) = std::mem::replace(&mut self.finder.state, FinderState::Text) else { return };
        let opener = if ending == Ending::Unclosed { bare.split_opener() } else { String::new() };
        let (mut reader, mut unread) = bare.into_reader();
        // Another call may follow in the same line only if it begins with a tag.
        let tag_follows = unread.trim_ascii_start().starts_with(['<', '[']);
        let resume_at = ResumeAt::line_start_if(tag_follows || !opener.is_empty());
        unread.push_str(&opener);
        self.finder.read_again(&unread);
        self.finish(&mut reader, ending, text_end, out);
        self.finder.continue_in_text(resume_at);
    }

    /// Leaves a finished call that is not written in JSON, and validates its translation to JSON. If it cannot be translated,
    /// follows an unclosed string, or is one call too many, it passes as text, with a report if it names a known tool. Its block
    /// has no previews: a status is emitted right before it.
    fn leave_foreign(&mut self, out: &mut Output<'_>) {
        let FinderState::Foreign(call) = std::mem::replace(&mut self.finder.state, FinderState::Text) else { return };
        let (raw, unread, call_value) = call.into_parts(&self.settings);
        let tag_follows = unread.trim_ascii_start().starts_with('<');
        let is_too_many = self.finder.call_count >= self.settings.limits.max_calls;
        self.finder.is_full |= is_too_many;
        self.finder.continue_in_text(ResumeAt::line_start_if(tag_follows));
        self.finder.read_again(&unread);
        let Some(call_value) = call_value.filter(|_| !self.finder.follows_unclosed_string && !is_too_many) else {
            let reason = match (self.finder.follows_unclosed_string, is_too_many) {
                (true, _) => NoCallReason::Unfinished,
                (false, true) => NoCallReason::TooMany,
                (false, false) => NoCallReason::Incomplete,
            };
            let start = out.units;
            // A call names its tool in its header.
            let tool = self.settings.tools.named_in(prefix_within(&raw, LONGEST_HEADER));
            out.text(&raw);
            self.report(tool.map(|tool| NotACall { reason, tool, raw, start }), out);
            return;
        };
        let BlockRepair { text, fixes, report } =
            repair_tool_block(&call_value.to_json(), TextEnd::Complete, &self.settings);
        let Report { issues, mut calls, .. } = report;
        let tool_id = ToolId(self.finder.next_number);
        let mut number = tool_id.0;
        for call in &mut calls {
            call.id = ToolId(number);
            number += 1;
        }
        self.finder.call_count += calls.len();
        // A block without a valid call uses up a number too.
        self.finder.next_number = number.max(tool_id.0 + 1);
        // The tool as it was written, unless the first valid call has its name, e.g. in place of an alias.
        let (mut tool, mut path) = (call_value.get(CallField::Tool.key()).and_then(Value::as_str), None);
        if let Some(call) = calls.first() {
            (tool, path) = (Some(call.tool.name()), Some(&*call.path).filter(|path| !path.is_empty()));
        }
        let (tool, path) = (tool.map(owned), path.map(owned));
        if let Some(tool) = tool.clone() {
            out.receiver.event(Event::Status { tool_id, tool, path: path.clone() });
        }
        let repaired =
            if fixes.is_empty() || calls.is_empty() { None } else { Some(Repaired { content: text, fixes }) };
        let status = BlockStatus::Complete;
        // `Output::block` sets the positions.
        let (start, end) = (0, 0);
        let block = Block { tool_id, tool, path, status, start, end, raw, issues, repaired, calls, in_text: false };
        out.block(Box::new(block));
    }

    /// Reports JSON that was not executed.
    fn report(&mut self, report: Option<NotACall>, out: &mut Output<'_>) {
        self.finder.scanner.report = report;
        self.finder.report(out);
    }

    /// Emits a finished block, or the text that it turned out to be; returns whether it is a block.
    ///
    /// The block is validated, and repaired if it has no valid call. If there is a [`NoCallReason`], it passes as text instead,
    /// and a [`Block`] with `in_text` reports its JSON. If a string of the block is unclosed and it has no valid call, all later
    /// text may belong to that string: calls in it and in the block itself are only reported.
    fn finish(&mut self, reader: &mut Reader, ending: Ending, text_end: TextEnd, out: &mut Output<'_>) -> bool {
        if !reader.is_block(&self.settings.tools) && !reader.hides_a_call(ending, &self.settings) {
            let report = reader.not_a_call(NoCallReason::OtherJson, out.units, &self.settings.tools);
            out.text(&reader.raw);
            self.report(report, out);
            return false;
        }
        let may_have_unclosed_string = reader.may_have_unclosed_string(ending);
        // The position of the block, or of the JSON that it reports.
        let mut start = out.units;
        let Checked { mut status, mut issues, mut calls } = reader.check_input(ending).check(&self.settings);
        let reach = Reach::of(ending, text_end, status).filter(|_| self.settings.repair && calls.is_empty());
        let repaired = reach.and_then(|reach| reader.repair(reach, &self.settings)).filter(|block| block.is_valid());
        let mut next_number = reader.recorder().next_number;
        let mut repaired = repaired.map(|repaired| {
            status = BlockStatus::Complete;
            calls = repaired.checked.calls;
            // A repair may find other calls than the reader; it numbers them from the block's first number on.
            next_number = next_number.max(repaired.next_number);
            Repaired { content: reader.with_json(&repaired.json).0, fixes: repaired.fixes }
        });
        // An unfenced call without its fields may be prose. One that names a known tool and is only refused is a block.
        let names_known_tool = reader.recorder().named_tool().is_some();
        let is_incomplete = reader.is_bare() && calls.is_empty() && !(names_known_tool && is_refused(&issues));
        // The limit is on the calls of a message, which native arguments are not. A block without a valid call exceeds no limit.
        let is_message = self.finder.mode != ReadMode::Arguments;
        let exceeds_limit = self.finder.call_count + calls.len() > self.settings.limits.max_calls;
        let is_too_many = is_message && exceeds_limit && !calls.is_empty();
        // A block with a reason is reported and not executed.
        let reason = match (self.finder.follows_unclosed_string, is_incomplete) {
            (true, _) => Some(NoCallReason::Unfinished),
            (false, true) => Some(NoCallReason::Incomplete),
            (false, false) => Some(NoCallReason::TooMany).filter(|_| is_too_many),
        };
        self.finder.call_count += if reason.is_none() { calls.len() } else { 0 };
        self.finder.is_full |= reason == Some(NoCallReason::TooMany);
        if let Some(reason) = reason {
            let Some(report) = reader.not_a_call(reason, out.units, &self.settings.tools) else {
                // The block names no known tool, so it is text without a report.
                out.text(&reader.raw);
                return false;
            };
            issues.insert(0, reason.issue());
            (calls, repaired) = (Vec::new(), None);
            out.text(&reader.raw);
            reader.raw = report.raw;
            start = report.start;
            // A report has no previews.
            reader.recorder().events.clear();
        }
        show(reader.recorder(), out.receiver);
        let tool_id = ToolId(reader.recorder().assign_first_number());
        next_number = next_number.max(reader.recorder().next_number);
        let in_text = reason.is_some();
        // Blanks after a complete block are text. A report has none: its `raw` is JSON.
        let may_end_in_blanks = status != BlockStatus::Truncated && !in_text;
        let trailing_blanks = if may_end_in_blanks { reader.cut_trailing_blanks() } else { String::new() };
        let raw = std::mem::take(&mut reader.raw);
        let recorder = reader.recorder();
        let (mut tool, path) =
            recorder.calls.first_mut().map_or((None, None), |call| (call.tool.take(), call.path.take()));
        // Native arguments do not name their tool.
        tool = tool.or_else(|| recorder.tool.take());
        self.finder.next_number = self.finder.next_number.max(next_number);
        // An unclosed string may contain the text after the block, too.
        let hides_text = may_have_unclosed_string && calls.is_empty();
        // Calls inside this text are reported; it is empty for a report and in a nested text.
        let searched = if hides_text && !in_text && !self.is_nested { owned(&raw) } else { String::new() };
        let block = Block { tool_id, tool, path, status, start, end: start, raw, issues, repaired, calls, in_text };
        out.block(Box::new(block));
        if hides_text {
            self.finder.follows_unclosed_string = true;
            self.report_inner(&searched, start, out);
        }
        out.text(&trailing_blanks);
        true
    }
}

/// Whether all errors of a call refuse its content: none is about missing fields or syntax.
fn is_refused(issues: &[Issue]) -> bool {
    let is_refusal =
        |code| matches!(code, Code::UnsafePath | Code::EmptyOldString | Code::NoChange | Code::UnknownTool);
    issues.iter().filter(|issue| issue.severity == Severity::Error).all(|issue| is_refusal(issue.code))
}

/// Emits the previews (statuses, deltas, patches) that the recorder has collected.
fn show(recorder: &mut Recorder, receiver: &mut dyn Receiver) {
    for event in recorder.events.drain(..) {
        receiver.event(event);
    }
}
