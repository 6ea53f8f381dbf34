//! Reads the text outside strings: brackets, commas, colons and whitespace; and words, which are numbers, literals, or neither.

use super::{Container, Expect, FaultKind, Lexer, Sink, Stop, Token, char_len, is_word, word_length};
use crate::value::Value;
use crate::value::number::parse_number;
use crate::value::scan::blanks;

impl Lexer {
    /// Reads one bracket, comma, colon or word, a run of whitespace, or the beginning of a string.
    pub(super) fn structure(&mut self, text: &str, first: u8, sink: &mut dyn Sink) -> (usize, Stop) {
        let stop = match first {
            // Only up to a line feed, at which a tolerant lexer stops.
            b' ' | b'\t' | b'\r' => {
                let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
                return (text.as_bytes().iter().position(|byte| !blank(byte)).unwrap_or(text.len()), Stop::Input);
            }
            b'\n' => return (blanks(text), Stop::Input),
            b'{' => self.open(Container::Object, sink),
            b'[' => self.open(Container::Array, sink),
            b'}' => self.close(Container::Object, sink),
            b']' => self.close(Container::Array, sink),
            b',' => {
                let is_allowed = matches!(self.expect, Expect::CommaOrClose(_));
                self.punctuation(is_allowed, ',', expect_after_comma)
            }
            b':' => {
                let is_allowed = matches!(self.expect, Expect::Colon);
                self.punctuation(is_allowed, ':', |_| Expect::Value)
            }
            b'"' => match self.whole_string(text, sink) {
                Some(length_and_stop) => return length_and_stop,
                None => self.begin_string(b'"', sink),
            },
            b'-' | b'0'..=b'9' => return self.begin_word(text, Token::Number, sink),
            _ if is_word(first) => return self.begin_word(text, Token::Word, sink),
            _ => {
                let char = text.chars().next().unwrap_or_default();
                // A stray backslash or quote may hide a string. Whitespace cannot, nor can the `>` of the arrow `=>`, whose `=`
                // has been read in place of a colon, so that a value is expected.
                let is_arrow = char == '>' && matches!(self.expect, Expect::Value);
                self.is_misled |= !is_arrow && !is_blank(char);
                self.record_fault(FaultKind::Unexpected(char), self.offset)
            }
        };
        let length = if first.is_ascii() { 1 } else { char_len(text) };
        if stop == Stop::Fault { (0, stop) } else { (length, stop) }
    }

    /// Reads an opening bracket. A tolerant lexer also opens a list or object where the grammar allows none.
    fn open(&mut self, container: Container, sink: &mut dyn Sink) -> Stop {
        if !self.awaits_value() {
            if !self.lacks_colon(sink) {
                self.doubt();
            }
            let char = if container == Container::Object { '{' } else { '[' };
            if self.record_fault(FaultKind::Unexpected(char), self.offset) == Stop::Fault {
                return Stop::Fault;
            }
        }
        if self.stack.len() >= self.max_depth {
            // A list or object that is not on the stack has no known end.
            self.is_misled = true;
            return self.record_fault(FaultKind::TooDeep(self.max_depth), self.offset);
        }
        self.stack.push(container);
        sink.open(container, self.offset);
        self.expect = match container {
            Container::Array => Expect::ValueOrClose,
            Container::Object => Expect::KeyOrClose,
        };
        Stop::Input
    }

    /// Reads a closing bracket.
    fn close(&mut self, container: Container, sink: &mut dyn Sink) -> Stop {
        let closes_innermost = self.stack.last() == Some(&container);
        let is_allowed = match container {
            Container::Array => matches!(self.expect, Expect::CommaOrClose(_) | Expect::ValueOrClose),
            Container::Object => matches!(self.expect, Expect::CommaOrClose(_) | Expect::KeyOrClose),
        };
        if !closes_innermost || !is_allowed {
            self.doubt_key();
            let char = if container == Container::Object { '}' } else { ']' };
            let is_after_comma = closes_innermost && self.expect == expect_after_comma(container);
            let kind = if is_after_comma { FaultKind::TrailingComma(char) } else { FaultKind::Unexpected(char) };
            if self.record_fault(kind, self.offset) == Stop::Fault {
                return Stop::Fault;
            }
        }
        // A closer without an opener is ignored; a closer of an outer list or object also closes the inner ones.
        let Some(index) = self.stack.iter().rposition(|open| *open == container) else { return Stop::Input };
        while self.stack.len() > index {
            if let Some(open) = self.stack.pop() {
                let after_bracket = self.offset + 1;
                sink.close(open, after_bracket);
            }
        }
        self.value_ends()
    }

    /// Reads a comma or a colon. `expect_after` gives what the innermost list or object expects after it. Outside of lists and
    /// objects, a tolerant lexer ignores it.
    fn punctuation(&mut self, is_allowed: bool, char: char, expect_after: fn(Container) -> Expect) -> Stop {
        let mut stop = Stop::Input;
        if !is_allowed {
            if char == ',' {
                self.doubt_key()
            } else {
                self.doubt()
            }
            stop = self.record_fault(FaultKind::Unexpected(char), self.offset);
        }
        if let Some(&innermost) = self.stack.last() {
            self.expect = expect_after(innermost);
        }
        stop
    }

