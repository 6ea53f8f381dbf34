//! `Tracker`: records what edits change while a document is watched, and makes the script (a list of edits) that leads from
//! the document before them to the document after them.
//!
//! A rebase undoes pending calls, changes the confirmed document and applies the pending calls again; most of these edits
//! cancel out. A tracker keeps the original of each value that an edit replaces or removes. At the end only these are
//! compared: unchanged values, and children that were removed and inserted again unchanged, produce no edits.

use super::Edit;
use crate::value::chunks::Chunks;
use crate::value::names::Names;
use crate::value::{Array, IdKey, Key, Object, Path, Step, Value, below, is_same_json, sort_by_number};

/// A child of a list or of an object, as an edit removes or inserts it.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// For a key: its position in the order of keys; `None` for the last key. For an item of a list: `None`.
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

/// The most removed children that an inserted one is compared with, which bounds the time. A child that is not found is
/// written as removed and inserted: the script is longer, and as correct.
const MAX_COMPARED: usize = 8;

/// How the value of a root, key or item has changed; `None` if it has not.
type ChangeSlot = Option<Box<Change>>;

#[derive(Clone, Debug)]
enum Change {
    /// The value was replaced. This is the original.
    Replaced(Value),
    /// Something in the list or object has changed.
    Inside(Children),
}

/// The changes in a list or object. The `origin` of a child is its index before all edits; a child that was inserted since has
/// none.
#[derive(Clone, Debug, Default)]
struct Children {
    /// The origins of the present children, in their present order. `None` until a child is inserted or removed: then the
    /// index of each child is its origin.
    order: Option<Order>,
    /// The children that have been removed.
    removed: Vec<OriginalChild>,
    /// By origin: the change of each original child that is still there. Origins beyond the end have not changed.
    changes: Vec<ChangeSlot>,
}

/// A child of the original list or object.
#[derive(Clone, Debug)]
struct OriginalChild {
    origin: usize,
    /// Empty for an item of a list.
    key: Key,
    /// The original value, or null if only the removal of the child is to be written.
    value: Value,
}

/// Records the edits of one watch.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracker {
    root: ChangeSlot,
}

impl Tracker {
    /// Records an action at a path, after which the document is `root`. `old_entry` is the child that was there before; after an
    /// insertion it means nothing.
    ///
    /// Nothing is recorded inside a value that was itself replaced or inserted: it is written as a whole.
    pub(super) fn record(&mut self, root: &Value, path: &[Step], action: Action, old_entry: &Entry) {
        let Some((step, parent)) = path.split_last() else {
            return record_replaced(&mut self.root, &old_entry.value);
        };
        let Some((children, holder)) = self.children_at(root, parent) else { return };
        match action {
            Action::Set => {
                if let Some(slot) = index_of(holder, step).and_then(|index| children.slot_at(index)) {
                    record_replaced(slot, &old_entry.value);
                }
            }
            Action::Insert => {
                if let Some(index) = index_of(holder, step) {
                    let count_before = len(holder) - 1;
                    children.order_mut(count_before).insert_new(index);
                }
            }
            Action::Remove => {
                let (index, key) = match step {
                    Step::Index(index) => (*index, Key::default()),
                    // The last key, which has no `index`, stood where the object ends now.
                    Step::Key(key) => (old_entry.index.unwrap_or_else(|| len(holder)), key.clone()),
                };
                let count_before = len(holder) + 1;
                if let Some(origin) = children.order_mut(count_before).remove(index) {
                    let change = children.changes.get_mut(origin).and_then(Option::take);
                    let value = original(change, old_entry.value.clone());
                    children.removed.push(OriginalChild { origin, key, value });
                }
            }
        }
    }

    /// The edits from the original document to `root`.
    pub(super) fn script(self, root: &Value) -> Vec<Edit> {
        let mut script = Script { path: Path::new(), edits: Vec::new(), compares_inside: false };
        if let Some(change) = self.root {
            // A document that is loaded anew is mostly like the old one.
            script.compares_inside = matches!(*change, Change::Replaced(_));
            script.write(*change, root);
        }
        script.edits
    }

