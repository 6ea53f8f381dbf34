//! Decides whether a bracket in chat text may begin a call: not in a comment, in quotes, or inside of *other JSON*, that is,
//! text in brackets that is no call, as in `"example": {`; it may be broken.
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

/// The token before the next byte, with blanks skipped. It decides whether a bracket may begin a call, and whether a key is one
/// of other JSON.
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
    /// `-`, `+` or `*` at the beginning of the line: an item, or a line of a diff. Or `#`: a comment, if a blank follows.
    Mark,
    /// Letters after the start of a line or a comma, which may be a key.
    Word,
    /// `"` or `'`.
    Quote,
    /// A quote, and blanks after it.
    QuoteAndBlank,
    /// The colon after a quoted key.
    Colon,
    /// The colon after an unquoted key, whose value must begin on the same line.
    WordAndColon,
    /// Anything else: a bracket may begin a call.
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
    /// The quote of the open string in that JSON: `"`; `'` for single and typographic quotes; 0 outside of strings.
    string_quote: u8,
    /// The last non-blank byte of that JSON; 0 for a quote that ends no string.
    last_solid: u8,
}

/// The first byte of the typographic quotes and of the ellipsis.
const TYPOGRAPHIC: u8 = 0xe2;
/// The last bytes of `’`, `”` and `…`. An ellipsis in place of a value counts as a string, since its first byte is that of a
/// quote; its last byte must therefore end a string.
const SINGLE_CLOSER: u8 = 0x99;
const DOUBLE_CLOSER: u8 = 0x9d;
const ELLIPSIS: u8 = 0xa6;

/// The depth of broken JSON whose end is unknown. An empty line ends it.
const UNKNOWN_DEPTH: usize = usize::MAX;

impl TextContext {
    /// At the beginning of a line.
    pub(super) const fn start() -> Self {
        let (within, before, last) = (TextOrComment::Text, Before::Start, [b'\n'; 3]);
        Self { within, before, last, is_blank: true, tag_begins_line: false, depth: 0, string_quote: 0, last_solid: 0 }
    }

    /// In the middle of a line.
    pub(super) const fn in_line() -> Self {
        Self { before: Before::Other, last: [b' '; 3], is_blank: false, ..Self::start() }
    }

    /// Whether the next bracket may begin a call.
    pub(super) const fn allows_call(&self) -> bool {
        let may_begin_value = !matches!(
            self.before,
            Before::CommaAfterQuote | Before::Mark | Before::Quote | Before::Colon | Before::WordAndColon
        );
        self.is_text() && self.depth == 0 && may_begin_value
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
        let ends_comment = match self.within {
            TextOrComment::Text => return self.push_text(byte, was_blank, [one, two, three]),
            TextOrComment::Line => false,
            TextOrComment::Block => [one, byte] == *b"*/",
            TextOrComment::Html | TextOrComment::InlineHtml => [two, one, byte] == *b"-->",
        };
        if ends_comment {
            (self.within, self.before) = (TextOrComment::Text, Before::Other);
        }
    }

