//! `Document`: a value that only edits change, each with its inverse.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use super::tracker::{Action, Entry, Tracker};
use super::{Edit, NoSuchPlace};
use crate::value::{Array, IdKey, Step, Value};

/// A document: a value, changed in place by edits.
#[derive(Clone, Debug, Default)]
pub struct Document {
    root: Value,
    /// The trackers of the running watches.
    trackers: Vec<Tracker>,
    /// A cached result, cleared by an edit that may change it.
    derived: OnceLock<Derived>,
}

/// A result that was computed from the document.
#[derive(Clone, Debug)]
struct Derived {
    result: Arc<dyn Any + Send + Sync>,
    /// See [`Document::derived`].
    depends_on: fn(&[Step], bool) -> bool,
}

const fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

impl Document {
    /// A document that starts as this value.
    pub const fn new(root: Value) -> Self {
        Self { root, trackers: Vec::new(), derived: OnceLock::new() }
    }

    /// The value now.
    pub const fn value(&self) -> &Value {
        &self.root
    }

    /// The value, without the document around it.
    pub fn into_value(self) -> Value {
        self.root
    }

    /// Applies an edit and returns its inverse, which restores the document byte for byte.
    ///
    /// # Errors
    /// [`NoSuchPlace`]; the document is then unchanged.
    pub fn apply(&mut self, edit: Edit) -> Result<Edit, NoSuchPlace> {
        match edit {
            Edit::Set { path, value } => {
                let old = self.change_entry(&path, Action::Set, Entry { index: None, value })?;
                Ok(Edit::Set { path, value: old.value })
            }
            Edit::Insert { path, index, value } => {
                self.change_entry(&path, Action::Insert, Entry { index, value })?;
                Ok(Edit::Remove { path })
            }
            Edit::Remove { path } => {
                let Entry { index, value } = self.change_entry(&path, Action::Remove, Entry::default())?;
                Ok(Edit::Insert { path, index, value })
            }
            Edit::Move { from, path, index } => {
                let moved = self.change_entry(&from, Action::Remove, Entry::default())?;
                let from_index = moved.index;
                let (step, holder) = path.split_last().unzip();
                let holder = holder.and_then(|holder| self.root.at(holder));
                if let (Some(step), Some(holder)) = (step, holder)
                    && has_room(holder, step, index)
                {
                    self.change_entry(&path, Action::Insert, Entry { index, value: moved.value })?;
                    Ok(Edit::Move { from: path, path: from, index: from_index })
                } else {
                    self.change_entry(&from, Action::Insert, moved)?;
                    Err(NoSuchPlace)
                }
            }
        }
    }

    /// The result of a function of the document, cached until an edit for which `depends_on` is true. That function gets the
    /// path of the edit, and whether the edit has to do with lists or objects: with a value that it sets, removes or replaces.
    pub(crate) fn derived<T: Any + Send + Sync>(
        &self,
        make: fn(&Value) -> T,
        depends_on: fn(&[Step], bool) -> bool,
    ) -> Arc<T> {
        let known = self.derived.get().and_then(|known| known.result.clone().downcast().ok());
        known.unwrap_or_else(|| {
            let made = Arc::new(make(&self.root));
            let _ = self.derived.set(Derived { result: made.clone(), depends_on });
            made
        })
    }

    /// Sets, inserts or removes the entry at a path, records that in the trackers, and returns the old entry.
    fn change_entry(&mut self, path: &[Step], action: Action, new: Entry) -> Result<Entry, NoSuchPlace> {
        let is_new_container = is_container(&new.value);
        let old = match (path, action) {
            ([], Action::Set) => Entry { index: None, value: std::mem::replace(&mut self.root, new.value) },
            _ => change_at(&mut self.root, path, action, new)?,
        };
        let is_of_container = is_new_container || is_container(&old.value);
        if self.derived.get().is_some_and(|derived| (derived.depends_on)(path, is_of_container)) {
            self.derived = OnceLock::new();
        }
        for tracker in &mut self.trackers {
            tracker.record(&self.root, path, action, &old);
        }
        Ok(old)
    }

    /// Tracks edits until [`Document::end_watch`]. Watches nest: the one that began last ends first.
    pub fn watch(&mut self) {
        self.trackers.push(Tracker::default());
    }

    /// The edits that lead from the document at [`Document::watch`] to the document now. Places whose values are the same
    /// again are not among them.
    pub fn end_watch(&mut self) -> Vec<Edit> {
        self.trackers.pop().map_or_else(Vec::new, |tracker| tracker.script(&self.root))
    }

