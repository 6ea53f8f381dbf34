//! The parser of a block: the JSON lexer, and the recorder that takes what it reads.

use super::Settings;
use super::recorder::{Recorder, Verdict};
use crate::value::{Lexer, NullSink, Sink, Stop};

/// Reads JSON, and keeps what it says.
#[derive(Debug)]
pub(super) struct Parser {
    pub(super) lexer: Lexer,
    pub(super) recorder: Recorder,
    /// Only the end is still looked for; nothing is recorded.
    is_stopped: bool,
}

impl Parser {
    #[inline(never)]
    pub(super) const fn new(lexer: Lexer, recorder: Recorder) -> Self {
        Self { lexer, recorder, is_stopped: false }
    }

    /// One that goes on after a fault.
    pub(super) fn tolerant(recorder: Recorder, settings: &Settings) -> Self {
        Self::new(Lexer::tolerant(settings.limits.depth()), recorder)
    }

    /// Records nothing from now on, and forgets what was recorded, but that it was a call.
    pub(super) fn stop(&mut self) {
        self.recorder = Recorder::new(0);
        self.recorder.verdict = Verdict::Block;
        self.is_stopped = true;
    }

    /// Takes text, and tells how many bytes that was and why it stopped there. After a fault the values are given up.
    pub(super) fn feed(&mut self, text: &str) -> (usize, Stop) {
        let sink: &mut dyn Sink = if self.is_stopped { &mut NullSink } else { &mut self.recorder };
        let fed = self.lexer.feed(text, sink);
        if self.has_fault() {
            self.recorder.discard();
        }
        fed
    }

    /// Nothing more comes.
    pub(super) fn finish(&mut self) {
        self.lexer.finish(&mut self.recorder);
        if self.has_fault() {
            self.recorder.discard();
        }
    }

    pub(super) const fn has_fault(&self) -> bool {
        self.lexer.fault().is_some()
    }
}
