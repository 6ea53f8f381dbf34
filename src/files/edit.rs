//! Replaces one piece of a text, which must occur exactly once.

use super::nearest::{Nearest, nearest};
use crate::counted::looked_at;
use crate::value::text::{head, owned, part, tail};
use crate::value::{concat, find};

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
    let (count, starts) = if windows { find_all(&with_ends(text, "\n"), &piece) } else { find_all(text, &piece) };
    let start = match *starts {
        [] => return Err(EditFailure::NotFound(nearest(text, old))),
        [(start, _)] => start,
        _ => return Err(EditFailure::Several(count, starts.into_iter().map(|(_, line)| line).collect())),
    };
    let (from, to) = (origin(text, start, windows), origin(text, start + piece.len(), windows));
    let (before, replaced, after) = (head(text, from), part(text, from..to), tail(text, to));
    if !windows {
        return Ok(concat(&[before, new, after]));
    }
    // What replaces a piece without a line end takes those of the file.
    let (with, all) = crlf(if find(replaced, "\n").is_some() { replaced } else { text });
    Ok(concat(&[before, &with_ends(new, if all > 0 && with * 2 >= all { "\r\n" } else { "\n" }), after]))
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

/// Where a place of a text stands whose line ends may have been of two bytes, and were made one.
fn origin(text: &str, place: usize, windows: bool) -> usize {
    if !windows {
        return place;
    }
    let mut origin = place;
    for (at, pair) in text.as_bytes().windows(2).enumerate() {
        if at >= origin {
            break;
        }
        origin += usize::from(pair == b"\r\n");
    }
    origin
}

/// How often a piece stands in a text, places that overlap included, and where the first few begin, with the numbers of
/// their lines, in time that grows with both lengths only (Knuth, Morris, Pratt).
fn find_all(text: &str, piece: &str) -> (usize, Vec<(usize, usize)>) {
    let own_lines = crlf(piece).1;
    let piece = piece.as_bytes();
    let mut borders: Vec<usize> = Vec::new();
    for byte in piece {
        let border = borders.last().map_or(0, |last| follow(piece, &borders, *last, *byte));
        borders.push(border);
    }
    let (mut count, mut starts) = (0, Vec::new());
    let (mut length, mut line) = (0, 1);
    for (place, byte) in text.bytes().enumerate() {
        length = follow(piece, &borders, length, byte);
        line += usize::from(byte == b'\n');
        if length == piece.len() && length > 0 {
            count += 1;
            if starts.len() < NAMED {
                starts.push((place + 1 - length, line - own_lines));
            }
        }
    }
    (count, starts)
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
