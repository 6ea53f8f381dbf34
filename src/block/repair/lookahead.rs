//! Looks at the text ahead: bytes at an offset, whitespace and short comments, and the key that may follow them. Outside
//! strings, full-width punctuation counts as its ASCII form: see `ascii_byte`.

use super::quotes::is_name_byte;
use super::syntax::Repairer;
use super::{KeyKind, find, part};
use crate::counted::count_work;
use crate::value::is_blank;

/// A key further on in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyAhead<'a> {
    /// The key without its quotes, as it is written.
    pub(super) name: &'a str,
    /// Whether the key consists of letters, digits, blanks and `_-.$@/`.
    pub(super) is_name: bool,
    pub(super) is_quoted: bool,
    pub(super) separator: Separator,
}

/// Byte offsets of a key in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeySpan {
    /// The start of the key without its opening quote.
    pub(super) start: usize,
    /// The end of the key without its closing quote.
    pub(super) stop: usize,
    /// The offset after its closing quote; `stop` if it has none.
    pub(super) end: usize,
}

/// The separator between a key and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// `:`
    Colon,
    /// `=` or `=>`.
    Arrow,
    /// No separator: the value follows directly.
    Missing,
}

/// The delimiters of comments: how they begin and end.
const COMMENTS: [(&str, &str); 4] = [("/*", "*/"), ("<!--", "-->"), ("//", "\n"), ("#", "\n")];

/// The longest key that a look ahead recognizes, in bytes.
const LONGEST_KEY: usize = 200;

/// The longest comment that a look ahead skips, in bytes.
const SHORT_COMMENT: usize = 200;

/// All looks ahead together skip comments of about this many times the length of the text, so that the time stays linear. After
/// that, no comment is skipped.
const MAX_SKIPPED_LENGTHS: usize = 8;

/// The ASCII form of full-width punctuation, which has three bytes; `None` for any other character. It counts only outside
/// strings.
const fn full_width(char: char) -> Option<u8> {
    Some(match char {
        '：' => b':',
        '，' => b',',
        '｛' => b'{',
        '｝' => b'}',
        '［' => b'[',
        '］' => b']',
        _ => return None,
    })
}

impl<'a> Repairer<'a> {
    /// The byte at `at`; 0 after the end of the text.
    pub(super) fn byte(&self, at: usize) -> u8 {
        count_work(1);
        self.text.as_bytes().get(at).copied().unwrap_or_default()
    }

    /// The byte at `at`, full-width punctuation as ASCII, e.g. `：` as `:`.
    pub(super) fn ascii_byte(&self, at: usize) -> u8 {
        match self.byte(at) {
            0xef => full_width(self.char(at)).unwrap_or(0xef),
            byte => byte,
        }
    }

    /// The offset after the punctuation at `at`, which is ASCII or full-width.
    pub(super) fn after_punctuation(&self, at: usize) -> usize {
        at + if self.byte(at) == 0xef { 3 } else { 1 }
    }

    /// The character at `at`; NUL after the end of the text, and if `at` is inside a character.
    pub(super) fn char(&self, at: usize) -> char {
        self.rest(at).chars().next().unwrap_or_default()
    }

