//! The arguments of a native tool call, which arrive as JSON without a fence.

use super::check::{Ending, Reading};
use super::event::{InString, Receiver};
use super::reader::finish;
use super::recorder::{Preview, Recorder};
use super::repair::{Broken, Mended, Reach};
use super::stream::{Close, close_block, show};
use super::units::{Counted, fitting};
use super::{BlockStatus, Settings};
use crate::value::Lexer;
use crate::value::text::{owned, tail};

/// Reads the streamed arguments of one call of a tool that is known from outside: statuses and deltas while they
/// arrive, and one block at the end.
#[derive(Debug)]
pub struct ToolCallStream {
    settings: Settings,
    tool: String,
    raw: Counted,
    lexer: Lexer,
    recorder: Recorder,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    Ended,
}

impl ToolCallStream {
    /// A stream at its beginning.
    #[must_use]
    pub fn new(tool: &str, settings: Settings) -> Self {
        let recorder = Recorder::of_tool(tool, 1, Preview::new(settings.content_deltas));
        let lexer = Lexer::tolerant(settings.limits.depth());
        Self { settings, tool: owned(tool), raw: Counted::default(), lexer, recorder, phase: Phase::Open }
    }

    /// Takes the next piece of the arguments. After the end, which the limit too may bring, nothing is taken.
    pub fn push(&mut self, text: &str, receiver: &mut dyn Receiver) {
        if self.phase == Phase::Ended {
            return;
        }
        let room = self.settings.limits.max_block_bytes.saturating_sub(self.raw.len());
        let fitting = fitting(text, room);
        self.raw.push_str(fitting);
        let mut rest = fitting;
        while !rest.is_empty() {
            let (taken, _) = self.lexer.feed(rest, &mut self.recorder);
            rest = tail(rest, taken);
        }
        if self.lexer.fault().is_some() {
            self.recorder.discard();
        }
        if fitting.len() < text.len() {
            self.close(Ending::Full(self.settings.limits.max_block_bytes), Close::Open, receiver);
        }
        show(&mut self.recorder, receiver);
    }

    /// As [`super::ToolBlockStream::in_string`].
    #[must_use]
    #[doc(hidden)]
    pub fn in_string(&self, room: usize) -> Option<InString> {
        let fits = self.raw.len().saturating_add(room) <= self.settings.limits.max_block_bytes;
        (self.phase == Phase::Open && fits && self.lexer.in_sound_string()).then(|| self.recorder.in_string())
    }

    /// The arguments are over.
    pub fn end(&mut self, close: Close, receiver: &mut dyn Receiver) {
        if self.phase == Phase::Open {
            self.close(Ending::Unfenced, close, receiver);
        }
    }

    fn close(&mut self, ending: Ending, close: Close, receiver: &mut dyn Receiver) {
        self.phase = Phase::Ended;
        finish(&mut self.lexer, &mut self.recorder);
        show(&mut self.recorder, receiver);
        let reading = Reading {
            json: &self.raw,
            lexer: &self.lexer,
            recorder: &mut self.recorder,
            ending,
            trailing: None,
            tool: Some(&self.tool),
        };
        let status = reading.status();
        let checked = reading.check(&self.settings);
        let number = self.recorder.first_number();
        let may_end_here = close == Close::Complete || !self.lexer.is_misled();
        let is_broken = self.settings.repair && checked.calls.is_empty();
        // Several objects are a fault to the lexer here, but none to be mended.
        let (json, has_fault, tool) = (&*self.raw, false, Some(&*self.tool));
        let mended = Reach::of(ending, close, status)
            .filter(|_| may_end_here && is_broken)
            .and_then(|reach| Broken { json, has_fault, reach, tool, number, is_late: false }.mend(&self.settings))
            .filter(Mended::is_valid);
        let repaired = mended.map(|mut mended| (std::mem::take(&mut mended.json), mended));
        let raw = std::mem::take(&mut self.raw);
        let mut block = close_block(raw, 0, (status, checked), repaired, &mut self.recorder);
        block.tool.get_or_insert_with(|| self.tool.clone());
        debug_assert!(block.calls.is_empty() || block.status == BlockStatus::Complete);
        receiver.block(block);
    }
}
