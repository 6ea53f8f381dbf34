//! Replaces one piece of a text, which must occur exactly once.

use super::alike::{self, Difference, EditFix};
use super::nearest::{Nearest, nearest};
use crate::counted::looked_at;
use crate::value::text::{head, owned, part, tail};
use crate::value::{concat, find};

/// A text after an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The new text.
    pub text: String,
    /// The differences between the piece and the place that it replaced; none where the piece matched as it was sent.
    pub fixes: Vec<EditFix>,
}

/// Who has seen an edit when it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Review {
    /// Nobody: a piece of one line must match as it was sent.
    None,
    /// A user approves the result, so that a piece of one line may be fixed too.
    ByUser,
}

/// Why a text was not edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditFailure<'a> {
    /// The piece is not there.
    NotFound {
        /// Where the text is most like it.
        nearest: Option<Nearest<'a>>,
        /// The first character that differs, where the text is like the piece but for what is hard to see.
        difference: Option<Difference>,
    },
    /// The piece is there several times: how often, and the lines of the first few, from 1.
    Several(usize, Vec<usize>),
}

impl std::fmt::Display for EditFailure<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFound { .. } => out.write_str("the text has no such piece"),
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
/// A piece that is not in the text is replaced all the same where exactly one place differs from it only as the kinds of
/// [`EditFixKind`](super::EditFixKind) say, and the piece has at least two lines or a user reviews the result. The result lists
/// these differences.
///
/// # Errors
/// Where `old` is instead and in what it differs, or how often it is there.
pub fn edit<'a>(text: &'a str, old: &str, new: &str, review: Review) -> Result<Edited, EditFailure<'a>> {
    let windows = crlf(text).0 > 0 || crlf(old).0 > 0;
    let piece = if windows { with_ends(old, "\n") } else { owned(old) };
    let (count, starts) = if windows { find_all(&with_ends(text, "\n"), &piece) } else { find_all(text, &piece) };
    match *starts {
        [] => {}
        [(start, _)] => {
            let place = (origin(text, start, windows), origin(text, start + piece.len(), windows));
            return Ok(Edited { text: replace(text, place, new, windows), fixes: Vec::new() });
        }
        _ => return Err(EditFailure::Several(count, starts.into_iter().map(|(_, line)| line).collect())),
    }
    let is_enough = review == Review::ByUser || alike::has_two_lines(old);
    if let Some(place) = alike::only_place(text, old).filter(|_| is_enough) {
        let ends_in_cr = !windows && find(text, "\n").is_none() && find(text, "\r").is_some();
        let new = if ends_in_cr { with_ends(new, "\r") } else { owned(new) };
        return Ok(Edited { text: replace(text, place, &new, windows), fixes: alike::fixes(text, old, place) });
    }
    Err(EditFailure::NotFound { nearest: nearest(text, old), difference: alike::difference(text, old) })
}

/// The text with another piece in a place. In a text with CRLF the line ends of the piece become those of the text.
fn replace(text: &str, (from, to): (usize, usize), new: &str, windows: bool) -> String {
    let (before, replaced, after) = (head(text, from), part(text, from..to), tail(text, to));
    if !windows {
        return concat(&[before, new, after]);
    }
    // What replaces a piece without a line end takes those of the file.
    let (with, all) = crlf(if find(replaced, "\n").is_some() { replaced } else { text });
    concat(&[before, &with_ends(new, if all > 0 && with * 2 >= all { "\r\n" } else { "\n" }), after])
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
pub(super) fn find_all(text: &str, piece: &str) -> (usize, Vec<(usize, usize)>) {
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
