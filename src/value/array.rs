//! A list whose items can be found by id.

use std::borrow::Cow;

use super::positions::Positions;
use super::{Value, write_number};

/// Up to this many items a linear search beats an index.
const LINEAR: usize = 12;

/// Which property of an item is its id. Seeds 000 and 001: blocks and actions have `id`, fields and table columns
/// `key`, options `value`; in other lists it is `id`, else `key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKey {
    /// `id`
    Id,
    /// `key`
    Key,
    /// `value`
    Value,
    /// `id` where the item has it, else `key`
    IdElseKey,
}

impl IdKey {
    /// The name of the property.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Id | Self::IdElseKey => "id",
            Self::Key => "key",
            Self::Value => "value",
        }
    }

    /// The id of an item, as a path writes it: a string, or a number's text.
    #[must_use]
    pub fn of(self, item: &Value) -> Option<Cow<'_, str>> {
        let object = item.as_object()?;
        let id = match self {
            Self::Id => object.get("id"),
            Self::Key => object.get("key"),
            Self::Value => object.get("value"),
            Self::IdElseKey => object.get("id").or_else(|| object.get("key")),
        };
        match id? {
            Value::String(text) => Some(Cow::Borrowed(text)),
            Value::Number(number) => {
                let mut text = String::new();
                write_number(&mut text, *number);
                Some(Cow::Owned(text))
            }
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// A list of values. The first look-up by id in a long list makes an index, which every later change keeps.
#[derive(Clone, Debug, Default)]
pub struct Array {
    items: Vec<Value>,
    index: Option<Box<Ids>>,
}

#[derive(Clone, Debug)]
struct Ids {
    by: IdKey,
    places: Positions,
}

impl Array {
    /// The items.
    #[must_use]
    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// How many items there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no item.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item at an index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.items.get(index)
    }

    /// The items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.items.iter()
    }

    /// The index of the first item with an id.
    pub fn locate(&mut self, by: IdKey, id: &str) -> Option<usize> {
        let items = &self.items;
        let is_at = |place: usize| items.get(place).and_then(|item| by.of(item)).is_some_and(|own| own == id);
        let Some(ids) = Ids::of(&mut self.index, items, by) else {
            return (0..items.len()).find(|&place| is_at(place));
        };
        let place = ids.places.find(id, items.len(), is_at)?;
        ids.places.found(id, place);
        Some(place)
    }

    /// Whether more than one item has this id.
    pub fn is_shared(&mut self, by: IdKey, id: &str) -> bool {
        match Ids::of(&mut self.index, &self.items, by) {
            Some(ids) => ids.places.is_shared(id),
            None => self.items.iter().filter(|item| by.of(item).is_some_and(|own| own == id)).count() > 1,
        }
    }

    pub(crate) fn insert(&mut self, place: usize, value: Value) {
        self.note(place, &value);
        if let Some(ids) = &mut self.index
            && place < self.items.len()
        {
            ids.places.shifted();
        }
        self.items.insert(place, value);
    }

    pub(crate) fn remove(&mut self, place: usize) -> Value {
        let value = self.items.remove(place);
        self.forget(&value);
        if let Some(ids) = &mut self.index
            && place < self.items.len()
        {
            ids.places.shifted();
        }
        value
    }

    pub(crate) fn replace(&mut self, place: usize, value: Value) -> Option<Value> {
        self.change(place, |item| std::mem::replace(item, value))
    }

    /// Changes something inside one item, which may be its id.
    pub(crate) fn change<T>(&mut self, place: usize, change: impl FnOnce(&mut Value) -> T) -> Option<T> {
        let Some(by) = self.index.as_ref().map(|ids| ids.by) else {
            return self.items.get_mut(place).map(change);
        };
        let item = self.items.get_mut(place)?;
        let before = by.of(item).map(Cow::into_owned);
        let result = change(item);
        let after = by.of(item).map(Cow::into_owned);
        if before != after
            && let Some(ids) = &mut self.index
        {
            before.iter().for_each(|id| ids.places.forget(id));
            after.iter().for_each(|id| ids.places.note(id, place));
        }
        Some(result)
    }

    /// An item, for a change that cannot touch its id.
    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut Value> {
        self.items.get_mut(place)
    }

    fn note(&mut self, place: usize, value: &Value) {
        if let Some(ids) = &mut self.index
            && let Some(id) = ids.by.of(value)
        {
            ids.places.note(&id, place);
        }
    }

    fn forget(&mut self, value: &Value) {
        if let Some(ids) = &mut self.index
            && let Some(id) = ids.by.of(value)
        {
            ids.places.forget(&id);
        }
    }
}

impl Ids {
    /// The index of a list that is long enough for one, made or renewed where that is needed.
    fn of<'a>(index: &'a mut Option<Box<Self>>, items: &[Value], by: IdKey) -> Option<&'a mut Self> {
        if items.len() <= LINEAR {
            *index = None;
        } else if !index.as_ref().is_some_and(|ids| ids.by == by && !ids.places.stale(items.len())) {
            let mut places = Positions::default();
            for (place, item) in items.iter().enumerate() {
                if let Some(id) = by.of(item) {
                    places.note(&id, place);
                }
            }
            *index = Some(Box::new(Self { by, places }));
        }
        index.as_deref_mut()
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl From<Vec<Value>> for Array {
    fn from(items: Vec<Value>) -> Self {
        Self { items, index: None }
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
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}
