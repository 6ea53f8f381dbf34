//! Finds the place of a text that is most similar to a piece that it does not contain.

use crate::counted::count_work;
use crate::value::text::{part, prefix_within};

/// The place of a text that is most similar to a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest<'a> {
    /// Its first line, from 1.
    pub line: usize,
    /// The lines of the place, as many as the piece has, without the last line end; cut after `MAX_BYTES`.
    pub text: &'a str,
}

/// The most lines of the piece that are compared, so that the time stays linear. Those with the most pairs are compared.
const MAX_LINES: usize = 8;
/// The least score of a similar place, in thousandths: see [`nearest`]. A less similar place does not help to correct the piece.
const MIN_SCORE: u32 = 450;
/// Longest text of a result, in bytes: it becomes part of an error message.
const MAX_BYTES: usize = 2000;

/// The pairs of neighbouring bytes of a line without whitespace and case: a set of 256 bits, in which the
/// hash of a pair is the number of its bit.
type Pairs = [u64; 4];

/// The lines of the text that are most similar to the piece; `None` if no place has `MIN_SCORE`. Takes one walk over the text.
///
/// The score of a place is the Dice coefficient of the pairs of bytes in its lines and in those of the piece, in thousandths:
/// twice the number of common pairs, divided by the number of all pairs. Of several places with the best score the first one is taken.
pub fn nearest<'a>(text: &'a str, piece: &str) -> Option<Nearest<'a>> {
    let (_, piece_lines) = lines(piece);
    // The lines of the piece with the most pairs, in descending order.
    let mut compared_lines: Vec<ComparedLine> = Vec::new();
    for (line, pairs) in piece_lines.iter().enumerate() {
        let pair_count = count(pairs);
        let rank = compared_lines.partition_point(|other| other.pair_count >= pair_count);
        if pair_count > 0 && rank < MAX_LINES {
            compared_lines.insert(rank, ComparedLine { pair_count, line });
            compared_lines.truncate(MAX_LINES);
        }
    }
    let (starts, text_lines) = lines(text);
    // A place must have a higher score than the best one so far.
    let (mut best_score, mut best_start) = (MIN_SCORE - 1, None);
    // `start` is the first line of the place, from 0.
    for start in 0..text_lines.len() {
        let (mut common, mut total) = (0, 0);
        count_work(compared_lines.len());
        for ComparedLine { pair_count, line } in &compared_lines {
            // Lines after the end of the text count as empty.
            let text_pairs = text_lines.get(start + line).unwrap_or(&[0; 4]);
            let Some(piece_pairs) = piece_lines.get(*line) else { continue };
            for (piece_bits, text_bits) in piece_pairs.iter().zip(text_pairs) {
                common += (piece_bits & text_bits).count_ones();
            }
            total += pair_count + count(text_pairs);
        }
        // Not divided by 0: without any pairs the score is 0.
        let score = 2 * 1000 * common / total.max(1);
        if score > best_score {
            (best_score, best_start) = (score, Some(start));
        }
    }
    let start = best_start?;
    let line_start = |line: usize| starts.get(line).copied().unwrap_or(text.len());
    let place_text = part(text, line_start(start)..line_start(start + piece_lines.len()));
    let text = prefix_within(place_text, MAX_BYTES);
    let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    Some(Nearest { line: start + 1, text })
}

/// A line of the piece that is compared.
struct ComparedLine {
    /// How many pairs the line has.
    pair_count: u32,
    /// The number of the line in the piece, from 0.
    line: usize,
}

/// The offsets at which the lines of a text begin, and their pairs. A line feed at the end begins no further line.
fn lines(text: &str) -> (Vec<usize>, Vec<Pairs>) {
    count_work(text.len());
    let (mut starts, mut lines) = (Vec::new(), Vec::new());
    let mut pairs: Pairs = [0; 4];
    // The byte before the current one, in the text and in the pairs (0 at the start of a line).
    let (mut previous, mut previous_in_pairs) = (b'\n', 0_u8);
    for (at, byte) in text.bytes().enumerate() {
        if previous == b'\n' {
            starts.push(at);
        }
        previous = byte;
        if byte == b'\n' {
            lines.push(std::mem::take(&mut pairs));
            previous_in_pairs = 0;
        } else if !byte.is_ascii_whitespace() {
            let byte = byte.to_ascii_lowercase();
            // A hash of eight bits. The factors differ, so that `ab` and `ba` do.
            let hash = previous_in_pairs.wrapping_mul(31) ^ byte.wrapping_mul(7);
            if let Some(word) = pairs.get_mut(usize::from(hash >> 6)) {
                *word |= 1 << (hash & 63);
            }
            previous_in_pairs = byte;
        }
    }
    if previous != b'\n' {
        lines.push(pairs);
    }
    (starts, lines)
}

/// The number of different pairs, up to hash collisions.
fn count(pairs: &Pairs) -> u32 {
    pairs.iter().map(|word| word.count_ones()).sum()
}
