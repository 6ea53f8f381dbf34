//! Measuring text: in UTF-16 code units, as JavaScript does, and by what fits into a limit.

/// As much of the text as fits into so many bytes.
pub(super) fn fitting(text: &str, bytes: usize) -> &str {
    let ends = (0..=bytes.min(text.len())).rev();
    ends.filter_map(|end| text.get(..end)).next().unwrap_or_default()
}

/// How many UTF-16 code units the text has. Eight bytes at a time, since whole blocks are counted.
pub(super) fn utf16_len(text: &str) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    // Every byte counts, but those that continue a sequence; one that leads four bytes counts twice.
    let wide = words.iter().fold(0, |sum, word| {
        let word = u64::from_le_bytes(*word);
        let continued = (word >> 7) & !(word >> 6) & ONES;
        let four = (word >> 7) & (word >> 6) & (word >> 5) & (word >> 4) & ONES;
        sum + 8 + four.count_ones() as usize - continued.count_ones() as usize
    });
    let bytes = rest.iter().map(|byte| usize::from(byte & 0xc0 != 0x80) + usize::from(*byte >= 0xf0));
    wide + bytes.sum::<usize>()
}
