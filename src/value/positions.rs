//! From a name to its place in a list that is edited in the middle.

use super::names::Names;

/// Where each name stood when it was noted, and by how much that may be off since.
///
/// An insert or a removal in the middle does not touch the entries behind it: it widens the window in which a name is
/// looked for, and the owner renews the whole once the window is [`Positions::stale`].
#[derive(Clone, Debug, Default)]
pub(super) struct Positions {
    noted: Names,
    /// Names that several items bear, or did: how many more than one. Of these a search must find the first.
    shared: Names,
    drift: usize,
}

impl Positions {
    pub(super) fn note(&mut self, name: &str, place: usize) {
        if let Some(first) = self.noted.set(name, place) {
            self.noted.set(name, first);
            let more = self.shared.get(name).unwrap_or_default();
            self.shared.set(name, more + 1);
        }
    }

    pub(super) fn forget(&mut self, name: &str) {
        match self.shared.get(name) {
            Some(more) if more > 0 => drop(self.shared.set(name, more - 1)),
            Some(_) | None => {
                self.shared.remove(name);
                self.noted.remove(name);
            }
        }
    }

    /// Whether more than one item bears the name.
    pub(super) fn is_shared(&self, name: &str) -> bool {
        self.shared.get(name).is_some_and(|more| more > 0)
    }

    pub(super) const fn shifted(&mut self) {
        self.drift += 1;
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether renewing all places costs less than searching ever wider windows.
    pub(super) const fn stale(&self, len: usize) -> bool {
        self.drift > 32 + len / 64
    }

    /// The place of the first bearer of `name` in a list of `len`, of which `is_at` tells whether the name stands at a
    /// place.
    pub(super) fn find(&self, name: &str, len: usize, is_at: impl Fn(usize) -> bool) -> Option<usize> {
        let noted = self.noted.get(name)?;
        if self.shared.contains(name) {
            return (0..len).find(|&place| is_at(place));
        }
        (0..=self.drift).find_map(|off| {
            [noted.wrapping_sub(off), noted + off].into_iter().find(|&place| place < len && is_at(place))
        })
    }

    /// Notes where a search found the first bearer.
    pub(super) fn found(&mut self, name: &str, place: usize) {
        if self.shared.get(name) == Some(0) {
            self.shared.remove(name);
            self.noted.set(name, place);
        }
    }
}
