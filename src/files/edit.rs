//! Replacing one piece of a text.

use super::nearest::{Nearest, nearest};

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
    let windows = has_crlf(text) || has_crlf(old);
    let (view, piece) = if windows { (to_lf(text), to_lf(old)) } else { (text.to_owned(), old.to_owned()) };
    let places = places(view.as_bytes(), piece.as_bytes());
    let start = match *places {
        [] => return Err(EditFailure::NotFound(nearest(text, old))),
        [start] => start,
        _ => return Err(EditFailure::Several(places.len(), line_numbers(&view, &places))),
    };
    let (from, to) = (raw_place(text, windows, start), raw_place(text, windows, start + piece.len()));
    let (before, replaced) = (text.get(..from).unwrap_or_default(), text.get(from..to).unwrap_or_default());
    let mut result = String::with_capacity(text.len() + new.len());
    result.push_str(before);
    if windows {
        // What replaces a piece without a line end takes those of the file.
        let model = if replaced.contains('\n') { replaced } else { text };
        push_with_ends(&mut result, new, if mostly_crlf(model) { "\r\n" } else { "\n" });
    } else {
        result.push_str(new);
    }
    result.push_str(text.get(to..).unwrap_or_default());
    Ok(result)
}

fn has_crlf(text: &str) -> bool {
    text.as_bytes().windows(2).any(|pair| pair == b"\r\n")
}

fn mostly_crlf(text: &str) -> bool {
    let all = text.bytes().filter(|byte| *byte == b'\n').count();
    let crlf = text.as_bytes().windows(2).filter(|pair| *pair == b"\r\n").count();
    all > 0 && crlf * 2 >= all
}

fn to_lf(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_with_ends(&mut out, text, "\n");
    out
}

fn push_with_ends(out: &mut String, text: &str, end: &str) {
    for line in text.split_inclusive('\n') {
        let Some(bare) = line.strip_suffix('\n') else {
            out.push_str(line);
            continue;
        };
        out.push_str(bare.strip_suffix('\r').unwrap_or(bare));
        out.push_str(end);
    }
}

/// The place in the text of a place in the view of it, in which every CRLF is one character.
fn raw_place(text: &str, windows: bool, place: usize) -> usize {
    if !windows {
        return place;
    }
    let bytes = text.as_bytes();
    let (mut raw, mut seen) = (0, 0);
    while seen < place && raw < bytes.len() {
        raw += if bytes.get(raw..raw + 2) == Some(b"\r\n") { 2 } else { 1 };
        seen += 1;
    }
    raw
}

/// All places of a piece, those that overlap included, in time that grows with both lengths only (Knuth, Morris, Pratt).
fn places(text: &[u8], piece: &[u8]) -> Vec<usize> {
    let at = |index: usize| piece.get(index).copied();
    let mut borders = vec![0_usize; piece.len()];
    let follow = |borders: &[usize], mut length: usize, byte: u8| {
        while length > 0 && at(length) != Some(byte) {
            length = borders.get(length - 1).copied().unwrap_or_default();
        }
        length + usize::from(at(length) == Some(byte))
    };
    for index in 1..piece.len() {
        let length =
            follow(&borders, borders.get(index - 1).copied().unwrap_or_default(), at(index).unwrap_or_default());
        if let Some(border) = borders.get_mut(index) {
            *border = length;
        }
    }
    let mut found = Vec::new();
    let mut length = 0;
    for (index, byte) in text.iter().enumerate().take_while(|_| !piece.is_empty()) {
        length = follow(&borders, length, *byte);
        if length == piece.len() {
            found.push(index + 1 - length);
        }
    }
    found
}

fn line_numbers(text: &str, places: &[usize]) -> Vec<usize> {
    let (mut line, mut from) = (1, 0);
    let mut numbers = Vec::new();
    for place in places.iter().take(NAMED) {
        let passed = text.as_bytes().get(from..*place).unwrap_or_default();
        line += passed.iter().filter(|byte| **byte == b'\n').count();
        from = *place;
        numbers.push(line);
    }
    numbers
}
