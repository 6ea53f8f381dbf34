//! Reads one fenced block, from the line after its opening fence to its end, or the arguments of a native call. A
//! damaged block is repaired. `bare` reads calls without a fence, and wraps each complete one in a [`Reader`] for
//! validation.

mod end;

use super::body::{Body, BodyStep};
use super::check::{CheckInput, Ending};
use super::envelope;
use super::event::Output;
use super::fences::{Candidate, Fences};
use super::line::{Fence, FenceLanguage, OpeningFence};
use super::parser::Parser;
use super::recorder::{CallRecord, Recorder, Verdict};
use super::repair::RepairedBlock;
use super::tag::{Tag, TagMatch};
use super::tags::match_tag;
use super::tools::CallField;
use super::watch::{NoCallReason, NotACall};
use super::{Settings, Tools};
use crate::value::text::{
    first_char, head, owned, part, prefix_within, tail, trim_end, trim_json_end, trim_json_start, trim_start,
};
use crate::value::{concat, find, utf16_len};

/// Which blocks the reader reads to their end. For others it returns [`ReaderStep::NoBlock`] as soon as it is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadMode {
    /// Blocks that call a tool.
    Calls,
    /// Any JSON block.
    Json,
    /// No block: all of the text is the arguments of a native call.
    Arguments,
}

/// The result of [`Reader::read`].
#[derive(Debug)]
pub(super) enum ReaderStep {
    /// The block continues.
    More,
    /// The caller must read [`Reader::pushback`] again, before any other text.
    ReadAgain,
    /// The text is not a tool block.
    NoBlock,
    /// The block has ended, and [`Reader::pushback`] holds the text after its end. With [`Ending::OverLimit`], no text was
    /// read.
    Ended(Ending),
}

/// The maximum number of bytes that are read after the first candidate for the closing fence of a damaged block: they are
/// buffered, and read again if the block ends at that candidate.
const MAX_DISTANCE: usize = 64 << 10;

/// A block that is being read.
#[derive(Debug)]
pub(super) struct Reader {
    /// The text so far, from the opening fence on.
    pub(super) raw: String,
    /// Byte offset in `raw` of the start of the JSON, leading blanks included.
    json_start: usize,
    /// Byte offset in `raw` of the first non-blank byte of the JSON; `None` until it has arrived.
    content_start: Option<usize>,
    /// The language of the opening fence; JSON without a fence.
    language: FenceLanguage,
    mode: ReadMode,
    body: Body,
    /// Byte offset in `raw` of the closing fence, or of the end of the JSON if the call has no fence; `None` until the block
    /// has ended there.
    json_end: Option<usize>,
    /// The first fence that may close the block, while faults in the JSON leave it uncertain.
    candidate: Option<Candidate>,
    /// The number of fences that were read as part of texts inside the block.
    text_fences: usize,
    /// The repair that has found the end of the block, or a call in it; reused when the block is finished.
    repaired_block: Option<Box<RepairedBlock>>,
    /// The text after the opening fence that may be a preamble; `None` once the JSON has begun.
    preamble: Option<String>,
    /// Text received after the end of the block.
    pub(super) pushback: String,
}

/// The part of a fenced text that was read before it turned out not to be a tool block.
pub(super) struct FencedCode {
    pub(super) raw: String,
    /// The opening fence, and the number of blanks before it.
    pub(super) fence: Option<(Fence, u8)>,
    pub(super) parser: Parser,
    /// Byte offset in `raw` of the JSON.
    pub(super) json_start: usize,
}

/// Whether the text after the opening fence is a preamble: something that models write before the JSON, and the reader skips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preamble {
    /// More text is needed.
    Maybe,
    /// A wrapper tag, or the word `json` on a line of its own.
    Whole,
    /// The JSON begins here.
    No,
}

impl Preamble {
    /// Judges the text after the opening fence, or after an earlier preamble.
    fn of(text: &str, settings: &Settings) -> Self {
        if text.len() > MAX_PREAMBLE {
            return Self::No;
        }
        let text = trim_start(text);
        let word = trim_end(text);
        if text.ends_with('\n') && word.eq_ignore_ascii_case("json") {
            return Self::Whole;
        }
        let may_become_word = "json".get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        match match_tag(text, settings) {
            TagMatch::Tag(Tag::Wrapper) => Self::Whole,
            TagMatch::Maybe => Self::Maybe,
            _ if may_become_word => Self::Maybe,
            TagMatch::Tag(_) | TagMatch::No => Self::No,
        }
    }
}

/// The maximum length of a preamble, in bytes.
const MAX_PREAMBLE: usize = 64;

