//! An object whose keys keep their order.
//!
//! In this file a *place* is the number of an entry in this order, from 0; the *index* is a lookup table.

use super::Value;
use super::chunks::Chunks;
use super::key::{Key, key};
use super::name_index::{MAX_UNINDEXED, NameIndex};

type Member = (Key, Value);

/// Keys and values, in the order in which they were written. Small objects are searched, large ones indexed.
#[derive(Debug, Default)]
pub struct Object {
    entries: Chunks<Member>,
    /// From each key to the [`Chunks::mark`] of its entry; `None` for a small object.
    index: Option<Box<NameIndex>>,
}

impl Object {
    /// An empty object.
    pub const fn new() -> Self {
        Self { entries: Chunks::new(), index: None }
    }

    /// The number of keys.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the object is empty.
    pub const fn is_empty(&self) -> bool {
        self.entries.len() == 0
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(key, value)| (&**key, value))
    }

    /// Keys and mutable values in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut Value)> {
        self.entries.iter_mut().map(|(key, value)| (&**key, value))
    }

    /// The keys in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|(key, _)| &**key)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|(_, value)| value)
    }

    /// The mutable value of a key.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.position(key).and_then(|place| self.entries.get_mut(place)).map(|(_, value)| value)
    }

    /// Whether the object has the key.
    pub fn contains(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// The place of a key in the order, from 0.
    pub fn position(&self, key: &str) -> Option<usize> {
        self.entry(key).map(|(place, _)| place)
    }

    /// The place and the value of a key.
    fn entry(&self, key: &str) -> Option<(usize, &Value)> {
        if let Some(index) = &self.index {
            let place = index.find(key, &self.entries, |(name, _)| **name == *key)?;
            return self.entries.get(place).map(|(_, value)| (place, value));
        }
        let mut place = 0;
        // Vector by vector, which is faster than the iterator over all of them.
        for part in self.entries.parts() {
            for (name, value) in part {
                if **name == *key {
                    return Some((place, value));
                }
                place += 1;
            }
        }
        None
    }

    /// Frees the spare capacity: a document is parsed once and kept for long.
    pub(super) fn shrink(&mut self) {
        self.entries.shrink();
    }

    /// The key and the value at a place.
    pub(crate) fn at(&self, place: usize) -> Option<(&Key, &Value)> {
        self.entries.get(place).map(|(key, value)| (key, value))
    }

    /// Sets the value of a key, and returns the old one. A new key becomes the last one.
    pub fn set(&mut self, name: &str, value: Value) -> Option<Value> {
        if let Some(current) = self.get_mut(name) {
            return Some(std::mem::replace(current, value));
        }
        self.insert(self.len(), key(name), value);
        None
    }

    /// Inserts a key that the object does not have yet, at a place, or at the end if the place is beyond it.
    pub(crate) fn insert(&mut self, place: usize, key: Key, value: Value) {
        let place = place.min(self.entries.len());
        let moved_places = self.entries.insert(place, (key, value));
        if self.index.is_none() {
            return self.build_index();
        }
        self.store_marks(place..place + 1);
        self.store_marks(moved_places);
    }

    /// Removes a key, and returns its place and its value.
    pub(crate) fn remove(&mut self, key: &str) -> Option<(usize, Value)> {
        let place = self.position(key)?;
        let (key, value) = self.entries.remove(place)?;
        if let Some(index) = &mut self.index {
            index.remove(&key);
        }
        Some((place, value))
    }

    /// Builds the index, unless the object is small.
    fn build_index(&mut self) {
        if self.entries.len() > MAX_UNINDEXED {
            self.index = Some(Box::default());
            self.store_marks(0..self.entries.len());
        }
    }

    /// Stores the marks of the entries at these places in the index.
    fn store_marks(&mut self, places: std::ops::Range<usize>) {
        let Some(index) = &mut self.index else { return };
        for place in places {
            if let Some((key, _)) = self.entries.get(place) {
                index.set(key, self.entries.mark(place));
            }
        }
    }
}

impl Clone for Object {
    fn clone(&self) -> Self {
        let mut copy = Self { entries: self.entries.clone(), index: None };
        copy.build_index();
        copy
    }
}

/// Equal as JSON: the order of the keys does not count.
impl PartialEq for Object {
    /// Compares each entry once: with the entry at the same place if both keys are equal, else with the entry of its key.
    /// Comparing an entry in both ways would double the time with every level of nesting.
    fn eq(&self, other: &Self) -> bool {
        let is_equal = |(place, (key, value)): (usize, (&str, &Value))| match other.entries.get(place) {
            Some((other_key, other_value)) if **other_key == *key => other_value == value,
            _ => other.get(key) == Some(value),
        };
        self.len() == other.len() && self.iter().enumerate().all(is_equal)
    }
}

impl<K: AsRef<str>> FromIterator<(K, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(entries: I) -> Self {
        let mut object = Self::new();
        for (key, value) in entries {
            object.set(key.as_ref(), value);
        }
        object
    }
}

impl IntoIterator for Object {
    type Item = Member;
    type IntoIter = std::vec::IntoIter<Member>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}