    /// The changes in the list or object at a path, and its present value. `None` inside a value that was itself replaced or
    /// inserted.
    fn children_at<'v>(&mut self, root: &'v Value, path: &[Step]) -> Option<(&mut Children, &'v Value)> {
        let mut slot = &mut self.root;
        let mut value = root;
        for step in path {
            let Change::Inside(children) = change_in(slot) else { return None };
            slot = children.slot_at(index_of(value, step)?)?;
            value = value.step(step)?;
        }
        match change_in(slot) {
            Change::Inside(children) => Some((children, value)),
            Change::Replaced(_) => None,
        }
    }
}

/// The change in a slot. If the slot is empty, it first gets a change inside, without any changed child.
fn change_in(slot: &mut ChangeSlot) -> &mut Change {
    slot.get_or_insert_with(|| Box::new(Change::Inside(Children::default())))
}

/// The element of `changes` for an origin; always `Some`, since the list grows up to the origin if necessary.
fn slot_at(changes: &mut Vec<ChangeSlot>, origin: usize) -> Option<&mut ChangeSlot> {
    if origin >= changes.len() {
        changes.resize_with(origin + 1, || None);
    }
    changes.get_mut(origin)
}

/// Records that another value replaced `old`. If the value was replaced before, the original is already recorded.
fn record_replaced(slot: &mut ChangeSlot, old: &Value) {
    let is_original_recorded = slot.as_ref().is_some_and(|change| matches!(**change, Change::Replaced(_)));
    if !is_original_recorded {
        let value = original(slot.take(), old.clone());
        *slot = Some(Box::new(Change::Replaced(value)));
    }
}

/// The original of a value that is now `value` and has changed as `change` says.
fn original(change: ChangeSlot, value: Value) -> Value {
    match change.map(|change| *change) {
        None => value,
        Some(Change::Replaced(old)) => old,
        Some(Change::Inside(children)) => children.original(value),
    }
}

fn sort_by_origin(children: &mut [OriginalChild]) {
    sort_by_number(children, |child| child.origin as u64);
}

impl Children {
    /// The order of the children. `count_before` is their number before the action that is being recorded; if it is the first
    /// insertion or removal, these are all original children.
    fn order_mut(&mut self, count_before: usize) -> &mut Order {
        self.order.get_or_insert_with(|| Order::of((0..count_before).map(Some).collect()))
    }

    /// The origin of the child at an index; `None` for an inserted one.
    fn origin(&self, index: usize) -> Option<usize> {
        self.order.as_ref().map_or(Some(index), |order| order.origin(index))
    }

    /// The slot for the change of the child at an index; `None` for an inserted child.
    fn slot_at(&mut self, index: usize) -> Option<&mut ChangeSlot> {
        let origin = self.origin(index)?;
        slot_at(&mut self.changes, origin)
    }

    /// The original list or object, which is now `value`: the children that stayed and the removed ones, in the order of their
    /// origins.
    fn original(mut self, value: Value) -> Value {
        let is_list = matches!(value, Value::Array(_));
        let mut children = std::mem::take(&mut self.removed);
        for (index, (key, value)) in into_children(value).into_iter().enumerate() {
            // A child without an origin was inserted: it is not part of the original.
            if let Some(origin) = self.origin(index) {
                let change = self.changes.get_mut(origin).and_then(Option::take);
                children.push(OriginalChild { origin, key, value: original(change, value) });
            }
        }
        sort_by_origin(&mut children);
        let (mut items, mut object) = (Vec::new(), Object::new());
        for OriginalChild { key, value, .. } in children {
            if is_list {
                items.push(value);
            } else {
                object.insert(object.len(), key, value);
            }
        }
        if is_list { items.into() } else { object.into() }
    }

