//! `Document`: a value that only edits change, each with its inverse.

use super::tracker::{Action, Placed, Tracker};
use super::{Edit, NoSuchPlace};
use crate::value::{Array, IdKey, Step, Value};

/// A document: a value, changed in place by edits.
#[derive(Clone, Debug, Default)]
pub struct Document {
    root: Value,
    /// What edits have touched since each time the document began to be watched.
    trackers: Vec<Tracker>,
}

impl Document {
    /// A document that starts as this value.
    pub const fn new(root: Value) -> Self {
        Self { root, trackers: Vec::new() }
    }

    /// The value as it stands.
    pub const fn value(&self) -> &Value {
        &self.root
    }

    /// The value, given away.
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
                let (_, value) = self.act(&path, Action::Set, (None, value))?;
                Ok(Edit::Set { path, value })
            }
            Edit::Insert { path, index, value } => {
                self.act(&path, Action::Insert, (index, value))?;
                Ok(Edit::Remove { path })
            }
            Edit::Remove { path } => {
                let (index, value) = self.act(&path, Action::Remove, Placed::default())?;
                Ok(Edit::Insert { path, index, value })
            }
            Edit::Move { from, path, index } => {
                let (old, value) = self.act(&from, Action::Remove, Placed::default())?;
                let (step, holder) = path.split_last().unzip();
                let holder = holder.and_then(|holder| self.root.at(holder));
                if let (Some(step), Some(holder)) = (step, holder)
                    && has_room(holder, step, index)
                {
                    self.act(&path, Action::Insert, (index, value))?;
                    Ok(Edit::Move { from: path, path: from, index: old })
                } else {
                    self.act(&from, Action::Insert, (old, value))?;
                    Err(NoSuchPlace)
                }
            }
        }
    }

    /// Acts at a place, and notes it; returns what stood there.
    fn act(&mut self, path: &[Step], action: Action, new: Placed) -> Result<Placed, NoSuchPlace> {
        let old = match (path, action) {
            ([], Action::Set) => (None, std::mem::replace(&mut self.root, new.1)),
            _ => act(&mut self.root, path, action, new)?,
        };
        for tracker in &mut self.trackers {
            tracker.note(&self.root, path, action, &old);
        }
        Ok(old)
    }

    /// From here on, notes what edits touch, until [`Document::end_watch`]. Each watch ends by itself, the last one first.
    pub fn watch(&mut self) {
        self.trackers.push(Tracker::default());
    }

    /// What the edits since [`Document::watch`] come to, as a script. What has come back to what it was is not in it.
    pub fn end_watch(&mut self) -> Vec<Edit> {
        self.trackers.pop().map_or_else(Vec::new, |tracker| tracker.script(&self.root))
    }

    /// Takes back the document's last edits if, taken together, they come to nothing. `edits` and `inverses` are then empty.
    pub fn cancel(&mut self, edits: &mut Vec<Edit>, inverses: &mut Vec<Edit>) {
        if !may_cancel(edits) {
            return;
        }
        self.watch();
        let again = self.undo(std::mem::take(inverses));
        if self.end_watch().is_empty() {
            edits.clear();
        } else {
            *inverses = self.undo(again);
        }
    }

    /// Makes edits, the last one first, and returns those that take them back in the same way. They must fit, as the
    /// inverses of the last edits do: that is asserted in debug builds only.
    pub fn undo(&mut self, mut edits: Vec<Edit>) -> Vec<Edit> {
        edits.reverse();
        for edit in &mut edits {
            let next = std::mem::replace(edit, Edit::Remove { path: Vec::new() });
            let inverse = self.apply(next);
            debug_assert!(inverse.is_ok(), "an inverse no longer fits");
            if let Ok(inverse) = inverse {
                *edit = inverse;
            }
        }
        edits
    }

    /// The index of the first item with an id in the list at `path`.
    pub fn locate(&mut self, path: &[Step], by: IdKey, id: &str) -> Option<usize> {
        self.list(path)?.locate(by, id)
    }

    /// The list at `path`, to look items up in it.
    pub(crate) fn list(&mut self, path: &[Step]) -> Option<&mut Array> {
        list(&mut self.root, path)
    }
}

