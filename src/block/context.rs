//! Decides whether a bracket in chat text may begin a call: not in a comment, in quotes, or inside of other JSON.
//!
//! The context is updated byte by byte, so that it does not depend on how the text was cut.

/// Text, or a comment, in which no call begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextOrComment {
    Text,
    /// To the end of the line: after `//`, `#`, `--`, `>`.
    Line,
    /// To `*/`, or to an empty line.
    Block,
    /// To `-->`.
    Html,
    /// An HTML comment that began in the middle of a line: to `-->`, or to an empty line.
    InlineHtml,
}

/// The token before the next byte, blanks skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// The start of the line, or a comma: a key may begin.
    Start,
    /// A bracket, and perhaps line breaks after it.
    Bracket,
    /// Letters after a bracket, which may be a key.
    Name,
    /// The comma after a string: another string or key may follow, so a bracket here is inside other JSON.
    CommaAfterQuote,
    /// `-`, `+` or `*` at the beginning of the line: an item, or a line of a diff. `#`: a comment, if a blank follows.
    Mark,
    /// Letters after the start of a line or a comma, which may be a key.
    Word,
    Quote,
    /// A quote, and blanks after it.
    QuoteAndBlank,
    /// The colon after a quoted key.
    Colon,
    /// The colon after an unquoted key, whose value must begin on the same line.
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
    /// Whether the line has only blanks so far.
    is_blank: bool,
    /// Whether the line had only blanks before its last `<`.
    tag_begins_line: bool,
    /// How many brackets of other JSON are open; 0 outside of it.
    depth: usize,
    /// The kind of the string in that JSON that is open: `"`, `'` for one in single or typographic quotes, or 0.
    string: u8,
    /// The last non-blank byte of that JSON.
    last_solid: u8,
}

/// The first byte of the typographic quotes and of the ellipsis.
const TYPOGRAPHIC: u8 = 0xe2;
/// The last bytes of `’`, `”` and `…`.
const SINGLE_CLOSER: u8 = 0x99;
const DOUBLE_CLOSER: u8 = 0x9d;
const ELLIPSIS: u8 = 0xa6;

/// The depth of broken JSON whose end is unknown. An empty line ends it.
pub(super) const UNKNOWN_DEPTH: usize = usize::MAX;

impl TextContext {
    /// At the beginning of a line.
    pub(super) const fn start() -> Self {
        let (within, before, last) = (TextOrComment::Text, Before::Start, [b'\n'; 3]);
        Self { within, before, last, is_blank: true, tag_begins_line: false, depth: 0, string: 0, last_solid: 0 }
    }

    /// In the middle of a line, inside of `depth` brackets of other JSON; `last_solid` is the last byte in it.
    pub(super) const fn middle(depth: usize, last_solid: u8) -> Self {
        Self { before: Before::Other, last: [b' '; 3], is_blank: false, depth, last_solid, ..Self::start() }
    }

    /// Whether the next bracket may begin a call.
    pub(super) const fn allows_call(&self) -> bool {
        let stands_free = !matches!(
            self.before,
            Before::CommaAfterQuote | Before::Mark | Before::Quote | Before::Colon | Before::WordAndColon
        );
        self.is_text() && self.depth == 0 && stands_free
    }

    /// Whether the next byte is outside of comments.
    const fn is_text(&self) -> bool {
        matches!(self.within, TextOrComment::Text)
    }

