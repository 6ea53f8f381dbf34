//! `Tracker`: what edits change while a document is watched, and the script that leads from the document before them to the
//! document after them.
//!
//! A rebase undoes pending calls, changes the confirmed document and applies the pending calls again; most of these edits
//! cancel out. A tracker keeps the original value of each place that an edit touches. At the end only those places are
//! compared: unchanged values, and children that were removed and inserted again unchanged, produce no edits.

use super::Edit;
use crate::value::chunks::Chunks;
use crate::value::names::Names;
use crate::value::{Array, IdKey, Key, Object, Path, Step, Value, below, is_same_json, sort_by_number};

/// A child of a list or of an object.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// The index of a key in the order of the object; the end if absent. Items of lists have none.
    pub(super) index: Option<usize>,
    pub(super) value: Value,
}

/// The action of an edit at the last step of its path.
#[derive(Clone, Copy)]
pub(super) enum Action {
    Set,
    Insert,
    Remove,
}

/// The most removed children that an inserted one is compared with.
const MAX_COMPARED: usize = 8;

/// The change of a place; `None` for an unchanged one.
type Tracked = Option<Box<Change>>;

#[derive(Clone, Debug)]
enum Change {
    /// The value was replaced. This is the original.
    Replaced(Value),
    /// Something in the list or object has changed.
    Inside(Children),
}

/// The changes in a list or object. The `origin` of a child is its index before all edits.
#[derive(Clone, Debug, Default)]
struct Children {
    /// The children as they are ordered now, if any was inserted or removed.
    order: Option<Order>,
    removed: Vec<Child>,
    /// The changes of each child that is still there, by its origin.
    changes: Vec<Tracked>,
}

/// An original child. An item of a list has an empty key.
#[derive(Clone, Debug)]
struct Child {
    origin: usize,
    key: Key,
    value: Value,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tracker {
    root: Tracked,
}

impl Tracker {
    /// Records an action at a path, after which the document is `root`. `old` is the child that was there before it.
    pub(super) fn record(&mut self, root: &Value, path: &[Step], action: Action, old: &Entry) {
        let Some((step, parent)) = path.split_last() else { return record_replaced(&mut self.root, &old.value) };
        let Some((children, holder)) = self.children_at(root, parent) else { return };
        match action {
            Action::Set => {
                if let Some(tracked) = index_of(holder, step).and_then(|index| children.tracked_at(index)) {
                    record_replaced(tracked, &old.value);
                }
            }
            Action::Insert => {
                if let Some(index) = index_of(holder, step) {
                    children.order_of(len(holder) - 1).insert_new(index);
                }
            }
            Action::Remove => {
                let (index, key) = match step {
                    Step::Index(index) => (*index, Key::default()),
                    Step::Key(key) => (old.index.unwrap_or_else(|| len(holder)), key.clone()),
                };
                if let Some(origin) = children.order_of(len(holder) + 1).remove(index) {
                    let tracked = children.changes.get_mut(origin).and_then(Option::take);
                    children.removed.push(Child { origin, key, value: original(tracked, old.value.clone()) });
                }
            }
        }
    }

    /// The edits from the original document to `root`.
    pub(super) fn script(self, root: &Value) -> Vec<Edit> {
        let mut script = Script { path: Path::new(), edits: Vec::new(), compares_inside: false };
        if let Some(change) = self.root {
            script.compares_inside = matches!(*change, Change::Replaced(_));
            script.write(*change, root);
        }
        script.edits
    }

    /// The changes in the list or object at a path, and what it is now; `None` in a value that is new as a whole.
    fn children_at<'v>(&mut self, root: &'v Value, path: &[Step]) -> Option<(&mut Children, &'v Value)> {
        let mut tracked = &mut self.root;
        let mut value = root;
        for step in path {
            let Change::Inside(children) = change_in(tracked) else { return None };
            tracked = children.tracked_at(index_of(value, step)?)?;
            value = value.step(step)?;
        }
        match change_in(tracked) {
            Change::Inside(children) => Some((children, value)),
            Change::Replaced(_) => None,
        }
    }
}

