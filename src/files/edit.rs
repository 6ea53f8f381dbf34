//! Replaces one piece of a text, which must occur exactly once.

use super::nearest::{Nearest, nearest};
use crate::value::text::{head, owned, part, tail};
use crate::value::{concat, find};
use crate::work::looked_at;

/// Why a text was not edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditFailure<'a> {
    /// The piece is not there; where the text is most like it.
    NotFound(Option<Nearest<'a>>),
    /// The piece is there several times: how often, and the lines of the first few, from 1.
    Several(usize, Vec<usize>),
}

impl std::fmt::Display for EditFailure<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFound(_) => out.write_str("the text has no such piece"),
            Self::Several(count, _) => write!(out, "the piece is in the text {count} times"),
        }
    }
}

impl std::error::Error for EditFailure<'_> {}

/// So many places are named of a piece that is there several times.
const NAMED: usize = 10;

/// The text with `old`, which must be in it exactly once, replaced by `new` as it stands.
///
/// If the text or `old` has CRLF line ends, they match as LF, and the line ends of `new` become those of what it
/// replaces. Places that overlap count as several.
///
/// # Errors
/// Where `old` is instead, or how often.
pub fn edit<'a>(text: &'a str, old: &str, new: &str) -> Result<String, EditFailure<'a>> {
    let windows = crlf(text).0 > 0 || crlf(old).0 > 0;
    let piece = if windows { with_ends(old, "\n") } else { owned(old) };
    let (count, ends) = find_all(text, &piece, windows);
    let to = match *ends {
        [] => return Err(EditFailure::NotFound(nearest(text, old))),
        [end] => end,
        _ => return Err(EditFailure::Several(count, line_numbers(text, &piece, &ends))),
    };
    let from = start(text.as_bytes(), to, piece.len(), windows);
    let (before, replaced, after) = (head(text, from), part(text, from..to), tail(text, to));
    if !windows {
        return Ok(concat(&[before, new, after]));
    }
    // What replaces a piece without a line end takes those of the file.
    let (with, all) = crlf(if find(replaced, "\n").is_some() { replaced } else { text });
    Ok(concat(&[before, &with_ends(new, if all > 0 && with * 2 >= all { "\r\n" } else { "\n" }), after]))
}

/// Whether a line end of two bytes stands at a place.
fn is_crlf(bytes: &[u8], place: usize) -> bool {
    bytes.get(place) == Some(&b'\r') && bytes.get(place + 1) == Some(&b'\n')
}

/// How many lines end with CRLF, of how many.
fn crlf(text: &str) -> (usize, usize) {
    let (mut with, mut all) = (0, 0);
    let mut last = 0;
    for byte in text.bytes() {
        if byte == b'\n' {
            all += 1;
            with += usize::from(last == b'\r');
        }
        last = byte;
    }
    (with, all)
}

/// A text whose lines end in this way.
fn with_ends(text: &str, end: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut clean = 0;
    for (place, byte) in text.bytes().enumerate() {
        if byte == b'\n' {
            let line = part(text, clean..place);
            out.push_str(line.strip_suffix('\r').unwrap_or(line));
            out.push_str(end);
            clean = place + 1;
        }
    }
    out.push_str(tail(text, clean));
    out
}

/// Where a match of so many bytes begins that ends at a place; a CRLF in it is one byte.
fn start(text: &[u8], end: usize, length: usize, windows: bool) -> usize {
    let mut place = end;
    for _ in 0..length {
        place -= 1;
        if windows && place > 0 && is_crlf(text, place - 1) {
            place -= 1;
        }
    }
    place
}

/// How often a piece stands in a text, places that overlap included, and where the first few end, in time that grows with
/// both lengths only (Knuth, Morris, Pratt). Where line ends may have two bytes, each reads as one.
fn find_all(text: &str, piece: &str, windows: bool) -> (usize, Vec<usize>) {
    let piece = piece.as_bytes();
    let mut borders: Vec<usize> = Vec::new();
    for byte in piece {
        let border = borders.last().map_or(0, |last| follow(piece, &borders, *last, *byte));
        borders.push(border);
    }
    let (mut count, mut ends) = (0, Vec::new());
    let mut length = 0;
    for (place, byte) in text.bytes().enumerate() {
        if piece.is_empty() || (windows && is_crlf(text.as_bytes(), place)) {
            continue;
        }
        length = follow(piece, &borders, length, byte);
        if length == piece.len() {
            count += 1;
            if ends.len() < NAMED {
                ends.push(place + 1);
            }
        }
    }
    (count, ends)
}

/// How much of the piece has been read when so much had been before this byte.
fn follow(piece: &[u8], borders: &[usize], mut length: usize, byte: u8) -> usize {
    looked_at(1);
    while length > 0 && piece.get(length) != Some(&byte) {
        looked_at(1);
        length = borders.get(length - 1).copied().unwrap_or_default();
    }
    length + usize::from(piece.get(length) == Some(&byte))
}

/// The lines in which matches with these ends begin.
fn line_numbers(text: &str, piece: &str, ends: &[usize]) -> Vec<usize> {
    let (_, own) = crlf(piece);
    let (mut lines, mut from) = (0, 0);
    let mut numbers = Vec::new();
    for end in ends {
        lines += crlf(part(text, from..*end)).1;
        from = *end;
        numbers.push(1 + lines - own);
    }
    numbers
}
