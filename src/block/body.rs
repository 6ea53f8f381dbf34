//! The text between two fences: feeds the lexer, and finds the end of the block from what the lexer has read.
//!
//! A line is checked for a closing fence wherever one is possible: outside of strings, or anywhere once faults have misled
//! the lexer. The opener of another block counts only outside of strings, where nothing has misled the lexer. The lexer
//! receives a line only after it has turned out not to be a fence.

use super::context::TextContext;
use super::line::{Fence, FenceLine};
use super::parser::Parser;
use super::recorder::Verdict;
use crate::value::text::{first_char, head, tail};
use crate::value::{Stop, is_quote};

/// The result of a step through the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyStep {
    /// The body continues.
    More,
    /// The closing fence. The line break after it was not read.
    Fence,
    /// The opener of another block. Its line was read, perhaps with some bytes after it.
    Opener,
}

/// The position of the next byte in the body.
#[derive(Clone, Copy, Debug)]
enum BodyState {
    /// In a value, or before it.
    Value,
    /// At the beginning of a line that may be a fence.
    Line,
    /// After a value. Holds the byte offset in the body of the first other text since the value or the last line break; `None`
    /// if there is none so far.
    After(Option<usize>),
}

/// The state between two pieces of a body.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) parser: Parser,
    /// The opening fence; `None` for a call without a fence and for native arguments.
    pub(super) fence: Option<Fence>,
    /// The number of blanks before that fence.
    pub(super) indent: u8,
    state: BodyState,
    /// The current line, as far as it may be a fence. After [`BodyStep::Fence`], the line of the closing fence.
    pub(super) line: FenceLine,
    /// The construct around the text after a value: a comment, quotes, or brackets that are no value.
    context: TextContext,
    /// The part of the line that the lexer has not received yet.
    pending_line: String,
    /// The last non-blank byte before the current line, or before the next byte if no line is checked; 0 if none exists.
    last_before_line: u8,
    /// The last non-blank byte of the current line; 0 if none exists.
    last_in_line: u8,
    /// The byte offset in the body of the first text after a value that is not JSON, if there is any.
    pub(super) trailing_start: Option<usize>,
}

impl Body {
    /// `indent`: the number of blanks before `fence`.
    // Not inlined: that makes the module smaller.
    #[inline(never)]
    pub(super) const fn new(fence: Option<Fence>, indent: u8, parser: Parser) -> Self {
        let (line, context) = (FenceLine::indented(indent), TextContext::in_line());
        let state = if fence.is_some() { BodyState::Line } else { BodyState::Value };
        Self {
            parser,
            fence,
            indent,
            state,
            line,
            context,
            pending_line: String::new(),
            last_before_line: 0,
            last_in_line: 0,
            trailing_start: None,
        }
    }

    /// Whether a value is complete and no other has begun.
    pub(super) const fn is_after_value(&self) -> bool {
        matches!(self.state, BodyState::After(_))
    }

    /// Expects another value after a complete one.
    pub(super) const fn expect_another_value(&mut self) {
        self.parser.lexer.restart();
        self.state = BodyState::Value;
    }

    /// The number of trailing bytes that belong to another opener, or may belong to one.
    pub(super) fn possible_opener_bytes(&self) -> usize {
        match self.state {
            BodyState::Line | BodyState::After(_) if self.line.may_be_fence() => self.line.bytes(),
            BodyState::Value | BodyState::Line | BodyState::After(_) => 0,
        }
    }

    /// Skips numbers, literals and other words, which say nothing about where the body ends; returns the number of bytes
    /// skipped. For a block over the limit, whose values are not needed.
    pub(super) fn skip_words(&mut self, text: &str) -> usize {
        let may_skip = matches!(self.state, BodyState::Value) && !self.parser.lexer.in_string();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-' | b'_');
        let word_bytes = if may_skip { text.bytes().take_while(is_word).count() } else { 0 };
        self.parser.lexer.skip(word_bytes);
        if let Some(last) = text.get(..word_bytes).and_then(|read| read.bytes().last()) {
            self.last_before_line = last;
        }
        word_bytes
    }

