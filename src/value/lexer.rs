//! The incremental JSON tokenizer (RFC 8259).
//!
//! Text is fed in pieces of any size; tokens are sent to a [`Sink`]. The work is linear in the text. There are two modes.
//! **Strict** stops at the first fault. **Tolerant** records the first fault and continues with its best guess, because the
//! tool, the path and the end of a streamed tool block are needed even if the block has a fault. The layer `tolerant` has
//! what only that mode reads: comments, other quotes, keys without quotes. A module without a tolerant lexer does not
//! contain it.

mod fault;
mod strings;
mod structure;
mod tolerant;

pub(crate) use fault::Expect;
pub use fault::{Fault, FaultKind};

use super::Value;
use super::scan::blanks;
use super::text::{rfind, tail};
use crate::counted::count_work;
pub(crate) use structure::is_blank;
pub(crate) use tolerant::{has_one_stroke, has_two_strokes, is_quote};

/// A list or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// `[ ]`
    Array,
    /// `{ }`
    Object,
}

/// The role of a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The key of an entry.
    Key,
    /// A value.
    #[default]
    Value,
}

/// Receives the tokens. Offsets are bytes from the first byte that was fed.
///
/// The lexer takes it as `dyn`: one indirect call for each token costs less than a second lexer in the module.
pub trait Sink {
    /// A list or object begins.
    fn open(&mut self, _container: Container, _offset: usize) {}
    /// The innermost list or object ends.
    fn close(&mut self, _container: Container, _offset: usize) {}
    /// A string begins.
    fn begin_string(&mut self, _role: Role, _offset: usize) {}
    /// A run of the string, decoded. A string comes in any number of runs.
    fn text(&mut self, _run: &str) {}
    /// Whether the sink needs the text of the current string.
    fn takes_text(&self) -> bool {
        true
    }
    /// The string ends.
    fn end_string(&mut self, _role: Role) {}
    /// Whether the last key is a known field: then a value directly after it only lacks its colon.
    fn knows_key(&self) -> bool {
        false
    }
    /// A string that arrived in one run: begin, text and end at once.
    fn string(&mut self, role: Role, text: &str, offset: usize) {
        self.begin_string(role, offset);
        if !text.is_empty() {
            self.text(text);
        }
        self.end_string(role);
    }
    /// A number, or `null`, `true` or `false`.
    fn scalar(&mut self, _value: Value, _offset: usize) {}
}

/// Why [`Lexer::feed`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All of the text was consumed.
    Input,
    /// Tolerant only: a line and any empty lines after it have ended, so a fence may follow.
    Line,
    /// A value is complete.
    Complete,
    /// Strict only: a fault.
    Fault,
}

/// The token that the next byte continues.
#[derive(Clone, Copy, Debug, Default)]
enum Token {
    /// The next byte is outside of tokens.
    #[default]
    None,
    String,
    /// After the backslash in a string.
    Escape,
    /// After `\u` in a string.
    Unicode,
    Number,
    Word,
    /// Tolerant only.
    Comment(Comment),
}

/// How far a comment was read.
#[derive(Clone, Copy, Debug)]
enum Comment {
    /// A slash, which may begin a comment.
    Slash,
    Line,
    /// Whether the previous character was a star.
    Block(bool),
    /// The number of characters of `<!--` so far.
    Tag(usize),
    /// An HTML comment, with the number of dashes before the next character.
    Html(usize),
}

/// Whether the crate has tolerant lexers. `store.wasm` has none, so the layer `tolerant` is not in it.
const HAS_TOLERANT: bool = cfg!(any(feature = "blocks", not(feature = "store")));

/// The state between two pieces of text.
#[derive(Debug, Default)]
pub struct Lexer {
    tolerant: bool,
    max_depth: usize,
    stack: Vec<Container>,
    expect: Expect,
    token: Token,
    /// The role of the last string, and its quote.
    role: Role,
    quote: u8,
    /// The current number, word, or digits of an escape.
    scratch: String,
    /// The offset at which `scratch` began.
    start: usize,
    offset: usize,
    /// The first half of an escaped surrogate pair, and the offset of its escape.
    high: Option<(u16, usize)>,
    fault: Option<Fault>,
    /// See [`Lexer::is_misled`].
    is_misled: bool,
    /// The last key has no quotes.
    bare_key: bool,
    lone_surrogate: Option<usize>,
}

impl Lexer {
    /// A lexer that stops at the first fault.
    #[inline(never)]
    pub fn strict(max_depth: usize) -> Self {
        Self { max_depth, ..Self::default() }
    }

    /// The first fault.
    pub const fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Whether faults make it unknown which text is inside strings.
    pub const fn is_misled(&self) -> bool {
        self.is_misled
    }

    /// Whether the text so far ends inside a string, as far as the lexer can tell.
    pub const fn in_string(&self) -> bool {
        matches!(self.token, Token::String | Token::Escape | Token::Unicode)
    }

