//! `Document`: a value that only edits change, each with its inverse.

use std::sync::{Arc, OnceLock};

use super::field_index::FieldIndex;
use super::tracker::{Action, Entry, Tracker};
use super::{Edit, NoSuchPlace};
use crate::value::{Array, IdKey, Step, Value};

/// A document: a value, changed in place by edits.
#[derive(Clone, Debug, Default)]
pub struct Document {
    root: Value,
    /// One tracker for each [`Document::watch`] that has not ended, the innermost last.
    trackers: Vec<Tracker>,
    /// The cache of [`Document::field_index`], empty after an edit that may change the index. Copies of the document share it.
    field_index: OnceLock<Arc<FieldIndex>>,
}

const fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

impl Document {
    /// A document that starts as this value.
    pub const fn new(root: Value) -> Self {
        Self { root, trackers: Vec::new(), field_index: OnceLock::new() }
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
                let entry = self.change_entry(&from, Action::Remove, Entry::default())?;
                let from_index = entry.index;
                let (step, holder_path) = path.split_last().unzip();
                let holder = holder_path.and_then(|holder_path| self.root.at(holder_path));
                // Checked before the insertion, which consumes the value: a refused edit must put it back.
                if let (Some(step), Some(holder)) = (step, holder)
                    && has_room(holder, step, index)
                {
                    self.change_entry(&path, Action::Insert, Entry { index, value: entry.value })?;
                    Ok(Edit::Move { from: path, path: from, index: from_index })
                } else {
                    self.change_entry(&from, Action::Insert, entry)?;
                    Err(NoSuchPlace)
                }
            }
        }
    }

    /// The index of the document's fields, cached until an edit that may change it. `compute` is in `patch`, which knows how a
    /// page names the values of its fields.
    pub(crate) fn field_index(&self, compute: fn(&Value) -> FieldIndex) -> &FieldIndex {
        self.field_index.get_or_init(|| Arc::new(compute(&self.root)))
    }

    /// Sets, inserts or removes the entry at a path, and returns the old entry; for an insertion, an entry of null. Records the
    /// action in the trackers, and clears the cached index of fields if it may have changed.
    fn change_entry(&mut self, path: &[Step], action: Action, new_entry: Entry) -> Result<Entry, NoSuchPlace> {
        let is_new_container = is_container(&new_entry.value);
        let old_entry = match (path, action) {
            ([], Action::Set) => Entry { index: None, value: std::mem::replace(&mut self.root, new_entry.value) },
            _ => change_at(&mut self.root, path, action, new_entry)?,
        };
        let involves_container = is_new_container || is_container(&old_entry.value);
        if FieldIndex::depends_on(path, involves_container) {
            self.field_index.take();
        }
        for tracker in &mut self.trackers {
            tracker.record(&self.root, path, action, &old_entry);
        }
        Ok(old_entry)
    }

    /// Tracks edits until [`Document::end_watch`]. Watches nest: the one that began last ends first.
    pub fn watch(&mut self) {
        self.trackers.push(Tracker::default());
    }

    /// The edits that lead from the document at [`Document::watch`] to the document now. A value that changed and changed
    /// back has none. Empty without a watch.
    pub fn end_watch(&mut self) -> Vec<Edit> {
        self.trackers.pop().map_or_else(Vec::new, |tracker| tracker.script(&self.root))
    }

    /// `edits` are the document's last edits, of which each alone changes something; `inverses` are their inverses, in the same
    /// order. If the edits together change nothing, undoes them and empties both lists. Otherwise the document and both lists
    /// stay as they are.
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

    /// Undoes the document's last edits: applies their inverses, which are in the order of the edits, from the last to the first.
    /// Returns what a second `undo` needs to apply the edits again. Debug builds assert that each inverse applies.
    pub fn undo(&mut self, mut edits: Vec<Edit>) -> Vec<Edit> {
        edits.reverse();
        for edit in &mut edits {
            // Any edit serves as the placeholder: the inverse replaces it below.
            let placeholder = Edit::Remove { path: Vec::new() };
            let inverse = self.apply(std::mem::replace(edit, placeholder));
            debug_assert!(inverse.is_ok(), "an inverse edit does not apply");
            if let Ok(inverse) = inverse {
                *edit = inverse;
            }
        }
        edits
    }

    /// The index of the first item with the id `id` in the list at `path`; `by` says which property is the id. `None` if there
    /// is no such item or no list.
    pub fn locate(&mut self, path: &[Step], by: IdKey, id: &str) -> Option<usize> {
        self.list_at(path)?.locate(by, id)
    }

    /// The list at `path`; `None` if there is no value, or one of another type. Lookups in a list take `&mut`: they may build
    /// its index.
    pub(crate) fn list_at(&mut self, path: &[Step]) -> Option<&mut Array> {
        list_at(&mut self.root, path)
    }
}