    /// Updates the expectation after a value. `Complete` if the value is the outermost one.
    pub(super) fn value_ends(&mut self) -> Stop {
        match self.stack.last() {
            Some(&innermost) => {
                self.expect = Expect::CommaOrClose(innermost);
                Stop::Input
            }
            None => {
                self.expect = Expect::End;
                Stop::Complete
            }
        }
    }

    /// Marks the lexer as misled at an unexpected token, if a comma, a colon, a closing bracket or a string after a `+` was
    /// expected: an unescaped quote may have ended a string too early.
    pub(super) fn doubt(&mut self) {
        self.is_misled |= matches!(self.expect, Expect::Colon | Expect::Joint | Expect::CommaOrClose(_));
    }

    /// Marks the lexer as misled if the unexpected token comes directly after a key or a `+`. Unlike [`Lexer::doubt`], it
    /// takes an unexpected token after a value for a mere slip, e.g. a missing comma.
    fn doubt_key(&mut self) {
        self.is_misled |= matches!(self.expect, Expect::Colon | Expect::Joint);
    }

    /// Whether a value that begins here only lacks the colon before it: the last key is in quotes and known. An unknown key may
    /// be a piece of text.
    pub(super) fn lacks_colon(&self, sink: &dyn Sink) -> bool {
        matches!(self.expect, Expect::Colon) && !self.is_key_bare && sink.knows_key()
    }

    pub(super) const fn awaits_value(&self) -> bool {
        matches!(self.expect, Expect::Value | Expect::ValueOrClose)
    }

    pub(super) const fn awaits_key(&self) -> bool {
        matches!(self.expect, Expect::Key | Expect::KeyOrClose)
    }

    /// Reads a word. At the end of the text it may continue in the next piece, so it is kept in `scratch`.
    fn begin_word(&mut self, text: &str, token: Token, sink: &mut dyn Sink) -> (usize, Stop) {
        self.start = self.offset;
        let length = word_length(text);
        let word = text.get(..length).unwrap_or_default();
        if length < text.len() {
            return (length, self.end_word(word, token, sink));
        }
        self.token = token;
        self.scratch.clear();
        self.scratch.push_str(word);
        (length, Stop::Input)
    }

    /// Ends a word that arrived in several pieces.
    pub(super) fn end_scratch(&mut self, sink: &mut dyn Sink) -> Stop {
        let word = std::mem::take(&mut self.scratch);
        let token = std::mem::replace(&mut self.token, Token::None);
        let stop = self.end_word(&word, token, sink);
        // Put back for its capacity.
        self.scratch = word;
        stop
    }

    /// Handles a complete word where a value is expected: a number or a literal. Any other word is a fault, which a tolerant
    /// lexer may read as a key.
    fn end_word(&mut self, word: &str, token: Token, sink: &mut dyn Sink) -> Stop {
        let start = self.start;
        let scalar = || match (&token, word) {
            (Token::Number, word) => parse_number(word).map(Value::Number),
            (_, "null") => Some(Value::Null),
            (_, "true") => Some(Value::Bool(true)),
            (_, "false") => Some(Value::Bool(false)),
            _ => None,
        };
        if self.awaits_value()
            && let Some(value) = scalar()
        {
            sink.scalar(value, start);
            return self.value_ends();
        }
        // A word that begins as a number, but is not one, e.g. `01`. Only the first fault is stored: later words are not parsed.
        let may_be_malformed = self.fault.is_none() && !self.awaits_key() && matches!(token, Token::Number);
        let is_malformed_number = may_be_malformed && scalar().is_none();
        let stop = self.record_word(if is_malformed_number { FaultKind::Number } else { FaultKind::Word }, word);
        if self.is_tolerant() { self.foreign_word(word, sink) } else { stop }
    }

    /// Records a word as a fault, if it is the first. Later words are not copied: there may be one for every few bytes.
    fn record_word(&mut self, kind: fn(Box<str>) -> FaultKind, word: &str) -> Stop {
        let start = self.start;
        if self.fault.is_some() { self.after_fault() } else { self.record_fault(kind(word.into()), start) }
    }
}

/// What the innermost list or object expects after a comma.
const fn expect_after_comma(innermost: Container) -> Expect {
    match innermost {
        Container::Array => Expect::Value,
        Container::Object => Expect::Key,
    }
}

/// Whether a character is whitespace or invisible, but neither a space nor a tab. Of these, JSON only allows line breaks.
pub(crate) fn is_blank(char: char) -> bool {
    matches!(char, '\u{feff}' | '\u{200b}' | '\u{2060}') || (char.is_whitespace() && !matches!(char, ' ' | '\t'))
}
