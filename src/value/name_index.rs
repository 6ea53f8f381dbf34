//! An index of a list by name (a key or an id), which edits in the middle of the list keep valid.

use std::cell::Cell;

use super::chunks::Chunks;
use super::names::Names;

/// The most items or keys that are searched one by one, which is faster than an index for so few.
pub(super) const MAX_UNINDEXED: usize = 12;

/// The [`Chunks::mark`] of the first item with each name. If it is no longer known which of several items with one name is the
/// first, the next [`NameIndex::find_and_store`] searches the list for it.
#[derive(Clone, Debug, Default)]
pub(super) struct NameIndex(Names);

/// Where an item is added among the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AddedAt {
    /// After all other items, so that the first one with its name stays the first.
    End,
    /// The new item may come before others with its name.
    AnyPlace,
}

impl NameIndex {
    /// Stores the mark of the only item with a name, in place of an older mark.
    pub(super) fn set(&mut self, name: &str, mark: usize) {
        self.0.set(name, mark);
    }

    /// Adds an item with a name.
    pub(super) fn add(&mut self, name: &str, mark: usize, place: AddedAt) {
        match self.0.entry_mut(name) {
            Some(entry) => {
                entry.duplicates += 1;
                entry.is_first_unknown |= place == AddedAt::AnyPlace;
            }
            None => self.set(name, mark),
        }
    }

    /// Stores the new mark of an item.
    pub(super) fn update_mark(&mut self, name: &str, mark: usize) {
        match self.0.entry_mut(name) {
            // Perhaps another item with this name is the first.
            Some(entry) if entry.duplicates > 0 => entry.is_first_unknown = true,
            _ => self.set(name, mark),
        }
    }

    /// Removes one item with a name.
    pub(super) fn remove(&mut self, name: &str) {
        match self.0.entry_mut(name) {
            Some(entry) if entry.duplicates > 0 => {
                entry.duplicates -= 1;
                // Perhaps it was the first.
                entry.is_first_unknown = true;
            }
            _ => _ = self.0.remove(name),
        }
    }

    /// Whether more than one item has the name.
    pub(super) fn is_duplicate(&self, name: &str) -> bool {
        self.0.entry(name).is_some_and(|entry| entry.duplicates > 0)
    }

    /// The place of the first item with a name: its number in the list, from 0. `has_name` says whether an item has the name.
    pub(super) fn find<T>(&self, name: &str, items: &Chunks<T>, has_name: impl Fn(&T) -> bool) -> Option<usize> {
        let entry = self.0.entry(name)?;
        if entry.is_first_unknown {
            return items.iter().position(has_name);
        }
        // The places where the item can be, and the most likely one, which may be after them.
        let (window, likely_place) = items.find_marked(entry.number);
        let is_at = |place: &usize| window.contains(place) && items.get(*place).is_some_and(&has_name);
        if entry.duplicates > 0 {
            // The item nearest to the mark may be a later one with the same name.
            return window.clone().find(is_at);
        }
        let start = likely_place.min(window.end.saturating_sub(1));
        // From there to both sides. A place below 0 wraps, and is then outside the window.
        (0..=window.len()).find_map(|distance| [start.wrapping_sub(distance), start + distance].into_iter().find(is_at))
    }

    /// As [`NameIndex::find`]. If the first item was unknown, stores its mark, and adds the searched items to `cost`.
    pub(super) fn find_and_store<T>(
        &mut self,
        name: &str,
        items: &Chunks<T>,
        has_name: impl Fn(&T) -> bool,
        cost: &Cell<usize>,
    ) -> Option<usize> {
        let place = self.find(name, items, has_name);
        let entry = self.0.entry_mut(name)?;
        if entry.is_first_unknown {
            cost.update(|cost| cost + place.unwrap_or(items.len()));
            (entry.number, entry.is_first_unknown) = (items.mark(place?), false);
        }
        place
    }
}
