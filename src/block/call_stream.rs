//! `ToolCallStream`: the arguments of one native tool call, which arrive as JSON without a fence.

use super::check::{Ending, Reading};
use super::event::{InString, Receiver};
use super::parser::{Parser, fitting};
use super::recorder::{Preview, Recorder};
use super::repair::DamagedBlock;
use super::stream::{Close, close_block, show};
use super::{BlockStatus, Settings};
use crate::value::Lexer;
use crate::value::text::{owned, tail};

/// Reads the streamed arguments of one call of a tool that is known from outside: statuses and deltas while they
/// arrive, and one block at the end.
#[derive(Debug)]
pub struct ToolCallStream {
    settings: Settings,
    raw: String,
    parser: Parser,
    is_over: bool,
}

impl ToolCallStream {
    /// A stream at its beginning.
    #[must_use]
    pub fn new(tool: &str, settings: Settings) -> Self {
        let mut recorder = Recorder::new(1, Preview::new(settings.content_deltas));
        recorder.tool = Some(owned(tool));
        let parser = Parser::new(Lexer::tolerant(settings.limits.depth()), recorder);
        Self { settings, raw: String::new(), parser, is_over: false }
    }

    /// Takes the next piece of the arguments. After the end, which the limit too may bring, nothing is taken.
    pub fn push(&mut self, text: &str, receiver: &mut dyn Receiver) {
        if self.is_over {
            return;
        }
        let room = self.settings.limits.max_block_bytes.saturating_sub(self.raw.len());
        let fitting = fitting(text, room);
        self.raw.push_str(fitting);
        let mut rest = fitting;
        while !rest.is_empty() {
            let (taken, _) = self.parser.feed(rest);
            rest = tail(rest, taken);
        }
        if fitting.len() < text.len() {
            self.close(Ending::Full(self.settings.limits.max_block_bytes), Close::Open, receiver);
        }
        show(&mut self.parser.recorder, receiver);
    }

    /// As [`super::ToolBlockStream::in_string`].
    #[must_use]
    #[doc(hidden)]
    pub fn in_string(&self, room: usize) -> Option<InString> {
        let fits = self.raw.len().saturating_add(room) <= self.settings.limits.max_block_bytes;
        (!self.is_over && fits && self.parser.lexer.in_sound_string()).then(|| self.parser.recorder.in_string())
    }

    /// The arguments are over.
    pub fn end(&mut self, close: Close, receiver: &mut dyn Receiver) {
        if !self.is_over {
            self.close(Ending::Unfenced, close, receiver);
        }
    }

    fn close(&mut self, ending: Ending, close: Close, receiver: &mut dyn Receiver) {
        self.is_over = true;
        let checked = Reading::new(&self.raw, &mut self.parser, ending, None).check(&self.settings);
        let Parser { lexer, recorder, .. } = &mut self.parser;
        show(recorder, receiver);
        let may_end_here = close == Close::Complete || !lexer.is_misled();
        // Several objects are a fault to the lexer here, but none to be repaired.
        let damaged = |reach| DamagedBlock {
            json: &self.raw,
            has_fault: false,
            reach,
            tool: recorder.tool.as_deref(),
            number: recorder.first_number(),
            is_late: false,
        };
        let repaired = checked.repaired(ending, close, &self.settings, &mut |reach| {
            if may_end_here { damaged(reach).repair(&self.settings) } else { None }
        });
        let mut block = close_block(std::mem::take(&mut self.raw), 0, checked, repaired, recorder);
        block.tool = block.tool.or_else(|| recorder.tool.take());
        debug_assert!(block.calls.is_empty() || block.status == BlockStatus::Complete);
        receiver.block(block);
    }
}
