//! Recognizes fences: one line, read byte by byte, until it is clear whether it is a fence, and of which kind.
//!
//! A fence stands after up to three blanks, and behind a value after any number of them: three or more of one mark, then
//! an info string. Everything that looks for fences (openers in text, the ends of code fences, the ends of blocks) asks the
//! same [`FenceLine`].

use crate::counted::looked_at;
use crate::value::text::{rfind, tail};

/// The marks of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    mark: u8,
    length: usize,
}

impl Fence {
    /// Whether as many marks stand side by side somewhere in a text.
    pub(super) fn is_in(self, text: &str) -> bool {
        text.as_bytes().split(|byte| *byte != self.mark).any(|run| run.len() >= self.length)
    }

    /// The fence as a line.
    pub(super) fn text(self) -> String {
        std::iter::repeat_n(char::from(self.mark), self.length).collect()
    }
}

/// What the info string announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Info {
    /// Nothing.
    Empty,
    /// `json`, `jsonc` or `json5`.
    Json,
    /// Another language.
    Other,
}

/// A line that says no more within so many bytes is held back no longer.
const MAX_HELD: usize = 1024;

#[derive(Clone, Copy, Debug)]
enum LineState {
    Indent(u8),
    Marks,
    /// Blanks after the marks.
    Gap,
    /// So many letters of the first word of the info string, which so far may be `json`, `jsonc` or `json5`.
    Word(u8),
    /// After the first word.
    Rest(Info),
    /// No fence.
    Not,
}

/// A line as far as it has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct FenceLine {
    state: LineState,
    /// Whether only fences without an info string count.
    is_bare: bool,
    fence: Fence,
    bytes: usize,
}

impl FenceLine {
    /// A line that has not begun.
    pub(super) const fn start() -> Self {
        Self { state: LineState::Indent(0), is_bare: false, fence: Fence { mark: 0, length: 0 }, bytes: 0 }
    }

    /// What is left of a line after a value: a closing fence may stand there, an opener may not.
    pub(super) const fn after_value() -> Self {
        Self { is_bare: true, ..Self::start() }
    }

    /// A line that cannot be a fence any more.
    pub(super) const fn middle() -> Self {
        Self { state: LineState::Not, ..Self::start() }
    }

    /// The line with which a text ends.
    pub(super) fn last_of(text: &str) -> Self {
        let mut line = Self::start();
        line.go_on(text);
        line
    }

    /// Goes on to the line with which more text ends.
    pub(super) fn go_on(&mut self, text: &str) {
        let mut rest = text;
        if let Some(end) = rfind(text, [b'\n'; 2]) {
            *self = Self::start();
            rest = tail(text, end + 1);
        }
        for byte in rest.bytes() {
            if self.is_plain() {
                break;
            }
            self.push(byte);
        }
    }

    /// Whether it is certain that this is no fence.
    pub(super) const fn is_plain(&self) -> bool {
        matches!(self.state, LineState::Not)
    }

    /// Whether the line has begun like a fence.
    pub(super) const fn has_marks(&self) -> bool {
        !matches!(self.state, LineState::Indent(_) | LineState::Not)
    }

    /// Whether the line may yet become a bare fence or the opener of a JSON block.
    pub(super) const fn may_matter(&self) -> bool {
        !matches!(self.state, LineState::Not | LineState::Rest(Info::Other))
    }

    /// How many bytes there are from the first mark on.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The next byte of the line, which is no line feed.
    pub(super) fn push(&mut self, byte: u8) {
        looked_at(1);
        let blank = matches!(byte, b' ' | b'\t' | b'\r');
        if byte == self.fence.mark && byte == b'`' && !matches!(self.state, LineState::Marks) {
            // Backticks in an info string: this is inline code.
            self.state = LineState::Not;
        }
        self.state = match self.state {
            LineState::Indent(blanks) if byte == b' ' && blanks < 3 => {
                self.state = LineState::Indent(blanks + 1);
                return;
            }
            LineState::Indent(_) if blank && self.is_bare => return,
            LineState::Indent(_) if matches!(byte, b'`' | b'~') => {
                self.fence = Fence { mark: byte, length: 1 };
                LineState::Marks
            }
            LineState::Indent(_) | LineState::Not => {
                self.state = LineState::Not;
                return;
            }
            LineState::Marks if byte == self.fence.mark => {
                self.fence.length += 1;
                LineState::Marks
            }
            LineState::Marks if self.fence.length < 3 => LineState::Not,
            LineState::Marks | LineState::Gap if blank => LineState::Gap,
            LineState::Marks | LineState::Gap if self.is_bare => LineState::Not,
            LineState::Marks | LineState::Gap => word(0, byte),
            LineState::Word(length) if blank || byte == b'{' => LineState::Rest(language(length)),
            LineState::Word(length) => word(length, byte),
            LineState::Rest(info) => LineState::Rest(info),
        };
        self.bytes += 1;
        if self.bytes > MAX_HELD && self.may_matter() {
            self.state =
                if matches!(self.state, LineState::Marks) { LineState::Not } else { LineState::Rest(Info::Other) };
        }
    }

    /// What the line is, if it ends here.
    pub(super) fn end(&self) -> Option<(Fence, Info)> {
        let info = match self.state {
            LineState::Indent(_) | LineState::Not => return None,
            LineState::Marks | LineState::Gap => Info::Empty,
            LineState::Word(length) => language(length),
            LineState::Rest(info) => info,
        };
        (self.fence.length >= 3).then_some((self.fence, info))
    }

    /// Whether the line, if it ends here, closes what `open` opened.
    pub(super) fn closes(&self, open: Option<Fence>) -> bool {
        let (Some(open), Some((fence, Info::Empty))) = (open, self.end()) else { return false };
        fence.mark == open.mark && fence.length >= open.length
    }

    /// Whether the line, if it ends here, opens a JSON block.
    pub(super) fn opens_json(&self) -> bool {
        matches!(self.end(), Some((_, Info::Json)))
    }
}

const fn word(length: u8, byte: u8) -> LineState {
    match (length, byte.to_ascii_lowercase()) {
        (0, b'j') | (1, b's') | (2, b'o') | (3, b'n') | (4, b'c' | b'5') => LineState::Word(length + 1),
        _ => LineState::Rest(Info::Other),
    }
}

const fn language(length: u8) -> Info {
    if length >= 4 { Info::Json } else { Info::Other }
}
