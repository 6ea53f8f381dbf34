//! An index of a list by name, such as a key or an id, that stays right when the list is edited in the middle.

use super::chunks::Chunks;
use super::names::Names;

/// Where each name stands, by the [`Chunks::mark`] of its item.
#[derive(Clone, Debug, Default)]
pub(super) struct NameIndex {
    noted: Names,
    /// Names that several items bear, or did: see [`Shared`].
    shared: Names,
}

/// How many items more than one bear a name, and whether the noted one may no longer be the first of them.
struct Shared {
    more: usize,
    searched: bool,
}

impl Shared {
    const fn read(number: usize) -> Self {
        Self { more: number / 2, searched: number % 2 == 1 }
    }

    fn write(&self) -> usize {
        self.more * 2 + usize::from(self.searched)
    }
}

impl NameIndex {
    /// Notes where the only bearer of a name is.
    pub(super) fn set(&mut self, name: &str, mark: usize) {
        self.noted.set(name, mark);
    }

    /// Notes an item behind all that were noted so far.
    #[inline(never)]
    pub(super) fn note_last(&mut self, name: &str, mark: usize) {
        if let Some(first) = self.noted.set(name, mark) {
            self.noted.set(name, first);
            let shared = self.shared(name).unwrap_or(Shared { more: 0, searched: false });
            self.set_shared(name, &Shared { more: shared.more + 1, ..shared });
        }
    }

    /// Notes an item anywhere.
    #[inline(never)]
    pub(super) fn note(&mut self, name: &str, mark: usize) {
        self.note_last(name, mark);
        self.search_again(name);
    }

    /// Notes that an item has another mark than before.
    pub(super) fn note_again(&mut self, name: &str, mark: usize) {
        if self.shared.contains(name) {
            self.search_again(name);
        } else {
            self.noted.set(name, mark);
        }
    }

    #[inline(never)]
    pub(super) fn forget(&mut self, name: &str) {
        match self.shared(name) {
            Some(Shared { more, .. }) if more > 0 => {
                self.set_shared(name, &Shared { more: more - 1, searched: true });
            }
            Some(_) | None => {
                self.shared.remove(name);
                self.noted.remove(name);
            }
        }
    }

    /// Whether more than one item bears the name.
    pub(super) fn is_shared(&self, name: &str) -> bool {
        self.shared(name).is_some_and(|shared| shared.more > 0)
    }

    /// The place of the first bearer of a name, of which `is_at` tells whether an item bears it. `None` may also mean that
    /// it has to be searched for: [`NameIndex::is_lost`].
    pub(super) fn find<T>(&self, name: &str, items: &Chunks<T>, is_at: impl Fn(&T) -> bool) -> Option<usize> {
        let (window, likely) = items.marked(self.noted.get(name)?);
        if self.is_lost(name) {
            return items.iter().position(is_at);
        }
        let likely = likely.min(window.end.saturating_sub(1));
        let is_at = |place: &usize| window.contains(place) && items.get(*place).is_some_and(&is_at);
        if self.is_shared(name) {
            // The nearest one to the mark may be another bearer.
            return window.clone().find(is_at);
        }
        (0..=window.len()).find_map(|off| [likely.wrapping_sub(off), likely + off].into_iter().find(is_at))
    }

    /// Whether all items are searched for the first bearer of a name.
    pub(super) fn is_lost(&self, name: &str) -> bool {
        self.shared(name).is_some_and(|shared| shared.searched)
    }

    /// Notes where a search found the first bearer.
    #[inline(never)]
    pub(super) fn found(&mut self, name: &str, mark: usize) {
        match self.shared(name) {
            Some(Shared { more: 0, .. }) => drop(self.shared.remove(name)),
            Some(shared) => self.set_shared(name, &Shared { searched: false, ..shared }),
            None => return,
        }
        self.noted.set(name, mark);
    }

    fn shared(&self, name: &str) -> Option<Shared> {
        self.shared.get(name).map(Shared::read)
    }

    fn set_shared(&mut self, name: &str, shared: &Shared) {
        self.shared.set(name, shared.write());
    }

    fn search_again(&mut self, name: &str) {
        if let Some(shared) = self.shared(name) {
            self.set_shared(name, &Shared { searched: true, ..shared });
        }
    }
}