/// The list at a path; `None` if there is no list.
fn list_at<'v>(root: &'v mut Value, path: &[Step]) -> Option<&'v mut Array> {
    if let Value::Array(items) = value_at_mut(root, path)? { Some(items) } else { None }
}

/// The value at a path; `None` if none exists.
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

/// A quick check of whether edits may change nothing together. The last edit changes something: only an earlier edit of the
/// same value, or of one above or below it, can make up for that.
fn may_cancel(edits: &[Edit]) -> bool {
    let Some((last, earlier)) = edits.split_last() else { return false };
    // After an insertion or removal, different indexes may mean the same item.
    let indexes_shift = edits.iter().any(|edit| !matches!(edit, Edit::Set { .. }));
    let may_be_same = |(a, b): (&Step, &Step)| {
        let are_indexes = a.as_key().is_none() && b.as_key().is_none();
        a == b || (indexes_shift && are_indexes)
    };
    // `zip` ends with the shorter path: a path matches those above and below it.
    let may_overlap = |path: &[Step], other: &[Step]| path.iter().zip(other).all(may_be_same);
    earlier
        .iter()
        .flat_map(Edit::both_paths)
        .any(|path| last.both_paths().into_iter().any(|last_path| may_overlap(path, last_path)))
}

/// Sets, inserts or removes the value at a path, and returns the old entry. If a property changes by which a list looks up its
/// items, such as `id`, the list's lookup table is updated.
fn change_at(root: &mut Value, path: &[Step], action: Action, new_entry: Entry) -> Result<Entry, NoSuchPlace> {
    let Some((step, holder)) = path.split_last() else { return Err(NoSuchPlace) };
    // Only an edit of a property of an item can require that: lists do not look up items by anything deeper.
    if let (Some((Step::Index(item), list_path)), Step::Key(key)) = (holder.split_last(), step)
        && let Some(items) = list_at(root, list_path)
    {
        if items.is_indexed(key) {
            let result = items.change(*item, |item| change_child(item, step, action, new_entry));
            return result.unwrap_or(Err(NoSuchPlace));
        }
        return change_child(items.get_mut(*item).ok_or(NoSuchPlace)?, step, action, new_entry);
    }
    change_child(value_at_mut(root, holder).ok_or(NoSuchPlace)?, step, action, new_entry)
}

/// Sets, inserts or removes a child of a list or object, and returns the old entry; for an insertion, an entry of null.
fn change_child(holder: &mut Value, step: &Step, action: Action, new_entry: Entry) -> Result<Entry, NoSuchPlace> {
    let Entry { index, value } = new_entry;
    if matches!(action, Action::Insert) && !has_room(holder, step, index) {
        return Err(NoSuchPlace);
    }
    let old_value = match (holder, step, action) {
        (Value::Object(object), Step::Key(key), Action::Set) => {
            object.get_mut(key).map(|slot| std::mem::replace(slot, value))
        }
        (Value::Object(object), Step::Key(key), Action::Insert) => {
            object.insert(index.unwrap_or(object.len()), key.clone(), value);
            Some(Value::Null)
        }
        (Value::Object(object), Step::Key(key), Action::Remove) => {
            let (index, value) = object.remove(key).ok_or(NoSuchPlace)?;
            // The length after the removal.
            let was_last = index == object.len();
            return Ok(Entry { index: (!was_last).then_some(index), value });
        }
        (Value::Array(items), Step::Index(index), Action::Set) => items.replace(*index, value),
        (Value::Array(items), Step::Index(index), Action::Insert) => {
            items.insert(*index, value);
            Some(Value::Null)
        }
        (Value::Array(items), Step::Index(index), Action::Remove) => items.remove(*index),
        _ => None,
    };
    old_value.map(|value| Entry { index: None, value }).ok_or(NoSuchPlace)
}

/// Whether an insertion is possible: of a key that the object lacks, or of an item at an index up to the list's length.
/// `index` is the position of the key; for an item the step has its index.
fn has_room(holder: &Value, step: &Step, index: Option<usize>) -> bool {
    match (holder, step) {
        (Value::Object(object), Step::Key(key)) => {
            !object.contains(key) && index.is_none_or(|index| index <= object.len())
        }
        (Value::Array(items), Step::Index(index)) => *index <= items.len(),
        _ => false,
    }
}
