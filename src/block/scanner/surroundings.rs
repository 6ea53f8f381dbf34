//! What surrounds the text: a code block, inline code, a comment, quoted code, or nothing. A call counts in plain text only.

use super::inline_code::InlineCode;
use crate::block::line::Fence;

/// Where in a line the text after another construct begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::block) enum ResumeAt {
    /// At the start of a line, or before a tag that is read as if it began a line.
    LineStart,
    /// In the rest of a line, where no block begins.
    InLine,
}

impl ResumeAt {
    /// The place after a text: the start of a line if the text ends with a line feed.
    pub(in crate::block) fn after(text: &str) -> Self {
        Self::line_start_if(text.ends_with('\n'))
    }

    pub(in crate::block) const fn line_start_if(is_line_start: bool) -> Self {
        if is_line_start { Self::LineStart } else { Self::InLine }
    }
}

/// The construct that surrounds the text, other than a code block and inline code, which have fields of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Within {
    #[default]
    Text,
    /// A comment up to the end of its line.
    LineComment,
    /// `/* … */`, up to an empty line at most.
    BlockComment,
    /// `<!-- … -->` that began a line.
    Html,
    /// `<!-- … -->` that began inside a line, up to an empty line at most.
    InlineHtml,
    /// `<pre>`, or another tag of quoted text, that began a line: up to its closing tag.
    Pre,
    /// `<code>`, or a tag of quoted text inside a line, up to an empty line at most.
    Code,
}

/// The marks that open and close these constructs: the construct before a mark, the mark in lower case, and the construct
/// after it. [`Surroundings::last`] holds eight bytes, so no mark is longer.
static MARKS: [(Within, &str, Within); 39] = [
    (Within::Text, "<!--", Within::Html),
    (Within::Text, "<pre>", Within::Pre),
    (Within::Text, "<pre ", Within::Pre),
    (Within::Text, "<code>", Within::Code),
    (Within::Text, "<code ", Within::Code),
    (Within::Text, "/*", Within::BlockComment),
    (Within::Text, "//", Within::LineComment),
    (Within::Text, "# ", Within::LineComment),
    (Within::Text, "#{", Within::LineComment),
    (Within::Text, "#[", Within::LineComment),
    (Within::Text, "-- ", Within::LineComment),
    (Within::BlockComment, "*/", Within::Text),
    (Within::Html, "-->", Within::Text),
    (Within::InlineHtml, "-->", Within::Text),
    // Quotations, quoted code, and results of tools: the last eight bytes of their tags, e.g. of `<blockquote>`, `<textarea>`,
    // `<tool_response>`, `<function_results>`, `<observation>`.
    (Within::Text, "ckquote>", Within::Pre),
    (Within::Text, "<samp>", Within::Pre),
    (Within::Text, "<kbd>", Within::Pre),
    (Within::Text, "<xmp>", Within::Pre),
    (Within::Text, "extarea>", Within::Pre),
    (Within::Text, "<script>", Within::Pre),
    (Within::Text, "emplate>", Within::Pre),
    (Within::Text, "esponse>", Within::Pre),
    (Within::Text, "_result>", Within::Pre),
    (Within::Text, "results>", Within::Pre),
    (Within::Text, "rvation>", Within::Pre),
    (Within::Pre, "ckquote>", Within::Text),
    (Within::Pre, "</samp>", Within::Text),
    (Within::Pre, "</kbd>", Within::Text),
    (Within::Pre, "</xmp>", Within::Text),
    (Within::Pre, "extarea>", Within::Text),
    (Within::Pre, "/script>", Within::Text),
    (Within::Pre, "emplate>", Within::Text),
    (Within::Pre, "esponse>", Within::Text),
    (Within::Pre, "_result>", Within::Text),
    (Within::Pre, "results>", Within::Text),
    (Within::Pre, "rvation>", Within::Text),
    (Within::Pre, "</pre>", Within::Text),
    (Within::Code, "</code>", Within::Text),
    (Within::Code, "</pre>", Within::Text),
];

/// The state of the text before the next byte.
#[derive(Debug)]
pub(super) struct Surroundings {
    /// The opening fence of the current code block, and the number of blanks before it. Inside, the scanner looks only for
    /// the closing fence.
    pub(super) code: Option<(Fence, u8)>,
    /// The inline code in the current line.
    pub(super) inline: InlineCode,
    pub(super) within: Within,
    /// The last eight bytes in lower case, the last one in the lowest bits.
    last: u64,
    /// The last two non-blank bytes, the last one second.
    pub(super) last_solid: [u8; 2],
    /// Whether the line has only blanks so far.
    pub(super) is_blank: bool,
    /// Whether the line had only blanks before its last `<`.
    tag_begins_line: bool,
    /// Whether the previous line was blank, or there was none.
    pub(super) after_blank: bool,
    /// Whether the line may belong to an item of a list, and be indented for that reason.
    pub(super) in_list: bool,
}

