//! An index of a list by name (a key or an id), which edits in the middle of the list keep valid.

use std::cell::Cell;

use super::chunks::Chunks;
use super::names::Names;

/// Up to this many items or keys a linear search is faster than an index.
pub(super) const LINEAR: usize = 12;

/// The [`Chunks::mark`] of the first item with each name.
#[derive(Clone, Debug, Default)]
pub(super) struct NameIndex(Names);

impl NameIndex {
    /// Stores the mark of the only item with a name.
    pub(super) fn set(&mut self, name: &str, mark: usize) {
        self.0.set(name, mark);
    }

    /// Adds an item with a name. Without `may_be_first` it comes after all other items.
    pub(super) fn add(&mut self, name: &str, mark: usize, may_be_first: bool) {
        match self.0.entry_mut(name) {
            Some(entry) => {
                entry.duplicates += 1;
                entry.is_first_unknown |= may_be_first;
            }
            None => self.set(name, mark),
        }
    }

    /// Stores the new mark of an item.
    pub(super) fn update_mark(&mut self, name: &str, mark: usize) {
        match self.0.entry_mut(name) {
            Some(entry) if entry.duplicates > 0 || entry.is_first_unknown => entry.is_first_unknown = true,
            _ => self.set(name, mark),
        }
    }

    /// Removes one item with a name.
    pub(super) fn remove(&mut self, name: &str) {
        match self.0.entry_mut(name) {
            Some(entry) if entry.duplicates > 0 => {
                (entry.duplicates, entry.is_first_unknown) = (entry.duplicates - 1, true)
            }
            _ => _ = self.0.remove(name),
        }
    }

    /// Whether more than one item has the name.
    pub(super) fn is_duplicate(&self, name: &str) -> bool {
        self.0.entry(name).is_some_and(|entry| entry.duplicates > 0)
    }

    /// The index of the first item with a name. `has_name` says whether an item has it.
    pub(super) fn find<T>(&self, name: &str, items: &Chunks<T>, has_name: impl Fn(&T) -> bool) -> Option<usize> {
        let entry = self.0.entry(name)?;
        if entry.is_first_unknown {
            return items.iter().position(has_name);
        }
        let (window, likely) = items.find_marked(entry.number);
        let likely = likely.min(window.end.saturating_sub(1));
        let is_at = |place: &usize| window.contains(place) && items.get(*place).is_some_and(&has_name);
        if entry.duplicates > 0 {
            // The item nearest to the mark may be a later one with the same name.
            return window.clone().find(is_at);
        }
        // From the likely place to both sides.
        (0..=window.len()).find_map(|off| [likely.wrapping_sub(off), likely + off].into_iter().find(is_at))
    }

    /// As [`NameIndex::find`], and stores the mark of the item if it was unknown. `cost` counts the searched items.
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
        }
        if entry.duplicates > 0 || entry.is_first_unknown {
            (entry.number, entry.is_first_unknown) = (items.mark(place?), false);
        }
        place
    }
}
