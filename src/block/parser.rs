//! The parser of a block: the JSON lexer, and the recorder that takes what it reads.

use super::Settings;
use super::recorder::Recorder;
use crate::value::{Lexer, Stop};

/// Reads JSON, and keeps what it says.
#[derive(Debug)]
pub(super) struct Parser {
    pub(super) lexer: Lexer,
    pub(super) recorder: Recorder,
}

impl Parser {
    /// One that stops at a fault.
    #[inline(never)]
    pub(super) fn strict(recorder: Recorder, settings: &Settings) -> Self {
        Self { lexer: Lexer::strict(settings.limits.depth()), recorder }
    }

    /// One that goes on after a fault.
    pub(super) fn tolerant(recorder: Recorder, settings: &Settings) -> Self {
        Self { lexer: Lexer::tolerant(settings.limits.depth()), recorder }
    }

    /// Takes text, and tells how many bytes that was and why it stopped there. After a fault the values are given up.
    pub(super) fn feed(&mut self, text: &str) -> (usize, Stop) {
        let fed = self.lexer.feed(text, &mut self.recorder);
        if let Some(fault) = self.lexer.fault() {
            self.recorder.discard_from(fault.offset);
        }
        fed
    }

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