impl Reader {
    /// Creates a reader. `raw` is the line of the opening fence; for the arguments of a native call it is empty, and `opener` is
    /// `None`.
    // Not inlined: that makes the module smaller.
    #[inline(never)]
    pub(super) fn new(raw: String, opener: Option<OpeningFence>, parser: Parser, mode: ReadMode) -> Self {
        let (fence, language, indent) = match opener {
            Some(OpeningFence { fence, language, indent }) => (Some(fence), language, indent),
            None => (None, FenceLanguage::Json, 0),
        };
        Self {
            json_start: raw.len(),
            raw,
            content_start: None,
            language,
            mode,
            body: Body::new(fence, indent, parser),
            json_end: None,
            candidate: None,
            text_fences: 0,
            repaired_block: None,
            preamble: fence.map(|_| String::new()),
            pushback: String::new(),
        }
    }

    /// Creates a reader for a complete call without a fence. Its JSON is the range `json_start..json_end` of `raw`; tags may
    /// surround it.
    pub(super) fn bare(
        raw: String,
        json_start: usize,
        json_end: usize,
        body: Body,
        repaired_block: Option<Box<RepairedBlock>>,
    ) -> Self {
        Self {
            raw,
            json_start,
            content_start: Some(json_start),
            language: FenceLanguage::Json,
            mode: ReadMode::Calls,
            body,
            json_end: Some(json_end),
            candidate: None,
            text_fences: 0,
            repaired_block,
            preamble: None,
            pushback: String::new(),
        }
    }

    /// Whether this is a call without a fence.
    pub(super) const fn is_bare(&self) -> bool {
        self.body.fence.is_none() && matches!(self.mode, ReadMode::Calls)
    }

    /// Reads text up to the next decision; returns the number of bytes read and the result. A preamble is read character by
    /// character, and then the body as far as the limits allow. As long as more text may show that this is no block, the body
    /// reads short runs, so that this is found at the same character however the text is cut.
    pub(super) fn read(&mut self, text: &str, settings: &Settings) -> (usize, ReaderStep) {
        if let Some(preamble) = &mut self.preamble {
            let char = first_char(text);
            preamble.push_str(char);
            let state = Preamble::of(preamble, settings);
            if state == Preamble::Maybe {
                return (char.len(), ReaderStep::More);
            }
            let preamble = self.preamble.take().unwrap_or_default();
            if state == Preamble::Whole {
                self.raw.push_str(&preamble);
                self.json_start = self.raw.len();
                // Another one may follow.
                self.preamble = Some(String::new());
                return (char.len(), ReaderStep::More);
            }
            // The JSON begins here: this text is read again, by the body.
            self.pushback = preamble;
            return (char.len(), ReaderStep::ReadAgain);
        }
        let max_bytes = settings.limits.max_block_bytes;
        let max_end = self.candidate.map_or(max_bytes, |candidate| max_bytes.min(candidate.end + MAX_DISTANCE));
        let room = max_end.saturating_sub(self.raw.len());
        let allowed_text = prefix_within(text, room);
        if allowed_text.is_empty() {
            let over_limit = ReaderStep::Ended(Ending::OverLimit);
            // A damaged block ends at its candidate instead.
            return (0, self.candidate.map_or(over_limit, |candidate| self.end_at(candidate)));
        }
        let may_be_text = self.may_turn_out_text();
        let (taken, body_step) = match self.body.fence {
            Some(_) if may_be_text => self.body.advance_to_next_check(allowed_text),
            Some(_) => self.body.advance(allowed_text),
            // Native arguments end with the text.
            None => (self.body.parser.feed(allowed_text).0, BodyStep::More),
        };
        let read = head(allowed_text, taken);
        if self.content_start.is_none() {
            let blanks = read.len() - trim_start(read).len();
            self.content_start = (blanks < read.len()).then(|| self.raw.len() + blanks);
        }
        self.raw.push_str(read);
        let step = match body_step {
            BodyStep::Fence => self.read_fence(settings),
            BodyStep::Opener => self.interrupt(),
            BodyStep::More if may_be_text && self.is_no_block() => ReaderStep::NoBlock,
            BodyStep::More => ReaderStep::More,
        };
        (taken, step)
    }

