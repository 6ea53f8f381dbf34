//! The context of a bracket in the text, by which a call may begin there or not.
//!
//! A call that is commented out, quoted, or inside of other JSON does not count. The context is kept up to date byte by byte,
//! so that it does not matter how the text was cut.

/// Text, or a comment, in which nothing counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextOrComment {
    Text,
    /// To the end of the line: after `//`, `#`, `--`, `>`.
    Line,
    /// To `*/`, or to an empty line.
    Block,
    /// To `-->`; where it began in the middle of a line, to an empty line at most.
    Html,
    InlineHtml,
}

/// The token before the next byte, blanks skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// The start of the line, or a comma: a key may begin.
    Start,
    /// A bracket, line breaks allowed; `Name`: letters after it that may be a key.
    Bracket,
    Name,
    /// The comma after a string: of a list of such, or of an object.
    Item,
    /// `-`, `+` or `*` at the beginning of the line: an item, or a line of a diff. `#`: a comment, if a blank follows.
    Mark,
    /// Letters that may be a key.
    Word,
    /// A quote, and perhaps blanks after it.
    Quote,
    QuoteAndBlank,
    /// The colon after a key. The value of an unquoted key must begin on the same line.
    Colon,
    WordAndColon,
    Other,
}

/// The comments, quotes and brackets that are open where a text ends so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextContext {
    within: TextOrComment,
    before: Before,
    /// The last bytes, the last one first.
    last: [u8; 3],
    /// Whether there are only blanks in the line so far, and whether there were before the last `<`.
    is_blank: bool,
    begins_tag: bool,
    /// How many brackets of other JSON are open.
    depth: usize,
    /// Which string in it is open: `"`, `'` for one in foreign quotes, or 0.
    string: u8,
    /// The last non-blank byte of the other JSON.
    solid: u8,
}

/// The depth of broken JSON whose end is unknown. An empty line ends it.
pub(super) const UNKNOWN: usize = usize::MAX;

impl TextContext {
    /// At the beginning of a line.
    pub(super) const fn start() -> Self {
        let (within, before, last) = (TextOrComment::Text, Before::Start, [b'\n'; 3]);
        Self { within, before, last, is_blank: true, begins_tag: false, depth: 0, string: 0, solid: 0 }
    }

    /// In the middle of a line, inside of `depth` brackets of other JSON; `solid` is the last byte in it.
    pub(super) const fn middle(depth: usize, solid: u8) -> Self {
        Self { before: Before::Other, last: [b' '; 3], is_blank: false, depth, solid, ..Self::start() }
    }

    /// Whether the next bracket may begin a call.
    pub(super) const fn allows(&self) -> bool {
        let stands_free =
            !matches!(self.before, Before::Item | Before::Mark | Before::Quote | Before::Colon | Before::WordAndColon);
        self.is_text() && self.depth == 0 && stands_free
    }

    /// Whether the next byte is outside of comments.
    const fn is_text(&self) -> bool {
        matches!(self.within, TextOrComment::Text)
    }

    pub(super) fn push(&mut self, byte: u8) {
        let [one, two, three] = self.last;
        self.last = [byte, one, two];
        if byte == b'\n' {
            return self.end_line();
        }
        let was_blank = self.is_blank;
        self.is_blank &= is_blank(byte);
        let is_over = match self.within {
            TextOrComment::Text => return self.push_text(byte, was_blank, [one, two, three]),
            TextOrComment::Line => false,
            TextOrComment::Block => [one, byte] == *b"*/",
            TextOrComment::Html | TextOrComment::InlineHtml => [two, one, byte] == *b"-->",
        };
        if is_over {
            (self.within, self.before) = (TextOrComment::Text, Before::Other);
        }
    }

