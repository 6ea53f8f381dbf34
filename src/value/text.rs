//! Functions on texts. Those of the standard library are generic, so a module would contain them several times.

use std::ops::Range;

use super::number::write_index;
use super::scan::{NO_LOW_BYTE, blanks, length_before, marks};
use crate::counted::count_work;

/// Appends a text, and returns the output for the next one. Not inline: smaller than `push_str`, and slower.
#[inline(never)]
pub(crate) fn put<'o>(out: &'o mut String, text: &str) -> &'o mut String {
    out.push_str(text);
    out
}

/// Appends one character, which is faster than a text of one.
#[inline(never)]
pub(crate) fn put_char(out: &mut String, char: char) -> &mut String {
    out.push(char);
    out
}

/// The parts, one after another.
pub(crate) fn concat(parts: &[&str]) -> String {
    let mut out = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        out.push_str(part);
    }
    out
}

/// The parts, one after another, with the separator between each two.
pub(crate) fn join(parts: &[&str], separator: &str) -> String {
    let mut out = String::new();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            put(&mut out, separator);
        }
        put(&mut out, part);
    }
    out
}

/// An owned copy. Not inline, since it has three dozen callers.
#[inline(never)]
pub(crate) fn owned(text: &str) -> String {
    text.to_owned()
}

/// A part of a text; empty for an invalid range.
pub(crate) fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The longest beginning of a text that has at most `max_bytes` bytes and ends after a whole character.
pub(crate) fn prefix_within(text: &str, max_bytes: usize) -> &str {
    let mut end = max_bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    head(text, end)
}

/// The text before the offset `end`; empty if the offset is inside a character or beyond the text. Not inline, as [`tail`],
/// since both have dozens of callers.
#[inline(never)]
pub(crate) fn head(text: &str, end: usize) -> &str {
    text.get(..end).unwrap_or_default()
}

/// The text from the offset `start` on; empty if the offset is inside a character or beyond the text.
#[inline(never)]
pub(crate) fn tail(text: &str, start: usize) -> &str {
    text.get(start..).unwrap_or_default()
}

/// An owned copy that cannot grow.
#[inline(never)]
pub(crate) fn boxed(text: &str) -> Box<str> {
    text.into()
}

/// A number in decimal digits.
#[inline(never)]
pub(crate) fn decimal(number: usize) -> String {
    let mut out = String::new();
    write_index(&mut out, number);
    out
}

/// Appends a number in four or more hexadecimal digits, upper case.
pub(crate) fn write_hex(out: &mut String, number: u32) {
    for digits_after in (0..8).rev() {
        // The last digit of `beginning` is the next to be written.
        let beginning = number >> (4 * digits_after);
        if beginning > 0 || digits_after < 4 {
            out.push(char::from_digit(beginning & 15, 16).unwrap_or_default().to_ascii_uppercase());
        }
    }
}

/// The line at an index of a table that is one text with a line feed after each entry: such a table takes half the space of a
/// slice of texts. Empty beyond the last line.
pub(crate) fn line(table: &'static str, index: usize) -> &'static str {
    let mut lines_so_far = 0;
    let is_reached = &mut |_| {
        lines_so_far += 1;
        lines_so_far > index
    };
    find_line(table, is_reached).unwrap_or_default()
}

/// The first line of a table, as [`line`] describes it, for which `is_match` is true.
#[inline(never)]
pub(crate) fn find_line<'t>(table: &'t str, is_match: &mut dyn FnMut(&'t str) -> bool) -> Option<&'t str> {
    let mut start = 0;
    // Byte by byte, which is fast for short lines: streams look up every key that they read.
    for (offset, byte) in table.bytes().enumerate() {
        if byte == b'\n' {
            let line = part(table, start..offset);
            if is_match(line) {
                return Some(line);
            }
            start = offset + 1;
        }
    }
    None
}

/// The rest of a text that begins with a line of the table: of several lines, the first counts. `None` if it begins with none.
pub(crate) fn after_line<'t>(text: &'t str, table: &str) -> Option<&'t str> {
    find_line(table, &mut |line| text.starts_with(line)).map(|line| tail(text, line.len()))
}

/// The part before the end of a text that ends with a line of the table, as [`after_line`] finds it. `None` if it ends with none.
pub(crate) fn before_line<'t>(text: &'t str, table: &str) -> Option<&'t str> {
    find_line(table, &mut |line| text.ends_with(line)).map(|line| head(text, text.len() - line.len()))
}

