//! Line, column and UTF-16 offset of a byte in a text, for errors.

use crate::value::text::rfind;

/// A place in a text: UTF-16 code units from 0, line and column from 1.
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
    /// The position of a byte offset in `text`. Takes a walk over the text, so errors store offsets and compute this late.
    pub fn of(text: &str, byte: usize) -> Self {
        // An offset inside a character means the end of that character.
        let before = (byte..text.len()).find_map(|end| text.get(..end)).unwrap_or(text);
        let tail = rfind(before, [b'\n'; 2]).and_then(|end| before.get(end + 1..));
        let line = if tail.is_some() { 1 + lines(before) } else { 1 };
        Self { offset: utf16_len(before), line, column: 1 + utf16_len(tail.unwrap_or(before)) }
    }

    /// The position that is `step` further than this one.
    pub(crate) const fn after(self, step: Self) -> Self {
        let column = if step.line > 1 { step.column } else { self.column + step.column - 1 };
        Self { offset: self.offset + step.offset, line: self.line + step.line - 1, column }
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// How many UTF-16 code units the text has. Many bytes at a time, since whole blocks are counted.
pub(crate) fn utf16_len(text: &str) -> usize {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mut units = text.len();
    // One unit for each character, which is each byte that continues none, and one more for a character of four bytes.
    for word in words {
        let word = u64::from_le_bytes(*word);
        if word & (ONES * 0x80) != 0 {
            let continued = (word >> 7) & !(word >> 6) & ONES;
            let four = (word >> 7) & (word >> 6) & (word >> 5) & (word >> 4) & ONES;
            units = units + four.count_ones() as usize - continued.count_ones() as usize;
        }
    }
    for byte in rest {
        units = units + usize::from(*byte >= 0xf0) - usize::from(byte & 0xc0 == 0x80);
    }
    units
}

fn lines(text: &str) -> usize {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let wide = words.iter().fold(0, |sum, word| {
        let difference = u64::from_le_bytes(*word) ^ (ONES * u64::from(b'\n'));
        // The high bit of each byte that is not zero: set already, or set by adding 127 to the seven lower bits.
        let set = (((difference & (ONES * 0x7f)) + ONES * 0x7f) | difference) & (ONES * 0x80);
        sum + 8 - set.count_ones() as usize
    });
    wide + rest.iter().filter(|byte| **byte == b'\n').count()
}