    /// Reads a byte outside of comments: inside of other JSON, or of text. In text it may begin other JSON, or complete the mark
    /// of a comment; else it becomes the token before the next byte. `one`, `two` and `three` are the bytes before it, the last
    /// one first; `was_blank` says whether the line had only blanks before it.
    fn push_text(&mut self, byte: u8, was_blank: bool, [one, two, three]: [u8; 3]) {
        // Other JSON begins with a bracket where no call may begin, or with a bracket before a key that is unquoted or in quotes
        // that JSON does not allow. Everything up to its end belongs to it.
        let opens_other = matches!(byte, b'{' | b'[') && !self.allows_call();
        let begins_key = matches!((self.before, byte), (Before::Bracket, b'\'' | TYPOGRAPHIC) | (Before::Name, b':'));
        if self.depth > 0 || opens_other || begins_key {
            if self.depth == 0 {
                // The bracket before a key was read as text; `push_json` counts every other bracket.
                self.depth = begins_key.into();
                // A string may begin here, as after a comma.
                self.last_solid = b',';
            }
            self.before = Before::Other;
            return self.push_json(byte, one);
        }
        // `//` and `/*` in a word or a URL begin no comment.
        let is_alone = !two.is_ascii_alphanumeric() && !matches!(two, b':' | b'/' | b'.' | b'*');
        // `--` and `# ` begin a comment only where `Mark` has found their first byte.
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

    /// Reads a byte of other JSON, which may be broken: counts its brackets outside of strings. A string in double quotes ends at
    /// the next double quote that is not escaped. A string in other quotes begins after a structural character (`{`, `[`, `,`,
    /// `:`) and ends before one. With contradictory quotes, as in `"a"b`, the end of the JSON is unknown.
    const fn push_json(&mut self, byte: u8, previous: u8) {
        if is_blank(byte) || self.depth == UNKNOWN_DEPTH {
            return;
        }
        let may_begin_string = matches!(self.last_solid, b'{' | b'[' | b',' | b':');
        // A comment may follow a string too.
        let may_follow_string = matches!(byte, b',' | b':' | b'}' | b']' | b'/' | b'#');
        match (self.string_quote, byte) {
            (b'"', b'"') if previous != b'\\' => self.string_quote = 0,
            (b'"', _) => {}
            (b'\'', _)
                if !(may_follow_string
                    && matches!(self.last_solid, b'\'' | SINGLE_CLOSER | DOUBLE_CLOSER | ELLIPSIS)) => {}
            (_, b'\'' | TYPOGRAPHIC) if may_begin_string => self.string_quote = b'\'',
            (0, _) if self.last_solid == b'"' && !may_follow_string => self.depth = UNKNOWN_DEPTH,
            (_, b'"') => self.string_quote = byte,
            (_, b'{' | b'[') => self.depth += 1,
            (_, b'}' | b']') => (self.depth, self.string_quote) = (self.depth - 1, 0),
            _ => self.string_quote = 0,
        }
        // A quote that opens a string, or is escaped, ends none.
        self.last_solid = if byte == b'\'' && (may_begin_string || previous == b'\\') { 0 } else { byte };
    }

    /// Ends the line. An empty line ends other JSON, and comments that are not closed, except an HTML comment that began a line.
    /// The colon after a quoted key and the comma after a string stay the token before the next byte; so does a bracket, except
    /// after an empty line.
    fn end_line(&mut self) {
        let was_blank = std::mem::replace(&mut self.is_blank, true);
        if was_blank {
            (self.depth, self.string_quote) = (0, 0);
        } else if self.string_quote == b'"' {
            // JSON has no line breaks in strings, so the quotes are contradictory.
            self.depth = UNKNOWN_DEPTH;
        }
        self.within = match self.within {
            TextOrComment::Html => TextOrComment::Html,
            within @ (TextOrComment::Block | TextOrComment::InlineHtml) if !was_blank => within,
            _ => TextOrComment::Text,
        };
        let stays = match self.before {
            Before::Bracket => !was_blank,
            before => matches!(before, Before::Colon | Before::CommaAfterQuote),
        };
        if !stays {
            self.before = Before::Start;
        }
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// The byte offset of the first bracket that may begin a call: of an object, or of the list around it; `None` if there is
/// none.
pub(super) fn first_possible_call(text: &str) -> Option<usize> {
    let mut context = TextContext::start();
    // The offset of a list's bracket, as long as no other text has followed it.
    let mut list = None;
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            b'{' if context.allows_call() => return list.or(Some(offset)),
            b'[' if context.allows_call() => list = Some(offset),
            // Blanks, commas and the marks of comments may stand between the list and its first object.
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b'/' | b'#' | b'*' | b'<' | b'!' | b'-' | b'>' => {}
            _ if context.is_text() => list = None,
            _ => {}
        }
        context.push(byte);
    }
    None
}
