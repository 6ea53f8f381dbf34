//! The quotes of strings: which character opens a string, and which may close it.
//!
//! Models mix quotes, so a string may be closed by another character than its partner: `“a"`, `‘a'`. Single and double ASCII quotes
//! are closed only by themselves. Each closing quote is a candidate only; `ends` decides which one ends the string.

use super::syntax::Repairer;
use crate::value::{is_typographic_double, is_typographic_single};

/// The quotes around a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuoteKind {
    /// `"`
    Double,
    /// `'`
    Single,
    /// A backtick.
    Back,
    /// Typographic double quotes, e.g. `“` and `”`.
    Smart,
    /// Typographic single quotes, e.g. `‘` and `’`; outside of blocks also a backtick. `'` and a backtick may close it as well.
    SmartSingle,
    /// `"""` or `'''`, with the byte of one quote.
    Triple(u8),
}

impl QuoteKind {
    /// The ASCII quote that an author who escapes has to escape inside the string, since it would end the string, e.g. the `'` of
    /// `'it\'s'`. One such quote does not end `Triple`. Authors of typographic quotes need not escape ASCII ones, but `‘don\'t’`
    /// is read like `'don\'t'`.
    pub(super) const fn quote_to_escape(self) -> Option<u8> {
        match self {
            Self::Double => Some(b'"'),
            Self::Single | Self::SmartSingle => Some(b'\''),
            Self::Back => Some(b'`'),
            Self::Smart | Self::Triple(_) => None,
        }
    }
}

/// An opening quote.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quote {
    pub(super) kind: QuoteKind,
    /// In bytes.
    pub(super) length: usize,
}

/// The role of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringRole {
    Key,
    Value,
    /// The second part of a concatenation, e.g. `"a" + "b"`.
    Joined,
}

/// The longest run of quotes that is counted: one more than the six of an empty triple-quoted string.
const LONGEST_QUOTE: usize = 7;

impl Repairer<'_> {
    /// The opening quote at `at`; `None` if no string begins there.
    pub(super) fn quote(&self, at: usize) -> Option<Quote> {
        let (kind, length) = match self.byte(at) {
            byte @ (b'"' | b'\'') => {
                let marks = self.run(at, byte, LONGEST_QUOTE);
                // Three quotes open a triple-quoted string, six are an empty one. Four or five open one that begins with a
                // quote, unless the value ends after them. Of any other run, only the first quote opens the string.
                let ends_value = || matches!(self.byte(self.after_comments(at + marks)), 0 | b',' | b'}' | b']');
                let is_triple = matches!(marks, 3 | 6) || (matches!(marks, 4 | 5) && !ends_value());
                match byte {
                    _ if is_triple => (QuoteKind::Triple(byte), 3),
                    b'"' => (QuoteKind::Double, 1),
                    _ => (QuoteKind::Single, 1),
                }
            }
            // A fence.
            b'`' if self.run(at, b'`', 3) == 3 => return None,
            // Strings of blocks are often code, which has `'` in it. Elsewhere `'` may close a backtick, e.g. `` `quoted' ``.
            b'`' => (if self.rules.is_block() { QuoteKind::Back } else { QuoteKind::SmartSingle }, 1),
            0x80.. => match self.char(at) {
                char if is_typographic_double(char) => (QuoteKind::Smart, char.len_utf8()),
                char if is_typographic_single(char) => (QuoteKind::SmartSingle, char.len_utf8()),
                _ => return None,
            },
            _ => return None,
        };
        Some(Quote { kind, length })
    }

    /// The length of the quote at `at` if it may end a string with this opening quote; else 0.
    pub(super) fn closing(&self, Quote { kind, .. }: Quote, at: usize) -> usize {
        let first = self.byte(at);
        let closes = match kind {
            QuoteKind::Double => return usize::from(first == b'"'),
            QuoteKind::Single => return usize::from(first == b'\''),
            QuoteKind::Back => return usize::from(first == b'`'),
            QuoteKind::Smart => first == b'"' || is_typographic_double(self.char(at)),
            QuoteKind::SmartSingle => matches!(first, b'\'' | b'`') || is_typographic_single(self.char(at)),
            // Only the last three quotes of a run end the string: the quotes before them are text.
            QuoteKind::Triple(byte) => return 3 * usize::from(self.run(at, byte, 4) == 3),
        };
        if closes { self.char(at).len_utf8() } else { 0 }
    }
}

/// The number of hexadecimal digits at the start of `text`, at most four.
pub(super) fn hexes(text: &[u8]) -> usize {
    text.iter().take(4).take_while(|digit| digit.is_ascii_hexdigit()).count()
}

/// Whether a byte may be part of a key or word without quotes.
pub(super) const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
