//! Recognizes fences: reads one line byte by byte until it is clear whether it is a fence, and of which kind.
//!
//! A fence follows up to three blanks, or any number of them after a value: three or more of one mark, then an info string.
//! Everything that looks for fences (openers in text, the ends of code fences, the ends of blocks) uses the same
//! [`FenceLine`].

use crate::counted::looked_at;
use crate::value::text::{rfind, tail};

/// The marks of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    mark: u8,
    length: usize,
}

impl Fence {
    /// A fence of this many backticks.
    pub(super) const fn backticks(length: usize) -> Self {
        Self { mark: b'`', length }
    }

    /// Whether a text contains a run of at least as many marks.
    pub(super) fn is_in(self, text: &str) -> bool {
        text.as_bytes().split(|byte| *byte != self.mark).any(|run| run.len() >= self.length)
    }

    /// The fence as a line.
    pub(super) fn text(self) -> String {
        std::iter::repeat_n(char::from(self.mark), self.length).collect()
    }
}

/// The language that the info string names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Info {
    /// The info string is empty.
    Empty,
    /// JSON, or calls of tools.
    Json,
    /// JavaScript: an object literal may be a call.
    Script,
    /// Another language.
    Other,
}

impl Info {
    /// Whether a block with this info string is read only as long as it looks like JSON.
    pub(super) const fn is_vague(self) -> bool {
        matches!(self, Self::Empty | Self::Script)
    }
}

/// Languages whose blocks may hold a call: the first word of the info string, in lower case.
const LANGUAGES: &[(&[u8], Info)] = &[
    (b"json", Info::Json),
    (b"jsonc", Info::Json),
    (b"json5", Info::Json),
    (b"jsonl", Info::Json),
    (b"json:tool", Info::Json),
    (b"tool", Info::Json),
    (b"tool_call", Info::Json),
    (b"js", Info::Script),
    (b"javascript", Info::Script),
];

/// The longest of these words.
const LONGEST_LANGUAGE: usize = 10;

/// A line that is still undecided after this many bytes is treated as text.
const MAX_HELD: usize = 1024;

/// The first word of an info string, possibly incomplete.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    bytes: [u8; LONGEST_LANGUAGE],
    length: usize,
}

impl Word {
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte.to_ascii_lowercase();
        }
        self.length += 1;
    }

    fn info(&self) -> Info {
        let word = self.bytes.get(..self.length).unwrap_or_default();
        LANGUAGES.iter().find(|(name, _)| *name == word).map_or(Info::Other, |(_, info)| *info)
    }
}

#[derive(Clone, Copy, Debug)]
enum LineState {
    Indent(u8),
    Marks,
    /// Blanks after the marks.
    Gap,
    /// In the first word of the info string.
    Word,
    /// After the first word.
    Rest(Info),
    /// After a bracket with which JSON may begin in the line of the fence, as in "```json {".
    Bracket(Info),
    /// After that bracket, with a byte that JSON allows there and an attribute list does not.
    Inline(Info),
    /// No fence.
    Not,
}

/// A line, possibly incomplete.
#[derive(Clone, Copy, Debug)]
pub(super) struct FenceLine {
    state: LineState,
    /// Whether only fences without an info string count.
    is_bare: bool,
    /// A fence has at most this many blanks before it.
    max_indent: u8,
    fence: Fence,
    word: Word,
    /// Bytes from the first mark on.
    bytes: usize,
    /// Bytes from the first mark to the bracket with which JSON may begin in the line.
    json: usize,
}

/// CommonMark: a fence is indented by at most three blanks.
pub(super) const MAX_INDENT: u8 = 3;

impl FenceLine {
    /// A line that has not begun.
    pub(super) const fn start() -> Self {
        Self {
            state: LineState::Indent(0),
            is_bare: false,
            max_indent: MAX_INDENT,
            fence: Fence { mark: 0, length: 0 },
            word: Word { bytes: [0; LONGEST_LANGUAGE], length: 0 },
            bytes: 0,
            json: 0,
        }
    }

    /// A new line in a block whose opening fence was indented by this many blanks, such as one in a list item.
    pub(super) const fn indented(blanks: u8) -> Self {
        Self { max_indent: MAX_INDENT.saturating_add(blanks), ..Self::start() }
    }

    /// The rest of a line after a value: it may hold a closing fence, but not an opener.
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

