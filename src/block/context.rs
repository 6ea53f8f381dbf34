//! The context of a bracket in the text, by which a call may begin there or not.
//!
//! A call that is commented out, quoted, or inside of other JSON does not count. The context is kept up to date byte by byte,
//! so that it does not matter how the text was cut.

/// Text, or a comment, in which nothing counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    Text,
    /// To the end of the line: after `//`, `#`, `--`, `>`.
    Line,
    /// To `*/`, or to an empty line.
    Block,
    /// To `-->`; where it began in the middle of a line, to an empty line at most.
    Html,
    InlineHtml,
}

/// What stands right before the next byte, with the blanks between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Nothing in this line, a comma or a bracket: a key may begin.
    Start,
    /// The comma after a string: of a list of such, or of an object.
    Item,
    /// `-`, `+` or `*` at the beginning of the line: an item, or a line of a diff. `#`: a comment, if a blank follows.
    Mark,
    /// Letters that may be a key.
    Word,
    /// A quote, and perhaps blanks after it.
    Quote,
    QuoteAndBlank,
    /// The colon after a key. After a word without quotes only what stands in the same line is its value.
    Colon,
    WordAndColon,
    Other,
}

/// The comments, quotes and brackets that are open where a text ends so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextContext {
    within: Within,
    before: Before,
    /// The last bytes, the last one first.
    last: [u8; 3],
    /// Whether there are only blanks in the line so far, and whether there were before the last `<`.
    is_blank: bool,
    begins_tag: bool,
    /// How many brackets of other JSON are open, and whether a string in it is.
    depth: usize,
    in_string: bool,
}

impl TextContext {
    /// At the beginning of a line.
    pub(super) const fn start() -> Self {
        let (within, before, last) = (Within::Text, Before::Start, [b'\n'; 3]);
        Self { within, before, last, is_blank: true, begins_tag: false, depth: 0, in_string: false }
    }

    /// In the middle of a line, where so many brackets of other JSON are open.
    pub(super) const fn middle(depth: usize) -> Self {
        Self { before: Before::Other, last: [b' '; 3], is_blank: false, depth, ..Self::start() }
    }

    /// Whether a bracket that comes next may be that of a call.
    pub(super) const fn allows(&self) -> bool {
        let stands_free = matches!(self.before, Before::Start | Before::Word | Before::QuoteAndBlank | Before::Other);
        self.is_text() && self.depth == 0 && stands_free
    }

    /// Whether this is no comment.
    const fn is_text(&self) -> bool {
        matches!(self.within, Within::Text)
    }

    /// Whether not even a fence counts.
    pub(super) const fn hides_fences(&self) -> bool {
        matches!(self.within, Within::Html | Within::InlineHtml)
    }

    /// In the last line of a text.
    pub(super) fn last_of(text: &str) -> Self {
        let mut context = Self::start();
        text.bytes().for_each(|byte| context.push(byte));
        context
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
            Within::Text => return self.push_text(byte, was_blank, [one, two, three]),
            Within::Line => false,
            Within::Block => [one, byte] == *b"*/",
            Within::Html | Within::InlineHtml => [two, one, byte] == *b"-->",
        };
        if is_over {
            (self.within, self.before) = (Within::Text, Before::Other);
        }
    }

    fn push_text(&mut self, byte: u8, was_blank: bool, [one, two, three]: [u8; 3]) {
        if self.depth > 0 {
            self.in_string ^= byte == b'"' && one != b'\\';
            match byte {
                b'{' | b'[' if !self.in_string => self.depth += 1,
                b'}' | b']' if !self.in_string => self.depth -= 1,
                _ => {}
            }
            self.before = Before::Other;
            return;
        }
        // What is shown, with all that it holds.
        self.depth = usize::from(matches!(byte, b'{' | b'[') && !self.allows());
        // In a word or a URL it begins no comment.
        let is_alone = !two.is_ascii_alphanumeric() && !matches!(two, b':' | b'/' | b'.' | b'*');
        self.within = match [one, byte] {
            [_, b'>' | b'#'] if was_blank => Within::Line,
            [b'-', b'-'] if self.before == Before::Mark => Within::Line,
            [b'#', b' ' | b'\t'] if self.before == Before::Mark => Within::Line,
            [b'/', b'/'] if is_alone => Within::Line,
            [b'/', b'*'] if is_alone => Within::Block,
            [b'-', b'-'] if [three, two] == *b"<!" && self.begins_tag => Within::Html,
            [b'-', b'-'] if [three, two] == *b"<!" => Within::InlineHtml,
            _ => Within::Text,
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
            (b',' | b'{' | b'[', _) => Before::Start,
            (_, Before::Start | Before::Item) if is_letter => Before::Word,
            (_, Before::Word) if is_letter && !is_blank(one) => Before::Word,
            _ => Before::Other,
        };
    }

    fn end_line(&mut self) {
        let was_blank = std::mem::replace(&mut self.is_blank, true);
        if was_blank {
            self.depth = 0;
        }
        self.in_string = false;
        self.within = match self.within {
            Within::Html => Within::Html,
            within @ (Within::Block | Within::InlineHtml) if !was_blank => within,
            _ => Within::Text,
        };
        if !matches!(self.before, Before::Colon | Before::Item) {
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
