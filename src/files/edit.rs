//! Replaces one piece of a text, which must occur exactly once.

use std::ops::Range;

use super::alike::{self, Difference, EditFix};
use super::nearest::{Nearest, nearest};
use super::search::find_all;
use crate::value::text::{head, owned, part, tail};
use crate::value::{concat, find};

/// A text after an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The new text.
    pub text: String,
    /// The differences between the piece and the place that it replaced; empty if the piece matched exactly.
    pub fixes: Vec<EditFix>,
}

/// The review of an edit before it is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Review {
    /// No review: a piece of one line must match exactly.
    None,
    /// A user approves the result, so a piece of one line may differ from its place too.
    ByUser,
}

/// Why a text was not edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditFailure<'a> {
    /// The piece is not there.
    NotFound {
        /// The most similar place of the text.
        nearest: Option<Nearest<'a>>,
        /// The first character that differs, if the only differences are hard to see.
        difference: Option<Difference>,
    },
    /// The piece is there several times.
    Several {
        /// How often.
        count: usize,
        /// The first line of each of the first few, from 1.
        lines: Vec<usize>,
    },
}

impl std::fmt::Display for EditFailure<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFound { .. } => out.write_str("the text has no such piece"),
            Self::Several { count, .. } => write!(out, "the piece is in the text {count} times"),
        }
    }
}

impl std::error::Error for EditFailure<'_> {}

/// Replaces `old`, which must occur in the text exactly once, with `new`.
///
/// If the text or `old` has CRLF line ends, they match as LF, and the line ends of `new` become those of the replaced place.
/// Occurrences that overlap count as several.
///
/// If the text does not contain `old`, a place that differs from it only in the ways of [`EditFixKind`](super::EditFixKind)
/// is replaced, provided that there is exactly one such place, and that `old` has two lines or a user reviews the result.
/// The result lists the differences.
///
/// # Errors
/// [`EditFailure`]: the most similar place, or how often `old` occurs.
pub fn edit<'a>(text: &'a str, old: &str, new: &str, review: Review) -> Result<Edited, EditFailure<'a>> {
    let has_crlf = LineEnds::of(text).crlf > 0 || LineEnds::of(old).crlf > 0;
    let piece = if has_crlf { with_line_ends(old, "\n") } else { owned(old) };
    let found = if has_crlf { find_all(&with_line_ends(text, "\n"), &piece) } else { find_all(text, &piece) };
    match *found.first {
        [] => {}
        [only] => {
            let place = |at| if has_crlf { offset_with_crlf(text, at) } else { at };
            let place = place(only.start)..place(only.start + piece.len());
            return Ok(Edited { text: replace(text, place, new, has_crlf), fixes: Vec::new() });
        }
        [..] => {
            let lines = found.first.iter().map(|occurrence| occurrence.line).collect();
            return Err(EditFailure::Several { count: found.count, lines });
        }
    }
    let may_differ = review == Review::ByUser || alike::has_two_lines(old);
    if let Some(place) = alike::only_place(text, old).filter(|_| may_differ) {
        let has_cr_alone = !has_crlf && find(text, "\n").is_none() && find(text, "\r").is_some();
        let new = if has_cr_alone { with_line_ends(new, "\r") } else { owned(new) };
        let fixes = alike::fixes(text, old, place.clone());
        return Ok(Edited { text: replace(text, place, &new, has_crlf), fixes });
    }
    Err(EditFailure::NotFound { nearest: nearest(text, old), difference: alike::difference(text, old) })
}

/// Replaces a place of a text. With `has_crlf` the line ends of the new piece become those of the place, or of the text if
/// the place has none.
fn replace(text: &str, place: Range<usize>, new: &str, has_crlf: bool) -> String {
    let (before, replaced, after) = (head(text, place.start), part(text, place.clone()), tail(text, place.end));
    if !has_crlf {
        return concat(&[before, new, after]);
    }
    let ends = LineEnds::of(if find(replaced, "\n").is_some() { replaced } else { text });
    let is_mostly_crlf = ends.all > 0 && ends.crlf * 2 >= ends.all;
    concat(&[before, &with_line_ends(new, if is_mostly_crlf { "\r\n" } else { "\n" }), after])
}

/// How many line ends a text has.
struct LineEnds {
    /// CRLF and LF.
    all: usize,
    crlf: usize,
}

impl LineEnds {
    fn of(text: &str) -> Self {
        let mut ends = Self { all: 0, crlf: 0 };
        let mut last = 0;
        for byte in text.bytes() {
            if byte == b'\n' {
                ends.all += 1;
                ends.crlf += usize::from(last == b'\r');
            }
            last = byte;
        }
        ends
    }
}

/// The text with `end` instead of each CRLF and LF.
fn with_line_ends(text: &str, end: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut start = 0;
    for (place, byte) in text.bytes().enumerate() {
        if byte == b'\n' {
            let line = part(text, start..place);
            out.push_str(line.strip_suffix('\r').unwrap_or(line));
            out.push_str(end);
            start = place + 1;
        }
    }
    out.push_str(tail(text, start));
    out
}

/// The offset in a text with CRLF of an offset in the same text with LF.
fn offset_with_crlf(text: &str, offset: usize) -> usize {
    let mut offset = offset;
    for (at, pair) in text.as_bytes().windows(2).enumerate() {
        if at >= offset {
            break;
        }
        offset += usize::from(pair == b"\r\n");
    }
    offset
}
