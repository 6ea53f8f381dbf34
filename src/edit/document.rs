//! `Document`: a value that only edits change, each with its inverse.

use super::tracker::Tracker;
use super::{Edit, NoSuchPlace};
use crate::value::{Array, By, IdKey, Step, Value};

/// A document: a value, changed in place by edits.
#[derive(Clone, Debug, Default)]
pub struct Document {
    root: Value,
    /// What edits have touched since each time the document began to be watched.
    trackers: Vec<Tracker>,
    /// How many items and places were looked at so far on behalf of the call at hand.
    pub(crate) steps: usize,
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

impl Document {
    /// A document that starts as this value.
    #[must_use]
    pub const fn new(root: Value) -> Self {
        Self { root, trackers: Vec::new(), steps: 0 }
    }

    /// The value as it stands.
    #[must_use]
    pub const fn value(&self) -> &Value {
        &self.root
    }

    /// The value, for a scalar to be replaced by another that is no item's id; nothing while the document is watched.
    pub(crate) fn unwatched(&mut self) -> Option<&mut Value> {
        self.trackers.is_empty().then_some(&mut self.root)
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
                let value = if path.is_empty() {
                    std::mem::replace(&mut self.root, value)
                } else {
                    act(&mut self.root, &path, Action::Set(value))?.1
                };
                for tracker in &mut self.trackers {
                    tracker.replaced(&self.root, &path, &value);
                }
                Ok(Edit::Set { path, value })
            }
            Edit::Insert { path, index, value } => {
                self.insert(&path, index, value)?;
                Ok(Edit::Remove { path })
            }
            Edit::Remove { path } => {
                let (index, value) = self.remove(&path)?;
                Ok(Edit::Insert { path, index, value })
            }
            Edit::Move { from, path, index } => {
                let (old, value) = self.remove(&from)?;
                if self.is_free(&path, index) {
                    self.insert(&path, index, value)?;
                    Ok(Edit::Move { from: path, path: from, index: old })
                } else {
                    self.insert(&from, old, value)?;
                    Err(NoSuchPlace)
                }
            }
        }
    }

    fn insert(&mut self, path: &[Step], index: Option<usize>, value: Value) -> Result<(), NoSuchPlace> {
        act(&mut self.root, path, Action::Insert(index, value))?;
        for tracker in &mut self.trackers {
            tracker.inserted(&self.root, path);
        }
        Ok(())
    }

    fn remove(&mut self, path: &[Step]) -> Result<(Option<usize>, Value), NoSuchPlace> {
        let (index, value) = act(&mut self.root, path, Action::Remove)?;
        for tracker in &mut self.trackers {
            tracker.removed(&self.root, path, index, &value);
        }
        Ok((index, value))
    }

    /// From here on, notes what edits touch, until [`Document::settle`]. Each watch is settled by itself, the last one first.
    pub fn watch(&mut self) {
        self.trackers.push(Tracker::default());
    }

    /// What the edits since [`Document::watch`] come to: the script from the document that was to the one that is.
    /// Whatever has come back to what it was is not in it.
    pub fn settle(&mut self) -> Vec<Edit> {
        self.trackers.pop().map_or_else(Vec::new, |tracker| tracker.script(&self.root))
    }

    /// Takes back the document's last edits if, taken together, they come to nothing. `edits` and `inverses` are then empty.
    pub fn cancel(&mut self, edits: &mut Vec<Edit>, inverses: &mut Vec<Edit>) {
        if !may_cancel(edits) {
            return;
        }
        self.watch();
        let again = self.turn(std::mem::take(inverses));
        if self.settle().is_empty() {
            edits.clear();
        } else {
            *inverses = self.turn(again);
        }
    }

    /// Whether something can be inserted at a place.
    fn is_free(&self, path: &[Step], index: Option<usize>) -> bool {
        let Some((step, holder)) = path.split_last() else { return false };
        self.root.at(holder).is_some_and(|holder| is_free(holder, step, index))
    }

    /// Undoes edits by their inverses, the last one first, and returns what does them again, in their order. They must be
    /// those of the document's last edits: whether they fit is asserted in debug builds only.
    pub fn undo(&mut self, inverses: Vec<Edit>) -> Vec<Edit> {
        let mut edits = self.turn(inverses);
        edits.reverse();
        edits
    }

    /// Does again what was undone, and returns the inverses.
    pub fn redo(&mut self, mut edits: Vec<Edit>) -> Vec<Edit> {
        edits.reverse();
        self.turn(edits)
    }

    /// Makes edits, the last one first, and returns those that take them back, which are made in the same way.
    pub(crate) fn turn(&mut self, mut edits: Vec<Edit>) -> Vec<Edit> {
        edits.reverse();
        for edit in &mut edits {
            let next = std::mem::replace(edit, Edit::Remove { path: Vec::new() });
            // An inverse fits the document that it came from.
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
        list(&mut self.root, path)?.locate_counted(by, id, &mut self.steps)
    }

    /// The index of the first item of the list at `path` that has the text of this string or this number in a place; of
    /// other values nothing is known.
    pub(crate) fn locate_match(&mut self, path: &[Step], by: &By, wanted: &Value) -> Option<Option<usize>> {
        list(&mut self.root, path)?.locate_by(by, wanted, &mut self.steps)
    }

    /// Whether more than one item of the list at `path` has this id.
    pub fn is_shared(&mut self, path: &[Step], by: IdKey, id: &str) -> bool {
        list(&mut self.root, path).is_some_and(|items| items.is_shared(by, id, &mut self.steps))
    }
}

