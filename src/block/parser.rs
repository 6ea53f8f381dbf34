//! The parser of a block: the JSON lexer, with the recorder as its sink.

use super::Settings;
use super::recorder::Recorder;
use crate::value::{Lexer, Stop};

/// Reads JSON and records it.
#[derive(Debug)]
pub(super) struct Parser {
    pub(super) lexer: Lexer,
    pub(super) recorder: Recorder,
}

impl Parser {
    /// A parser that stops at a fault.
    // Not inlined: that makes the module smaller.
    #[inline(never)]
    pub(super) fn strict(recorder: Recorder, settings: &Settings) -> Self {
        Self { lexer: Lexer::strict(settings.limits.depth()), recorder }
    }

    /// A parser that continues after a fault: the recorder still finds the tool, the path and the texts of a broken call, and
    /// the lexer its end.
    pub(super) fn tolerant(recorder: Recorder, settings: &Settings) -> Self {
        Self { lexer: Lexer::tolerant(settings.limits.depth()), recorder }
    }

    /// Feeds text to the lexer; returns the number of bytes read and why it stopped. Once there is a fault,
    /// the recorder has no values, and no patches that follow the fault.
    pub(super) fn feed(&mut self, text: &str) -> (usize, Stop) {
        let bytes_and_stop = self.lexer.feed(text, &mut self.recorder);
        if let Some(fault) = self.lexer.fault() {
            self.recorder.discard_from(fault.offset);
        }
        bytes_and_stop
    }

    /// Ends the text. A value that is incomplete then is a fault. After any fault, the recorder has no values.
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