fn change_in(tracked: &mut Tracked) -> &mut Change {
    tracked.get_or_insert_with(|| Box::new(Change::Inside(Children::default())))
}

fn tracked_at(changes: &mut Vec<Tracked>, origin: usize) -> Option<&mut Tracked> {
    if origin >= changes.len() {
        changes.resize_with(origin + 1, || None);
    }
    changes.get_mut(origin)
}

/// Records that another value replaced `old`. Of several replacements the first one has the original.
fn record_replaced(tracked: &mut Tracked, old: &Value) {
    if !tracked.as_ref().is_some_and(|change| matches!(**change, Change::Replaced(_))) {
        let value = original(tracked.take(), old.clone());
        *tracked = Some(Box::new(Change::Replaced(value)));
    }
}

/// The original of a value that has changed as `tracked` says.
fn original(tracked: Tracked, value: Value) -> Value {
    match tracked.map(|change| *change) {
        None => value,
        Some(Change::Replaced(old)) => old,
        Some(Change::Inside(children)) => children.original(value),
    }
}

fn sort_by_origin(children: &mut [Child]) {
    sort_by_number(children, |child| child.origin as u64);
}

impl Children {
    /// The order of the children, of which there were `count` before the first insertion or removal.
    fn order_of(&mut self, count: usize) -> &mut Order {
        self.order.get_or_insert_with(|| Order::of((0..count).map(Some).collect()))
    }

    /// The origin of the child at an index; `None` for an inserted one.
    fn origin(&self, index: usize) -> Option<usize> {
        self.order.as_ref().map_or(Some(index), |order| order.origin(index))
    }

    /// The recorded change of the child at an index; `None` for an inserted child.
    fn tracked_at(&mut self, index: usize) -> Option<&mut Tracked> {
        let origin = self.origin(index)?;
        tracked_at(&mut self.changes, origin)
    }

    /// The original list or object, of which `value` is the state now.
    fn original(mut self, value: Value) -> Value {
        let is_list = matches!(value, Value::Array(_));
        let mut children = std::mem::take(&mut self.removed);
        for (index, (key, value)) in into_children(value).into_iter().enumerate() {
            if let Some(origin) = self.origin(index) {
                let tracked = self.changes.get_mut(origin).and_then(Option::take);
                children.push(Child { origin, key, value: original(tracked, value) });
            }
        }
        sort_by_origin(&mut children);
        let (mut items, mut object) = (Vec::new(), Object::new());
        for Child { key, value, .. } in children {
            if is_list {
                items.push(value);
            } else {
                object.insert(object.len(), key, value);
            }
        }
        if is_list { items.into() } else { object.into() }
    }

    /// The changes that lead from one list or object to another; `None` if the values are not both lists or both objects.
    fn between(old: Value, now: &Value) -> Option<Self> {
        let origins = match (&old, now) {
            (Value::Object(old), Value::Object(now)) => now.keys().map(|key| old.position(key)).collect(),
            (Value::Array(old), Value::Array(now)) => origins_of_items(old, now),
            _ => return None,
        };
        let mut children = Self { order: Some(Order::of(origins)), ..Self::default() };
        let indexes = children.indexes(len(now), len(&old));
        for (origin, (key, value)) in into_children(old).into_iter().enumerate() {
            let is_there = indexes.get(origin).copied().flatten().is_some();
            children.changes.push(if is_there {
                Some(Box::new(Change::Replaced(value)))
            } else {
                children.removed.push(Child { origin, key, value });
                None
            });
        }
        Some(children)
    }

    /// The index of each original child among the `now` children; `None` for a removed one.
    fn indexes(&self, now: usize, count: usize) -> Vec<Option<usize>> {
        let mut indexes = vec![None; count];
        for index in 0..now {
            if let Some(cell) = self.origin(index).and_then(|origin| indexes.get_mut(origin)) {
                *cell = Some(index);
            }
        }
        indexes
    }

