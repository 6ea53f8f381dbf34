//! Finds all occurrences of a piece in a text, overlapping ones included.

use crate::counted::count_work;

/// All occurrences of a piece in a text.
pub(super) struct Occurrences {
    /// The number of all occurrences.
    pub(super) count: usize,
    /// The first [`MAX_LISTED`] occurrences.
    pub(super) listed: Vec<Occurrence>,
}

/// One occurrence of a piece.
#[derive(Clone, Copy)]
pub(super) struct Occurrence {
    /// Byte offset of its start.
    pub(super) start: usize,
    /// Its first line, from 1.
    pub(super) line: usize,
}

/// The maximum number of occurrences to list; further ones are only counted.
const MAX_LISTED: usize = 10;

/// Finds all occurrences in time linear in the sum of the lengths (Knuth, Morris, Pratt). An empty piece occurs nowhere.
pub(super) fn find_all(text: &str, piece: &str) -> Occurrences {
    let piece_line_feeds = piece.bytes().filter(|byte| *byte == b'\n').count();
    let piece = piece.as_bytes();
    // See `matched_length`.
    let mut borders: Vec<usize> = Vec::new();
    for byte in piece {
        let border = borders.last().map_or(0, |last| matched_length(piece, &borders, *last, *byte));
        borders.push(border);
    }
    let mut occurrences = Occurrences { count: 0, listed: Vec::new() };
    // The number of bytes of the piece that match before the current byte, and the line of that byte.
    let (mut length, mut line) = (0, 1);
    for (at, byte) in text.bytes().enumerate() {
        length = matched_length(piece, &borders, length, byte);
        line += usize::from(byte == b'\n');
        if length == piece.len() && length > 0 {
            occurrences.count += 1;
            if occurrences.listed.len() < MAX_LISTED {
                occurrences.listed.push(Occurrence { start: at + 1 - length, line: line - piece_line_feeds });
            }
        }
    }
    occurrences
}

/// The step of the automaton: the number of bytes of the piece that match up to and including `byte`, if `length` bytes
/// matched before it. A border of a text is both a prefix and a suffix of it; `borders[i]` is the length of the longest border of
/// the first `i + 1` bytes of the piece that is shorter than these.
fn matched_length(piece: &[u8], borders: &[usize], mut length: usize, byte: u8) -> usize {
    count_work(1);
    while length > 0 && piece.get(length) != Some(&byte) {
        count_work(1);
        length = borders.get(length - 1).copied().unwrap_or_default();
    }
    length + usize::from(piece.get(length) == Some(&byte))
}
