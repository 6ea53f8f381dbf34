//! Helpers on texts. Those of the standard library are generic, and would be in the modules several times over.

use std::ops::Range;

use super::number::write_index;
use super::scan::{blanks, length_before, marks};
use crate::counted::looked_at;

/// Appends a text, and returns where the next one goes. It is smaller than `push_str`, and slower.
#[inline(never)]
pub(crate) fn put<'o>(out: &'o mut String, text: &str) -> &'o mut String {
    out.push_str(text);
    out
}

/// The same of one character: copying a text of one takes longer.
#[inline(never)]
pub(crate) fn put_char(out: &mut String, char: char) -> &mut String {
    out.push(char);
    out
}

pub(crate) fn concat(parts: &[&str]) -> String {
    let mut out = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        out.push_str(part);
    }
    out
}

pub(crate) fn join(parts: &[&str], between: &str) -> String {
    let mut out = String::new();
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            put(&mut out, between);
        }
        put(&mut out, part);
    }
    out
}

/// A text of its own. Not inline: it is asked for in three dozen places.
#[inline(never)]
pub(crate) fn owned(text: &str) -> String {
    text.to_owned()
}

/// A part of a text; nothing where that is none.
pub(crate) fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// As much of the text as fits into so many bytes.
pub(crate) fn fitting(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    head(text, end)
}

/// A text up to a place. Not inline, as little as [`tail`]: they are asked for in dozens of places.
#[inline(never)]
pub(crate) fn head(text: &str, end: usize) -> &str {
    text.get(..end).unwrap_or_default()
}

#[inline(never)]
pub(crate) fn tail(text: &str, start: usize) -> &str {
    text.get(start..).unwrap_or_default()
}

/// A text of its own that does not grow.
#[inline(never)]
pub(crate) fn boxed(text: &str) -> Box<str> {
    text.into()
}

#[inline(never)]
pub(crate) fn decimal(number: usize) -> String {
    let mut out = String::new();
    write_index(&mut out, number);
    out
}

/// Appends a number in four or more hexadecimal digits, upper case.
pub(crate) fn write_hex(out: &mut String, number: u32) {
    for place in (0..8).rev() {
        let rest = number >> (4 * place);
        if rest > 0 || place < 4 {
            out.push(char::from_digit(rest & 15, 16).unwrap_or_default().to_ascii_uppercase());
        }
    }
}

/// One line of a text: a table of texts in one, which is half as large as one with an address and a length for each.
pub(crate) fn line(table: &'static str, place: usize) -> &'static str {
    let (mut left, mut start) = (place, 0);
    for (at, byte) in table.bytes().enumerate() {
        if byte != b'\n' {
            continue;
        }
        if left == 0 {
            return table.get(start..at).unwrap_or_default();
        }
        (left, start) = (left - 1, at + 1);
    }
    ""
}

/// The first line of such a table of which something holds.
#[inline(never)]
pub(crate) fn find_line<'t>(table: &'t str, holds: &mut dyn FnMut(&'t str) -> bool) -> Option<&'t str> {
    let mut rest = table;
    while let Some(end) = find(rest, "\n") {
        let own = head(rest, end);
        if holds(own) {
            return Some(own);
        }
        rest = tail(rest, end + 1);
    }
    None
}

/// Whether some line of a table stands at the beginning of a text; what is behind it.
pub(crate) fn after_line<'t>(text: &'t str, table: &str) -> Option<&'t str> {
    find_line(table, &mut |line| text.starts_with(line)).map(|line| tail(text, line.len()))
}

/// Whether some line of a table stands at the end of a text; what is before it.
pub(crate) fn before_line<'t>(text: &'t str, table: &str) -> Option<&'t str> {
    find_line(table, &mut |line| text.ends_with(line)).map(|line| head(text, text.len() - line.len()))
}

/// How many bytes the first line of a text has, its line feed included.
#[inline(never)]
pub(crate) fn line_length(text: &str) -> usize {
    find(text, "\n").map_or(text.len(), |end| end + 1)
}

/// The first line of a text with its line feed, or so much of it as is read at a time: who stops inside of it comes back for the
/// rest, which is not to be searched whole each time.
pub(crate) fn piece_of_line(text: &str) -> &str {
    let piece = fitting(text, 256);
    head(piece, line_length(piece))
}

/// The first character of a text, as a text.
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

/// The number that digits stand for, as JSON and JavaScript write one: below 2^32, and without leading zeros.
pub(crate) fn whole(digits: &str) -> Option<u32> {
    let mut number = 0_u32;
    for byte in digits.bytes() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number.checked_mul(10)?.checked_add(digit.into())?;
    }
    let is_plain = digits == "0" || !(digits.is_empty() || digits.starts_with('0'));
    is_plain.then_some(number)
}

/// So many characters of a text from outside, which is what a message can carry.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Whether a character is a blank of any script.
#[inline(never)]
pub(crate) fn is_space(char: char) -> bool {
    char.is_whitespace()
}

/// A text without the blanks before it.
#[inline(never)]
pub(crate) fn trim_start(text: &str) -> &str {
    text.trim_start()
}

/// A text without the blanks of JSON before it.
pub(crate) fn trim_json_start(text: &str) -> &str {
    text.get(blanks(text)..).unwrap_or_default()
}

/// A text without such bytes at its end.
pub(crate) fn trim_bytes<'t>(text: &'t str, bytes: &[u8]) -> &'t str {
    let end = text.as_bytes().iter().rposition(|byte| !bytes.contains(byte)).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}

/// The same of the blanks of JSON.
pub(crate) fn trim_json_end(text: &str) -> &str {
    trim_bytes(text, b" \t\r\n")
}

/// Where the last of two bytes stands.
pub(crate) fn rfind(text: &str, two: [u8; 2]) -> Option<usize> {
    let bytes = text.as_bytes();
    let (rest, words) = bytes.as_rchunks::<8>();
    let without = words.iter().rev().take_while(|word| marks(**word, two, 0) == 0).count();
    looked_at(without + 1);
    let end = rest.len() + 8 * (words.len() - without);
    bytes.get(..end)?.iter().rposition(|byte| *byte == two[0] || *byte == two[1])
}

/// The number that four hexadecimal digits stand for.
pub(crate) fn hex(digits: &str) -> Option<u16> {
    let mut number = 0;
    for char in digits.chars() {
        number = number << 4 | char.to_digit(16)? as u16;
    }
    (digits.len() == 4).then_some(number)
}

/// A text without the blanks after it.
#[inline(never)]
pub(crate) fn trim_end(text: &str) -> &str {
    text.trim_end()
}

/// Whether a short piece stands in a text.
pub(crate) fn contains(text: &str, piece: &str) -> bool {
    find(text, piece).is_some()
}

/// Where a short piece stands in a text for the first time.
#[inline(never)]
pub(crate) fn find(text: &str, piece: &str) -> Option<usize> {
    let (bytes, piece) = (text.as_bytes(), piece.as_bytes());
    let first = *piece.first()?;
    let mut place = 0;
    loop {
        place += length_before(bytes.get(place..)?, [first; 2], 0);
        if bytes.get(place..)?.starts_with(piece) {
            return Some(place);
        }
        place += 1;
    }
}
