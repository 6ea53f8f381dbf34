//! Looks ahead: at the key that stands somewhere, past blanks and short comments.

use super::Dialect;
use super::syntax::Repairer;
use super::words::is_literal;
use crate::value::is_blank;

/// A key that stands in the text, with its colon or before its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyAhead<'a> {
    pub(super) text: &'a str,
    /// Its number among the known ones.
    pub(super) known: Option<u32>,
    pub(super) quoted: bool,
    pub(super) colon: Colon,
}

impl KeyAhead<'_> {
    pub(super) const fn is_known(self) -> bool {
        self.known.is_some()
    }

    /// Whether it is a key without the comma before it.
    pub(super) fn is_sure(self) -> bool {
        self.is_known() || self.colon == Colon::Sound
    }
}

/// What stands between a key and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colon {
    Sound,
    /// `=` or `=>`.
    Arrow,
    /// Nothing, but the value begins.
    Missing,
}

/// A comment in the way of a look ahead is passed over if it is no longer than this.
const SHORT_COMMENT: usize = 200;

/// All looks ahead together go through so many times the text of comments: then they end at a comment, as at all else.
const LOOKS: usize = 8;

impl<'a> Repairer<'a> {
    /// The key that stands here, with its colon or before its value.
    pub(super) fn key_at(&self, at: usize) -> Option<KeyAhead<'a>> {
        let (text, end) = self.key_text(at)?;
        let quoted = self.quote(at).is_some();
        let colon = self.pass(end);
        let between = match self.byte(colon)? {
            b':' => Colon::Sound,
            b'=' if self.byte(colon + 1) != Some(b'=') => Colon::Arrow,
            _ if quoted && (self.begins_value(colon) || is_literal(self.rest(colon))) => Colon::Missing,
            _ => return None,
        };
        Some(KeyAhead { text, known: (self.rules.known)(text), quoted, colon: between })
    }

    /// The text of the key that stands here, and where it ends with its quotes.
    pub(super) fn key_text(&self, at: usize) -> Option<(&'a str, usize)> {
        let Some(quote) = self.quote(at) else {
            let rest = self.rest(at);
            let length = bare_length(rest);
            let key = rest.get(..length).filter(|key| !key.is_empty())?;
            return Some((key, self.stray_quote(at + length)));
        };
        let start = at + quote.length();
        let mut end = start;
        loop {
            match self.byte(end)? {
                b'\\' => end += 2,
                0..0x20 => return None,
                // Each kind of closing quote begins with one of these.
                b'"' | b'\'' | b'`' | 0xc2 | 0xe2 => match self.closing(quote, end) {
                    Some(closing) => return Some((self.text.get(start..end)?, end + closing)),
                    None => end += 1,
                },
                _ => end += 1,
            }
        }
    }

    /// The first place from here on that is neither blank nor in a short comment.
    pub(super) fn pass(&self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => at += 1,
                b'/' | b'#' | b'<' => match self.short_comment(at) {
                    Some(length) => at += length,
                    None => break,
                },
                0x80.. => match self.rest(at).chars().next() {
                    Some(blank) if is_blank(blank) => at += blank.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
        at
    }

    /// How long the comment is that begins here, if it is short, and looks ahead may still go through comments.
    fn short_comment(&self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let near = bytes.get(at..bytes.len().min(at + SHORT_COMMENT)).unwrap_or_default();
        let looked = self.looked.get();
        if looked > LOOKS * (bytes.len() + SHORT_COMMENT) {
            return None;
        }
        let length = match near {
            [b'/', b'*', rest @ ..] => rest.windows(2).position(|end| end == b"*/").map(|end| end + 4),
            [b'<', b'!', b'-', b'-', rest @ ..] => rest.windows(3).position(|end| end == b"-->").map(|end| end + 7),
            [b'/', b'/', ..] | [b'#', ..] => near.iter().position(|byte| *byte == b'\n'),
            _ => return None,
        };
        self.looked.set(looked + length.unwrap_or(near.len()));
        length
    }

    /// Passes a quote after a key that has none before it.
    pub(super) fn stray_quote(&self, end: usize) -> usize {
        let is_stray = self.byte(end) == Some(b'"') && self.byte(self.pass(end + 1)) == Some(b':');
        end + usize::from(is_stray && self.rules.dialect == Dialect::Json)
    }
}

/// How long the key without quotes is that stands at the beginning.
pub(super) fn bare_length(text: &str) -> usize {
    let word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$' | '-' | '.');
    text.find(|char| !word(char)).unwrap_or(text.len())
}