    /// Ends the block at the end of the text. An unfinished preamble is JSON then. If the last line is no closing fence, a block
    /// whose faults have misled the lexer ends at the first candidate, or else at the fence that [`Fences`] finds.
    pub(super) fn end(&mut self, settings: &Settings) -> Ending {
        if let Some(preamble) = self.preamble.take() {
            let mut offset = 0;
            while offset < preamble.len() {
                let (taken, step) = self.read(tail(&preamble, offset), settings);
                offset += taken;
                match step {
                    ReaderStep::Ended(ending) => {
                        self.pushback.push_str(tail(&preamble, offset));
                        return ending;
                    }
                    ReaderStep::More => {}
                    // The text is over, so this need not be known yet: `is_block` tells it.
                    ReaderStep::ReadAgain | ReaderStep::NoBlock => break,
                }
            }
            self.raw.push_str(tail(&preamble, offset));
        }
        if self.body.fence.is_none() {
            return Ending::Arguments;
        }
        if self.body.end_of_text() == BodyStep::Fence
            && let ReaderStep::Ended(ending) = self.read_fence(settings)
        {
            return ending;
        }
        self.repair_at_only_fence(settings);
        let is_misled = self.body.parser.lexer.is_misled();
        let last_fence =
            || if is_misled { Fences::of(&self.raw, self.json_start, self.body.fence).end_at_text_end() } else { None };
        let Some(candidate) = self.candidate.or_else(last_fence) else { return Ending::Unclosed };
        self.end_at(candidate);
        Ending::Closed
    }

    /// The opening fence and the preamble after it.
    pub(super) fn opener(&self) -> &str {
        head(&self.raw, self.json_start)
    }

    /// Returns the block with its JSON replaced by `json`, and the byte offset at which the new JSON ends.
    pub(super) fn with_json(&self, json: &str) -> (String, usize) {
        let opener = self.opener();
        let Some(marks) = self.body.fence else {
            let suffix = tail(&self.raw, self.json_end.unwrap_or(self.raw.len()));
            return (concat(&[opener, json, suffix]), opener.len() + json.len());
        };
        let body = self.json();
        let (start, end) = (body.len() - trim_json_start(body).len(), trim_json_end(body).len());
        // The blanks around the JSON stay. In a body of blanks alone, `end` is less than `start`.
        let (before, after) = (head(body, start), tail(body, end.max(start)));
        let (fence, is_unclosed) = match self.json_end {
            Some(end) => (owned(trim_end(tail(&self.raw, end))), false),
            None => (marks.text(), true),
        };
        // A line break must precede the closing fence.
        let after = if is_unclosed || find(after, "\n").is_none() { "\n" } else { after };
        let json = trim_json_end(trim_json_start(json));
        (concat(&[opener, before, json, after, &fence]), opener.len() + before.len() + json.len())
    }

    /// Whether the finished text is a tool block; in the modes other than [`ReadMode::Calls`], all of it is one.
    pub(super) fn is_block(&self, tools: &Tools) -> bool {
        let recorder = &self.body.parser.recorder;
        match (self.mode, recorder.verdict) {
            (ReadMode::Json | ReadMode::Arguments, _) | (ReadMode::Calls, Verdict::Block) => true,
            (ReadMode::Calls, Verdict::Text) => false,
            (ReadMode::Calls, Verdict::Open) => {
                recorder.calls.last().is_some_and(CallRecord::is_toolless_call)
                    || recorder.values.iter().any(|value| envelope::holds_envelope(value, tools))
            }
        }
    }

    /// Whether the block may have an unclosed string, so that the text after the block may belong to that string.
    pub(super) const fn may_have_unclosed_string(&self, ending: Ending) -> bool {
        let lexer = &self.body.parser.lexer;
        // A fault in an unclosed block may be a string without its opening quote.
        let is_broken = matches!(ending, Ending::Unclosed) && lexer.fault().is_some() && !lexer.is_complete();
        // The end of a block over the limit is found separately, by [`Reader::pass`].
        let is_read = !matches!(self.mode, ReadMode::Arguments) && !matches!(ending, Ending::OverLimit);
        is_read && (lexer.is_misled() || lexer.in_string() || is_broken)
    }

    /// Returns the report that a block is not executed; `None` if it names no known tool, or if the mode is not to find calls.
    /// `start` UTF-16 units of the stream precede the block.
    pub(super) fn not_a_call(&self, reason: NoCallReason, start: usize, tools: &Tools) -> Option<NotACall> {
        if self.mode != ReadMode::Calls {
            return None;
        }
        let json = trim_end(self.json());
        // In damaged JSON, the key may be unreadable although the tool is named, e.g. {"tool: "delete_file"}.
        let may_name = trim_start(json).starts_with('{') && find(json, CallField::Tool.key()).is_some();
        let tool_in_broken_json = || tools.named_in(json).filter(|_| self.has_fault() && may_name);
        let recorded_tool = self.body.parser.recorder.named_tool().map(owned);
        let is_json = self.language == FenceLanguage::Json;
        let tool = recorded_tool.or_else(|| if is_json { tool_in_broken_json() } else { None })?;
        Some(NotACall { reason, tool, raw: owned(json), start: start + utf16_len(self.opener()) })
    }

