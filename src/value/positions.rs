//! From a name to its place in a list that is edited in the middle.

use std::collections::BTreeMap;

/// Where each name stood when it was noted, and by how much that may be off since.
///
/// An insert or a removal in the middle does not touch the entries behind it: it widens the window in which a name is
/// looked for, and the owner renews the whole once the window is [`Positions::stale`]. A tree, not a hash table: ids
/// come from a model that read the web, and nothing it sends may make a look-up slow.
#[derive(Clone, Debug, Default)]
pub(super) struct Positions {
    noted: BTreeMap<Box<str>, usize>,
    drift: usize,
}

impl Positions {
    pub(super) fn note(&mut self, name: &str, place: usize) -> Option<usize> {
        self.noted.insert(name.into(), place)
    }

    pub(super) fn forget(&mut self, name: &str) {
        self.noted.remove(name);
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

    /// The place of `name` in a list of `len`, of which `is_at` tells whether the name stands at a place.
    pub(super) fn find(&self, name: &str, len: usize, is_at: impl Fn(usize) -> bool) -> Option<usize> {
        let noted = *self.noted.get(name)?;
        (0..=self.drift).find_map(|off| {
            let below = noted.checked_sub(off).filter(|&place| place < len && is_at(place));
            below.or_else(|| Some(noted + off).filter(|&place| place < len && is_at(place)))
        })
    }
}
