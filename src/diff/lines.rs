//! Two texts as lines, and where they differ.

use super::sequence::{Span, spans};
use crate::value::names::Names;
use crate::value::sort_by_number;

/// Steps of a search over lines, of which a millisecond has some hundred thousand.
const BUDGET: usize = 2_000_000;
/// How far a run of lines is moved to a better place at most.
const FURTHEST: usize = 100;

/// The lines of both texts, each with its end, and what differs.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    pub(super) old: Vec<&'a str>,
    pub(super) new: Vec<&'a str>,
    pub(super) spans: Vec<Span>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(before: &'a str, after: &'a str) -> Self {
        let split = |text: &'a str| text.split_inclusive('\n').collect::<Vec<_>>();
        let (old, new) = (split(before), split(after));
        // The equal ends need no numbers, and most changes are small.
        let head = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
        let most = old.len().min(new.len()) - head;
        let pairs = old.iter().rev().zip(new.iter().rev());
        let tail = pairs.take(most).take_while(|(one, other)| one == other).count();
        let mut numbers = Numbers::default();
        let mut middle = |lines: &[&str]| {
            let lines = lines.get(head..lines.len() - tail).unwrap_or_default();
            lines.iter().map(|line| numbers.of(line)).collect::<Vec<_>>()
        };
        let (old_numbers, new_numbers) = (middle(&old), middle(&new));
        let mut spans = spans(&old_numbers, &new_numbers, &mut { BUDGET });
        for Span { old, new } in &mut spans {
            *old = old.start + head..old.end + head;
            *new = new.start + head..new.end + head;
        }
        let mut lines = Self { old, new, spans };
        lines.slide();
        lines
    }

    /// A run of lines that were only added, or only removed, may often stand higher or lower with the same effect: it is
    /// put where it reads best, before the line that is indented least, and as low as that can be.
    fn slide(&mut self) {
        for index in 0..self.spans.len() {
            let before = index.checked_sub(1).and_then(|index| self.spans.get(index));
            let room_above = before.map_or((0, 0), |span| (span.old.end + 1, span.new.end + 1));
            let after = self.spans.get(index + 1);
            let room_below = after.map_or((self.old.len(), self.new.len()), |span| {
                (span.old.start.saturating_sub(1), span.new.start.saturating_sub(1))
            });
            let Some(span) = self.spans.get_mut(index) else { continue };
            let (lines, run, above, below) = match (span.old.is_empty(), span.new.is_empty()) {
                (true, false) => (&self.new, span.new.clone(), room_above.1, room_below.1),
                (false, true) => (&self.old, span.old.clone(), room_above.0, room_below.0),
                _ => continue,
            };
            let mut from = run.start;
            let mut way = 0;
            while way < FURTHEST && from > above && lines.get(from - 1) == lines.get(from - 1 + run.len()) {
                (from, way) = (from - 1, way + 1);
            }
            let mut best = (indent(lines, from), from);
            let mut way = 0;
            while way < 2 * FURTHEST && from + run.len() < below && lines.get(from) == lines.get(from + run.len()) {
                (from, way) = (from + 1, way + 1);
                let indent = indent(lines, from);
                if indent <= best.0 {
                    best = (indent, from);
                }
            }
            let start = best.1;
            for side in [&mut span.old, &mut span.new] {
                let moved = side.start + start - run.start;
                *side = moved..moved + side.len();
            }
        }
    }
}

/// A line without its end: `\n`, or `\r\n`.
pub(super) fn bare(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |bare| bare.strip_suffix('\r').unwrap_or(bare))
}

/// How far the line is indented; a blank line as far as it can be.
fn indent(lines: &[&str], place: usize) -> usize {
    let line = lines.get(place).copied().unwrap_or_default();
    line.bytes().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(usize::MAX)
}

/// Numbers for pieces of text: the same for the same.
#[derive(Default)]
pub(super) struct Numbers {
    names: Names,
    count: u32,
}

impl Numbers {
    pub(super) fn of(&mut self, piece: &str) -> u32 {
        if let Some(number) = self.names.get(piece) {
            return u32::try_from(number).unwrap_or(u32::MAX);
        }
        let number = self.count;
        self.names.set(piece, number as usize);
        self.count += 1;
        number
    }
}

/// Both changes of a text together: what the one and what the other made of it. Nothing if they overlap: if they touch
/// the same line, or one puts lines where the other changes or puts some. What both changed alike counts once.
#[must_use]
pub fn merge(base: &str, one: &str, other: &str) -> Option<String> {
    let (one, other) = (Lines::of(base, one), Lines::of(base, other));
    let mut changes: Vec<(&Span, &[&str])> = Vec::new();
    for lines in [&one, &other] {
        for span in &lines.spans {
            changes.push((span, lines.new.get(span.new.clone()).unwrap_or_default()));
        }
    }
    sort_by_number(&mut changes, |(span, _)| span.old.end as u64);
    sort_by_number(&mut changes, |(span, _)| span.old.start as u64);
    let mut text = String::with_capacity(base.len());
    let mut from = 0;
    let mut last: Option<(&Span, &[&str])> = None;
    for (span, lines) in changes {
        if let Some((before, put)) = last {
            let insertion = before.old.is_empty() || span.old.is_empty();
            if before.old == span.old && put == lines {
                continue;
            }
            if span.old.start < before.old.end || (insertion && span.old.start == before.old.end) {
                return None;
            }
        }
        text.extend(one.old.get(from..span.old.start).unwrap_or_default().iter().copied());
        text.extend(lines.iter().copied());
        from = span.old.end;
        last = Some((span, lines));
    }
    text.extend(one.old.get(from..).unwrap_or_default().iter().copied());
    Some(text)
}
