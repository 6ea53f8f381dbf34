//! Line, column and UTF-16 offset of a byte in a text, for errors.

use crate::value::text::rfind;

/// A position in a text: UTF-16 code units from 0, line and column from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// UTF-16 code units before it.
    pub offset: usize,
    /// The line, from 1; `\n` ends a line.
    pub line: usize,
    /// UTF-16 code units before it in its line, plus 1.
    pub column: usize,
}

impl Position {
    /// The position of a byte offset in `text`. It walks over the text, so errors store offsets and compute positions late.
    pub fn of(text: &str, byte: usize) -> Self {
        // An offset inside a character means the end of that character.
        let before = (byte..text.len()).find_map(|end| text.get(..end)).unwrap_or(text);
        // The part of its line before the position; `None` in the first line.
        let line_head = rfind(before, [b'\n'; 2]).and_then(|line_feed| before.get(line_feed + 1..));
        let line = if line_head.is_some() { 1 + line_feeds(before) } else { 1 };
        Self { offset: utf16_len(before), line, column: 1 + utf16_len(line_head.unwrap_or(before)) }
    }

    /// Joins two positions: `inner` is a position in the text that begins at this one.
    pub(crate) const fn after(self, inner: Self) -> Self {
        // Lines and columns count from 1. Only the first line of the inner text continues a line of the outer one.
        let column = if inner.line > 1 { inner.column } else { self.column + inner.column - 1 };
        Self { offset: self.offset + inner.offset, line: self.line + inner.line - 1, column }
    }
}

/// Eight bytes of 1. `ONES * byte` is eight times this byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// How many UTF-16 code units the text has. Eight bytes at a time, since whole blocks are counted.
pub(crate) fn utf16_len(text: &str) -> usize {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    // Each byte is one unit, except for the bytes after the first of a character (10xxxxxx). A character of four bytes, whose
    // first byte is 1111xxxx, has two units.
    let mut units = text.len();
    for word in words {
        let word = u64::from_le_bytes(*word);
        let is_ascii = word & (ONES * 0x80) == 0;
        if !is_ascii {
            // The shifts move the bits of a byte that distinguish these cases into its lowest bit.
            let continuations = (word >> 7) & !(word >> 6) & ONES;
            let starts_of_four = (word >> 7) & (word >> 6) & (word >> 5) & (word >> 4) & ONES;
            units = units + starts_of_four.count_ones() as usize - continuations.count_ones() as usize;
        }
    }
    for byte in rest {
        units = units + usize::from(*byte >= 0xf0) - usize::from(byte & 0xc0 == 0x80);
    }
    units
}

/// The number of line feeds in a text.
fn line_feeds(text: &str) -> usize {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let count_in_words = words.iter().fold(0, |sum, word| {
        // Zero in each byte that is a line feed.
        let difference = u64::from_le_bytes(*word) ^ (ONES * u64::from(b'\n'));
        // The high bit of each byte that is not zero: set already, or set by adding 127 to the seven lower bits.
        let others = (((difference & (ONES * 0x7f)) + ONES * 0x7f) | difference) & (ONES * 0x80);
        sum + 8 - others.count_ones() as usize
    });
    count_in_words + rest.iter().filter(|byte| **byte == b'\n').count()
}
