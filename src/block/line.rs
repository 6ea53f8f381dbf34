//! Recognizes fences: reads a line byte by byte until it is clear whether the line is a fence, and of which language.
//!
//! A fence is three or more backticks or tildes, then an info string. Up to three blanks may precede it; after a JSON
//! value, any number. All code that looks for fences (openers in text, the ends of code fences, the ends of blocks)
//! uses [`FenceLine`].

use crate::counted::count_work;
use crate::value::text::{rfind, tail};

/// The marks of a fence: the backtick or tilde, and how many there are.
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

    /// Whether a text contains a run of this mark that is at least as long.
    pub(super) fn is_in(self, text: &str) -> bool {
        text.as_bytes().split(|byte| *byte != self.mark).any(|run| run.len() >= self.length)
    }

    /// The marks as text, without a line end.
    pub(super) fn text(self) -> String {
        std::iter::repeat_n(char::from(self.mark), self.length).collect()
    }
}

/// The language that the info string names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Info {
    /// The info string is empty.
    Empty,
    /// JSON, or one of the words for tool calls.
    Json,
    /// JavaScript: models write calls as object literals.
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

/// The length of the longest word in [`LANGUAGES`], in bytes.
const LONGEST_LANGUAGE: usize = 10;

/// The maximum number of bytes that are buffered for an undecided line; a longer line opens and closes no JSON block.
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
    /// In the blanks at the start, of which there are this many.
    Indent(u8),
    /// In the backticks or tildes.
    Marks,
    /// In the blanks after the marks.
    Gap,
    /// In the first word of the info string.
    Word,
    /// After the first word.
    Rest(Info),
    /// After a bracket that may begin JSON on the line of the fence, as in "```json {". It may also begin a list of
    /// attributes, as in "```json {.wide}".
    Bracket(Info),
    /// After such a bracket and a byte which shows that it begins JSON.
    Inline(Info),
    /// Not a fence.
    Not,
}

/// A line, possibly incomplete.
#[derive(Clone, Copy, Debug)]
pub(super) struct FenceLine {
    state: LineState,
    /// Whether the line may only be a fence without an info string.
    is_bare: bool,
    /// The maximum number of blanks before a fence.
    max_indent: u8,
    fence: Fence,
    word: Word,
    /// The number of bytes from the first mark on.
    bytes: usize,
    /// The number of bytes from the first mark to the bracket that may begin JSON.
    json: usize,
}

/// CommonMark: a fence is indented by at most three blanks.
pub(super) const MAX_INDENT: u8 = 3;

impl FenceLine {
    /// A line of which no byte has been read.
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

    /// A new line in a block whose opening fence is indented by this many blanks, as in a list item: its closing fence
    /// may be indented by as many more.
    pub(super) const fn indented(blanks: u8) -> Self {
        Self { max_indent: MAX_INDENT.saturating_add(blanks), ..Self::start() }
    }

    /// The rest of a line after a value: it may hold a closing fence, but not an opener.
    pub(super) const fn after_value() -> Self {
        Self { is_bare: true, ..Self::start() }
    }

    /// The rest of a line that is not a fence.
    pub(super) const fn middle() -> Self {
        Self { state: LineState::Not, ..Self::start() }
    }

    /// The last line of a text.
    pub(super) fn last_of(text: &str) -> Self {
        let mut line = Self::start();
        line.go_on(text);
        line
    }

    /// Reads more text, and continues with its last line: earlier lines are skipped.
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

    /// Whether the line may still be a closing fence, or open a block that may hold a call.
    pub(super) const fn may_matter(&self) -> bool {
        !matches!(self.state, LineState::Not | LineState::Rest(Info::Other))
    }

    /// The number of bytes from the first mark on.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// If JSON begins on the line of the opening fence: the fence, its language, and the number of bytes from the first
    /// mark to the JSON.
    pub(super) const fn inline(&self) -> Option<(Fence, Info, usize)> {
        match self.state {
            LineState::Inline(info) => Some((self.fence, info, self.json)),
            _ => None,
        }
    }

    /// Reads the next byte of the line. The byte must not be a line feed.
    pub(super) fn push(&mut self, byte: u8) {
        count_work(1);
        let blank = matches!(byte, b' ' | b'\t' | b'\r');
        let opens = matches!(byte, b'{' | b'[') && !self.is_bare;
        if byte == self.fence.mark && byte == b'`' && !matches!(self.state, LineState::Marks) {
            // An info string contains no backticks: the line begins with inline code.
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
                // JSON continues with a quote, a typographic one (its first byte is 0xe2) or a bracket; attributes do
                // not.
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

    /// The state after a bracket, whose position is recorded.
    const fn bracket(&mut self, info: Info) -> LineState {
        self.json = self.bytes;
        LineState::Bracket(info)
    }

    /// The fence and its language if the line ends here. See [`Self::inline`] for JSON on the line.
    pub(super) fn end(&self) -> Option<(Fence, Info)> {
        let info = match self.state {
            LineState::Indent(_) | LineState::Not => return None,
            LineState::Marks | LineState::Gap => Info::Empty,
            LineState::Word => self.word.info(),
            LineState::Rest(info) | LineState::Bracket(info) | LineState::Inline(info) => info,
        };
        (self.fence.length >= 3).then_some((self.fence, info))
    }

    /// Ends a line after a bracket. Attribute lists are closed on their line, so the bracket begins JSON.
    pub(super) fn end_bracket(&mut self) {
        if let LineState::Bracket(info) = self.state {
            self.state = LineState::Inline(info);
        }
    }

    /// Whether the line, if it ends here, closes a block that `open` opened.
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
