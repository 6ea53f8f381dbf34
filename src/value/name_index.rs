//! An index of a list by name, such as a key or an id, that stays right when the list is edited in the middle.

use std::cell::Cell;

use super::chunks::Chunks;
use super::names::Names;

/// Up to this many items or keys a linear search beats an index.
pub(super) const LINEAR: usize = 12;

/// Where the first bearer of each name stands, by the [`Chunks::mark`] of the item.
#[derive(Clone, Debug, Default)]
pub(super) struct NameIndex(Names);

impl NameIndex {
    /// Notes where the only bearer of a name is.
    pub(super) fn set(&mut self, name: &str, mark: usize) {
        self.0.set(name, mark);
    }

    /// Notes one more bearer: an item behind all that were noted so far, or, with `anywhere`, perhaps before them.
    pub(super) fn note(&mut self, name: &str, mark: usize, anywhere: bool) {
        match self.0.entry_mut(name) {
            Some(entry) => {
                entry.more += 1;
                entry.is_lost |= anywhere;
            }
            None => self.set(name, mark),
        }
    }

    /// Notes that an item has another mark than before.
    pub(super) fn note_again(&mut self, name: &str, mark: usize) {
        match self.0.entry_mut(name) {
            Some(entry) if entry.more > 0 || entry.is_lost => entry.is_lost = true,
            _ => self.set(name, mark),
        }
    }

    pub(super) fn forget(&mut self, name: &str) {
        match self.0.entry_mut(name) {
            Some(entry) if entry.more > 0 => (entry.more, entry.is_lost) = (entry.more - 1, true),
            _ => _ = self.0.remove(name),
        }
    }

    /// Whether more than one item bears the name.
    pub(super) fn is_shared(&self, name: &str) -> bool {
        self.0.entry(name).is_some_and(|entry| entry.more > 0)
    }

    /// The place of the first bearer of a name, of which `is_at` tells whether an item bears it.
    pub(super) fn find<T>(&self, name: &str, items: &Chunks<T>, is_at: impl Fn(&T) -> bool) -> Option<usize> {
        let entry = self.0.entry(name)?;
        if entry.is_lost {
            return items.iter().position(is_at);
        }
        let (window, likely) = items.marked(entry.number);
        let likely = likely.min(window.end.saturating_sub(1));
        let is_at = |place: &usize| window.contains(place) && items.get(*place).is_some_and(&is_at);
        if entry.more > 0 {
            // The nearest one to the mark may be another bearer.
            return window.clone().find(is_at);
        }
        (0..=window.len()).find_map(|off| [likely.wrapping_sub(off), likely + off].into_iter().find(is_at))
    }

    /// The same, and notes where that one is if it was not known. `cost` counts the items that are searched for it.
    pub(super) fn seek<T>(
        &mut self,
        name: &str,
        items: &Chunks<T>,
        is_at: impl Fn(&T) -> bool,
        cost: &Cell<usize>,
    ) -> Option<usize> {
        let place = self.find(name, items, is_at);
        let entry = self.0.entry_mut(name)?;
        if entry.is_lost {
            cost.update(|cost| cost + place.unwrap_or(items.len()));
        }
        if entry.more > 0 || entry.is_lost {
            (entry.number, entry.is_lost) = (items.mark(place?), false);
        }
        place
    }
}
