//! The shortest edit between two lists of numbers: Myers' search from both ends (1986), in linear space, bounded in time.

use std::ops::Range;

/// A run of the one list that stands in place of a run of the other; one of the two may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// How many edits a search goes into the depth, from either end. Beyond, it goes on from where it has come furthest.
const DEEPEST: isize = 256;

/// What differs, in order. The result is shortest unless more than twice [`DEEPEST`] edits lie in one stretch; once the
/// budget of steps is spent, what has not been compared counts as different.
pub(super) fn spans(old: &[u32], new: &[u32], budget: &mut usize) -> Vec<Span> {
    let (kept_old, kept_new) = (shared(old, new), shared(new, old));
    let mut search = Search {
        old: kept_old.iter().map(|(_, number)| *number).collect(),
        new: kept_new.iter().map(|(_, number)| *number).collect(),
        forward: Vec::new(),
        backward: Vec::new(),
        budget,
    };
    let (mut gone, mut come) = (vec![true; old.len()], vec![true; new.len()]);
    search.run(&mut |x, y, length| {
        for (flags, kept, from) in [(&mut gone, &kept_old, x), (&mut come, &kept_new, y)] {
            for (place, _) in kept.get(from..from + length).unwrap_or_default() {
                if let Some(flag) = flags.get_mut(*place) {
                    *flag = false;
                }
            }
        }
    });
    collect(&gone, &come)
}

/// The numbers that the other list has too, with their places. The rest is different whatever is found.
fn shared(list: &[u32], other: &[u32]) -> Vec<(usize, u32)> {
    let most = list.iter().chain(other).max().map_or(0, |most| *most as usize + 1);
    let mut known = vec![false; most];
    for number in other {
        if let Some(flag) = known.get_mut(*number as usize) {
            *flag = true;
        }
    }
    let numbers = list.iter().copied().enumerate();
    numbers.filter(|(_, number)| known.get(*number as usize) == Some(&true)).collect()
}

/// What is not flagged stands in both lists, in the same order.
fn collect(gone: &[bool], come: &[bool]) -> Vec<Span> {
    let run = |flags: &[bool], from: usize| {
        from + flags.get(from..).unwrap_or_default().iter().take_while(|flag| **flag).count()
    };
    let (mut x, mut y) = (0, 0);
    let mut spans = Vec::new();
    while x < gone.len() || y < come.len() {
        let (to_x, to_y) = (run(gone, x), run(come, y));
        if to_x > x || to_y > y {
            spans.push(Span { old: x..to_x, new: y..to_y });
        }
        (x, y) = (to_x + 1, to_y + 1);
    }
    spans
}

struct Search<'b> {
    old: Vec<u32>,
    new: Vec<u32>,
    /// How far the search has come on each diagonal: from the beginning, from the end.
    forward: Vec<isize>,
    backward: Vec<isize>,
    budget: &'b mut usize,
}

