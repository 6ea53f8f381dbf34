//! Finds all occurrences of a piece in a text, also those that overlap.

use crate::counted::looked_at;

/// All occurrences of a piece in a text.
pub(super) struct Occurrences {
    pub(super) count: usize,
    /// The first [`MAX_LISTED`] of them.
    pub(super) first: Vec<Occurrence>,
}

#[derive(Clone, Copy)]
pub(super) struct Occurrence {
    /// The byte at which it begins.
    pub(super) start: usize,
    /// Its first line, from 1.
    pub(super) line: usize,
}

/// How many occurrences are listed at most; the others are only counted.
const MAX_LISTED: usize = 10;

/// Finds a piece in time that is linear in both lengths (Knuth, Morris, Pratt).
pub(super) fn find_all(text: &str, piece: &str) -> Occurrences {
    let own_lines = piece.bytes().filter(|byte| *byte == b'\n').count();
    let piece = piece.as_bytes();
    let mut borders: Vec<usize> = Vec::new();
    for byte in piece {
        let border = borders.last().map_or(0, |last| matched_length(piece, &borders, *last, *byte));
        borders.push(border);
    }
    let mut found = Occurrences { count: 0, first: Vec::new() };
    let (mut length, mut line) = (0, 1);
    for (place, byte) in text.bytes().enumerate() {
        length = matched_length(piece, &borders, length, byte);
        line += usize::from(byte == b'\n');
        if length == piece.len() && length > 0 {
            found.count += 1;
            if found.first.len() < MAX_LISTED {
                found.first.push(Occurrence { start: place + 1 - length, line: line - own_lines });
            }
        }
    }
    found
}

/// How many bytes of the piece match after `byte`, if `length` bytes of it matched before.
fn matched_length(piece: &[u8], borders: &[usize], mut length: usize, byte: u8) -> usize {
    looked_at(1);
    while length > 0 && piece.get(length) != Some(&byte) {
        looked_at(1);
        length = borders.get(length - 1).copied().unwrap_or_default();
    }
    length + usize::from(piece.get(length) == Some(&byte))
}