impl Surroundings {
    /// At the beginning of a text.
    pub(super) fn new() -> Self {
        Self {
            code: None,
            inline: InlineCode::default(),
            within: Within::Text,
            last: 0,
            last_solid: [0; 2],
            is_blank: true,
            tag_begins_line: false,
            after_blank: true,
            in_list: false,
        }
    }

    /// After another construct: nothing surrounds the text.
    pub(super) fn reset(&mut self, resume_at: ResumeAt) {
        self.inline = InlineCode::default();
        (self.within, self.code) = (Within::Text, None);
        self.last_solid = [0; 2];
        self.is_blank = resume_at == ResumeAt::LineStart;
    }

    /// Ends the line. Returns the inline code that was open at its end.
    pub(super) fn end_line(&mut self) -> InlineCode {
        self.after_blank = std::mem::replace(&mut self.is_blank, true);
        self.last = self.last << 8 | u64::from(b'\n');
        std::mem::take(&mut self.inline)
    }

    /// Ends the comment or quoted code that ends with the line. Called after [`Self::end_line`], which sets `after_blank`.
    pub(super) fn end_construct(&mut self) {
        self.within = match self.within {
            Within::LineComment => Within::Text,
            Within::BlockComment | Within::InlineHtml | Within::Code if self.after_blank => Within::Text,
            within => within,
        };
    }

    /// Whether the next byte is neither in code nor in a comment.
    pub(super) fn is_prose(&self) -> bool {
        self.code.is_none() && !self.inline.is_open() && self.within == Within::Text
    }

    /// Whether a bracket inside a line may begin a call to be reported, in quoted code too. Right after `#`, it begins a comment.
    pub(super) fn may_watch(&self) -> bool {
        self.code.is_none()
            && !self.inline.is_open()
            && self.last & 0xff != u64::from(b'#')
            && matches!(self.within, Within::Text | Within::Pre | Within::Code)
    }

    /// Tracks a byte of text: inline code, comments, and the bytes before the next one.
    pub(super) fn track(&mut self, byte: u8) {
        let before = self.last;
        self.last = before << 8 | u64::from(byte.to_ascii_lowercase());
        if self.code.is_some() {
            return;
        }
        // A comment hides inline code.
        if matches!(self.within, Within::Text | Within::Pre | Within::Code) {
            self.inline.push(byte);
        } else {
            self.inline = InlineCode::default();
        }
        if byte == b'<' {
            self.tag_begins_line = self.is_blank;
        }
        let is_blank = matches!(byte, b' ' | b'\t' | b'\r');
        if !is_blank {
            self.last_solid = [self.last_solid[1], byte];
        }
        // Each mark ends with one of these bytes.
        if matches!(byte, b'>' | b'/' | b'*' | b'-' | b'#' | b' ' | b'{' | b'[') && !self.inline.is_open() {
            self.within = self.next_within();
        }
        self.is_blank &= is_blank;
    }

    /// Tracks each byte of a text.
    pub(super) fn track_all(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.track(byte));
    }

    /// The construct around the text after its last byte: another one if the last bytes are a mark that counts in the current
    /// one.
    fn next_within(&self) -> Within {
        for (from, mark, to) in &MARKS {
            if *from != self.within {
                continue;
            }
            // Compares from the last byte to the first. The bytes before the mark remain.
            let mut bytes = self.last;
            let is_at_end = mark.bytes().rev().all(|byte| {
                let is_same = bytes & 0xff == u64::from(byte);
                bytes >>= 8;
                is_same
            });
            if !is_at_end {
                continue;
            }
            // The last byte before the mark; 0 if the mark has all eight bytes, or begins the text.
            let before = u8::try_from(bytes & 0xff).unwrap_or_default();
            // In a word or a URL, such a mark begins no comment.
            let is_alone = match *mark {
                "-- " => matches!(before, 0 | b'\n' | b' '),
                _ => !before.is_ascii_alphanumeric() && !matches!(before, b':' | b'/' | b'.' | b'*'),
            };
            return match to {
                Within::Html if !self.tag_begins_line => Within::InlineHtml,
                Within::Pre if !self.tag_begins_line => Within::Code,
                Within::LineComment | Within::BlockComment if !is_alone => Within::Text,
                to => *to,
            };
        }
        self.within
    }
}
