//! A list whose items can be found by id.
//!
//! In this file an *index* is a lookup table, and a *place* the number of an item in the list, from 0.

use std::borrow::Cow;
use std::cell::Cell;

use super::chunks::{Chunks, Iter};
use super::name_index::{AddedAt, MAX_UNINDEXED, NameIndex};
use super::{Value, write_number};

/// The property that is the id of an item. Seeds 000 and 001: `id` of blocks and actions, `key` of fields and table columns,
/// `value` of options; in other lists `id`, or else `key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKey {
    /// `id`
    Id,
    /// `key`
    Key,
    /// `value`
    Value,
    /// `id` if the item has it, else `key`
    IdElseKey,
}

impl IdKey {
    /// The name of the property.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Id | Self::IdElseKey => "id",
            Self::Key => "key",
            Self::Value => "value",
        }
    }

    /// The id of an item as in paths: a string, or the text of a number; `None` if the property is absent or another value.
    pub fn of(self, item: &Value) -> Option<Cow<'_, str>> {
        lookup_text(self.value(item)?)
    }

    /// The value of the property, even if it cannot be an id.
    pub(crate) fn value(self, item: &Value) -> Option<&Value> {
        let object = item.as_object()?;
        match self {
            Self::Id => object.get("id"),
            Self::Key => object.get("key"),
            Self::Value => object.get("value"),
            Self::IdElseKey => object.get("id").or_else(|| object.get("key")),
        }
    }
}

/// The text by which a value is looked up: a string, or the text of a number. Other values cannot be looked up.
fn lookup_text(id: &Value) -> Option<Cow<'_, str>> {
    match id {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(number) => {
            let mut text = String::new();
            write_number(&mut text, *number);
            Some(Cow::Owned(text))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The part of an item by which it is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The id of an object.
    Id(IdKey),
    /// The id of an item that is an object; any other item itself.
    IdOrItem(IdKey),
    /// The property with this name.
    Property(Box<str>),
}

impl By {
    /// The value of this part in an item; `None` if the item lacks it.
    pub(crate) fn value<'v>(&self, item: &'v Value) -> Option<&'v Value> {
        match (self, item) {
            (Self::IdOrItem(key), Value::Object(_)) | (Self::Id(key), _) => key.value(item),
            (Self::IdOrItem(_), _) => Some(item),
            (Self::Property(name), _) => item.get(name),
        }
    }

    /// The text of this part, by which an index finds the item.
    fn text<'v>(&self, item: &'v Value) -> Option<Cow<'v, str>> {
        lookup_text(self.value(item)?)
    }
}

/// A list of values. The first lookup in a long list builds an index, which every later change updates.
#[derive(Debug, Default)]
pub struct Array {
    items: Chunks<Value>,
    /// `None` before the first lookup, and for a short list, which is searched item by item.
    indexes: Option<Box<Indexes>>,
}

/// Ordered by their last use: the last index was used most recently.
type Indexes = Vec<Index>;

/// A bound, since each index takes memory, and work at every change of the list.
const MAX_INDEXES: usize = 3;

#[derive(Debug)]
struct Index {
    by: By,
    /// From the text of the part `by` to the [`Chunks::mark`] of the first item that has it.
    marks: NameIndex,
}

/// Why the item at a place has no valid mark in an index.
enum Unmarked {
    Inserted,
    MovedToOtherChunk,
}

// The functions that are `#[inline(never)]` have one copy for all callers, which makes the WebAssembly modules smaller.
impl Index {
    /// Stores the mark of the item at a place.
    #[inline(never)]
    fn store_mark(&mut self, items: &Chunks<Value>, place: usize, reason: Unmarked) {
        let Some(id) = items.get(place).and_then(|item| self.by.text(item)) else { return };
        let mark = items.mark(place);
        match reason {
            Unmarked::Inserted => self.marks.add(&id, mark, AddedAt::AnyPlace),
            Unmarked::MovedToOtherChunk => self.marks.update_mark(&id, mark),
        }
    }
}