    /// Undoes the document's last edits, `edits`, if together they change nothing, and empties `edits` and `inverses`.
    /// Otherwise all three stay as they are.
    pub fn cancel(&mut self, edits: &mut Vec<Edit>, inverses: &mut Vec<Edit>) {
        if !may_cancel(edits) {
            return;
        }
        self.watch();
        let redo = self.undo(std::mem::take(inverses));
        if self.end_watch().is_empty() {
            edits.clear();
        } else {
            *inverses = self.undo(redo);
        }
    }

    /// Applies inverse edits, the last one first, and returns the edits that `undo` takes to redo them. They must be the
    /// inverses of the last edits; debug builds assert that they apply.
    pub fn undo(&mut self, mut edits: Vec<Edit>) -> Vec<Edit> {
        edits.reverse();
        for edit in &mut edits {
            let next = std::mem::replace(edit, Edit::Remove { path: Vec::new() });
            let inverse = self.apply(next);
            debug_assert!(inverse.is_ok(), "an inverse edit does not apply");
            if let Ok(inverse) = inverse {
                *edit = inverse;
            }
        }
        edits
    }

    /// The index of the first item with an id in the list at `path`.
    pub fn locate(&mut self, path: &[Step], by: IdKey, id: &str) -> Option<usize> {
        self.list_at(path)?.locate(by, id)
    }

    /// The list at `path`.
    pub(crate) fn list_at(&mut self, path: &[Step]) -> Option<&mut Array> {
        list_at(&mut self.root, path)
    }
}

fn list_at<'v>(root: &'v mut Value, path: &[Step]) -> Option<&'v mut Array> {
    if let Value::Array(items) = value_at_mut(root, path)? { Some(items) } else { None }
}

fn value_at_mut<'v>(mut value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    for step in path {
        value = match (value, step) {
            (Value::Object(object), Step::Key(key)) => object.get_mut(key)?,
            (Value::Array(items), Step::Index(index)) => items.get_mut(*index)?,
            _ => return None,
        };
    }
    Some(value)
}

/// Whether edits can cancel out: only if an edit before the last one touches the same place.
fn may_cancel(edits: &[Edit]) -> bool {
    let Some((last, before)) = edits.split_last() else { return false };
    // Without insertions and removals an index always means the same item.
    let shifts = edits.iter().any(|edit| !matches!(edit, Edit::Set { .. }));
    let may_be_same = |(a, b): (&Step, &Step)| a == b || (shifts && a.as_key().or(b.as_key()).is_none());
    before
        .iter()
        .flat_map(Edit::places)
        .any(|place| last.places().into_iter().any(|other| place.iter().zip(other).all(may_be_same)))
}

/// Sets, inserts or removes the value at a path. If an item's id changes, the index of its list is updated.
fn change_at(root: &mut Value, path: &[Step], action: Action, new: Entry) -> Result<Entry, NoSuchPlace> {
    let Some((step, holder)) = path.split_last() else { return Err(NoSuchPlace) };
    // Only an edit of an item's own properties can change its id, or another property that the list is indexed by.
    if let (Some((Step::Index(item), above)), Step::Key(key)) = (holder.split_last(), step)
        && let Some(items) = list_at(root, above)
    {
        if items.is_indexed(key) {
            let changed = items.change(*item, |item| change_child(item, step, action, new));
            return changed.unwrap_or(Err(NoSuchPlace));
        }
        return change_child(items.get_mut(*item).ok_or(NoSuchPlace)?, step, action, new);
    }
    change_child(value_at_mut(root, holder).ok_or(NoSuchPlace)?, step, action, new)
}

fn change_child(holder: &mut Value, step: &Step, action: Action, new: Entry) -> Result<Entry, NoSuchPlace> {
    let Entry { index, value } = new;
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
            let (index, value) = object.remove(key).ok_or(NoSuchPlace)?;
            return Ok(Entry { index: Some(index).filter(|&index| index < object.len()), value });
        }
        (Value::Array(items), Step::Index(index), Action::Set) => items.replace(*index, value),
        (Value::Array(items), Step::Index(index), Action::Insert) => {
            items.insert(*index, value);
            Some(Value::Null)
        }
        (Value::Array(items), Step::Index(index), Action::Remove) => items.remove(*index),
        _ => None,
    };
    old.map(|value| Entry { index: None, value }).ok_or(NoSuchPlace)
}

/// Whether an insertion is possible: a key that the object lacks, and an index up to the length.
fn has_room(holder: &Value, step: &Step, index: Option<usize>) -> bool {
    match (holder, step) {
        (Value::Object(object), Step::Key(key)) => {
            !object.contains(key) && index.is_none_or(|index| index <= object.len())
        }
        (Value::Array(items), Step::Index(index)) => *index <= items.len(),
        _ => false,
    }
}
