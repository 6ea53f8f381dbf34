//! The incremental JSON tokenizer (RFC 8259).
//!
//! Text goes in in pieces of any size, what stands in it comes out at a [`Sink`]. A piece costs what it is long. Two
//! manners: **strict** stops at the first fault; **tolerant** notes the first fault and goes on with its best guess,
//! because a streamed tool block with a fault in it still has a tool, a path and an end to be found.

mod fault;
mod strings;
mod words;

pub use fault::{Expect, Fault, FaultKind};

pub(crate) use strings::run_length;
use words::is_word;
pub(crate) use words::word_length;

/// A list or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// `[ ]`
    Array,
    /// `{ }`
    Object,
}

/// What a string is: a key, or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The key of an entry.
    Key,
    /// A value.
    Value,
}

/// `null`, `true` or `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
}

/// Receives what the lexer reads. Offsets are bytes from the first byte that was fed.
///
/// The lexer takes it as `dyn`: a call by pointer for each token costs less than a lexer more in the module.
pub trait Sink {
    /// A list or object begins.
    fn open(&mut self, container: Container, offset: usize);
    /// The innermost list or object ends.
    fn close(&mut self, container: Container, offset: usize);
    /// A string begins.
    fn begin_string(&mut self, role: Role, offset: usize);
    /// A run of the string, decoded. A string comes in any number of runs.
    fn text(&mut self, run: &str);
    /// Where the next runs of the string go: the sink need not be called for each if it only gathers them, or drops them.
    fn runs(&mut self) -> Runs<'_> {
        Runs::Sink
    }
    /// The string ends.
    fn end_string(&mut self, role: Role);
    /// A string that came in one run: begin, text and end at once.
    fn string(&mut self, role: Role, text: &str, offset: usize) {
        self.begin_string(role, offset);
        if !text.is_empty() {
            self.text(text);
        }
        self.end_string(role);
    }
    /// A number.
    fn number(&mut self, number: f64, offset: usize);
    /// A literal.
    fn literal(&mut self, literal: Literal, offset: usize);
}

/// Where the runs of a string go.
#[derive(Debug)]
pub enum Runs<'a> {
    /// To [`Sink::text`].
    Sink,
    /// To the end of a text.
    Text(&'a mut String),
    /// Nowhere.
    Nowhere,
}

/// Why [`Lexer::feed`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All of the text was taken.
    Input,
    /// Tolerant only: a line ended where a closing fence may follow.
    Line,
    /// A value is complete.
    Complete,
    /// Strict only: a fault.
    Fault,
}

#[derive(Clone, Copy, Debug)]
enum Token {
    None,
    String { quote: u8, role: Role },
    Escape { quote: u8, role: Role },
    Unicode { quote: u8, role: Role, digits: u8, unit: u16 },
    Number,
    Word,
    Slash,
    LineComment,
    BlockComment { star: bool },
}

/// The state between two pieces of text.
#[derive(Debug)]
pub struct Lexer {
    tolerant: bool,
    max_depth: usize,
    stack: Vec<Container>,
    expect: Expect,
    token: Token,
    /// The number or word that is being read.
    scratch: String,
    /// Where the token began.
    start: usize,
    offset: usize,
    /// The first half of an escaped surrogate pair.
    high: Option<u16>,
    fault: Option<Fault>,
    misled: bool,
    lone_surrogate: Option<usize>,
}

impl Lexer {
    /// A lexer that stops at the first fault.
    #[must_use]
    pub const fn strict(max_depth: usize) -> Self {
        Self {
            tolerant: false,
            max_depth,
            stack: Vec::new(),
            expect: Expect::Value,
            token: Token::None,
            scratch: String::new(),
            start: 0,
            offset: 0,
            high: None,
            fault: None,
            misled: false,
            lone_surrogate: None,
        }
    }

    /// A lexer that notes the first fault and goes on.
    #[must_use]
    pub const fn tolerant(max_depth: usize) -> Self {
        let mut lexer = Self::strict(max_depth);
        lexer.tolerant = true;
        lexer
    }

    /// The first fault.
    #[must_use]
    pub const fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Whether faults make it doubtful what is inside a string and what is not.
    #[must_use]
    pub const fn is_misled(&self) -> bool {
        self.misled
    }

    /// Whether the text so far ends inside a string.
    #[must_use]
    pub const fn in_string(&self) -> bool {
        matches!(self.token, Token::String { .. } | Token::Escape { .. } | Token::Unicode { .. })
    }