    /// Whether the text so far certainly ends inside a string, outside of escapes and surrogate pairs.
    pub const fn in_sound_string(&self) -> bool {
        matches!(self.token, Token::String) && self.quote == b'"' && self.high.is_none() && !self.is_misled
    }

    /// Whether a value is complete.
    pub const fn is_complete(&self) -> bool {
        matches!(self.expect, Expect::End)
    }

    /// The offset of the first escape of a lone surrogate.
    pub const fn lone_surrogate(&self) -> Option<usize> {
        self.lone_surrogate
    }

    /// Bytes consumed so far.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Expects another value after a complete one.
    pub const fn restart(&mut self) {
        self.expect = Expect::Value;
    }

    /// Skips bytes outside the JSON, so that offsets stay correct.
    pub const fn skip(&mut self, bytes: usize) {
        self.offset += bytes;
    }

    /// Reads text until it stops; returns the number of bytes consumed and the reason.
    pub fn feed(&mut self, text: &str, sink: &mut dyn Sink) -> (usize, Stop) {
        let base = self.offset;
        let mut place = 0;
        let mut stop = Stop::Input;
        while let Some(rest) = text.get(place..).filter(|rest| !rest.is_empty()) {
            count_work(1);
            let (taken, next) = self.token(rest, sink);
            place += taken;
            self.offset = base + place;
            if next != Stop::Input {
                stop = next;
                break;
            }
        }
        (place, stop)
    }

    /// Ends the text: a pending number is complete, an open value is a fault.
    pub fn finish(&mut self, sink: &mut dyn Sink) -> Stop {
        if matches!(self.token, Token::Number | Token::Word) && self.end_scratch(sink) == Stop::Fault {
            return Stop::Fault;
        }
        if self.is_complete() {
            return Stop::Complete;
        }
        let kind = if self.in_string() { FaultKind::OpenString } else { FaultKind::UnexpectedEnd };
        self.record_fault(kind, self.offset)
    }

    /// Reads one token, or a run of one. Always consumes at least one byte or changes `token`.
    fn token(&mut self, text: &str, sink: &mut dyn Sink) -> (usize, Stop) {
        let first = text.as_bytes().first().copied().unwrap_or_default();
        if self.is_tolerant()
            && let Some(taken) = self.foreign_token(text, first, sink)
        {
            return taken;
        }
        match self.token {
            Token::None | Token::Comment(_) => self.structure(text, first, sink),
            Token::String => self.string(text, sink),
            Token::Escape => self.escape(first, sink),
            Token::Unicode => self.unicode(first, sink),
            Token::Number | Token::Word => {
                let taken = word_length(text);
                self.scratch.push_str(text.get(..taken).unwrap_or_default());
                if taken == text.len() { (taken, Stop::Input) } else { (taken, self.end_scratch(sink)) }
            }
        }
    }

    /// Stores the first fault. Returns how the lexer goes on after a fault.
    fn record_fault(&mut self, kind: FaultKind, offset: usize) -> Stop {
        if self.fault.is_none() {
            self.fault = Some(Fault { kind, offset, expect: self.expect });
        }
        self.after_fault()
    }

    const fn is_tolerant(&self) -> bool {
        HAS_TOLERANT && self.tolerant
    }

    const fn after_fault(&self) -> Stop {
        if self.is_tolerant() { Stop::Input } else { Stop::Fault }
    }
}

/// Whether a text is JSON that is nested at most `max_depth` levels.
pub(crate) fn is_json(text: &str, max_depth: usize) -> bool {
    read_whole(text, max_depth, &mut NullSink).is_none()
}

/// Reads a text that is one value with whitespace around it; returns its first fault.
pub(super) fn read_whole(text: &str, max_depth: usize, sink: &mut dyn Sink) -> Option<Fault> {
    let mut lexer = Lexer::strict(max_depth);
    let (taken, mut stop) = lexer.feed(text, sink);
    if stop == Stop::Complete {
        // Only whitespace may follow the value; anything else is a fault.
        stop = lexer.feed(tail(text, taken), sink).1;
    }
    if stop == Stop::Input {
        lexer.finish(sink);
    }
    lexer.fault
}

struct NullSink;

impl Sink for NullSink {
    fn takes_text(&self) -> bool {
        false
    }
}

fn char_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b'+' | b'-')
}

pub(crate) fn word_length(text: &str) -> usize {
    text.as_bytes().iter().position(|byte| !is_word(*byte)).unwrap_or(text.len())
}

/// The length of the line feed at the start of `text`, with the empty lines after it.
fn lines(text: &str) -> usize {
    let empty = text.get(..blanks(text)).unwrap_or_default();
    rfind(empty, [b'\n'; 2]).map_or(empty.len(), |last| last + 1)
}
