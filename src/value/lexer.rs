//! The incremental JSON tokenizer (RFC 8259).
//!
//! Text goes in in pieces of any size, what stands in it comes out at a [`Sink`]. A piece costs what it is long. Two
//! manners: **strict** stops at the first fault; **tolerant** notes the first fault and goes on with its best guess,
//! because a streamed tool block with a fault in it still has a tool, a path and an end to be found.

mod fault;
mod strings;
mod structure;

pub(crate) use fault::Expect;
pub use fault::{Fault, FaultKind};

use super::Value;
use super::scan::blanks;
use super::text::{find, rfind, tail};
use crate::counted::looked_at;
pub(crate) use strings::{has_one_stroke, has_two_strokes, is_quote};
pub(crate) use structure::is_blank;

/// A list or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// `[ ]`
    Array,
    /// `{ }`
    Object,
}

/// What a string is: a key, or a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The key of an entry.
    Key,
    /// A value.
    #[default]
    Value,
}

/// Receives what the lexer reads. Offsets are bytes from the first byte that was fed.
///
/// The lexer takes it as `dyn`: a call by pointer for each token costs less than a lexer more in the module.
pub trait Sink {
    /// A list or object begins.
    fn open(&mut self, _container: Container, _offset: usize) {}
    /// The innermost list or object ends.
    fn close(&mut self, _container: Container, _offset: usize) {}
    /// A string begins.
    fn begin_string(&mut self, _role: Role, _offset: usize) {}
    /// A run of the string, decoded. A string comes in any number of runs.
    fn text(&mut self, _run: &str) {}
    /// Whether the next runs of the string are of use.
    fn takes_text(&self) -> bool {
        true
    }
    /// The string ends.
    fn end_string(&mut self, _role: Role) {}
    /// Whether the last key is one of those that are looked for: then a value after it only lacks its colon.
    fn knows_key(&self) -> bool {
        false
    }
    /// A string that came in one run: begin, text and end at once.
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

/// Why [`Lexer::feed`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All of the text was taken.
    Input,
    /// Tolerant only: a line ended, and the empty ones after it, where a fence may follow.
    Line,
    /// A value is complete.
    Complete,
    /// Strict only: a fault.
    Fault,
}

#[derive(Clone, Copy, Debug, Default)]
enum Token {
    #[default]
    None,
    String,
    Escape,
    Unicode,
    Number,
    Word,
    Slash,
    LineComment,
    /// Whether a star comes before what comes next.
    BlockComment(bool),
    /// `<!--` as far as it has come.
    Tag(usize),
    /// How many dashes come before what comes next.
    HtmlComment(usize),
}

/// The state between two pieces of text.
#[derive(Debug, Default)]
pub struct Lexer {
    tolerant: bool,
    max_depth: usize,
    stack: Vec<Container>,
    expect: Expect,
    token: Token,
    /// What the last string is, and in which quotes.
    role: Role,
    quote: u8,
    /// The number, the word, or the digits of an escape that are being read.
    scratch: String,
    /// Where that began.
    start: usize,
    offset: usize,
    /// The first half of an escaped surrogate pair, and where its escape stands.
    high: Option<(u16, usize)>,
    fault: Option<Fault>,
    misled: bool,
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

    /// A lexer that notes the first fault and goes on.
    pub fn tolerant(max_depth: usize) -> Self {
        Self { tolerant: true, ..Self::strict(max_depth) }
    }

    /// The first fault.
    pub const fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Whether faults make it doubtful what is inside a string and what is not.
    pub const fn is_misled(&self) -> bool {
        self.misled
    }

    /// Whether the text so far ends inside a string.
    pub const fn in_string(&self) -> bool {
        matches!(self.token, Token::String | Token::Escape | Token::Unicode)
    }

    /// Whether the text so far ends inside a string, not in an escape or a pair, and no fault makes that doubtful.
    pub const fn in_sound_string(&self) -> bool {
        matches!(self.token, Token::String) && self.quote == b'"' && self.high.is_none() && !self.misled
    }

    /// Whether a value is complete.
    pub const fn is_complete(&self) -> bool {
        matches!(self.expect, Expect::End)
    }

    /// Where the first escape of a lone surrogate stands.
    pub const fn lone_surrogate(&self) -> Option<usize> {
        self.lone_surrogate
    }

    /// Bytes taken so far.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Gets ready for another value after a complete one.
    pub const fn restart(&mut self) {
        self.expect = Expect::Value;
    }

    /// Passes over text that is none of the lexer's business, so that offsets stay true.
    pub const fn skip(&mut self, bytes: usize) {
        self.offset += bytes;
    }

    /// How much of a text says nothing to the sink by itself, and stops nothing: blanks, a word, a comment.
    pub(crate) fn silence(&self, text: &str) -> usize {
        let bytes = text.as_bytes();
        match self.token {
            Token::None if bytes.first().is_some_and(|byte| is_word(*byte)) => word_length(text),
            Token::None => blanks(text),
            Token::Number | Token::Word => word_length(text),
            Token::LineComment => find(text, "\n").unwrap_or(text.len()),
            Token::BlockComment(star) => comment_length(bytes, star),
            _ => 0,
        }
    }

