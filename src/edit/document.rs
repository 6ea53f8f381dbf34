//! A value that is changed by edits alone.

use super::{Edit, NoSuchPlace};
use crate::value::{Array, IdKey, Step, Value};

/// A document: a value, changed in place by edits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    root: Value,
}

impl Document {
    /// A document that starts as this value.
    #[must_use]
    pub const fn new(root: Value) -> Self {
        Self { root }
    }

    /// The value as it stands.
    #[must_use]
    pub const fn value(&self) -> &Value {
        &self.root
    }

    /// The value, given away.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.root
    }

    /// Makes an edit and hands back the edit that undoes it, byte for byte.
    ///
    /// # Errors
    /// [`NoSuchPlace`]; the document is then as it was.
    pub fn apply(&mut self, edit: Edit) -> Result<Edit, NoSuchPlace> {
        match edit {
            Edit::Set { path, value } => {
                let old = if path.is_empty() {
                    std::mem::replace(&mut self.root, value)
                } else {
                    at(&mut self.root, &path, |place| place.set(value))?
                };
                Ok(Edit::Set { path, value: old })
            }
            Edit::Insert { path, index, value } => {
                at(&mut self.root, &path, |place| place.insert(index, value))?;
                Ok(Edit::Remove { path })
            }
            Edit::Remove { path } => {
                let (index, value) = at(&mut self.root, &path, |place| place.remove())?;
                Ok(Edit::Insert { path, index, value })
            }
            Edit::Move { from, path, index } => {
                let (old, value) = at(&mut self.root, &from, |place| place.remove())?;
                // Looked at before it is moved in, so that a place that is not there costs nothing.
                if at(&mut self.root, &path, |place| place.is_free(index)) == Ok(()) {
                    at(&mut self.root, &path, |place| place.insert(index, value))?;
                    Ok(Edit::Move { from: path, path: from, index: old })
                } else {
                    at(&mut self.root, &from, |place| place.insert(old, value))?;
                    Err(NoSuchPlace)
                }
            }
        }
    }

    /// Undoes edits by their inverses, the last one first.
    pub fn undo(&mut self, inverses: Vec<Edit>) {
        for inverse in inverses.into_iter().rev() {
            // An inverse fits the document that it came from.
            let fits = self.apply(inverse).is_ok();
            debug_assert!(fits, "an inverse no longer fits");
        }
    }

    /// The index of the first item with an id in the list at `path`.
    pub fn locate(&mut self, path: &[Step], by: IdKey, id: &str) -> Option<usize> {
        self.list(path)?.locate(by, id)
    }

    /// Whether more than one item of the list at `path` has this id.
    pub fn is_shared(&mut self, path: &[Step], by: IdKey, id: &str) -> bool {
        self.list(path).is_some_and(|items| items.is_shared(by, id))
    }

    fn list(&mut self, path: &[Step]) -> Option<&mut Array> {
        let mut value = &mut self.root;
        for step in path {
            value = match (value, step) {
                (Value::Object(object), Step::Key(key)) => object.get_mut(key)?,
                (Value::Array(items), Step::Index(index)) => items.get_mut(*index)?,
                _ => return None,
            };
        }
        match value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }
}

/// A step in the list or object that holds it.
struct Place<'a> {
    holder: &'a mut Value,
    step: &'a Step,
}

impl Place<'_> {
    fn set(self, value: Value) -> Result<Value, NoSuchPlace> {
        match (self.holder, self.step) {
            (Value::Object(object), Step::Key(key)) => {
                Ok(std::mem::replace(object.get_mut(key).ok_or(NoSuchPlace)?, value))
            }
            (Value::Array(items), Step::Index(index)) => items.replace(*index, value).ok_or(NoSuchPlace),
            _ => Err(NoSuchPlace),
        }
    }

    fn is_free(self, index: Option<usize>) -> Result<(), NoSuchPlace> {
        let free = match (&*self.holder, self.step) {
            (Value::Object(object), Step::Key(key)) => {
                !object.contains(key) && index.is_none_or(|index| index <= object.len())
            }
            (Value::Array(items), Step::Index(index)) => *index <= items.len(),
            _ => false,
        };
        if free { Ok(()) } else { Err(NoSuchPlace) }
    }

    fn insert(self, index: Option<usize>, value: Value) -> Result<(), NoSuchPlace> {
        let Place { holder, step } = self;
        Place { holder: &mut *holder, step }.is_free(index)?;
        match (holder, step) {
            (Value::Object(object), Step::Key(key)) => object.insert(index.unwrap_or(object.len()), key.clone(), value),
            (Value::Array(items), Step::Index(index)) => items.insert(*index, value),
            _ => return Err(NoSuchPlace),
        }
        Ok(())
    }

    fn remove(self) -> Result<(Option<usize>, Value), NoSuchPlace> {
        match (self.holder, self.step) {
            (Value::Object(object), Step::Key(key)) => {
                let (place, value) = object.remove(key).ok_or(NoSuchPlace)?;
                Ok((Some(place).filter(|&place| place < object.len()), value))
            }
            (Value::Array(items), Step::Index(index)) if *index < items.len() => Ok((None, items.remove(*index))),
            _ => Err(NoSuchPlace),
        }
    }
}

/// Goes to the last step of a path and changes something there. A list on the way hears of changes to its items' ids.
fn at<T>(
    value: &mut Value,
    path: &[Step],
    change: impl FnOnce(Place<'_>) -> Result<T, NoSuchPlace>,
) -> Result<T, NoSuchPlace> {
    let (step, rest) = path.split_first().ok_or(NoSuchPlace)?;
    match (value, step, rest) {
        (holder, step, []) => change(Place { holder, step }),
        (Value::Object(object), Step::Key(key), rest) => at(object.get_mut(key).ok_or(NoSuchPlace)?, rest, change),
        // Only an edit of an item's own properties can touch its id.
        (Value::Array(items), Step::Index(index), [_]) => {
            items.change(*index, |item| at(item, rest, change)).unwrap_or(Err(NoSuchPlace))
        }
        (Value::Array(items), Step::Index(index), rest) => {
            at(items.get_mut(*index).ok_or(NoSuchPlace)?, rest, change)
        }
        _ => Err(NoSuchPlace),
    }
}
