//! Finds where a text is most like a piece that it does not contain.

use crate::counted::looked_at;
use crate::value::text::{fitting, part};

/// A place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest<'a> {
    /// Its first line, from 1.
    pub line: usize,
    /// As many lines as the piece has, without the end of the last.
    pub text: &'a str,
}

/// So many lines of the piece are looked for: those that say most.
const LINES: usize = 8;
/// How alike a place must be, of 1,000.
const ALIKE: u32 = 450;
/// No more bytes of the text are shown.
const SHOWN: usize = 2000;

/// The pairs of neighbouring bytes of a line, blanks and case aside: one bit each of 256.
type Pairs = [u64; 4];

/// The lines of the text that are most like the piece, if any are like it. One walk over the text, whatever it is.
pub fn nearest<'a>(text: &'a str, piece: &str) -> Option<Nearest<'a>> {
    let (_, wanted) = lines(piece);
    // Those of its lines that say most, with how much that is.
    let mut telling: Vec<(u32, usize)> = Vec::new();
    for (line, own) in wanted.iter().enumerate() {
        let size = count(own);
        let place = telling.partition_point(|(other, _)| *other >= size);
        if size > 0 && place < LINES {
            telling.insert(place, (size, line));
            telling.truncate(LINES);
        }
    }
    let (starts, found) = lines(text);
    let mut best = (ALIKE - 1, 0);
    for start in 0..found.len() {
        let (mut common, mut all) = (0, 0);
        looked_at(telling.len());
        for (size, line) in &telling {
            let (Some(own), there) = (wanted.get(*line), found.get(start + line).unwrap_or(&[0; 4])) else { continue };
            for (one, other) in own.iter().zip(there) {
                common += (one & other).count_ones();
            }
            all += size + count(there);
        }
        let score = 2000 * common / all.max(1);
        if score > best.0 {
            best = (score, start);
        }
    }
    let (score, start) = best;
    if score < ALIKE {
        return None;
    }
    let place = |line: usize| starts.get(line).copied().unwrap_or(text.len());
    let (from, end) = (place(start), place(start + wanted.len()));
    let text = fitting(part(text, from..end), SHOWN);
    let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    Some(Nearest { line: start + 1, text })
}

/// Where the lines of a text begin, and their pairs.
fn lines(text: &str) -> (Vec<usize>, Vec<Pairs>) {
    looked_at(text.len());
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

fn count(pairs: &Pairs) -> u32 {
    pairs.iter().map(|word| word.count_ones()).sum()
}