/// The list at a path.
fn list<'v>(root: &'v mut Value, path: &[Step]) -> Option<&'v mut Array> {
    if let Value::Array(items) = at_mut(root, path)? { Some(items) } else { None }
}

/// The value at a path.
#[inline(never)]
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

/// Whether edits, each of which changes something, could come to nothing: only if one before the last has been where the
/// last one is.
fn may_cancel(edits: &[Edit]) -> bool {
    let Some((last, before)) = edits.split_last() else { return false };
    // Where no item comes or goes, an index always is the same item.
    let shifts = edits.iter().any(|edit| !matches!(edit, Edit::Set { .. }));
    let is_alike = |one: &[Step], other: &[Step]| {
        one.iter()
            .zip(other)
            .all(|(one, other)| one == other || (shifts && matches!((one, other), (Step::Index(_), Step::Index(_)))))
    };
    for edit in before {
        for one in edit.places() {
            if last.places().into_iter().any(|other| is_alike(one, other)) {
                return true;
            }
        }
    }
    false
}

/// What is done at the last step of a path.
enum Action {
    Set(Value),
    Insert(Option<usize>, Value),
    Remove,
}

/// Goes to the last step of a path and acts there; returns what stood there, and for a key its place in the order. A
/// list on the way hears of changes to its items' ids.
fn act(root: &mut Value, path: &[Step], action: Action) -> Result<(Option<usize>, Value), NoSuchPlace> {
    let Some((step, holder)) = path.split_last() else { return Err(NoSuchPlace) };
    // Only an edit of an item's own properties can touch its id, or what else it is found by.
    if let (Some((Step::Index(index), above)), Step::Key(key)) = (holder.split_last(), step)
        && let Some(items) = list(root, above)
    {
        if items.is_indexed(key) {
            return items.change(*index, |item| act_in(item, step, action)).unwrap_or(Err(NoSuchPlace));
        }
        return act_in(items.get_mut(*index).ok_or(NoSuchPlace)?, step, action);
    }
    act_in(at_mut(root, holder).ok_or(NoSuchPlace)?, step, action)
}

fn act_in(holder: &mut Value, step: &Step, action: Action) -> Result<(Option<usize>, Value), NoSuchPlace> {
    if let Action::Insert(index, _) = &action
        && !is_free(holder, step, *index)
    {
        return Err(NoSuchPlace);
    }
    match (holder, step, action) {
        (Value::Object(object), Step::Key(key), Action::Set(value)) => {
            Ok((None, std::mem::replace(object.get_mut(key).ok_or(NoSuchPlace)?, value)))
        }
        (Value::Object(object), Step::Key(key), Action::Insert(index, value)) => {
            object.insert(index.unwrap_or(object.len()), crate::value::key(key), value);
            Ok((None, Value::Null))
        }
        (Value::Object(object), Step::Key(key), Action::Remove) => {
            let (place, value) = object.remove(key).ok_or(NoSuchPlace)?;
            Ok((Some(place).filter(|&place| place < object.len()), value))
        }
        (Value::Array(items), Step::Index(index), Action::Set(value)) => {
            items.replace(*index, value).map(|old| (None, old)).ok_or(NoSuchPlace)
        }
        (Value::Array(items), Step::Index(index), Action::Insert(_, value)) => {
            items.insert(*index, value);
            Ok((None, Value::Null))
        }
        (Value::Array(items), Step::Index(index), Action::Remove) => {
            items.remove(*index).map(|old| (None, old)).ok_or(NoSuchPlace)
        }
        _ => Err(NoSuchPlace),
    }
}

fn is_free(holder: &Value, step: &Step, index: Option<usize>) -> bool {
    match (holder, step) {
        (Value::Object(object), Step::Key(key)) => {
            !object.contains(key) && index.is_none_or(|index| index <= object.len())
        }
        (Value::Array(items), Step::Index(index)) => *index <= items.len(),
        _ => false,
    }
}