fn list<'v>(root: &'v mut Value, path: &[Step]) -> Option<&'v mut Array> {
    if let Value::Array(items) = at_mut(root, path)? { Some(items) } else { None }
}

fn at_mut<'v>(mut value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    for step in path {
        value = match (value, step) {
            (Value::Object(object), Step::Key(key)) => object.get_mut(key)?,
            (Value::Array(items), Step::Index(index)) => items.get_mut(*index)?,
            _ => return None,
        };
    }
    Some(value)
}

/// Whether edits could come to nothing: only if one before the last has been where the last one is.
fn may_cancel(edits: &[Edit]) -> bool {
    let Some((last, before)) = edits.split_last() else { return false };
    // Where no item comes or goes, an index always is the same item.
    let shifts = edits.iter().any(|edit| !matches!(edit, Edit::Set { .. }));
    let is_alike = |(one, other): (&Step, &Step)| one == other || (shifts && one.as_key().or(other.as_key()).is_none());
    before
        .iter()
        .flat_map(Edit::places)
        .any(|place| last.places().into_iter().any(|other| place.iter().zip(other).all(is_alike)))
}

/// Goes to the last step of a path and acts there. A list on the way hears of changes to its items' ids.
fn act(root: &mut Value, path: &[Step], action: Action, new: Placed) -> Result<Placed, NoSuchPlace> {
    let Some((step, holder)) = path.split_last() else { return Err(NoSuchPlace) };
    // Only an edit of an item's own properties can touch its id, or what else it is found by.
    if let (Some((Step::Index(item), above)), Step::Key(key)) = (holder.split_last(), step)
        && let Some(items) = list(root, above)
    {
        if items.is_indexed(key) {
            let acted = items.change(*item, |item| act_in(item, step, action, new));
            return acted.unwrap_or(Err(NoSuchPlace));
        }
        return act_in(items.get_mut(*item).ok_or(NoSuchPlace)?, step, action, new);
    }
    act_in(at_mut(root, holder).ok_or(NoSuchPlace)?, step, action, new)
}

fn act_in(holder: &mut Value, step: &Step, action: Action, (index, value): Placed) -> Result<Placed, NoSuchPlace> {
    if matches!(action, Action::Insert) && !has_room(holder, step, index) {
        return Err(NoSuchPlace);
    }
    let old = match (holder, step, action) {
        (Value::Object(object), Step::Key(key), Action::Set) => {
            object.get_mut(key).map(|own| std::mem::replace(own, value))
        }
        (Value::Object(object), Step::Key(key), Action::Insert) => {
            object.insert(index.unwrap_or(object.len()), key.clone(), value);
            Some(Value::Null)
        }
        (Value::Object(object), Step::Key(key), Action::Remove) => {
            let (place, value) = object.remove(key).ok_or(NoSuchPlace)?;
            return Ok((Some(place).filter(|&place| place < object.len()), value));
        }
        (Value::Array(items), Step::Index(index), Action::Set) => items.replace(*index, value),
        (Value::Array(items), Step::Index(index), Action::Insert) => {
            items.insert(*index, value);
            Some(Value::Null)
        }
        (Value::Array(items), Step::Index(index), Action::Remove) => items.remove(*index),
        _ => None,
    };
    old.map(|old| (None, old)).ok_or(NoSuchPlace)
}

fn has_room(holder: &Value, step: &Step, index: Option<usize>) -> bool {
    match (holder, step) {
        (Value::Object(object), Step::Key(key)) => {
            !object.contains(key) && index.is_none_or(|index| index <= object.len())
        }
        (Value::Array(items), Step::Index(index)) => *index <= items.len(),
        _ => false,
    }
}
