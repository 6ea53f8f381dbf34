//! The incremental JSON tokenizer (RFC 8259).
//!
//! Text is fed in pieces of any size; tokens are sent to a [`Sink`]. The work is linear in the text. There are two modes.
//! **Strict** stops at the first fault. **Tolerant** records the first fault and continues with its best guess, because the
//! tool, the path and the end of a streamed tool block are needed even if the block has a fault. The file `tolerant.rs` has
//! what only that mode reads: comments, other quotes, keys without quotes. The module `store.wasm`, which has no tolerant lexer,
//! does not contain it.

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
pub(crate) use tolerant::{is_quote, is_typographic_double, is_typographic_single};

/// A list or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// `[ ]`
    Array,
    /// `{ }`
    Object,
}

/// The role of a string in its object or list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The key of an entry.
    Key,
    /// A value.
    #[default]
    Value,
}

/// Receives the tokens. An offset counts the bytes fed or skipped before the first byte of the token.
///
/// The lexer takes it as `dyn`: one indirect call for each token costs less than a second lexer in the module.
pub trait Sink {
    /// A list or object begins.
    fn open(&mut self, _container: Container, _offset: usize) {}
    /// The innermost list or object ends. The offset is that after the bracket that ends it.
    fn close(&mut self, _container: Container, _offset: usize) {}
    /// A string begins.
    fn begin_string(&mut self, _role: Role, _offset: usize) {}
    /// A run of the string, with its escapes decoded. A string comes in any number of runs.
    fn text(&mut self, _run: &str) {}
    /// Whether the sink needs the text of the current string. If not, the lexer may call `text` less often or not at all.
    fn takes_text(&self) -> bool {
        true
    }
    /// The string ends.
    fn end_string(&mut self, _role: Role) {}
    /// Whether the last key is a known field. If it is and has quotes, and a value follows directly, a tolerant lexer assumes
    /// that only the colon is missing.
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
    /// Tolerant only: a line and any empty lines after it have ended, so the closing fence of a streamed tool block may follow.
    Line,
    /// The outermost value is complete.
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
    /// After `\u` and up to three digits in a string.
    Unicode,
    /// A word that begins as a number does.
    Number,
    /// Any other word: a literal, or a fault.
    Word,
    /// Tolerant only.
    Comment(Comment),
}

/// The kind of a comment, and how far it was read.
#[derive(Clone, Copy, Debug)]
enum Comment {
    /// A slash, which may begin a comment.
    Slash,
    /// A comment up to the end of the line.
    Line,
    /// A comment after `/*`.
    Block {
        /// Whether the previous character was a star.
        is_after_star: bool,
    },
    /// A beginning of `<!--`, which has this number of characters so far.
    HtmlOpener(usize),
    /// A comment after `<!--`.
    Html {
        /// The number of dashes directly before the next character.
        dashes: usize,
    },
}

/// Whether the crate has tolerant lexers. `store.wasm` has none, so that the compiler drops their code from it.
const HAS_TOLERANT: bool = cfg!(any(feature = "blocks", not(feature = "store")));

/// The state between two pieces of text.
#[derive(Debug, Default)]
pub struct Lexer {
    /// Whether the lexer continues after a fault, and reads what `tolerant.rs` reads.
    tolerant: bool,
    /// How many lists and objects may be nested.
    max_depth: usize,
    /// The lists and objects that have begun and not ended, the outermost first.
    stack: Vec<Container>,
    /// The tokens that the grammar allows after the current one.
    expect: Expect,
    token: Token,
    /// The role of the last string.
    role: Role,
    /// The closing quote of the last string: an ASCII character, or a number that `tolerant.rs` has for typographic quotes.
    quote: u8,
    /// The current number or word, or the digits of an escape. While a run of a string is decoded, a buffer for it.
    scratch: String,
    /// The offset of the current word, or of the backslash of the current `\u` escape.
    start: usize,
    /// See [`Lexer::offset`].
    offset: usize,
    /// The first half of an escaped surrogate pair, if its second half may follow, and the offset of its escape.
    high_surrogate: Option<(u16, usize)>,
    /// The first fault.
    fault: Option<Fault>,
    /// See [`Lexer::is_misled`].
    is_misled: bool,
    /// Whether the last key has no quotes.
    is_key_bare: bool,
    /// See [`Lexer::lone_surrogate`].
    lone_surrogate: Option<usize>,
}

impl Lexer {
    /// A lexer that stops at the first fault. Not inline, so that the module has this constructor once.
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

    /// Whether the text so far certainly ends inside a string in double quotes, outside of escapes and surrogate pairs.
    pub const fn in_sound_string(&self) -> bool {
        matches!(self.token, Token::String) && self.quote == b'"' && self.high_surrogate.is_none() && !self.is_misled
    }

    /// Whether the outermost value is complete.
    pub const fn is_complete(&self) -> bool {
        matches!(self.expect, Expect::End)
    }