/// The number of bytes of the first line of a text, with its line feed.
#[inline(never)]
pub(crate) fn line_length(text: &str) -> usize {
    find(text, "\n").map_or(text.len(), |end| end + 1)
}

/// The first line of a text with its line feed, or the first 256 bytes of a longer line: a caller that reads a long line in many
/// steps must not search the whole line for its end in each step.
pub(crate) fn piece_of_line(text: &str) -> &str {
    let piece = prefix_within(text, 256);
    head(piece, line_length(piece))
}

/// The first character of a text, as a text; empty for an empty text. The first byte of a character tells its length in UTF-8.
#[inline(never)]
pub(crate) fn first_char(text: &str) -> &str {
    let length = match text.as_bytes().first() {
        None => 0,
        Some(..0x80) => 1,
        Some(..0xe0) => 2,
        Some(..0xf0) => 3,
        Some(_) => 4,
    };
    head(text, length)
}

/// Reads a whole number: decimal digits without leading zeros, below 2^32. `None` for any other text.
pub(crate) fn whole_number(digits: &str) -> Option<u32> {
    let mut number = 0_u32;
    for byte in digits.bytes() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number.checked_mul(10)?.checked_add(digit.into())?;
    }
    let is_canonical = digits == "0" || !(digits.is_empty() || digits.starts_with('0'));
    is_canonical.then_some(number)
}

/// The first `max_chars` characters of a text; all of a shorter text.
pub(crate) fn cut(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Whether a character is whitespace (Unicode).
#[inline(never)]
pub(crate) fn is_space(char: char) -> bool {
    char.is_whitespace()
}

/// A text without whitespace at its beginning.
#[inline(never)]
pub(crate) fn trim_start(text: &str) -> &str {
    text.trim_start()
}

/// A text without JSON whitespace at its beginning.
pub(crate) fn trim_json_start(text: &str) -> &str {
    text.get(blanks(text)..).unwrap_or_default()
}

/// A text without the bytes at its end that are in `trimmed`, a set of ASCII characters.
pub(crate) fn trim_bytes<'t>(text: &'t str, trimmed: &[u8]) -> &'t str {
    let end = text.as_bytes().iter().rposition(|byte| !trimmed.contains(byte)).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}

/// A text without JSON whitespace at its end.
pub(crate) fn trim_json_end(text: &str) -> &str {
    trim_bytes(text, b" \t\r\n")
}

/// The offset of the last byte that is one of the two in `wanted`; a search for a single byte passes it twice.
pub(crate) fn rfind(text: &str, wanted: [u8; 2]) -> Option<usize> {
    let bytes = text.as_bytes();
    // Eight bytes at a time, from the end.
    let (first_bytes, words) = bytes.as_rchunks::<8>();
    let skipped_words = words.iter().rev().take_while(|word| marks(**word, wanted, NO_LOW_BYTE) == 0).count();
    count_work(skipped_words + 1);
    let end = first_bytes.len() + 8 * (words.len() - skipped_words);
    bytes.get(..end)?.iter().rposition(|byte| wanted.contains(byte))
}

/// The value of four hexadecimal digits; `None` for any other text.
pub(crate) fn hex(digits: &str) -> Option<u16> {
    let mut number = 0;
    for char in digits.chars() {
        number = number << 4 | char.to_digit(16)? as u16;
    }
    (digits.len() == 4).then_some(number)
}

/// A text without whitespace at its end.
#[inline(never)]
pub(crate) fn trim_end(text: &str) -> &str {
    text.trim_end()
}

/// Whether a text contains a short piece: see [`find`].
pub(crate) fn contains(text: &str, piece: &str) -> bool {
    find(text, piece).is_some()
}

/// The offset of the first occurrence of a piece; `None` for an empty piece. The piece should be short: it is compared wherever
/// its first byte occurs.
#[inline(never)]
pub(crate) fn find(text: &str, piece: &str) -> Option<usize> {
    let (bytes, piece) = (text.as_bytes(), piece.as_bytes());
    let first = *piece.first()?;
    let mut offset = 0;
    loop {
        offset += length_before(bytes.get(offset..)?, [first; 2], NO_LOW_BYTE);
        if bytes.get(offset..)?.starts_with(piece) {
            return Some(offset);
        }
        offset += 1;
    }
}