    fn push_text(&mut self, byte: u8, was_blank: bool, [one, two, three]: [u8; 3]) {
        // JSON that is shown, with everything in it. That includes objects whose keys are unquoted or in quotes that JSON
        // does not allow.
        let is_shown = matches!(byte, b'{' | b'[') && !self.allows();
        let is_object = matches!((self.before, byte), (Before::Bracket, b'\'' | 0xe2) | (Before::Name, b':'));
        if self.depth > 0 || is_shown || is_object {
            if self.depth == 0 {
                (self.depth, self.solid) = (is_object.into(), b',');
            }
            self.before = Before::Other;
            return self.push_json(byte, one);
        }
        // In a word or a URL it begins no comment.
        let is_alone = !two.is_ascii_alphanumeric() && !matches!(two, b':' | b'/' | b'.' | b'*');
        self.within = match [one, byte] {
            [_, b'>' | b'#'] if was_blank => TextOrComment::Line,
            [b'-', b'-'] if self.before == Before::Mark => TextOrComment::Line,
            [b'#', b' ' | b'\t'] if self.before == Before::Mark => TextOrComment::Line,
            [b'/', b'/'] if is_alone => TextOrComment::Line,
            [b'/', b'*'] if is_alone => TextOrComment::Block,
            [b'-', b'-'] if [three, two] == *b"<!" && self.begins_tag => TextOrComment::Html,
            [b'-', b'-'] if [three, two] == *b"<!" => TextOrComment::InlineHtml,
            _ => TextOrComment::Text,
        };
        if byte == b'<' {
            self.begins_tag = was_blank;
        }
        let is_letter = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | 0x80..);
        self.before = match (byte, self.before) {
            (_, Before::Quote) if is_blank(byte) => Before::QuoteAndBlank,
            (_, before) if is_blank(byte) => before,
            (b'-' | b'+' | b'*', _) if was_blank => Before::Mark,
            (b'#', _) if !one.is_ascii_alphanumeric() => Before::Mark,
            (b'"' | b'\'', _) => Before::Quote,
            (b':', Before::Quote | Before::QuoteAndBlank) => Before::Colon,
            (b':', Before::Word) => Before::WordAndColon,
            (b',', Before::Quote | Before::QuoteAndBlank) => Before::Item,
            (b',', _) => Before::Start,
            (b'{' | b'[', _) => Before::Bracket,
            (_, Before::Bracket) if is_letter => Before::Name,
            (_, Before::Start | Before::Item) if is_letter => Before::Word,
            (_, before @ (Before::Word | Before::Name)) if is_letter && !is_blank(one) => before,
            _ => Before::Other,
        };
    }

    /// Continues in other JSON, which is broken. Quotes next to structural characters tell whether a bracket is inside a
    /// string. With contradictory quotes the end of the JSON is unknown.
    const fn push_json(&mut self, byte: u8, one: u8) {
        if is_blank(byte) || self.depth == UNKNOWN {
            return;
        }
        let begins = matches!(self.solid, b'{' | b'[' | b',' | b':');
        let ends = matches!(byte, b',' | b':' | b'}' | b']' | b'/' | b'#');
        match (self.string, byte) {
            (b'"', b'"') if one != b'\\' => self.string = 0,
            (b'"', _) => {}
            (b'\'', _) if !(ends && matches!(self.solid, b'\'' | 0x99 | 0x9d | 0xa6)) => {}
            (_, b'\'' | 0xe2) if begins => self.string = b'\'',
            (0, _) if self.solid == b'"' && !ends => self.depth = UNKNOWN,
            (_, b'"') => self.string = byte,
            (_, b'{' | b'[') => self.depth += 1,
            (_, b'}' | b']') => (self.depth, self.string) = (self.depth - 1, 0),
            _ => self.string = 0,
        }
        // A quote that opens a string, or is escaped, ends none.
        self.solid = if byte == b'\'' && (begins || one == b'\\') { 0 } else { byte };
    }

    fn end_line(&mut self) {
        let was_blank = std::mem::replace(&mut self.is_blank, true);
        if was_blank {
            (self.depth, self.string) = (0, 0);
        } else if self.string == b'"' {
            self.depth = UNKNOWN;
        }
        self.within = match self.within {
            TextOrComment::Html => TextOrComment::Html,
            within @ (TextOrComment::Block | TextOrComment::InlineHtml) if !was_blank => within,
            _ => TextOrComment::Text,
        };
        let goes_on = match self.before {
            Before::Bracket => !was_blank,
            before => matches!(before, Before::Colon | Before::Item),
        };
        if !goes_on {
            self.before = Before::Start;
        }
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Where the first object of a text begins that may be a call, or the list that holds it.
pub(super) fn first_object(text: &str) -> Option<usize> {
    let mut context = TextContext::start();
    let mut list = None;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'{' if context.allows() => return list.or(Some(place)),
            b'[' if context.allows() => list = Some(place),
            // Blanks, commas and comments.
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b'/' | b'#' | b'*' | b'<' | b'!' | b'-' | b'>' => {}
            _ if context.is_text() => list = None,
            _ => {}
        }
        context.push(byte);
    }
    None
}