    /// Whether more text may still show that this is not a block: not once the recorder has decided, and not if the block is read
    /// to its end whatever it contains.
    fn may_turn_out_text(&self) -> bool {
        let is_read_to_end = match self.mode {
            ReadMode::Calls => self.language == FenceLanguage::Json && self.has_fault(),
            ReadMode::Json | ReadMode::Arguments => {
                self.language == FenceLanguage::Json || self.content().is_some_and(|json| json.starts_with(['{', '[']))
            }
        };
        self.body.parser.recorder.verdict == Verdict::Open && !is_read_to_end
    }

    /// Whether the text so far shows that this is not a block.
    fn is_no_block(&self) -> bool {
        match (self.mode, self.body.parser.recorder.verdict) {
            // Damaged JSON may contain a call, and so may a string.
            (ReadMode::Calls, _) if self.language == FenceLanguage::Json && self.has_fault() => false,
            (ReadMode::Calls, _) if self.content().is_some_and(|json| json.starts_with('"')) => false,
            (ReadMode::Calls, Verdict::Text) => true,
            // The value is complete without a call, e.g. `null` or an unknown bare word.
            (ReadMode::Calls, Verdict::Open) if self.body.parser.lexer.is_complete() => {
                !self.body.parser.recorder.calls.last().is_some_and(|call| call.may_wrap)
            }
            // Without a language, and in JavaScript, only text that begins with a bracket may be a call.
            (_, Verdict::Open | Verdict::Text) if self.language.may_hold_other_text() => {
                self.body.parser.recorder.calls.is_empty()
                    && self.content().is_some_and(|json| !json.starts_with(['{', '[']))
            }
            (_, Verdict::Open | Verdict::Text | Verdict::Block) => false,
        }
    }

    /// The text from the first non-blank byte of the JSON; `None` until it has arrived.
    fn content(&self) -> Option<&str> {
        self.raw.get(self.content_start?..)
    }

    /// The JSON so far, without the closing fence.
    pub(super) fn json(&self) -> &str {
        self.raw.get(self.json_start..self.json_end.unwrap_or(self.raw.len())).unwrap_or_default()
    }

    /// Removes the blanks after the end of a fenced block, and returns them; nothing for a call without a fence.
    pub(super) fn cut_trailing_blanks(&mut self) -> String {
        let end = self.body.fence.map_or(self.raw.len(), |_| trim_json_end(&self.raw).len());
        self.raw.split_off(end)
    }

    /// Returns the parts of a reader whose text is not a tool block.
    pub(super) fn into_code(self) -> FencedCode {
        let fence = self.fence_and_indent();
        FencedCode { raw: self.raw, fence, parser: self.body.parser, json_start: self.json_start }
    }

    /// Whether the opening fence names no language.
    pub(super) fn has_no_language(&self) -> bool {
        self.language == FenceLanguage::Empty
    }

    /// The opening fence, and the number of blanks before it; `None` without a fence.
    pub(super) fn fence_and_indent(&self) -> Option<(Fence, u8)> {
        self.body.fence.map(|fence| (fence, self.body.indent))
    }

    /// Stops recording a block over the limit, and discards its text.
    pub(super) fn stop(&mut self) {
        self.raw.clear();
        self.body.parser.recorder.stop();
    }

    /// Emits the next part of a block over the limit as text, up to its closing fence or the opener of another block.
    /// Buffers only a line that may be an opener. Returns the number of bytes read and the result.
    pub(super) fn pass(&mut self, text: &str, out: &mut Output<'_>) -> (usize, BodyStep) {
        let skipped_bytes = self.body.skip_words(text);
        let (taken, body_step) =
            if skipped_bytes > 0 { (skipped_bytes, BodyStep::More) } else { self.body.advance_to_next_check(text) };
        self.raw.push_str(head(text, taken));
        let opener_bytes = if body_step == BodyStep::Fence { 0 } else { self.body.possible_opener_bytes() };
        let text_bytes = self.raw.len().saturating_sub(opener_bytes);
        out.text(head(&self.raw, text_bytes));
        self.raw.drain(..text_bytes);
        (taken, body_step)
    }

    pub(super) const fn has_fault(&self) -> bool {
        self.body.parser.has_fault()
    }

    /// The input of `check` for the finished block. Ends the parser's text.
    pub(super) fn check_input(&mut self, ending: Ending) -> CheckInput<'_> {
        let json = part(&self.raw, self.json_start..self.json_end.unwrap_or(self.raw.len()));
        let trailing_start = self.body.trailing_start;
        CheckInput::new(json, &mut self.body.parser, ending, trailing_start)
    }

    pub(super) const fn recorder(&mut self) -> &mut Recorder {
        &mut self.body.parser.recorder
    }
}
