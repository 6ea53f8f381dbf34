//! Replaces one piece of a text, which must occur exactly once. A *place* is a range of the text.

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

/// The review of an edit before it is applied. A piece of several lines may differ from its place in the ways of
/// [`EditFixKind`](super::EditFixKind) even without a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Review {
    /// No review: a piece of one line must match exactly.
    None,
    /// A user approves the result: a piece of one line may differ in these ways, too.
    ByUser,
}

/// Why a text was not edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditFailure<'a> {
    /// The piece is not there.
    NotFound {
        /// The most similar place of the text; `None` if no place is similar.
        nearest: Option<Nearest<'a>>,
        /// The first character that differs, if the only differences are hard to see.
        difference: Option<Difference>,
    },
    /// The piece is there several times.
    Several {
        /// How often.
        count: usize,
        /// The numbers of the lines, from 1, in which the first few occurrences begin.
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
/// is replaced, provided that there is exactly one such place, and that `old` has at least two lines or a user reviews the
/// result. The result lists the differences. A lone CR is such a difference: if the text has no other line ends, those of `new`
/// become CR.
///
/// # Errors
/// [`EditFailure`]: the most similar place, or how often `old` occurs.
pub fn edit<'a>(text: &'a str, old: &str, new: &str, review: Review) -> Result<Edited, EditFailure<'a>> {
    let has_crlf = LineEnds::of(text).crlf > 0 || LineEnds::of(old).crlf > 0;
    let piece = if has_crlf { with_line_ends(old, "\n") } else { owned(old) };
    let occurrences = if has_crlf { find_all(&with_line_ends(text, "\n"), &piece) } else { find_all(text, &piece) };
    match *occurrences.listed {
        [] => {}
        [only] => {
            let offset = |lf_offset| if has_crlf { offset_with_crlf(text, lf_offset) } else { lf_offset };
            let place = offset(only.start)..offset(only.start + piece.len());
            return Ok(Edited { text: replace(text, place, new, has_crlf), fixes: Vec::new() });
        }
        [..] => {
            let lines = occurrences.listed.iter().map(|occurrence| occurrence.line).collect();
            return Err(EditFailure::Several { count: occurrences.count, lines });
        }
    }
    let may_differ = review == Review::ByUser || alike::has_two_lines(old);
    if let Some(place) = alike::only_place(text, old).filter(|_| may_differ) {
        let has_only_cr = !has_crlf && find(text, "\n").is_none() && find(text, "\r").is_some();
        let new = if has_only_cr { with_line_ends(new, "\r") } else { owned(new) };
        let fixes = alike::fixes(text, old, place.clone());
        return Ok(Edited { text: replace(text, place, &new, has_crlf), fixes });
    }
    Err(EditFailure::NotFound { nearest: nearest(text, old), difference: alike::difference(text, old) })
}

/// Replaces a place of a text. With `has_crlf` the line ends of the new piece become those of the place, or of the text if
/// the place has none.
fn replace(text: &str, place: Range<usize>, new: &str, has_crlf: bool) -> String {
    let (before, place_text, after) = (head(text, place.start), part(text, place.clone()), tail(text, place.end));
    if !has_crlf {
        return concat(&[before, new, after]);
    }
    let ends = LineEnds::of(if find(place_text, "\n").is_some() { place_text } else { text });
    let is_mostly_crlf = ends.all > 0 && ends.crlf * 2 >= ends.all;
    concat(&[before, &with_line_ends(new, if is_mostly_crlf { "\r\n" } else { "\n" }), after])
}

/// How many line ends a text has.
struct LineEnds {
    /// The number of CRLF and LF together.
    all: usize,
    /// The number of CRLF.
    crlf: usize,
}

impl LineEnds {
    fn of(text: &str) -> Self {
        let mut ends = Self { all: 0, crlf: 0 };
        let mut previous = 0;
        for byte in text.bytes() {
            if byte == b'\n' {
                ends.all += 1;
                ends.crlf += usize::from(previous == b'\r');
            }
            previous = byte;
        }
        ends
    }
}

/// The text with `line_end` instead of each CRLF and LF.
fn with_line_ends(text: &str, line_end: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte == b'\n' {
            let line = part(text, start..at);
            out.push_str(line.strip_suffix('\r').unwrap_or(line));
            out.push_str(line_end);
            start = at + 1;
        }
    }
    out.push_str(tail(text, start));
    out
}

/// Converts an offset in `text` with LF in place of CRLF to the offset in `text` itself: each CRLF before it adds one byte.
fn offset_with_crlf(text: &str, lf_offset: usize) -> usize {
    let mut offset = lf_offset;
    for (at, pair) in text.as_bytes().windows(2).enumerate() {
        if at >= offset {
            break;
        }
        offset += usize::from(pair == b"\r\n");
    }
    offset
}