    /// The text from `at` on; empty if `at` is inside a character.
    pub(super) fn rest(&self, at: usize) -> &'a str {
        self.part(at, self.text.len())
    }

    /// The text in `from..to`; empty for an invalid range.
    pub(super) fn part(&self, from: usize, to: usize) -> &'a str {
        part(self.text, from..to)
    }

    /// Whether the text continues with `what` at `at`.
    pub(super) fn has(&self, at: usize, what: &str) -> bool {
        self.rest(at).starts_with(what)
    }

    /// The length of the run of `byte` at `at`, at most `max`.
    pub(super) fn run(&self, at: usize, byte: u8, max: usize) -> usize {
        let mut length = 0;
        while length < max && self.byte(at + length) == byte {
            length += 1;
        }
        length
    }

    /// The key at `at`, if a colon, an equals sign or an arrow follows it, or directly a value if the key has quotes.
    pub(super) fn key_at(&self, at: usize) -> Option<KeyAhead<'a>> {
        let is_quoted = self.quote(at).is_some();
        let KeySpan { start, stop, end } = self.key_span(at)?;
        let colon = self.after_comments(end);
        let separator = match self.ascii_byte(colon) {
            b':' => Separator::Colon,
            // Not the comparison `==` of code.
            b'=' if self.byte(colon + 1) != b'=' => Separator::Arrow,
            _ if is_quoted && self.begins_known_value(colon) => Separator::Missing,
            _ => return None,
        };
        let name = self.part(start, stop);
        let is_name =
            name.bytes().all(|byte| is_name_byte(byte) || matches!(byte, b' ' | b'-' | b'.' | b'$' | b'@' | b'/'));
        Some(KeyAhead { name, is_name, is_quoted, separator })
    }

    /// Whether a key of a tool stands at `at`.
    pub(super) fn is_known_key_at(&self, at: usize) -> bool {
        self.key_at(at).is_some_and(|key| self.is_known_key(key.name))
    }

    /// Whether a tool has this key.
    pub(super) fn is_known_key(&self, key: &str) -> bool {
        self.rules.key_kind(key) != KeyKind::Unknown
    }

    /// The key at `at`; `None` without a key there, or if it has a line break or is longer than `LONGEST_KEY`.
    pub(super) fn key_span(&self, at: usize) -> Option<KeySpan> {
        let Some(quote) = self.quote(at) else {
            let stop = at + self.bare_length(at);
            return (stop > at).then(|| KeySpan { start: at, stop, end: self.after_stray_quote(stop) });
        };
        let start = at + quote.length;
        let mut end = start;
        loop {
            match self.byte(end) {
                _ if end - start > LONGEST_KEY => return None,
                b'\\' => end += 2,
                // A control character, or the end of the text, where `byte` is 0.
                0..0x20 => return None,
                // Each kind of closing quote begins with one of these.
                b'"' | b'\'' | b'`' | 0xc2 | 0xe2 => match self.closing(quote, end) {
                    0 => end += 1,
                    closing if self.is_apostrophe(end, end + closing) => end += closing,
                    closing => return Some(KeySpan { start, stop: end, end: end + closing }),
                },
                _ => end += 1,
            }
        }
    }

    /// The length of the key without quotes at `at`; 0 if none exists.
    pub(super) fn bare_length(&self, at: usize) -> usize {
        let mut end = at;
        loop {
            end += match self.byte(end) {
                b'_' | b'$' | b'-' | b'.' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => 1,
                0x80.. if self.blank(end) == 0 && self.quote(end).is_none() => self.char(end).len_utf8(),
                _ => return end - at,
            }
        }
    }

    /// The offset after the quote at `end` if it belongs to a key that has only its closing quote, e.g. `{a": 1}`; else `end`.
    pub(super) fn after_stray_quote(&self, end: usize) -> usize {
        let is_stray =
            !self.rules.is_block() && self.byte(end) == b'"' && self.byte(self.after_comments(end + 1)) == b':';
        end + usize::from(is_stray)
    }

    /// The length of the whitespace character at `at`; 0 for any other character.
    pub(super) fn blank(&self, at: usize) -> usize {
        match self.byte(at) {
            b' ' | b'\t' | b'\r' | b'\n' => 1,
            0x0b | 0x0c | 0x80.. if is_blank(self.char(at)) => self.char(at).len_utf8(),
            _ => 0,
        }
    }

    /// The offset of the first character at or after `at` that is not whitespace.
    pub(super) fn after_blanks(&self, mut at: usize) -> usize {
        loop {
            match self.blank(at) {
                0 => return at,
                blank => at += blank,
            }
        }
    }

    /// The offset of the first character at or after `at` that is neither whitespace nor in a short comment.
    pub(super) fn after_comments(&self, mut at: usize) -> usize {
        loop {
            match self.blank(at) {
                0 => match self.short_comment(at) {
                    Some(length) => at += length,
                    None => return at,
                },
                blank => at += blank,
            }
        }
    }

    /// The length of the comment at `at`; `None` if none exists, if it is longer than `SHORT_COMMENT` or not closed, or if the
    /// looks ahead are over `MAX_SKIPPED_LENGTHS`.
    fn short_comment(&self, at: usize) -> Option<usize> {
        if !matches!(self.byte(at), b'/' | b'#' | b'<')
            || self.lookups.comment_bytes.get() > MAX_SKIPPED_LENGTHS * (self.text.len() + SHORT_COMMENT)
        {
            return None;
        }
        let (length, is_closed) = self.comment(at, at + SHORT_COMMENT)?;
        self.lookups.comment_bytes.set(self.lookups.comment_bytes.get() + length);
        is_closed.then_some(length)
    }

    /// The length of the comment at `at`, read up to the offset `limit`, and whether the comment ends before that. `None` if no
    /// comment begins there.
    pub(super) fn comment(&self, at: usize, limit: usize) -> Option<(usize, bool)> {
        let (begin, end) = COMMENTS.iter().find(|(begin, _)| self.has(at, begin))?;
        let mut limit = limit.min(self.text.len());
        while !self.text.is_char_boundary(limit) {
            limit -= 1;
        }
        // The line break after a line comment is not part of it.
        let end_length = usize::from(*end != "\n") * end.len();
        Some(match find(self.part(0, limit), at + begin.len(), end) {
            Some(end_at) => (end_at + end_length - at, true),
            None => (limit - at, false),
        })
    }
}