    /// Continues with the last line of more text.
    pub(super) fn go_on(&mut self, text: &str) {
        let mut rest = text;
        if let Some(end) = rfind(text, [b'\n'; 2]) {
            *self = Self { max_indent: self.max_indent, ..Self::start() };
            rest = tail(text, end + 1);
        }
        for byte in rest.bytes() {
            if self.is_plain() {
                break;
            }
            self.push(byte);
        }
    }

    /// Whether the line is certainly text.
    pub(super) const fn is_plain(&self) -> bool {
        matches!(self.state, LineState::Not)
    }

    /// Whether the line may yet become a bare fence or the opener of a JSON block.
    pub(super) const fn may_matter(&self) -> bool {
        !matches!(self.state, LineState::Not | LineState::Rest(Info::Other))
    }

    /// How many bytes there are from the first mark on.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The opener of a block whose JSON begins on this line, and the number of bytes from the first mark to the JSON.
    pub(super) const fn inline(&self) -> Option<(Fence, Info, usize)> {
        match self.state {
            LineState::Inline(info) => Some((self.fence, info, self.json)),
            _ => None,
        }
    }

    /// Reads the next byte of the line; never a line feed.
    pub(super) fn push(&mut self, byte: u8) {
        looked_at(1);
        let blank = matches!(byte, b' ' | b'\t' | b'\r');
        let opens = matches!(byte, b'{' | b'[') && !self.is_bare;
        if byte == self.fence.mark && byte == b'`' && !matches!(self.state, LineState::Marks) {
            // Backticks in an info string: this is inline code.
            self.state = LineState::Not;
        }
        self.state = match self.state {
            LineState::Indent(blanks) if byte == b' ' && blanks < self.max_indent => {
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
            LineState::Marks | LineState::Gap if opens => self.bracket(Info::Empty),
            LineState::Marks | LineState::Gap => {
                self.word.push(byte);
                LineState::Word
            }
            LineState::Word if blank => LineState::Rest(self.word.info()),
            LineState::Word if opens => match self.word.info() {
                Info::Other => LineState::Rest(Info::Other),
                info => self.bracket(info),
            },
            LineState::Word => {
                self.word.push(byte);
                LineState::Word
            }
            LineState::Rest(info @ (Info::Json | Info::Script)) if opens => self.bracket(info),
            LineState::Rest(info) => LineState::Rest(info),
            LineState::Bracket(info) => match byte {
                _ if blank => LineState::Bracket(info),
                // A quote, perhaps a typographic one, or another bracket; attributes have names and numbers there.
                b'"' | b'\'' | b'{' | b'[' | 0xe2 => LineState::Inline(info),
                _ if info == Info::Empty => LineState::Rest(Info::Other),
                _ => LineState::Rest(info),
            },
            LineState::Inline(info) => LineState::Inline(info),
        };
        self.bytes += 1;
        if self.bytes > MAX_HELD && self.may_matter() {
            self.state =
                if matches!(self.state, LineState::Marks) { LineState::Not } else { LineState::Rest(Info::Other) };
        }
    }

    const fn bracket(&mut self, info: Info) -> LineState {
        self.json = self.bytes;
        LineState::Bracket(info)
    }

    /// The fence that the line is if it ends here. [`Self::inline`] has JSON that begins on the line.
    pub(super) fn end(&self) -> Option<(Fence, Info)> {
        let info = match self.state {
            LineState::Indent(_) | LineState::Not => return None,
            LineState::Marks | LineState::Gap => Info::Empty,
            LineState::Word => self.word.info(),
            LineState::Rest(info) | LineState::Bracket(info) | LineState::Inline(info) => info,
        };
        (self.fence.length >= 3).then_some((self.fence, info))
    }

    /// Handles a line that ends after a bracket: an attribute list would be closed, so the bracket begins JSON.
    pub(super) fn end_bracket(&mut self) {
        if let LineState::Bracket(info) = self.state {
            self.state = LineState::Inline(info);
        }
    }

    /// Whether the line, if it ends here, closes what `open` opened.
    pub(super) fn closes(&self, open: Option<Fence>) -> bool {
        let is_bare = matches!(self.state, LineState::Marks | LineState::Gap);
        let (Some(open), Some((fence, _))) = (open, self.end().filter(|_| is_bare)) else { return false };
        fence.mark == open.mark && fence.length >= open.length
    }

    /// Whether the line, if it ends here, opens a JSON block.
    pub(super) fn opens_json(&self) -> bool {
        matches!(self.end(), Some((_, Info::Json)))
    }
}