    /// Finds removed children among the inserted ones: in an object by the key, in a list by an equal value.
    fn match_reinserted(&mut self, now: &Value) {
        sort_by_origin(&mut self.removed);
        let Some(order) = &mut self.order else { return };
        let mut is_matched = vec![false; self.removed.len()];
        let mut from = 0;
        for index in 0..len(now) {
            if order.origin(index).is_some() || from >= self.removed.len() {
                continue;
            }
            let Some((step, value)) = child(now, index) else { continue };
            let is_same = |removed: &Child| match &step {
                Step::Key(key) => *removed.key == **key,
                Step::Index(_) => is_same_json(&removed.value, value),
            };
            let Some(offset) = self.removed.iter().skip(from).take(MAX_COMPARED).position(is_same) else { continue };
            from += offset + 1;
            if let (Some(removed), Some(mark)) = (self.removed.get_mut(from - 1), is_matched.get_mut(from - 1)) {
                *mark = true;
                order.set(index, removed.origin);
                if let Some(tracked) = tracked_at(&mut self.changes, removed.origin) {
                    *tracked = Some(Box::new(Change::Replaced(std::mem::take(&mut removed.value))));
                }
            }
        }
        let mut is_matched = is_matched.into_iter();
        self.removed.retain(|_| !is_matched.next().unwrap_or_default());
    }
}

/// Collects the edits that lead from the original document to the document now.
struct Script {
    path: Path,
    edits: Vec<Edit>,
    /// Whether a replaced list or object is compared with the original child by child.
    compares_inside: bool,
}

impl Script {
    fn write(&mut self, change: Change, now: &Value) {
        match change {
            Change::Inside(children) => self.write_children(children, now),
            Change::Replaced(old) if is_same_json(&old, now) => {}
            Change::Replaced(old) => {
                let between = if self.compares_inside { Children::between(old, now) } else { None };
                match between {
                    Some(children) => self.write_children(children, now),
                    None => self.edits.push(Edit::Set { path: self.path.clone(), value: now.clone() }),
                }
            }
        }
    }

    fn write_children(&mut self, mut children: Children, now: &Value) {
        children.match_reinserted(now);
        let indexes = self.write_order(&mut children, now);
        for (origin, tracked) in children.changes.into_iter().enumerate() {
            let index = indexes.as_ref().map_or(Some(origin), |indexes| indexes.get(origin).copied().flatten());
            if let Some(change) = tracked
                && let Some((step, value)) = index.and_then(|index| child(now, index))
            {
                self.path.push(step);
                self.write(*change, value);
                self.path.pop();
            }
        }
    }

    /// Writes removals and insertions, and returns the index of each original child that stays.
    fn write_order(&mut self, children: &mut Children, now: &Value) -> Option<Vec<Option<usize>>> {
        let order = children.order.as_ref()?;
        let is_list = matches!(now, Value::Array(_));
        let stays = order.children_that_stay();
        let mut indexes = children.indexes(len(now), children.changes.len());
        for (index, stays) in stays.iter().enumerate() {
            // A child that has moved is removed and inserted.
            if let Some(origin) = order.origin(index).filter(|_| !stays) {
                let key = if let Some((Step::Key(key), _)) = child(now, index) { key } else { Key::default() };
                children.removed.push(Child { origin, key, value: Value::Null });
                if let Some(cell) = indexes.get_mut(origin) {
                    *cell = None;
                }
            }
        }
        sort_by_origin(&mut children.removed);
        for Child { origin, key, .. } in children.removed.iter().rev() {
            let path = below(&self.path, if is_list { Step::Index(*origin) } else { Step::Key(key.clone()) });
            self.edits.push(Edit::Remove { path });
        }
        let from = self.edits.len();
        let mut staying = 0;
        for (index, stays) in stays.iter().enumerate() {
            if *stays {
                staying += 1;
            } else if let Some((step, value)) = child(now, index) {
                let index = (!is_list).then_some(staying);
                self.edits.push(Edit::Insert { path: below(&self.path, step), index, value: value.clone() });
            }
        }
        if !is_list && let Some(inserted) = self.edits.get_mut(from..) {
            // Keys are inserted from the last to the first, so that the object already has the key after each one.
            inserted.reverse();
            for (present, edit) in (staying..).zip(inserted) {
                if let Edit::Insert { index, .. } = edit {
                    *index = index.filter(|index| *index < present);
                }
            }
        }
        Some(indexes)
    }
}