    /// The changes that lead from the list or object `old` to `now`; `None` if they are not both lists or both objects. Every
    /// child that stays counts as replaced, so that the script compares it with its original.
    fn between(old: Value, now: &Value) -> Option<Self> {
        let origins = match (&old, now) {
            (Value::Object(old), Value::Object(now)) => now.keys().map(|key| old.position(key)).collect(),
            (Value::Array(old), Value::Array(now)) => origins_of_items(old, now),
            _ => return None,
        };
        let mut children = Self { order: Some(Order::of(origins)), ..Self::default() };
        let indexes = children.indexes(len(now), len(&old));
        for (origin, (key, value)) in into_children(old).into_iter().enumerate() {
            let stays = indexes.get(origin).copied().flatten().is_some();
            children.changes.push(if stays {
                Some(Box::new(Change::Replaced(value)))
            } else {
                children.removed.push(OriginalChild { origin, key, value });
                None
            });
        }
        Some(children)
    }

    /// By origin, below `origin_count`: the present index of each original child; `None` for a removed one. `present_count` is
    /// the number of present children.
    fn indexes(&self, present_count: usize, origin_count: usize) -> Vec<Option<usize>> {
        let mut indexes = vec![None; origin_count];
        for index in 0..present_count {
            if let Some(cell) = self.origin(index).and_then(|origin| indexes.get_mut(origin)) {
                *cell = Some(index);
            }
        }
        indexes
    }

    /// Finds removed children among the inserted ones: in an object by the key, in a list by an equal value. A child that is
    /// found counts as replaced instead of removed and inserted, so that it is compared with its original.
    ///
    /// Both sides are read once, in order: a rebase mostly inserts children in the order in which it removed them. Each inserted
    /// child is compared with the next `MAX_COMPARED` removed ones after the last match.
    fn match_reinserted(&mut self, now: &Value) {
        sort_by_origin(&mut self.removed);
        let Some(order) = &mut self.order else { return };
        let mut is_matched = vec![false; self.removed.len()];
        // The index in `removed` after the last match.
        let mut next_removed = 0;
        for index in 0..len(now) {
            let is_inserted = order.origin(index).is_none();
            if !is_inserted || next_removed >= self.removed.len() {
                continue;
            }
            let Some((step, value)) = child(now, index) else { continue };
            let is_same = |removed: &OriginalChild| match &step {
                Step::Key(key) => *removed.key == **key,
                Step::Index(_) => is_same_json(&removed.value, value),
            };
            let mut candidates = self.removed.iter().skip(next_removed).take(MAX_COMPARED);
            let Some(distance) = candidates.position(is_same) else { continue };
            let match_index = next_removed + distance;
            next_removed = match_index + 1;
            if let (Some(removed), Some(flag)) = (self.removed.get_mut(match_index), is_matched.get_mut(match_index)) {
                *flag = true;
                order.set(index, removed.origin);
                if let Some(slot) = slot_at(&mut self.changes, removed.origin) {
                    *slot = Some(Box::new(Change::Replaced(std::mem::take(&mut removed.value))));
                }
            }
        }
        // `retain` visits the elements in order.
        let mut is_matched = is_matched.into_iter();
        self.removed.retain(|_| !is_matched.next().unwrap_or_default());
    }
}

/// Collects the edits that lead from the original document to the document now.
struct Script {
    /// The path of the value that is being written.
    path: Path,
    edits: Vec<Edit>,
    /// Whether a replaced list or object is compared with its original child by child, instead of being set as a whole. True
    /// if the whole document was replaced.
    compares_inside: bool,
}

impl Script {
    /// Writes the edits for a value that has changed and is now `now`.
    fn write(&mut self, change: Change, now: &Value) {
        match change {
            Change::Inside(children) => self.write_children(children, now),
            Change::Replaced(old) if is_same_json(&old, now) => {}
            Change::Replaced(old) => {
                let inner_changes = if self.compares_inside { Children::between(old, now) } else { None };
                match inner_changes {
                    Some(children) => self.write_children(children, now),
                    None => self.edits.push(Edit::Set { path: self.path.clone(), value: now.clone() }),
                }
            }
        }
    }

