//! Reads a call that stands in the text without a fence: strict JSON, `{"tool": …}` with all fields of its tool, under their
//! names or under those that models give them; or a list of such calls, all of them valid or none taken.
//!
//! It is kept back only while it may be one: until the first key that is no field of any tool, or the first fault. The rest
//! of other JSON is passed on to its end, since what stands inside of it is no call either, as in a fence. After a fault
//! its brackets are counted.

use super::body::careful_step;
use super::check::Ending;
use super::context::{TextContext, UNKNOWN};
use super::line::FenceLine;
use super::parser::Parser;
use super::reader::{Reader, ReaderStep, Wanted};
use super::recorder::{Recorder, Verdict};
use super::scanner::Scanner;
use super::{Settings, Tools};
use crate::value::text::{head, tail};
use crate::value::{Expect, FaultKind, Stop, Value};

/// An object in the text that may be a call, or a list that may be one of calls.
#[derive(Debug)]
pub(super) struct UnfencedCall {
    pub(super) held: String,
    pub(super) parser: Parser,
    /// The line in which what was taken ends, which did not begin with it.
    line: FenceLine,
    /// Whether what was kept back is no call, and neither is what is still to come of it.
    pub(super) is_other: bool,
}

impl UnfencedCall {
    pub(super) fn new(settings: &Settings, next_number: u32) -> Self {
        Self {
            held: String::new(),
            parser: Parser::strict(Recorder::new(next_number), settings),
            line: FenceLine::middle(),
            is_other: false,
        }
    }

    /// Takes the next step, and tells how many bytes that was.
    pub(super) fn take(&mut self, text: &str, settings: &Settings) -> (usize, ReaderStep) {
        // The bracket that opened this is passed whatever the limits say, or it would be met again and again.
        let least = usize::from(self.parser.lexer.offset() == 0);
        let mut step = careful_step(&self.parser.lexer, text);
        let room = settings.limits.max_block_bytes.saturating_sub(self.held.len());
        self.is_other |= step.len() > room.max(least);
        if self.is_other {
            self.parser.recorder.stop();
            step = text;
        }
        let (taken, stop) = self.parser.feed(step);
        let taken = taken.max(least);
        let read = head(step, taken);
        self.held.push_str(read);
        self.line.go_on(read);
        let foreign = self.parser.recorder.foreign_key.take();
        self.is_other |=
            foreign.is_some_and(|key| !settings.tools.knows_key(&key)) || self.parser.recorder.verdict == Verdict::Text;
        let found = match stop {
            Stop::Complete if !self.is_other && self.is_whole_call(&settings.tools) => ReaderStep::Over(Ending::Closed),
            Stop::Complete | Stop::Fault => ReaderStep::NoBlock,
            Stop::Input | Stop::Line => ReaderStep::More,
        };
        (taken, found)
    }

    /// Goes on in the text behind what is no call.
    pub(super) fn rest(&self) -> Scanner {
        let lexer = &self.parser.lexer;
        let mut scanner = Scanner::text(self.line);
        scanner.context = TextContext::middle(0, 0);
        if let Some(fault) = lexer.fault() {
            let behind = lexer.offset() - fault.offset;
            let before = self.held.len().saturating_sub(behind);
            // What begins with a fault is text that stands in brackets.
            let is_text = lexer.offset() == self.held.len() && head(&self.held, before).trim_ascii_end().len() == 1;
            let may_begin =
                matches!(fault.expect, Expect::Value | Expect::ValueOrClose | Expect::Key | Expect::KeyOrClose);
            let depth = match fault.kind {
                FaultKind::Escape | FaultKind::UnicodeEscape | FaultKind::Control(_) => UNKNOWN,
                _ => lexer.depth(),
            };
            scanner.context = if is_text {
                TextContext::start()
            } else {
                TextContext::middle(depth, if may_begin { b',' } else { b'"' })
            };
            // Of a word whose beginning is no longer held, a letter stands for that.
            if behind > self.held.len() {
                scanner.context.push(b'x');
            }
            // A closer that is the fault closes nothing.
            let rest = tail(&self.held, if is_text { 0 } else { before }).bytes();
            rest.filter(|byte| !matches!(byte, b'}' | b']')).for_each(|byte| scanner.context.push(byte));
        }
        scanner
    }

    fn is_whole_call(&self, tools: &Tools) -> bool {
        let is_call = |value: &Value| tools.is_whole_call(value);
        match self.parser.recorder.values.first() {
            Some(Value::Array(calls)) => calls.iter().all(is_call),
            Some(value) => is_call(value),
            None => false,
        }
    }

    /// The call that was read, to be finished.
    pub(super) fn into_reader(self) -> Reader {
        Reader::new(self.held, None, self.parser, Wanted::Calls)
    }
}