    /// Reads text up to a fence or an opener; returns the number of bytes read.
    pub(super) fn advance(&mut self, text: &str) -> (usize, BodyStep) {
        let mut taken = 0;
        loop {
            let (more, result) = self.step(tail(text, taken));
            taken += more;
            if result != BodyStep::More || taken >= text.len() {
                return (taken, result);
            }
        }
    }

    /// Reads no more than one character, or one run that cannot change the recorder's verdict, so that the caller can check the
    /// verdict after it.
    pub(super) fn advance_to_next_check(&mut self, text: &str) -> (usize, BodyStep) {
        self.step(head(text, self.length_to_next_check(text)))
    }

    /// The number of bytes that may be fed before the verdict and the fault must be checked again: one character, or a run that
    /// changes neither; inside a string, up to its possible end.
    fn length_to_next_check(&self, text: &str) -> usize {
        let lexer = &self.parser.lexer;
        if !lexer.in_string() {
            return lexer.silent_length(text).max(first_char(text).len());
        }
        // While the verdict is open, a fault may decide it. Single characters are fed then, so that the fault is found at the
        // same character wherever the text is cut.
        let is_open = self.parser.recorder.verdict == Verdict::Open && !self.parser.has_fault();
        if is_open && !lexer.in_sound_string() {
            return first_char(text).len();
        }
        // A raw control character or an escape may be a fault too.
        let may_end = |char: char| char == '\n' || is_quote(char) || is_open && matches!(char, '\0'..' ' | '\\');
        text.char_indices()
            .find(|(_, char)| may_end(*char))
            .map_or(text.len(), |(offset, char)| offset + char.len_utf8())
    }

    /// Reads a part of the text in the current state; returns the number of bytes read and the result.
    fn step(&mut self, text: &str) -> (usize, BodyStep) {
        match self.state {
            BodyState::Line => self.step_in_line(text),
            BodyState::Value => (self.step_in_value(text), BodyStep::More),
            BodyState::After(_) => self.step_after_value(text),
        }
    }

    /// Ends the text: returns whether its last line is the closing fence.
    pub(super) fn end_of_text(&mut self) -> BodyStep {
        if self.line_closes() {
            return BodyStep::Fence;
        }
        match self.state {
            BodyState::Line => self.feed_pending_line(),
            BodyState::After(text_start) => self.trailing_start = self.trailing_start.or(text_start),
            BodyState::Value => {}
        }
        BodyStep::More
    }

    /// Reads a line that may be a fence, up to the byte that decides. If the line is not a fence, the lexer receives the pending
    /// part of it. The line break is not read: it may belong to the text after the block, or else the lexer reads it.
    fn step_in_line(&mut self, text: &str) -> (usize, BodyStep) {
        let mut taken = 0;
        let mut result = BodyStep::More;
        for byte in text.bytes() {
            match byte {
                b'\n' if self.line_closes() => result = BodyStep::Fence,
                b'\n' if self.line_opens() => result = BodyStep::Opener,
                b'\n' => break,
                _ => {
                    self.line.push(byte);
                    if !self.line.may_be_fence() {
                        break;
                    }
                }
            }
            if result != BodyStep::More {
                self.pending_line.push_str(head(text, taken));
                return (taken, result);
            }
            taken += 1;
        }
        if taken < text.len() && self.pending_line.is_empty() {
            // The line is not a fence, and `text` has it from its beginning: the lexer reads it from there.
            self.state = BodyState::Value;
            return (0, BodyStep::More);
        }
        self.pending_line.push_str(head(text, taken));
        if taken < text.len() {
            self.feed_pending_line();
        }
        (taken, BodyStep::More)
    }

    /// Continues after a closing fence that belongs to a text inside the block.
    pub(super) fn take_fence_as_text(&mut self) {
        match self.state {
            BodyState::Line => self.feed_pending_line(),
            BodyState::Value | BodyState::After(_) => self.line = FenceLine::rest_of_text(),
        }
    }

    /// Whether the line, if it ends here, closes the block. It does not inside a string. Once the lexer is misled about strings,
    /// a bracket before the fence decides instead; text that is no call so far may also end without one.
    fn line_closes(&self) -> bool {
        let may_end_here = !self.parser.recorder.has_field_of_call() || matches!(self.last_before_line, b'}' | b']');
        let is_possible = if self.parser.lexer.is_misled() { may_end_here } else { !self.parser.lexer.in_string() };
        is_possible && matches!(self.state, BodyState::Line | BodyState::After(_)) && self.line.closes(self.fence)
    }