    /// Whether the text so far ends inside a string, neither in an escape nor between two halves of a pair, and no fault
    /// makes that doubtful.
    #[must_use]
    pub const fn in_sound_string(&self) -> bool {
        matches!(self.token, Token::String { quote: b'"', .. }) && self.high.is_none() && !self.misled
    }

    /// Whether a value is complete.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        matches!(self.expect, Expect::End)
    }

    /// Where the first escape of a lone surrogate stands.
    #[must_use]
    pub const fn lone_surrogate(&self) -> Option<usize> {
        self.lone_surrogate
    }

    /// Bytes taken so far.
    #[must_use]
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

    /// Takes text until it stops, and tells how many bytes were taken and why it stopped.
    pub fn feed(&mut self, text: &str, sink: &mut dyn Sink) -> (usize, Stop) {
        let base = self.offset;
        let mut place = 0;
        let mut stop = Stop::Input;
        while let Some(rest) = text.get(place..).filter(|rest| !rest.is_empty()) {
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
            Token::String { quote, role } => self.string(text, quote, role, sink),
            Token::Escape { quote, role } => self.escape(first, quote, role, sink),
            Token::Unicode { quote, role, digits, unit } => self.unicode(first, quote, role, (digits, unit), sink),
            Token::Number | Token::Word => {
                let taken = word_length(text);
                self.scratch.push_str(text.get(..taken).unwrap_or_default());
                if taken == text.len() { (taken, Stop::Input) } else { (taken, self.end_scratch(sink)) }
            }
            Token::Slash => {
                self.token = match first {
                    b'/' => Token::LineComment,
                    b'*' => Token::BlockComment { star: false },
                    _ => Token::None,
                };
                (usize::from(!matches!(self.token, Token::None)), Stop::Input)
            }
            Token::LineComment => match text.find('\n') {
                None => (text.len(), Stop::Input),
                Some(end) => {
                    self.token = Token::None;
                    (end, Stop::Input)
                }
            },
            Token::BlockComment { star } => {
                self.token = match first {
                    b'/' if star => Token::None,
                    _ => Token::BlockComment { star: first == b'*' },
                };
                let line = first == b'\n' && self.tolerant;
                (char_len(text), if line { Stop::Line } else { Stop::Input })
            }
        }
    }

    fn structure(&mut self, text: &str, first: u8, sink: &mut dyn Sink) -> (usize, Stop) {
        let stop = match first {
            b' ' | b'\t' | b'\r' => {
                let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
                return (text.as_bytes().iter().position(|byte| !blank(byte)).unwrap_or(text.len()), Stop::Input);
            }
            b'\n' => return (1, if self.tolerant { Stop::Line } else { Stop::Input }),
            b'{' => self.open(Container::Object, sink),
            b'[' => self.open(Container::Array, sink),
            b'}' => self.close(Container::Object, sink),
            b']' => self.close(Container::Array, sink),
            b',' => self.punctuation(matches!(self.expect, Expect::CommaOrClose(_)), ',', |top| match top {
                Container::Array => Expect::Value,
                Container::Object => Expect::Key,
            }),
            b':' => self.punctuation(matches!(self.expect, Expect::Colon), ':', |_| Expect::Value),
            b'"' => match self.whole_string(text, sink) {
                Some(taken) => return taken,
                None => self.begin_string(b'"', sink),
            },
            b'\'' if self.tolerant => {
                self.note(FaultKind::Unexpected('\''), self.offset);
                self.begin_string(b'\'', sink)
            }
            b'/' if self.tolerant => {
                self.token = Token::Slash;
                self.note(FaultKind::Comment, self.offset)
            }
            b'#' if self.tolerant => {
                self.doubt();
                self.token = Token::LineComment;
                self.note(FaultKind::Comment, self.offset)
            }
            b'=' if self.tolerant && matches!(self.expect, Expect::Colon) => {
                self.expect = Expect::Value;
                self.note(FaultKind::Unexpected('='), self.offset)
            }
            b'-' | b'0'..=b'9' => return self.begin_word(text, Token::Number, sink),
            _ if is_word(first) => return self.begin_word(text, Token::Word, sink),
            _ => {
                let char = text.chars().next().unwrap_or_default();
                // A quote of another kind, a backslash before one: what they enclose is not seen. Blanks and the rest of
                // an arrow enclose nothing.
                let is_arrow = char == '>' && matches!(self.expect, Expect::Value);
                self.misled |= !is_arrow && !is_blank(char);
                self.note(FaultKind::Unexpected(char), self.offset)
            }
        };
        if stop == Stop::Fault { (0, stop) } else { (char_len(text), stop) }
    }

    fn open(&mut self, container: Container, sink: &mut dyn Sink) -> Stop {
        if !matches!(self.expect, Expect::Value | Expect::ValueOrClose) {
            self.doubt();
            let char = if container == Container::Object { '{' } else { '[' };
            if self.note(FaultKind::Unexpected(char), self.offset) == Stop::Fault {
                return Stop::Fault;
            }
        }
        if self.stack.len() >= self.max_depth {
            // Without a place on the stack its end would not be known either.
            self.misled = true;
            return self.note(FaultKind::TooDeep(self.max_depth), self.offset);
        }
        self.stack.push(container);
        sink.open(container, self.offset);
        self.expect = match container {
            Container::Array => Expect::ValueOrClose,
            Container::Object => Expect::KeyOrClose,
        };
        Stop::Input
    }

    fn close(&mut self, container: Container, sink: &mut dyn Sink) -> Stop {
        let fits = self.stack.last() == Some(&container);
        let due = match container {
            Container::Array => matches!(self.expect, Expect::CommaOrClose(_) | Expect::ValueOrClose),
            Container::Object => matches!(self.expect, Expect::CommaOrClose(_) | Expect::KeyOrClose),
        };
        if !fits || !due {
            self.doubt_key();
            let char = if container == Container::Object { '}' } else { ']' };
            let trailing = fits && matches!(self.expect, Expect::Key | Expect::Value);
            let kind = if trailing { FaultKind::TrailingComma(char) } else { FaultKind::Unexpected(char) };
            if self.note(kind, self.offset) == Stop::Fault {
                return Stop::Fault;
            }
        }
        // A closer that fits none of the open ones is passed over; one that fits an outer one closes the inner ones.
        let Some(depth) = self.stack.iter().rposition(|open| *open == container) else { return Stop::Input };
        while self.stack.len() > depth {
            if let Some(open) = self.stack.pop() {
                sink.close(open, self.offset + 1);
            }
        }
        self.value_ends()
    }

    fn punctuation(&mut self, due: bool, char: char, next: fn(Container) -> Expect) -> Stop {
        let mut stop = Stop::Input;
        if !due {
            if char == ',' {
                self.doubt_key();
            }
            stop = self.note(FaultKind::Unexpected(char), self.offset);
        }
        if let Some(&top) = self.stack.last() {
            self.expect = next(top);
        }
        stop
    }

    fn value_ends(&mut self) -> Stop {
        match self.stack.last() {
            Some(&top) => {
                self.expect = Expect::CommaOrClose(top);
                Stop::Input
            }
            None => {
                self.expect = Expect::End;
                Stop::Complete
            }
        }
    }

    /// Something stands where a comma, a colon or an end should: an unescaped quote may have ended a string too early.
    fn doubt(&mut self) {
        self.misled |= matches!(self.expect, Expect::Colon | Expect::CommaOrClose(_));
    }

    /// What was taken for a key has no colon.
    fn doubt_key(&mut self) {
        self.misled |= matches!(self.expect, Expect::Colon);
    }

    fn note(&mut self, kind: FaultKind, offset: usize) -> Stop {
        if self.fault.is_none() {
            self.fault = Some(Fault { kind, offset, expect: self.expect });
        }
        if self.tolerant { Stop::Input } else { Stop::Fault }
    }
}