/// The origin of each item of `now` in `old`: the item with its id, or the item at its index if neither has an id.
fn origins_of_items(old: &Array, now: &Array) -> Vec<Option<usize>> {
    let by = IdKey::IdElseKey;
    let mut ids = Names::default();
    for (index, item) in old.iter().enumerate() {
        if let Some(id) = by.of(item)
            && !ids.contains(&id)
        {
            ids.set(&id, index);
        }
    }
    let mut origins = Vec::new();
    for (index, item) in now.iter().enumerate() {
        origins.push(match by.of(item) {
            Some(id) => ids.remove(&id),
            None => old.get(index).filter(|item| by.of(item).is_none()).map(|_| index),
        });
    }
    origins
}

fn len(holder: &Value) -> usize {
    match holder {
        Value::Array(items) => items.len(),
        Value::Object(object) => object.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn index_of(holder: &Value, step: &Step) -> Option<usize> {
    match (holder, step) {
        (Value::Object(object), Step::Key(key)) => object.position(key),
        (Value::Array(_), Step::Index(index)) => Some(*index),
        _ => None,
    }
}

fn child(holder: &Value, index: usize) -> Option<(Step, &Value)> {
    match holder {
        Value::Array(items) => items.get(index).map(|item| (Step::Index(index), item)),
        Value::Object(object) => object.at(index).map(|(key, value)| (Step::Key(key.clone()), value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The children of a list or object with their keys; those of items are empty.
fn into_children(holder: Value) -> Vec<(Key, Value)> {
    match holder {
        Value::Array(items) => items.into_iter().map(|item| (Key::default(), item)).collect(),
        Value::Object(object) => object.into_iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// The origin of the child at each index now; `None` for an inserted one. An edit in the middle moves only a few of them.
#[derive(Clone, Debug)]
struct Order {
    origins: Chunks<Option<usize>>,
}

impl Order {
    /// The order in which the child at each index has the origin that is listed for it.
    fn of(origins: Vec<Option<usize>>) -> Self {
        Self { origins: origins.into() }
    }

    fn origin(&self, index: usize) -> Option<usize> {
        self.origins.get(index).copied().flatten()
    }

    fn set(&mut self, index: usize, origin: usize) {
        if let Some(cell) = self.origins.get_mut(index) {
            *cell = Some(origin);
        }
    }

    fn insert_new(&mut self, index: usize) {
        self.origins.insert(index.min(self.origins.len()), None);
    }

    fn remove(&mut self, index: usize) -> Option<usize> {
        self.origins.remove(index).flatten()
    }

    /// Whether the child at each index may stay where it is while others move: a longest run in increasing order stays.
    fn children_that_stay(&self) -> Vec<bool> {
        // Patience sorting: `ends[n]` is the index at which the best run of n + 1 children ends.
        let mut ends: Vec<usize> = Vec::new();
        let mut previous: Vec<Option<usize>> = Vec::new();
        for (index, origin) in self.origins.iter().enumerate() {
            let is_before = |end: &usize| self.origin(*end) < *origin;
            let run = match (origin, ends.last()) {
                (None, _) => None,
                (Some(_), Some(last)) if !is_before(last) => Some(ends.partition_point(is_before)),
                (Some(_), _) => Some(ends.len()),
            };
            previous.push(run.and_then(|run| ends.get(run.checked_sub(1)?)).copied());
            let Some(run) = run else { continue };
            match ends.get_mut(run) {
                Some(end) => *end = index,
                None => ends.push(index),
            }
        }
        let mut stays = vec![false; previous.len()];
        let mut next = ends.last().copied();
        while let Some(index) = next
            && let Some(flag) = stays.get_mut(index)
        {
            *flag = true;
            next = previous.get(index).copied().flatten();
        }
        stays
    }
}