    /// Whether the line, if it ends here, opens another block. Inside a string, or where faults have misled the lexer, it may be
    /// text.
    fn line_opens(&self) -> bool {
        let is_certain = !self.parser.lexer.in_string() && !self.parser.lexer.is_misled();
        is_certain && self.line.opens_json()
    }

    /// Feeds the pending part of the line to the lexer: the line is not a fence.
    fn feed_pending_line(&mut self) {
        let pending_line = std::mem::take(&mut self.pending_line);
        self.state = BodyState::Value;
        let mut rest = &*pending_line;
        while !rest.is_empty() {
            let taken = match self.state {
                BodyState::Value | BodyState::Line => self.step_in_value(rest),
                BodyState::After(_) => self.step_after_value(rest).0,
            };
            rest = tail(rest, taken);
        }
        // Keeps the allocation for the next line.
        self.pending_line = pending_line;
        self.pending_line.clear();
    }

    /// Feeds text to the lexer, up to the end of a line or of the value; returns the number of bytes read.
    fn step_in_value(&mut self, text: &str) -> usize {
        let (taken, stop) = self.parser.feed(text);
        let read = head(text, taken);
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        self.last_before_line = read.bytes().rev().find(|byte| !is_blank(byte)).unwrap_or(self.last_before_line);
        match stop {
            Stop::Input | Stop::Fault => {}
            Stop::Line => self.begin_line(BodyState::Line, FenceLine::indented(self.indent)),
            Stop::Complete => {
                // The context begins with the last byte of the value, which may have arrived in an earlier piece.
                self.context = TextContext::in_line();
                self.context.push(self.last_before_line);
                self.begin_line(BodyState::After(None), FenceLine::after_value());
            }
        }
        taken
    }

    /// Reads the text after a value: blanks, another value, a fence, or other text. A bracket or a comma counts as JSON only if
    /// no other text precedes it in its line, and a bracket only where [`TextContext`] allows a call. The lexer skips everything
    /// but commas, so that its offsets stay correct.
    fn step_after_value(&mut self, text: &str) -> (usize, BodyStep) {
        let start = self.parser.lexer.offset();
        let mut taken = 0;
        let mut result = BodyStep::More;
        for (offset, byte) in text.bytes().enumerate() {
            // A line break that ends the block is not read.
            taken = offset;
            match (byte, self.state) {
                (b'\n', BodyState::After(text_start)) => {
                    if self.line_closes() {
                        result = BodyStep::Fence;
                        break;
                    }
                    if self.line_opens() {
                        result = BodyStep::Opener;
                        break;
                    }
                    self.trailing_start = self.trailing_start.or(text_start);
                    if self.last_in_line != 0 {
                        self.last_before_line = self.last_in_line;
                    }
                    self.begin_line(BodyState::After(None), FenceLine::indented(self.indent));
                }
                (b'{' | b'[', BodyState::After(None)) if self.context.allows_call() => {
                    self.state = BodyState::Value;
                    self.parser.lexer.skip(offset);
                    self.parser.lexer.restart();
                    return (offset, BodyStep::More);
                }
                (b',', BodyState::After(None)) => {
                    // The lexer reports a list without its brackets as a fault.
                    self.parser.lexer.skip(offset);
                    self.parser.feed(",");
                    self.context.push(byte);
                    self.line = FenceLine::after_value();
                    return (offset + 1, BodyStep::More);
                }
                (b' ' | b'\t' | b'\r', _) => self.line.push(byte),
                (_, state) => {
                    self.line.push(byte);
                    self.last_in_line = byte;
                    if matches!(state, BodyState::After(None)) {
                        self.state = BodyState::After(Some(start + offset));
                    }
                }
            }
            self.context.push(byte);
            taken = offset + 1;
        }
        self.parser.lexer.skip(taken);
        (taken, result)
    }

    /// Begins to check a line for fences.
    fn begin_line(&mut self, state: BodyState, line: FenceLine) {
        self.state = state;
        self.line = line;
        self.last_in_line = 0;
        self.pending_line.clear();
    }
}
