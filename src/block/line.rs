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

    /// Whether a text contains at least as many of these marks in a row.
    pub(super) fn is_in(self, text: &str) -> bool {
        text.as_bytes().split(|byte| *byte != self.mark).any(|run| run.len() >= self.length)
    }

    /// The marks as text, without a line end.
    pub(super) fn text(self) -> String {
        std::iter::repeat_n(char::from(self.mark), self.length).collect()
    }
}

/// The opening fence of a code block.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpeningFence {
    pub(super) fence: Fence,
    pub(super) language: FenceLanguage,
    /// The number of blanks before the fence.
    pub(super) indent: u8,
}

/// The language that the info string names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FenceLanguage {
    /// The info string is empty.
    Empty,
    /// JSON, or one of the words for tool calls.
    Json,
    /// JavaScript: models write calls as object literals.
    Script,
    /// Another language.
    Other,
}

impl FenceLanguage {
    /// Whether a block with this info string is read only as long as it looks like JSON.
    pub(super) const fn may_hold_other_text(self) -> bool {
        matches!(self, Self::Empty | Self::Script)
    }
}

/// Languages whose blocks may hold a call: the first word of the info string, in lower case.
const LANGUAGES: &[(&[u8], FenceLanguage)] = &[
    (b"json", FenceLanguage::Json),
    (b"jsonc", FenceLanguage::Json),
    (b"json5", FenceLanguage::Json),
    (b"jsonl", FenceLanguage::Json),
    (b"json:tool", FenceLanguage::Json),
    (b"tool", FenceLanguage::Json),
    (b"tool_call", FenceLanguage::Json),
    (b"js", FenceLanguage::Script),
    (b"javascript", FenceLanguage::Script),
];

/// The length of the longest word in [`LANGUAGES`], `javascript`, in bytes.
const LONGEST_LANGUAGE: usize = 10;

/// The maximum number of bytes from the first mark of a line that may still be a fence, since they are buffered. A longer line
/// opens and closes no JSON block.
const MAX_LINE_BYTES: usize = 1024;

/// The first word of an info string, possibly incomplete.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    /// Its first bytes, in lower case.
    bytes: [u8; LONGEST_LANGUAGE],
    /// The number of its bytes, which may be more than `bytes` holds.
    length: usize,
}

impl Word {
    /// Appends a byte; bytes that do not fit are only counted.
    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.length) {
            *slot = byte.to_ascii_lowercase();
        }
        self.length += 1;
    }

    /// The language that the word names; `Other` if the word is too long.
    fn language(&self) -> FenceLanguage {
        let word = self.bytes.get(..self.length).unwrap_or_default();
        LANGUAGES.iter().find(|(name, _)| *name == word).map_or(FenceLanguage::Other, |(_, language)| *language)
    }
}

/// The part of a line that the next byte belongs to.
#[derive(Clone, Copy, Debug)]
enum FenceLineState {
    /// In the blanks at the start, of which there are this many.
    Indent(u8),
    /// In the backticks or tildes.
    Marks,
    /// In the blanks after the marks.
    Gap,
    /// In the first word of the info string.
    Word,
    /// After the first word.
    Rest(FenceLanguage),
    /// After a bracket that may begin JSON on the line of the fence, as in "```json {". It may also begin a list of
    /// attributes, as in "```json {.wide}".
    Bracket(FenceLanguage),
    /// In JSON on the line of the fence: the byte after the bracket has shown that the bracket begins it.
    Inline(FenceLanguage),
    /// Not a fence.
    Not,
}

/// A line, possibly incomplete.
#[derive(Clone, Copy, Debug)]
pub(super) struct FenceLine {
    state: FenceLineState,
    /// Whether the line may be a closing fence, but not an opening one: no info string is allowed.
    closes_only: bool,
    /// The maximum number of blanks before a fence.
    max_indent: u8,
    /// The marks so far; without marks, `mark` and `length` are 0.
    fence: Fence,
    word: Word,
    /// The number of bytes from the first mark on.
    bytes: usize,
    /// The number of bytes from the first mark to the bracket that may begin JSON; 0 before that bracket.
    json: usize,
}