    /// Writes the edits for a list or object that is now `now`: first removals and insertions, then the changes inside the
    /// children that stay, whose indexes are then final.
    fn write_children(&mut self, mut children: Children, now: &Value) {
        children.match_reinserted(now);
        let indexes = self.write_order(&mut children, now);
        for (origin, slot) in children.changes.into_iter().enumerate() {
            // Without removals and insertions, the index of each child is its origin.
            let index = indexes.as_ref().map_or(Some(origin), |indexes| indexes.get(origin).copied().flatten());
            if let Some(change) = slot
                && let Some((step, value)) = index.and_then(|index| child(now, index))
            {
                self.path.push(step);
                self.write(*change, value);
                self.path.pop();
            }
        }
    }

    /// Writes removals and insertions, and returns the present index of each original child that stays, by origin; `None` if
    /// there are no removals and insertions.
    ///
    /// Removals come first, from the last child to the first: the origin of each is then still its index. Items of a list
    /// are inserted from the first to the last, each at its final index. Keys are inserted from the last to the first, so that
    /// the object already has the key after each one; the position of each is then the number of staying keys before it. E.g. if
    /// only `b` stays in `{a, b, c, d}`, then `d` is inserted at the end, `c` at 1 before it, and `a` at 0.
    fn write_order(&mut self, children: &mut Children, now: &Value) -> Option<Vec<Option<usize>>> {
        let order = children.order.as_ref()?;
        let is_list = matches!(now, Value::Array(_));
        let stays = order.children_that_stay();
        let mut indexes = children.indexes(len(now), children.changes.len());
        for (index, stays) in stays.iter().enumerate() {
            // An original child that does not stay has moved: it is removed and inserted.
            if let Some(origin) = order.origin(index).filter(|_| !stays) {
                let key = if let Some((Step::Key(key), _)) = child(now, index) { key } else { Key::default() };
                children.removed.push(OriginalChild { origin, key, value: Value::Null });
                if let Some(cell) = indexes.get_mut(origin) {
                    *cell = None;
                }
            }
        }
        sort_by_origin(&mut children.removed);
        for OriginalChild { origin, key, .. } in children.removed.iter().rev() {
            let path = below(&self.path, if is_list { Step::Index(*origin) } else { Step::Key(key.clone()) });
            self.edits.push(Edit::Remove { path });
        }
        let first_insertion = self.edits.len();
        let mut staying_count = 0;
        for (index, stays) in stays.iter().enumerate() {
            if *stays {
                staying_count += 1;
            } else if let Some((step, value)) = child(now, index) {
                let position = (!is_list).then_some(staying_count);
                self.edits.push(Edit::Insert { path: below(&self.path, step), index: position, value: value.clone() });
            }
        }
        if !is_list && let Some(insertions) = self.edits.get_mut(first_insertion..) {
            insertions.reverse();
            // Each insertion adds one key to those that stay.
            for (key_count, edit) in (staying_count..).zip(insertions) {
                if let Edit::Insert { index, .. } = edit {
                    // A key that becomes the last one has no index.
                    *index = index.filter(|index| *index < key_count);
                }
            }
        }
        Some(indexes)
    }
}

/// For each item of `now`, the index of its counterpart in `old`; `None` if it has none. The counterpart is the item with the same
/// id (`id`, else `key`); for an item without an id, the item at the same index, if that has no id either. Only the first of
/// several items with one id is matched.
fn origins_of_items(old: &Array, now: &Array) -> Vec<Option<usize>> {
    let id_key = IdKey::IdElseKey;
    let mut ids = Names::default();
    for (index, item) in old.iter().enumerate() {
        if let Some(id) = id_key.of(item)
            && !ids.contains(&id)
        {
            ids.set(&id, index);
        }
    }
    let mut origins = Vec::new();
    for (index, item) in now.iter().enumerate() {
        origins.push(match id_key.of(item) {
            Some(id) => ids.remove(&id),
            None => old.get(index).filter(|item| id_key.of(item).is_none()).map(|_| index),
        });
    }
    origins
}