impl Array {
    /// A list of these items. Unlike `From`, it keeps the spare capacity of the vector.
    pub(super) fn of(items: Vec<Value>) -> Self {
        Self { items: items.into(), indexes: None }
    }

    /// The number of items.
    #[inline(never)]
    pub const fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether the list is empty.
    pub const fn is_empty(&self) -> bool {
        self.items.len() == 0
    }

    /// The item at a place; `None` beyond the end.
    pub fn get(&self, place: usize) -> Option<&Value> {
        self.items.get(place)
    }

    /// The items in order.
    pub fn iter(&self) -> Iter<'_, Value> {
        self.items.iter()
    }

    /// The place of the first item with an id.
    pub fn locate(&mut self, by: IdKey, id: &str) -> Option<usize> {
        self.find(&By::Id(by), id, &Cell::default())
    }

    /// The place of the first item whose part has the same text as `wanted`, as [`Array::find`] finds it: `Some(None)` if no
    /// item has it, `None` if `wanted` is neither a string nor a number.
    pub(crate) fn locate_by(&mut self, by: &By, wanted: &Value, cost: &Cell<usize>) -> Option<Option<usize>> {
        let wanted_text = lookup_text(wanted)?;
        Some(self.find(by, &wanted_text, cost))
    }

    /// Whether more than one item has this id. `cost` is that of [`Array::find`].
    pub(crate) fn is_shared(&mut self, by: IdKey, id: &str, cost: &Cell<usize>) -> bool {
        let by = By::Id(by);
        match self.index(&by, cost) {
            Some(index) => index.marks.is_duplicate(id),
            None => self.iter().filter(|item| by.text(item).is_some_and(|text| text == id)).count() > 1,
        }
    }

    /// Whether a change of this property of an item may change an index. A property that an [`IdKey`] names counts as indexed
    /// even if no index has it: [`Array::change`] is then slower than [`Array::get_mut`], and as correct.
    pub(crate) fn is_indexed(&self, property: &str) -> bool {
        matches!(property, "id" | "key" | "value")
            || self.indexes.as_deref().is_some_and(|indexes| {
                indexes.iter().any(|index| matches!(&index.by, By::Property(name) if **name == *property))
            })
    }

    /// The place of the first item in which the part `by` has the text `id`. `cost` grows by 1, and by the number of items
    /// visited to build an index, or to find the first of several equal ids.
    #[inline(never)]
    pub(crate) fn find(&mut self, by: &By, id: &str, cost: &Cell<usize>) -> Option<usize> {
        let has_id = |item: &Value| by.text(item).is_some_and(|text| text == id);
        if self.index(by, cost).is_none() {
            return self.iter().position(has_id);
        }
        // `Self::index` has moved the index of this part to the end.
        self.indexes.as_mut()?.last_mut()?.marks.find_and_store(id, &self.items, has_id, cost)
    }

    /// The index of items by this part, built if absent, which becomes the last one as the most recently used. With
    /// [`MAX_INDEXES`] others, the least recently used one is dropped. `None` for a short list, which is searched instead.
    fn index(&mut self, by: &By, cost: &Cell<usize>) -> Option<&mut Index> {
        cost.update(|cost| cost + 1);
        if self.items.len() <= MAX_UNINDEXED {
            self.indexes = None;
            return None;
        }
        let indexes = &mut **self.indexes.get_or_insert_default();
        let position = indexes.iter().position(|index| index.by == *by);
        let is_absent_or_before_last = position.is_none_or(|position| position + 1 < indexes.len());
        if is_absent_or_before_last {
            let index = match position {
                Some(position) => indexes.remove(position),
                None => {
                    if indexes.len() >= MAX_INDEXES {
                        indexes.remove(0);
                    }
                    cost.update(|cost| cost + self.items.len());
                    // In chunks, the search from a mark is short.
                    self.items.split();
                    let mut marks = NameIndex::default();
                    for (place, item) in self.items.iter().enumerate() {
                        if let Some(id) = by.text(item) {
                            marks.add(&id, self.items.mark(place), AddedAt::End);
                        }
                    }
                    Index { by: by.clone(), marks }
                }
            };
            indexes.push(index);
        }
        indexes.last_mut()
    }

    /// All indexes; empty for a list that has none.
    fn indexes(&mut self) -> &mut [Index] {
        self.indexes.as_deref_mut().map_or(&mut [], |indexes| indexes)
    }

    /// Inserts an item. The place is at most the length of the list.
    #[inline(never)]
    pub(crate) fn insert(&mut self, place: usize, value: Value) {
        let moved_places = self.items.insert(place, value);
        for index in self.indexes.as_deref_mut().into_iter().flatten() {
            index.store_mark(&self.items, place, Unmarked::Inserted);
            for moved in moved_places.clone() {
                if moved != place {
                    index.store_mark(&self.items, moved, Unmarked::MovedToOtherChunk);
                }
            }
        }
    }

    /// Removes and returns an item; `None` beyond the end.
    #[inline(never)]
    pub(crate) fn remove(&mut self, place: usize) -> Option<Value> {
        let value = self.items.remove(place)?;
        for Index { by, marks } in self.indexes() {
            if let Some(id) = by.text(&value) {
                marks.remove(&id);
            }
        }
        Some(value)
    }

    /// Replaces an item, and returns the old one; `None` beyond the end.
    pub(crate) fn replace(&mut self, place: usize, value: Value) -> Option<Value> {
        self.change(place, |item| std::mem::replace(item, value))
    }

    /// Changes an item, and updates the indexes if its id has changed. Returns the result of `change`; `None` beyond the end.
    pub(crate) fn change<T>(&mut self, place: usize, change: impl FnOnce(&mut Value) -> T) -> Option<T> {
        let old_ids = self.ids(place);
        let result = self.items.get_mut(place).map(change);
        self.update_ids(place, old_ids);
        result
    }

    /// For each index, the text by which it finds the item at a place, `None` if it does not. Empty without indexes.
    #[inline(never)]
    fn ids(&self, place: usize) -> Vec<Option<String>> {
        let (Some(indexes), Some(item)) = (&self.indexes, self.items.get(place)) else { return Vec::new() };
        indexes.iter().map(|index| index.by.text(item).map(Cow::into_owned)).collect()
    }

    /// Updates the indexes after the item at a place has changed. `old_ids` is what [`Array::ids`] returned before.
    #[inline(never)]
    fn update_ids(&mut self, place: usize, old_ids: Vec<Option<String>>) {
        if old_ids.is_empty() {
            return;
        }
        let new_ids = self.ids(place);
        let mark = self.items.mark(place);
        for (index, (old_id, new_id)) in self.indexes().iter_mut().zip(old_ids.into_iter().zip(new_ids)) {
            if old_id != new_id {
                if let Some(id) = old_id {
                    index.marks.remove(&id);
                }
                if let Some(id) = new_id {
                    index.marks.add(&id, mark, AddedAt::AnyPlace);
                }
            }
        }
    }

    /// An item, for a change that does not affect an index: see [`Array::is_indexed`].
    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut Value> {
        self.items.get_mut(place)
    }
}

/// The copy builds its own indexes at the first lookup.
impl Clone for Array {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), indexes: None }
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl From<Vec<Value>> for Array {
    fn from(mut items: Vec<Value>) -> Self {
        items.shrink_to_fit();
        Self::of(items)
    }
}

impl FromIterator<Value> for Array {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl IntoIterator for Array {
    type Item = Value;
    type IntoIter = std::vec::IntoIter<Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = &'a Value;
    type IntoIter = Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}
