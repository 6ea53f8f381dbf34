//! Finds the place of a text that is most similar to a piece that it does not contain.

use crate::counted::count_work;
use crate::value::text::{part, prefix_within};

/// A place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest<'a> {
    /// Its first line, from 1.
    pub line: usize,
    /// The lines of the place, of the same number as those of the piece, without the last line end.
    pub text: &'a str,
}

/// How many lines of the piece are compared at most: those with the most pairs.
const MAX_LINES: usize = 8;
/// The least score of a similar place: see [`nearest`].
const MIN_SCORE: u32 = 450;
/// Longest text of a result, in bytes.
const MAX_BYTES: usize = 2000;

/// The pairs of neighbouring bytes of a line without blanks and case, hashed to 256 bits.
type Pairs = [u64; 4];

/// The lines of the text that are most similar to the piece, if any are. Takes one walk over the text.
///
/// The score of a place is the Dice coefficient of the pairs of bytes in its lines and in those of the piece, in thousandths.
pub fn nearest<'a>(text: &'a str, piece: &str) -> Option<Nearest<'a>> {
    let (_, wanted) = lines(piece);
    // The lines of the piece with the most pairs.
    let mut compared: Vec<Line> = Vec::new();
    for (line, in_line) in wanted.iter().enumerate() {
        let pairs = count(in_line);
        let place = compared.partition_point(|other| other.pairs >= pairs);
        if pairs > 0 && place < MAX_LINES {
            compared.insert(place, Line { pairs, line });
            compared.truncate(MAX_LINES);
        }
    }
    let (starts, found) = lines(text);
    let (mut best_score, mut best_start) = (MIN_SCORE - 1, None);
    for start in 0..found.len() {
        let (mut common, mut total) = (0, 0);
        count_work(compared.len());
        for Line { pairs, line } in &compared {
            let (Some(in_piece), in_text) = (wanted.get(*line), found.get(start + line).unwrap_or(&[0; 4])) else {
                continue;
            };
            for (piece_bits, text_bits) in in_piece.iter().zip(in_text) {
                common += (piece_bits & text_bits).count_ones();
            }
            total += pairs + count(in_text);
        }
        let score = 2000 * common / total.max(1);
        if score > best_score {
            (best_score, best_start) = (score, Some(start));
        }
    }
    let start = best_start?;
    let place = |line: usize| starts.get(line).copied().unwrap_or(text.len());
    let (from, end) = (place(start), place(start + wanted.len()));
    let text = prefix_within(part(text, from..end), MAX_BYTES);
    let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    Some(Nearest { line: start + 1, text })
}

/// A line of the piece.
struct Line {
    /// How many pairs the line has.
    pairs: u32,
    /// The number of the line, from 0.
    line: usize,
}

/// The offsets at which the lines of a text begin, and their pairs.
fn lines(text: &str) -> (Vec<usize>, Vec<Pairs>) {
    count_work(text.len());
    let (mut starts, mut lines) = (Vec::new(), Vec::new());
    let mut bits = [0_u64; 4];
    let (mut last, mut before) = (0_u8, b'\n');
    for (place, byte) in text.bytes().enumerate() {
        if before == b'\n' {
            starts.push(place);
        }
        before = byte;
        if byte == b'\n' {
            lines.push(std::mem::take(&mut bits));
            last = 0;
        } else if !byte.is_ascii_whitespace() {
            let byte = byte.to_ascii_lowercase();
            let bit = last.wrapping_mul(31) ^ byte.wrapping_mul(7);
            if let Some(word) = bits.get_mut(usize::from(bit >> 6)) {
                *word |= 1 << (bit & 63);
            }
            last = byte;
        }
    }
    if before != b'\n' {
        lines.push(bits);
    }
    (starts, lines)
}

/// The number of different pairs, up to hash collisions.
fn count(pairs: &Pairs) -> u32 {
    pairs.iter().map(|word| word.count_ones()).sum()
}