/// A blank that JSON does not know.
pub(crate) fn is_blank(char: char) -> bool {
    matches!(char, '\u{feff}' | '\u{200b}' | '\u{2060}') || (char.is_whitespace() && !matches!(char, ' ' | '\t'))
}

/// Whether a text is JSON, nested no deeper than so many lists and objects.
pub(crate) fn is_json(text: &str, max_depth: usize) -> bool {
    let mut lexer = Lexer::strict(max_depth);
    let (taken, mut stop) = lexer.feed(text, &mut Nobody);
    if stop == Stop::Complete {
        stop = lexer.feed(text.get(taken..).unwrap_or_default(), &mut Nobody).1;
    }
    stop != Stop::Fault && lexer.finish(&mut Nobody) == Stop::Complete
}

/// Hears nothing.
struct Nobody;

impl Sink for Nobody {
    fn open(&mut self, _: Container, _: usize) {}
    fn close(&mut self, _: Container, _: usize) {}
    fn begin_string(&mut self, _: Role, _: usize) {}
    fn text(&mut self, _: &str) {}
    fn runs(&mut self) -> Runs<'_> {
        Runs::Nowhere
    }
    fn end_string(&mut self, _: Role) {}
    fn number(&mut self, _: f64, _: usize) {}
    fn literal(&mut self, _: Literal, _: usize) {}
}

fn char_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}
