//! Searches for single bytes in texts, eight at a time. Tests count this work instead of measuring time (`count_work`).

use crate::counted::count_work;

/// The number of bytes before the quote, an escape or a control character of a string.
pub(crate) fn run_length(bytes: &[u8], quote: u8) -> usize {
    length_before(bytes, [quote, b'\\'], 0x20)
}

/// As the argument `low` of [`length_before`] and [`marks`]: no byte is below it.
pub(crate) const NO_LOW_BYTE: u8 = 0;

/// The number of bytes before the first that is `one`, `two` or below `low`; all bytes if none is. `low` is at most 0x80.
pub(crate) fn length_before(bytes: &[u8], [one, two]: [u8; 2], low: u8) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let marks = marks(*word, [one, two], low);
        if marks != 0 {
            count_work(index + 1);
            // The first of the eight bytes is in the lowest bits.
            return 8 * index + marks.trailing_zeros() as usize / 8;
        }
    }
    count_work(words.len() + 1);
    let special = |byte: &u8| *byte < low || *byte == one || *byte == two;
    8 * words.len() + rest.iter().position(special).unwrap_or(rest.len())
}

/// Sets the high bit of the first of eight bytes that is `one`, `two` or below `low`. High bits of later bytes may be wrong; no
/// other bit is set. `low` is at most 0x80. Always inline, since the loops around it are hot.
#[inline(always)]
pub(crate) fn marks(word: [u8; 8], [one, two]: [u8; 2], low: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // Sets the high bit of a byte that is zero: `x - 1` has it for 0 and above 0x80, `!x` only below 0x80. A borrow into the next
    // byte only affects later bytes. In the same way, `(x - low) & !x` has it for a byte below `low`.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let (ones, twos, lows) = (ONES * u64::from(one), ONES * u64::from(two), ONES * u64::from(low));
    let word = u64::from_le_bytes(word);
    (word.wrapping_sub(lows) & !word | zero(word ^ ones) | zero(word ^ twos)) & HIGHS
}

/// The number of bytes of JSON whitespace at the beginning.
pub(crate) fn blanks(text: &str) -> usize {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    text.as_bytes().iter().position(|byte| !blank(byte)).unwrap_or(text.len())
}
