//! From a name to its place in a list that is edited in the middle.

use std::collections::BTreeMap;

/// Where each name stood when it was noted, and by how much that may be off since.
///
/// An insert or a removal in the middle does not touch the entries behind it: it widens the window in which a name is
/// looked for, and the owner renews the whole once the window is [`Positions::stale`]. A tree, not a hash table: ids
/// come from a model that read the web, and nothing it sends may make a look-up slow.
#[derive(Clone, Debug, Default)]
pub(super) struct Positions {
    noted: BTreeMap<Box<str>, Noted>,
    drift: usize,
}

/// What is known of a name that several items may bear.
#[derive(Clone, Copy, Debug)]
struct Noted {
    place: usize,
    bearers: usize,
    /// `place` is one of the first bearer.
    sure: bool,
}

impl Positions {
    pub(super) fn note(&mut self, name: &str, place: usize) {
        match self.noted.get_mut(name) {
            Some(noted) => *noted = Noted { bearers: noted.bearers + 1, sure: false, ..*noted },
            None => drop(self.noted.insert(name.into(), Noted { place, bearers: 1, sure: true })),
        }
    }

    pub(super) fn forget(&mut self, name: &str) {
        match self.noted.get_mut(name) {
            Some(noted) if noted.bearers > 1 => *noted = Noted { bearers: noted.bearers - 1, sure: false, ..*noted },
            Some(_) | None => drop(self.noted.remove(name)),
        }
    }

    /// How many items bear the name.
    pub(super) fn bearers(&self, name: &str) -> usize {
        self.noted.get(name).map_or(0, |noted| noted.bearers)
    }

    pub(super) fn shifted(&mut self) {
        self.drift += 1;
    }

    pub(super) fn clear(&mut self) {
        self.noted.clear();
        self.drift = 0;
    }

    /// Whether renewing all places costs less than searching ever wider windows.
    pub(super) const fn stale(&self, len: usize) -> bool {
        self.drift > 32 + len / 64
    }

    /// The place of the first bearer of `name` in a list of `len`, of which `is_at` tells whether the name stands at a
    /// place.
    pub(super) fn find(&self, name: &str, len: usize, is_at: impl Fn(usize) -> bool) -> Option<usize> {
        let noted = *self.noted.get(name)?;
        if !noted.sure {
            return (0..len).find(|&place| is_at(place));
        }
        (0..=self.drift).find_map(|off| {
            let below = noted.place.checked_sub(off).filter(|&place| place < len && is_at(place));
            below.or_else(|| Some(noted.place + off).filter(|&place| place < len && is_at(place)))
        })
    }

    /// Notes where a search found the first bearer.
    pub(super) fn found(&mut self, name: &str, place: usize) {
        if let Some(noted) = self.noted.get_mut(name)
            && !noted.sure
            && noted.bearers == 1
        {
            *noted = Noted { place, bearers: 1, sure: true };
        }
    }
}