    /// Takes text until it stops, and tells how many bytes were taken and why it stopped.
    pub fn feed(&mut self, text: &str, sink: &mut dyn Sink) -> (usize, Stop) {
        let base = self.offset;
        let mut place = 0;
        let mut stop = Stop::Input;
        while let Some(rest) = text.get(place..).filter(|rest| !rest.is_empty()) {
            looked_at(1);
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

    /// Tells the lexer that the text ends here: a number that was open is complete, an open value is a fault.
    pub fn finish(&mut self, sink: &mut dyn Sink) -> Stop {
        if matches!(self.token, Token::Number | Token::Word) && self.end_scratch(sink) == Stop::Fault {
            return Stop::Fault;
        }
        if self.is_complete() {
            return Stop::Complete;
        }
        let kind = if self.in_string() { FaultKind::OpenString } else { FaultKind::UnexpectedEnd };
        self.note(kind, self.offset)
    }

    /// Reads one token, or a run of one. Always takes at least one byte, or changes the kind of token.
    fn token(&mut self, text: &str, sink: &mut dyn Sink) -> (usize, Stop) {
        let first = text.as_bytes().first().copied().unwrap_or_default();
        match self.token {
            Token::None => self.structure(text, first, sink),
            Token::String => self.string(text, sink),
            Token::Escape => self.escape(first, sink),
            Token::Unicode => self.unicode(first, sink),
            Token::Number | Token::Word => {
                let taken = word_length(text);
                self.scratch.push_str(text.get(..taken).unwrap_or_default());
                if taken == text.len() { (taken, Stop::Input) } else { (taken, self.end_scratch(sink)) }
            }
            Token::Slash => {
                self.token = match first {
                    b'/' => Token::LineComment,
                    b'*' => Token::BlockComment(false),
                    _ => Token::None,
                };
                (usize::from(!matches!(self.token, Token::None)), Stop::Input)
            }
            Token::LineComment => match find(text, "\n") {
                None => (text.len(), Stop::Input),
                Some(end) => {
                    self.token = Token::None;
                    (end, Stop::Input)
                }
            },
            Token::BlockComment(star) => {
                let run = comment_length(text.as_bytes(), star);
                if run > 0 {
                    self.token = Token::BlockComment(false);
                    return (run, Stop::Input);
                }
                self.token = match first {
                    b'/' if star => Token::None,
                    _ => Token::BlockComment(first == b'*'),
                };
                (1, if first == b'\n' { Stop::Line } else { Stop::Input })
            }
            Token::Tag(length) => {
                self.token = match b"<!--".get(length) {
                    Some(due) if *due != first => {
                        self.misled = true;
                        Token::None
                    }
                    _ if length < 3 => Token::Tag(length + 1),
                    _ => Token::HtmlComment(0),
                };
                (usize::from(!matches!(self.token, Token::None)), Stop::Input)
            }
            Token::HtmlComment(dashes) => {
                let run = text.bytes().position(|byte| matches!(byte, b'-' | b'>' | b'\n')).unwrap_or(text.len());
                self.token = match first {
                    _ if run > 0 => Token::HtmlComment(0),
                    b'-' => Token::HtmlComment(dashes + 1),
                    b'>' if dashes >= 2 => Token::None,
                    _ => Token::HtmlComment(0),
                };
                (run.max(1), if first == b'\n' { Stop::Line } else { Stop::Input })
            }
        }
    }

    fn note(&mut self, kind: FaultKind, offset: usize) -> Stop {
        if self.fault.is_none() {
            self.fault = Some(Fault { kind, offset, expect: self.expect });
        }
        self.after_fault()
    }

    const fn after_fault(&self) -> Stop {
        if self.tolerant { Stop::Input } else { Stop::Fault }
    }
}

/// Whether a text is JSON, nested no deeper than so many lists and objects.
pub(crate) fn is_json(text: &str, max_depth: usize) -> bool {
    read_whole(text, max_depth, &mut NullSink).is_none()
}

/// Reads a text that is one value, with blanks around it; returns its first fault.
pub(super) fn read_whole(text: &str, max_depth: usize, sink: &mut dyn Sink) -> Option<Fault> {
    let mut lexer = Lexer::strict(max_depth);
    let (taken, mut stop) = lexer.feed(text, sink);
    if stop == Stop::Complete {
        // After the value there may be blanks; of anything else the lexer says what it expected.
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

/// How far a block comment goes on before something that may end it, or its line.
fn comment_length(bytes: &[u8], star: bool) -> usize {
    let ends = |byte: &u8| matches!(byte, b'*' | b'\n');
    if star && bytes.first() == Some(&b'/') { 0 } else { bytes.iter().position(ends).unwrap_or(bytes.len()) }
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

/// How long a line feed is that stands at the beginning, with the empty lines after it.
fn lines(text: &str) -> usize {
    let empty = text.get(..blanks(text)).unwrap_or_default();
    rfind(empty, [b'\n'; 2]).map_or(empty.len(), |last| last + 1)
}