/// The number of children; 0 for a value that can have none.
fn len(holder: &Value) -> usize {
    match holder {
        Value::Array(items) => items.len(),
        Value::Object(object) => object.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// The index of a child. An index of a list is returned unchecked; a key that the object lacks has none.
fn index_of(holder: &Value, step: &Step) -> Option<usize> {
    match (holder, step) {
        (Value::Object(object), Step::Key(key)) => object.position(key),
        (Value::Array(_), Step::Index(index)) => Some(*index),
        _ => None,
    }
}

/// The child at an index, with its step: the key of a child of an object, the index of an item.
fn child(holder: &Value, index: usize) -> Option<(Step, &Value)> {
    match holder {
        Value::Array(items) => items.get(index).map(|item| (Step::Index(index), item)),
        Value::Object(object) => object.at(index).map(|(key, value)| (Step::Key(key.clone()), value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The children of a list or object with their keys, which are empty for items of a list.
fn into_children(holder: Value) -> Vec<(Key, Value)> {
    match holder {
        Value::Array(items) => items.into_iter().map(|item| (Key::default(), item)).collect(),
        Value::Object(object) => object.into_iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// By present index: the origin of each child, `None` for an inserted one. In `Chunks`, so that an edit in the middle of a long
/// list moves only a few of them.
#[derive(Clone, Debug)]
struct Order {
    origins: Chunks<Option<usize>>,
}

impl Order {
    /// An order with these origins, by index.
    fn of(origins: Vec<Option<usize>>) -> Self {
        Self { origins: origins.into() }
    }

    /// The origin of the child at an index; `None` for an inserted one.
    fn origin(&self, index: usize) -> Option<usize> {
        self.origins.get(index).copied().flatten()
    }

    /// Sets the origin of the child at an index.
    fn set(&mut self, index: usize, origin: usize) {
        if let Some(cell) = self.origins.get_mut(index) {
            *cell = Some(origin);
        }
    }

    /// Adds an inserted child.
    fn insert_new(&mut self, index: usize) {
        let no_origin = None;
        self.origins.insert(index.min(self.origins.len()), no_origin);
    }

    /// Removes the child at an index, and returns its origin; `None` for an inserted one.
    fn remove(&mut self, index: usize) -> Option<usize> {
        self.origins.remove(index).flatten()
    }

    /// By present index: whether the child stays where it is while others are removed and inserted. The children that stay are
    /// a longest subsequence whose origins increase.
    fn children_that_stay(&self) -> Vec<bool> {
        // Patience sorting. `ends[n]`: the index at which an increasing subsequence of n + 1 children ends; of several found so
        // far, the one with the smallest last origin. `previous[index]`: the index before this one in its subsequence; `None` for
        // a first child and for an inserted one, which is in no subsequence.
        let mut ends: Vec<usize> = Vec::new();
        let mut previous: Vec<Option<usize>> = Vec::new();
        for (index, origin) in self.origins.iter().enumerate() {
            let is_before = |end: &usize| self.origin(*end) < *origin;
            // Mostly the children are in order: then this one prolongs the longest subsequence, without a search.
            let length_before = match (origin, ends.last()) {
                (None, _) => None,
                (Some(_), Some(last)) if !is_before(last) => Some(ends.partition_point(is_before)),
                (Some(_), _) => Some(ends.len()),
            };
            previous.push(length_before.and_then(|length| ends.get(length.checked_sub(1)?)).copied());
            let Some(length_before) = length_before else { continue };
            match ends.get_mut(length_before) {
                Some(end) => *end = index,
                None => ends.push(index),
            }
        }
        // From the last child of the longest subsequence back to its first.
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