impl Search<'_> {
    /// Finds what both lists have, and says it as `(place in old, place in new, length)`.
    fn run(&mut self, same: &mut impl FnMut(usize, usize, usize)) {
        let mut open = vec![Span { old: 0..self.old.len(), new: 0..self.new.len() }];
        while let Some(Span { mut old, mut new }) = open.pop() {
            let (a, b) = self.of(&old, &new);
            let head = a.iter().zip(b).take_while(|(one, other)| one == other).count();
            same(old.start, new.start, head);
            (old.start, new.start) = (old.start + head, new.start + head);
            let (a, b) = self.of(&old, &new);
            let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(one, other)| one == other).count();
            (old.end, new.end) = (old.end - tail, new.end - tail);
            same(old.end, new.end, tail);
            if old.is_empty() || new.is_empty() {
                continue;
            }
            if let Some((x, y)) = self.split(&old, &new) {
                let (x, y) = (old.start + x, new.start + y);
                open.push(Span { old: old.start..x, new: new.start..y });
                open.push(Span { old: x..old.end, new: y..new.end });
            }
        }
    }

    fn of(&self, old: &Range<usize>, new: &Range<usize>) -> (&[u32], &[u32]) {
        let (old, new) = (self.old.get(old.clone()), self.new.get(new.clone()));
        (old.unwrap_or_default(), new.unwrap_or_default())
    }

    /// A point on a shortest path through the box, or on one that has come far: neither its first nor its last corner.
    #[expect(clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "lengths of lists, and places in them")]
    fn split(&mut self, old: &Range<usize>, new: &Range<usize>) -> Option<(usize, usize)> {
        if *self.budget == 0 {
            return None;
        }
        let (a, b) = (self.old.get(old.clone())?, self.new.get(new.clone())?);
        let (n, m) = (a.len() as isize, b.len() as isize);
        let depth = ((n + m + 1) / 2).min(DEEPEST);
        for reached in [&mut self.forward, &mut self.backward] {
            reached.resize((2 * depth + 3) as usize, 0);
            put(reached, depth + 2, 0);
        }
        let mut furthest = (0, (0, 0));
        for d in 0..=depth {
            let (low, high) = (2 * (d - m).max(0) - d, d - 2 * (d - n).max(0));
            let mut steps = 0;
            for from_end in [false, true] {
                let (own, other) = match from_end {
                    false => (&mut self.forward, &self.backward),
                    true => (&mut self.backward, &self.forward),
                };
                // The other search stands at `d` already if this is the second one.
                let reach = if from_end { d } else { d - 1 };
                let (other_low, other_high) = (2 * (reach - m).max(0) - reach, reach - 2 * (reach - n).max(0));
                // Diagonals go in steps of two: on half of the rounds the searches pass each other by.
                let may_meet = (reach + d + n + m) % 2 == 0;
                let mut k = low;
                while k <= high {
                    let (below, above) = (at(own, k - 1 + depth + 1), at(own, k + 1 + depth + 1));
                    let mut x = if k == -d || (k != d && below < above) { above } else { below + 1 };
                    let mut y = x - k;
                    let start = x;
                    while x < n && y < m && same_at(a, b, x, y, from_end) {
                        (x, y) = (x + 1, y + 1);
                    }
                    put(own, k + depth + 1, x);
                    steps += 1 + (x - start) as usize;
                    if x <= n && y <= m {
                        let facing = n - m - k;
                        let meets = may_meet && (other_low..=other_high).contains(&facing);
                        let meets = meets && x + at(other, facing + depth + 1) >= n;
                        if meets || x + y > furthest.0 {
                            let point = if from_end { (n - x, m - y) } else { (x, y) };
                            furthest = (x + y, (point.0 as usize, point.1 as usize));
                        }
                        if meets {
                            *self.budget = self.budget.saturating_sub(steps);
                            return Some(furthest.1);
                        }
                    }
                    k += 2;
                }
            }
            *self.budget = self.budget.saturating_sub(steps);
            if *self.budget == 0 {
                break;
            }
        }
        let corners = [(0, 0), (a.len(), b.len())];
        Some(furthest.1).filter(|point| !corners.contains(point))
    }
}

fn at(reached: &[isize], index: isize) -> isize {
    usize::try_from(index).ok().and_then(|index| reached.get(index)).copied().unwrap_or_default()
}

fn put(reached: &mut [isize], index: isize, x: isize) {
    if let Some(cell) = usize::try_from(index).ok().and_then(|index| reached.get_mut(index)) {
        *cell = x;
    }
}

#[expect(clippy::cast_sign_loss, reason = "both are places in the lists")]
fn same_at(a: &[u32], b: &[u32], x: isize, y: isize, from_end: bool) -> bool {
    let (x, y) = (x as usize, y as usize);
    let (x, y) = if from_end { (a.len() - 1 - x, b.len() - 1 - y) } else { (x, y) };
    a.get(x) == b.get(y)
}

#[cfg(test)]
mod tests {
    use super::{Span, spans};

    /// The length of the longest common subsequence, the slow way.
    fn common(old: &[u32], new: &[u32]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for a in old {
            let mut diagonal = 0;
            for (place, b) in new.iter().enumerate() {
                let above = row[place + 1];
                row[place + 1] = if a == b { diagonal + 1 } else { above.max(row[place]) };
                diagonal = above;
            }
        }
        row[new.len()]
    }

    #[test]
    fn the_edit_is_right_and_shortest() {
        let mut state = 7_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..20_000 {
            let letters = 1 + next(6);
            let mut list = |most| (0..next(most)).map(|_| next(letters) as u32).collect::<Vec<_>>();
            let (old, new) = (list(24), list(24));
            let mut budget = usize::MAX;
            let spans = spans(&old, &new, &mut budget);
            let mut made = Vec::new();
            let mut from = 0;
            for Span { old: gone, new: come } in &spans {
                made.extend_from_slice(&old[from..gone.start]);
                made.extend_from_slice(&new[come.clone()]);
                from = gone.end;
            }
            made.extend_from_slice(&old[from..]);
            assert_eq!(made, new, "{old:?}");
            let edits: usize = spans.iter().map(|span| span.old.len() + span.new.len()).sum();
            assert_eq!(edits, old.len() + new.len() - 2 * common(&old, &new), "{old:?} {new:?}");
        }
    }
}