    /// Reads the next byte.
    pub(super) fn push(&mut self, byte: u8) {
        // The byte before `byte` is `one`, the byte before that is `two`.
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
        // A bracket where no call may begin opens other JSON, as do keys that are unquoted or in quotes that JSON does not
        // allow. Everything up to its end belongs to it.
        let opens_other = matches!(byte, b'{' | b'[') && !self.allows_call();
        let is_object = matches!((self.before, byte), (Before::Bracket, b'\'' | TYPOGRAPHIC) | (Before::Name, b':'));
        if self.depth > 0 || opens_other || is_object {
            if self.depth == 0 {
                // The bracket of an object is read already; `push_json` counts the others. A string may begin, as after a comma.
                (self.depth, self.last_solid) = (is_object.into(), b',');
            }
            self.before = Before::Other;
            return self.push_json(byte, one);
        }
        // `//` and `/*` in a word or a URL begin no comment.
        let is_alone = !two.is_ascii_alphanumeric() && !matches!(two, b':' | b'/' | b'.' | b'*');
        self.within = match [one, byte] {
            [_, b'>' | b'#'] if was_blank => TextOrComment::Line,
            [b'-', b'-'] if self.before == Before::Mark => TextOrComment::Line,
            [b'#', b' ' | b'\t'] if self.before == Before::Mark => TextOrComment::Line,
            [b'/', b'/'] if is_alone => TextOrComment::Line,
            [b'/', b'*'] if is_alone => TextOrComment::Block,
            [b'-', b'-'] if [three, two] == *b"<!" && self.tag_begins_line => TextOrComment::Html,
            [b'-', b'-'] if [three, two] == *b"<!" => TextOrComment::InlineHtml,
            _ => TextOrComment::Text,
        };
        if byte == b'<' {
            self.tag_begins_line = was_blank;
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
            (b',', Before::Quote | Before::QuoteAndBlank) => Before::CommaAfterQuote,
            (b',', _) => Before::Start,
            (b'{' | b'[', _) => Before::Bracket,
            (_, Before::Bracket) if is_letter => Before::Name,
            (_, Before::Start | Before::CommaAfterQuote) if is_letter => Before::Word,
            (_, before @ (Before::Word | Before::Name)) if is_letter && !is_blank(one) => before,
            _ => Before::Other,
        };
    }

    /// Continues in other JSON, which is broken. Quotes next to structural characters tell whether a bracket is inside a
    /// string. With contradictory quotes the end of the JSON is unknown.
    const fn push_json(&mut self, byte: u8, previous: u8) {
        if is_blank(byte) || self.depth == UNKNOWN_DEPTH {
            return;
        }
        let begins = matches!(self.last_solid, b'{' | b'[' | b',' | b':');
        let ends = matches!(byte, b',' | b':' | b'}' | b']' | b'/' | b'#');
        match (self.string, byte) {
            (b'"', b'"') if previous != b'\\' => self.string = 0,
            (b'"', _) => {}
            (b'\'', _) if !(ends && matches!(self.last_solid, b'\'' | SINGLE_CLOSER | DOUBLE_CLOSER | ELLIPSIS)) => {}
            (_, b'\'' | TYPOGRAPHIC) if begins => self.string = b'\'',
            (0, _) if self.last_solid == b'"' && !ends => self.depth = UNKNOWN_DEPTH,
            (_, b'"') => self.string = byte,
            (_, b'{' | b'[') => self.depth += 1,
            (_, b'}' | b']') => (self.depth, self.string) = (self.depth - 1, 0),
            _ => self.string = 0,
        }
        // A quote that opens a string, or is escaped, ends none.
        self.last_solid = if byte == b'\'' && (begins || previous == b'\\') { 0 } else { byte };
    }

    fn end_line(&mut self) {
        let was_blank = std::mem::replace(&mut self.is_blank, true);
        if was_blank {
            (self.depth, self.string) = (0, 0);
        } else if self.string == b'"' {
            self.depth = UNKNOWN_DEPTH;
        }
        self.within = match self.within {
            TextOrComment::Html => TextOrComment::Html,
            within @ (TextOrComment::Block | TextOrComment::InlineHtml) if !was_blank => within,
            _ => TextOrComment::Text,
        };
        let goes_on = match self.before {
            Before::Bracket => !was_blank,
            before => matches!(before, Before::Colon | Before::CommaAfterQuote),
        };
        if !goes_on {
            self.before = Before::Start;
        }
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// The byte offset of the first bracket that may begin a call: of an object, or of the list around it.
pub(super) fn first_possible_call(text: &str) -> Option<usize> {
    let mut context = TextContext::start();
    let mut list = None;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'{' if context.allows_call() => return list.or(Some(place)),
            b'[' if context.allows_call() => list = Some(place),
            // Blanks, commas and comments.
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b'/' | b'#' | b'*' | b'<' | b'!' | b'-' | b'>' => {}
            _ if context.is_text() => list = None,
            _ => {}
        }
        context.push(byte);
    }
    None
}