    /// The offset of the first escape of a lone surrogate: half of a pair without the other half.
    pub const fn lone_surrogate(&self) -> Option<usize> {
        self.lone_surrogate
    }

    /// The bytes consumed and skipped so far.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Expects another value after a complete one.
    pub const fn restart(&mut self) {
        self.expect = Expect::Value;
    }

    /// Counts bytes outside the JSON, which are not fed, so that offsets stay correct.
    pub const fn skip(&mut self, bytes: usize) {
        self.offset += bytes;
    }

    /// Reads text until it stops; returns the number of bytes consumed and the reason.
    pub fn feed(&mut self, text: &str, sink: &mut dyn Sink) -> (usize, Stop) {
        let base = self.offset;
        let mut consumed = 0;
        let mut stop = Stop::Input;
        while let Some(rest) = text.get(consumed..).filter(|rest| !rest.is_empty()) {
            // Tests count work instead of measuring time.
            count_work(1);
            let (length, token_stop) = self.token(rest, sink);
            consumed += length;
            // Not `+= length`: `string` may have moved the offset already, so that a fault is recorded at its place.
            self.offset = base + consumed;
            if token_stop != Stop::Input {
                stop = token_stop;
                break;
            }
        }
        (consumed, stop)
    }

    /// Ends the text: a pending number or word is complete, an open value is a fault. Returns `Complete`, or how the lexer goes
    /// on after the fault: `Fault` if it is strict, else `Input`.
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

    /// Reads one token, or a part of one; returns the number of bytes consumed and whether the lexer stops. It always consumes at
    /// least one byte, changes `token`, or stops: otherwise `feed` would not end.
    fn token(&mut self, text: &str, sink: &mut dyn Sink) -> (usize, Stop) {
        let first = text.as_bytes().first().copied().unwrap_or_default();
        // A token that is not JSON, e.g. a comment.
        if self.is_tolerant()
            && let Some(length_and_stop) = self.foreign_token(text, first, sink)
        {
            return length_and_stop;
        }
        match self.token {
            // A strict lexer has no comments; a tolerant one has read them above.
            Token::None | Token::Comment(_) => self.structure(text, first, sink),
            Token::String => self.string(text, sink),
            Token::Escape => self.escape(first, sink),
            Token::Unicode => self.unicode(first, sink),
            Token::Number | Token::Word => {
                let length = word_length(text);
                self.scratch.push_str(text.get(..length).unwrap_or_default());
                // At the end of the text, the word may continue in the next piece.
                let stop = if length == text.len() { Stop::Input } else { self.end_scratch(sink) };
                (length, stop)
            }
        }
    }

    /// Stores the fault, if it is the first. Returns how the lexer goes on after a fault.
    fn record_fault(&mut self, kind: FaultKind, offset: usize) -> Stop {
        if self.fault.is_none() {
            self.fault = Some(Fault { kind, offset, expect: self.expect });
        }
        self.after_fault()
    }

    const fn is_tolerant(&self) -> bool {
        HAS_TOLERANT && self.tolerant
    }

    /// `Input` if the lexer continues after a fault, else `Fault`.
    const fn after_fault(&self) -> Stop {
        if self.is_tolerant() { Stop::Input } else { Stop::Fault }
    }
}

/// Whether a text is JSON in which at most `max_depth` lists and objects are nested.
pub(crate) fn is_json(text: &str, max_depth: usize) -> bool {
    read_whole(text, max_depth, &mut NullSink).is_none()
}

/// Reads a text that is one value with whitespace around it; returns its first fault.
pub(super) fn read_whole(text: &str, max_depth: usize, sink: &mut dyn Sink) -> Option<Fault> {
    let mut lexer = Lexer::strict(max_depth);
    let (consumed, mut stop) = lexer.feed(text, sink);
    if stop == Stop::Complete {
        // Only whitespace may follow the value; anything else is a fault.
        (_, stop) = lexer.feed(tail(text, consumed), sink);
    }
    if stop == Stop::Input {
        lexer.finish(sink);
    }
    lexer.fault
}

/// Drops all tokens, for callers that only need the fault.
struct NullSink;

impl Sink for NullSink {
    fn takes_text(&self) -> bool {
        false
    }
}

/// The length in bytes of the first character; 0 for an empty text.
fn char_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// Whether a byte belongs to words: literals, numbers, keys without quotes.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b'+' | b'-')
}

/// The length in bytes of the word at the start of `text`; 0 if none exists.
pub(crate) fn word_length(text: &str) -> usize {
    text.as_bytes().iter().position(|byte| !is_word(*byte)).unwrap_or(text.len())
}

/// The length of the line feed at the start of `text`, with the empty lines after it.
fn blank_lines_length(text: &str) -> usize {
    let blank = text.get(..blanks(text)).unwrap_or_default();
    rfind(blank, [b'\n'; 2]).map_or(blank.len(), |last_line_feed| last_line_feed + 1)
}
