//! Where a text is most like a piece that it does not have.

use crate::value::sort_by_number;

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
#[must_use]
pub fn nearest<'a>(text: &'a str, piece: &str) -> Option<Nearest<'a>> {
    let wanted: Vec<Pairs> = piece.lines().map(pairs).collect();
    let mut telling: Vec<(u32, usize)> = wanted.iter().enumerate().map(|(line, own)| (count(own), line)).collect();
    sort_by_number(&mut telling, |(size, _)| u64::from(u32::MAX - size));
    telling.truncate(LINES);
    telling.retain(|(size, _)| *size > 0);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let found: Vec<Pairs> = lines.iter().map(|line| pairs(line)).collect();
    let alike = |start: usize| {
        let (mut common, mut all) = (0, 0);
        for (size, line) in &telling {
            let (Some(own), there) = (wanted.get(*line), found.get(start + line).unwrap_or(&[0; 4])) else { continue };
            common += own.iter().zip(there).map(|(one, other)| (one & other).count_ones()).sum::<u32>();
            all += size + count(there);
        }
        2000 * common / all.max(1)
    };
    let mut best = (ALIKE - 1, 0);
    for start in 0..lines.len() {
        let score = alike(start);
        if score > best.0 {
            best = (score, start);
        }
    }
    let (score, start) = best;
    if score < ALIKE {
        return None;
    }
    let from = lines.iter().take(start).map(|line| line.len()).sum::<usize>();
    let length = lines.iter().skip(start).take(wanted.len()).map(|line| line.len()).sum::<usize>();
    let end = (from..=from + length.min(SHOWN)).rev().find(|end| text.is_char_boundary(*end))?;
    let text = text.get(from..end)?;
    let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    Some(Nearest { line: start + 1, text })
}

fn pairs(line: &str) -> Pairs {
    let mut bits = [0_u64; 4];
    let mut last = 0_u8;
    for byte in line.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let byte = byte.to_ascii_lowercase();
        let bit = last.wrapping_mul(31) ^ byte.wrapping_mul(7);
        if let Some(word) = bits.get_mut(usize::from(bit >> 6)) {
            *word |= 1 << (bit & 63);
        }
        last = byte;
    }
    bits
}

fn count(pairs: &Pairs) -> u32 {
    pairs.iter().map(|word| word.count_ones()).sum()
}