/// CommonMark: a fence is indented by at most three blanks.
pub(super) const MAX_INDENT: u8 = 3;

impl FenceLine {
    /// A line of which no byte has been read.
    pub(super) const fn start() -> Self {
        Self {
            state: FenceLineState::Indent(0),
            closes_only: false,
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

    /// The rest of a line after a value: it may hold a closing fence, but not an opening one.
    pub(super) const fn after_value() -> Self {
        Self { closes_only: true, ..Self::start() }
    }

    /// The rest of a line that is not a fence.
    pub(super) const fn rest_of_text() -> Self {
        Self { state: FenceLineState::Not, ..Self::start() }
    }

    /// Reads a text; returns its last line.
    pub(super) fn last_line_of(text: &str) -> Self {
        let mut line = Self::start();
        line.read_lines(text);
        line
    }

    /// Reads more text, and continues with its last line: earlier lines are skipped.
    pub(super) fn read_lines(&mut self, text: &str) {
        let mut rest = text;
        // `rfind` looks for one of two bytes.
        if let Some(end) = rfind(text, [b'\n'; 2]) {
            *self = Self { max_indent: self.max_indent, ..Self::start() };
            rest = tail(text, end + 1);
        }
        for byte in rest.bytes() {
            if self.is_no_fence() {
                break;
            }
            self.push(byte);
        }
    }

    /// Whether the line is certainly text.
    pub(super) const fn is_no_fence(&self) -> bool {
        matches!(self.state, FenceLineState::Not)
    }

    /// Whether the line may still be a fence that closes a block, or that opens one which may hold a call.
    pub(super) const fn may_be_fence(&self) -> bool {
        !matches!(self.state, FenceLineState::Not | FenceLineState::Rest(FenceLanguage::Other))
    }

    /// The number of bytes from the first mark on.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// If JSON begins on the line of the opening fence: the fence, its language, and the number of bytes from the first
    /// mark to the JSON. `None` if no JSON begins there.
    pub(super) const fn inline(&self) -> Option<(Fence, FenceLanguage, usize)> {
        match self.state {
            FenceLineState::Inline(language) => Some((self.fence, language, self.json)),
            _ => None,
        }
    }

    /// Reads the next byte of the line, which must not be a line feed. The parts of a fence follow each other: indent, marks,
    /// blanks, one word, anything. With [`Self::after_value`], only blanks may follow the marks. A bracket may begin JSON on the
    /// line: the byte after it decides.
    pub(super) fn push(&mut self, byte: u8) {
        count_work(1);
        let is_blank = matches!(byte, b' ' | b'\t' | b'\r');
        let may_open_json = matches!(byte, b'{' | b'[') && !self.closes_only;
        // An info string after backticks contains no backticks (CommonMark): the line begins with inline code.
        if byte == self.fence.mark && byte == b'`' && !matches!(self.state, FenceLineState::Marks) {
            self.state = FenceLineState::Not;
        }
        self.state = match self.state {
            // The next two arms read bytes before the first mark, which `bytes` does not count.
            FenceLineState::Indent(blanks) if byte == b' ' && blanks < self.max_indent => {
                self.state = FenceLineState::Indent(blanks + 1);
                return;
            }
            FenceLineState::Indent(_) if is_blank && self.closes_only => return,
            FenceLineState::Indent(_) if matches!(byte, b'`' | b'~') => {
                self.fence = Fence { mark: byte, length: 1 };
                FenceLineState::Marks
            }
            FenceLineState::Indent(_) | FenceLineState::Not => {
                self.state = FenceLineState::Not;
                return;
            }
            FenceLineState::Marks if byte == self.fence.mark => {
                self.fence.length += 1;
                FenceLineState::Marks
            }
            FenceLineState::Marks if self.fence.length < 3 => FenceLineState::Not,
            FenceLineState::Marks | FenceLineState::Gap if is_blank => FenceLineState::Gap,
            FenceLineState::Marks | FenceLineState::Gap if self.closes_only => FenceLineState::Not,
            FenceLineState::Marks | FenceLineState::Gap if may_open_json => self.bracket(FenceLanguage::Empty),
            FenceLineState::Marks | FenceLineState::Gap => {
                self.word.push(byte);
                FenceLineState::Word
            }
            FenceLineState::Word if is_blank => FenceLineState::Rest(self.word.language()),
            FenceLineState::Word if may_open_json => match self.word.language() {
                FenceLanguage::Other => FenceLineState::Rest(FenceLanguage::Other),
                language => self.bracket(language),
            },
            FenceLineState::Word => {
                self.word.push(byte);
                FenceLineState::Word
            }
            FenceLineState::Rest(language @ (FenceLanguage::Json | FenceLanguage::Script)) if may_open_json => {
                self.bracket(language)
            }
            FenceLineState::Rest(language) => FenceLineState::Rest(language),
            FenceLineState::Bracket(language) => match byte {
                _ if is_blank => FenceLineState::Bracket(language),
                // JSON continues with a quote, a typographic one (its first byte is 0xe2) or a bracket; attributes do
                // not.
                b'"' | b'\'' | b'{' | b'[' | 0xe2 => FenceLineState::Inline(language),
                // Without a language, attributes describe the code of another one, e.g. "```{.python}".
                _ if language == FenceLanguage::Empty => FenceLineState::Rest(FenceLanguage::Other),
                _ => FenceLineState::Rest(language),
            },
            FenceLineState::Inline(language) => FenceLineState::Inline(language),
        };
        self.bytes += 1;
        // The line is too long: that many marks are text, and that long an info string names no language of calls.
        if self.bytes > MAX_LINE_BYTES && self.may_be_fence() {
            self.state = if matches!(self.state, FenceLineState::Marks) {
                FenceLineState::Not
            } else {
                FenceLineState::Rest(FenceLanguage::Other)
            };
        }
    }

    /// The state after a bracket, whose position is recorded.
    const fn bracket(&mut self, language: FenceLanguage) -> FenceLineState {
        self.json = self.bytes;
        FenceLineState::Bracket(language)
    }

    /// The fence and its language if the line ends here; `None` if it is no fence. See [`Self::inline`] for JSON on the line.
    pub(super) fn end(&self) -> Option<(Fence, FenceLanguage)> {
        let language = match self.state {
            FenceLineState::Indent(_) | FenceLineState::Not => return None,
            FenceLineState::Marks | FenceLineState::Gap => FenceLanguage::Empty,
            FenceLineState::Word => self.word.language(),
            FenceLineState::Rest(language) | FenceLineState::Bracket(language) | FenceLineState::Inline(language) => {
                language
            }
        };
        (self.fence.length >= 3).then_some((self.fence, language))
    }

    /// Ends a line whose last byte is a bracket. Attribute lists are closed on their line, so the bracket begins JSON.
    pub(super) fn end_bracket(&mut self) {
        if let FenceLineState::Bracket(language) = self.state {
            self.state = FenceLineState::Inline(language);
        }
    }

    /// Whether the line, if it ends here, closes a block that `opener` opened: it has at least as many of the same marks, and no
    /// info string. False without an opener.
    pub(super) fn closes(&self, opener: Option<Fence>) -> bool {
        let has_no_info = matches!(self.state, FenceLineState::Marks | FenceLineState::Gap);
        let (Some(opener), Some((fence, _))) = (opener, self.end().filter(|_| has_no_info)) else { return false };
        fence.mark == opener.mark && fence.length >= opener.length
    }

    /// Whether the line, if it ends here, opens a JSON block.
    pub(super) fn opens_json(&self) -> bool {
        matches!(self.end(), Some((_, FenceLanguage::Json)))
    }
}
