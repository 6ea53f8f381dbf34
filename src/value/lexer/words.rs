//! Words outside of strings: numbers, literals, and what is neither.

use super::{Expect, FaultKind, Lexer, Role, Sink, Stop, Token, word_length};
use crate::value::Value;
use crate::value::number::parse_number;

impl Lexer {
    pub(super) fn begin_word(&mut self, text: &str, token: Token, sink: &mut dyn Sink) -> (usize, Stop) {
        self.start = self.offset;
        let taken = word_length(text);
        let word = text.get(..taken).unwrap_or_default();
        if taken < text.len() {
            return (taken, self.end_word(word, token, sink));
        }
        self.token = token;
        self.scratch.clear();
        self.scratch.push_str(word);
        (taken, Stop::Input)
    }

    /// The word that came in several pieces.
    pub(super) fn end_scratch(&mut self, sink: &mut dyn Sink) -> Stop {
        let word = std::mem::take(&mut self.scratch);
        let token = std::mem::replace(&mut self.token, Token::None);
        let stop = self.end_word(&word, token, sink);
        self.scratch = word;
        stop
    }

    /// A number, a literal, or, in a tolerant reading, a key without quotes.
    pub(super) fn end_word(&mut self, word: &str, token: Token, sink: &mut dyn Sink) -> Stop {
        let start = self.start;
        let awaited = self.awaits_value();
        let scalar = || match (&token, word) {
            (Token::Number, word) => parse_number(word).map(Value::Number),
            (_, "null") => Some(Value::Null),
            (_, "true") => Some(Value::Bool(true)),
            (_, "false") => Some(Value::Bool(false)),
            _ => None,
        };
        if awaited && let Some(value) = scalar() {
            sink.scalar(value, start);
            return self.value_ends();
        }
        if matches!(self.expect, Expect::Key | Expect::KeyOrClose) {
            let stop = self.note_word(FaultKind::Word, word);
            sink.string(Role::Key, word, start);
            (self.expect, self.bare_key) = (Expect::Colon, true);
            return stop;
        }
        if word == "+" && matches!(self.expect, Expect::CommaOrClose(_)) {
            let stop = self.note_word(FaultKind::Word, word);
            self.expect = Expect::Joint;
            return stop;
        }
        // Only of the first fault it matters which.
        let malformed = self.fault.is_none() && matches!(token, Token::Number) && scalar().is_none();
        self.doubt();
        let stop = self.note_word(if malformed { FaultKind::Number } else { FaultKind::Word }, word);
        if awaited && self.tolerant { self.value_ends() } else { stop }
    }

    /// Notes a word as a fault. Only the first is copied: there may be one for every few bytes.
    fn note_word(&mut self, kind: fn(Box<str>) -> FaultKind, word: &str) -> Stop {
        let start = self.start;
        if self.fault.is_some() { self.after_fault() } else { self.note(kind(word.into()), start) }
    }
}
