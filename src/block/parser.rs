//! JSON that is being read: the lexer, and the recorder behind it.

use super::recorder::Recorder;
use crate::value::{Lexer, Stop};

/// Reads JSON, and keeps what it says.
#[derive(Debug)]
pub(super) struct Parser {
    pub(super) lexer: Lexer,
    pub(super) recorder: Recorder,
}

impl Parser {
    /// Takes text, and tells how many bytes that was and why it stopped there. After a fault the values are given up.
    pub(super) fn feed(&mut self, text: &str) -> (usize, Stop) {
        let fed = self.lexer.feed(text, &mut self.recorder);
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
