//! What edits come to, taken together: the script from the document that was to the document that is.
//!
//! A rebase takes pending calls off, changes what is beneath and puts them on again; most of that cancels out. While a
//! document is watched, the places that edits touch are noted with what stood there first. In the end only those places
//! are compared: what is as it was is no change, and a child that went and came again as it was never left.

use std::cmp::Ordering;

use super::Edit;
use super::order::{Order, steady};
use crate::value::chunks::Chunks;
use crate::value::names::Names;
use crate::value::{Array, IdKey, Key, Path, Step, Value, same, sort_by_number};

/// A child that came.
pub(super) const NEW: usize = usize::MAX;
/// So many children that went are compared with one that came.
const TRIES: usize = 8;

/// What has been noted at a place.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    /// Another value; this one stood here first.
    Replaced(Value),
    /// Something below.
    Inside(Box<Inside>),
}

/// Children, numbered by the places at which they stood first.
#[derive(Clone, Debug, Default, PartialEq)]
struct Inside {
    /// Which child stands at each place, if any came or went.
    order: Option<Order>,
    gone: Vec<Gone>,
    /// Children with something noted, in the order in which it was; one that was taken has none.
    kids: Vec<(usize, Option<Node>)>,
    /// The places of these in order of their numbers.
    sorted: Chunks<usize>,
}

/// A child that went, as it was first.
#[derive(Clone, Debug, PartialEq)]
struct Gone {
    number: usize,
    key: Key,
    value: Value,
}

/// The notes about one document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Net {
    root: Option<Node>,
}

impl Net {
    /// Another value stands at a place of what is now `root`; `old` stood there.
    pub(super) fn replaced(&mut self, root: &Value, path: &[Step], old: &Value) {
        let Some((step, parent)) = path.split_last() else {
            return replace(&mut self.root, old);
        };
        let Some((inside, holder)) = self.enter(root, parent) else { return };
        let Some(number) = place(holder, step).map(|place| inside.number(place)).filter(|number| *number != NEW) else {
            return;
        };
        let mut kid = inside.take(number);
        replace(&mut kid, old);
        inside.kid(number, || kid.unwrap_or(Node::Replaced(Value::Null)));
    }

    /// A child came.
    pub(super) fn inserted(&mut self, root: &Value, path: &[Step]) {
        let Some((step, parent)) = path.split_last() else { return };
        let Some((inside, holder)) = self.enter(root, parent) else { return };
        let Some(place) = place(holder, step) else { return };
        inside.order.get_or_insert_with(|| Order::of(len(holder) - 1)).insert(place);
    }

    /// A child went that was at `index`; of an object's children, the last if absent.
    pub(super) fn removed(&mut self, root: &Value, path: &[Step], index: Option<usize>, old: &Value) {
        let Some((step, parent)) = path.split_last() else { return };
        let Some((inside, holder)) = self.enter(root, parent) else { return };
        let (place, key) = match step {
            Step::Index(index) => (*index, Key::default()),
            Step::Key(key) => (index.unwrap_or_else(|| len(holder)), crate::value::key(key)),
        };
        let number = inside.order.get_or_insert_with(|| Order::of(len(holder) + 1)).remove(place);
        if number != NEW {
            let mut value = old.clone();
            if let Some(kid) = inside.take(number) {
                kid.restore(&mut value);
            }
            inside.gone.push(Gone { number, key, value });
        }
    }

    /// The script from the document that was to this one.
    pub(super) fn script(self, root: &Value) -> Vec<Edit> {
        let mut script = Vec::new();
        if let Some(node) = self.root {
            let whole = matches!(node, Node::Replaced(_));
            node.write(root, &mut Path::new(), &mut script, whole);
        }
        script
    }

    /// The notes about a place that is neither new nor below another value, and what stands there.
    fn enter<'v>(&mut self, root: &'v Value, path: &[Step]) -> Option<(&mut Inside, &'v Value)> {
        let mut node = self.root.get_or_insert_with(|| Node::Inside(Box::default()));
        let mut value = root;
        for step in path {
            let Node::Inside(inside) = node else { return None };
            let number = inside.number(place(value, step)?);
            if number == NEW {
                return None;
            }
            node = inside.kid(number, || Node::Inside(Box::default()))?;
            value = value.step(step)?;
        }
        match node {
            Node::Inside(inside) => Some((inside, value)),
            Node::Replaced(_) => None,
        }
    }
}

/// Notes that another value stands where `old` stood; the first one to be noted counts.
fn replace(node: &mut Option<Node>, old: &Value) {
    if matches!(node, Some(Node::Replaced(_))) {
        return;
    }
    let mut value = old.clone();
    if let Some(node) = node.take() {
        node.restore(&mut value);
    }
    *node = Some(Node::Replaced(value));
}

impl Node {
    /// Makes a value what it was first.
    fn restore(self, value: &mut Value) {
        match self {
            Self::Replaced(old) => *value = old,
            Self::Inside(inside) => inside.restore(value),
        }
    }

    /// Writes the changes to what is `now` at a path. `deep`: other values are compared down to where they differ.
    fn write(self, now: &Value, path: &mut Path, script: &mut Vec<Edit>, deep: bool) {
        match self {
            Self::Inside(inside) => inside.write(now, path, script, deep),
            Self::Replaced(old) if same(&old, now) => {}
            Self::Replaced(old) => match Inside::between(old, now).filter(|_| deep) {
                Some(inside) => inside.write(now, path, script, deep),
                None => script.push(Edit::Set { path: path.clone(), value: now.clone() }),
            },
        }
    }
}

impl Inside {
    fn number(&self, place: usize) -> usize {
        self.order.as_ref().map_or(place, |order| order.number(place))
    }

    fn take(&mut self, number: usize) -> Option<Node> {
        let kid = self.kid_at(number).ok()?;
        self.kids.get_mut(kid)?.1.take()
    }

    fn kid(&mut self, number: usize, make: impl FnOnce() -> Node) -> Option<&mut Node> {
        let kid = self.kid_at(number).unwrap_or_else(|place| {
            self.sorted.insert(place, self.kids.len());
            self.kids.push((number, None));
            self.kids.len() - 1
        });
        self.kids.get_mut(kid).map(|(_, kid)| kid.get_or_insert_with(make))
    }

    /// Where the notes of a child are, or the place in `sorted` at which they belong.
    fn kid_at(&self, number: usize) -> Result<usize, usize> {
        let (mut from, mut to) = (0, self.sorted.len());
        while from < to {
            let middle = from.midpoint(to);
            let kid = self.sorted.get(middle).copied().unwrap_or_default();
            match self.kids.get(kid).map_or(NEW, |(own, _)| *own).cmp(&number) {
                Ordering::Less => from = middle + 1,
                Ordering::Equal => return Ok(kid),
                Ordering::Greater => to = middle,
            }
        }
        Err(from)
    }

    /// The children with something noted, by number.
    fn take_kids(&mut self) -> Vec<(usize, Node)> {
        let mut kids: Vec<_> = std::mem::take(&mut self.kids);
        let sorted = self.sorted.iter();
        sorted.filter_map(|place| kids.get_mut(*place).and_then(|(number, kid)| Some((*number, kid.take()?)))).collect()
    }

    fn restore(mut self, value: &mut Value) {
        let places = self.order.as_ref().map(Order::places);
        for (number, kid) in self.take_kids() {
            let place = places.as_ref().map_or(Some(number), |places| places.get(number).copied());
            if let Some(child) = place.and_then(|place| child_mut(value, place)) {
                kid.restore(child);
            }
        }
        let Some(order) = self.order else { return };
        let is_list = matches!(value, Value::Array(_));
        let now = children(std::mem::take(value)).into_iter().enumerate();
        let mut first: Vec<_> = now.map(|(place, child)| (order.number(place), child)).collect();
        first.retain(|(number, _)| *number != NEW);
        first.extend(self.gone.into_iter().map(|gone| (gone.number, (gone.key, gone.value))));
        sort_by_number(&mut first, |(number, _)| *number as u64);
        let first = first.into_iter().map(|(_, child)| child);
        *value =
            if is_list { Value::Array(first.map(|(_, item)| item).collect()) } else { Value::Object(first.collect()) };
    }

    /// The notes that lead from one list or object to another; nothing for values that are not of one kind.
    fn between(old: Value, now: &Value) -> Option<Self> {
        let numbers = match (&old, now) {
            (Value::Object(old), Value::Object(now)) => {
                now.keys().map(|key| old.position(key).unwrap_or(NEW)).collect()
            }
            (Value::Array(old), Value::Array(now)) => pair(old, now),
            _ => return None,
        };
        let mut stays = vec![false; len(&old)];
        for number in &numbers {
            if let Some(stays) = stays.get_mut(*number) {
                *stays = true;
            }
        }
        let mut inside = Self::default();
        for (number, ((key, value), stays)) in children(old).into_iter().zip(&stays).enumerate() {
            if *stays {
                inside.sorted.insert(inside.sorted.len(), inside.kids.len());
                inside.kids.push((number, Some(Node::Replaced(value))));
            } else {
                inside.gone.push(Gone { number, key, value });
            }
        }
        inside.order = Some(Order::from(numbers));
        Some(inside)
    }

    fn write(mut self, now: &Value, path: &mut Path, script: &mut Vec<Edit>, deep: bool) {
        let places = match self.order.take() {
            Some(mut order) => {
                self.match_back(&mut order, now);
                Some(self.write_order(&order, now, path, script))
            }
            None => None,
        };
        for (number, kid) in self.take_kids() {
            let place = places.as_ref().map_or(number, |places| places.get(number).copied().unwrap_or(NEW));
            let Some((step, child)) = child(now, place) else { continue };
            path.push(step);
            kid.write(child, path, script, deep);
            path.pop();
        }
    }

    /// Finds children that went among those that came: in an object the one with the same key, in a list an equal one.
    fn match_back(&mut self, order: &mut Order, now: &Value) {
        sort_by_number(&mut self.gone, |gone| gone.number as u64);
        let mut gone: Vec<_> = std::mem::take(&mut self.gone).into_iter().map(Some).collect();
        let mut from = 0;
        for place in 0..len(now) {
            if order.number(place) != NEW || from >= gone.len() {
                continue;
            }
            let Some((step, value)) = child(now, place) else { continue };
            let is_it = |gone: &Gone| match &step {
                Step::Key(key) => *gone.key == **key,
                Step::Index(_) => same(&gone.value, value),
            };
            let mut tried = (from..gone.len()).take(TRIES);
            let Some(found) = tried.find(|&at| gone.get(at).and_then(Option::as_ref).is_some_and(is_it)) else {
                continue;
            };
            from = found + 1;
            let Some(gone) = gone.get_mut(found).and_then(Option::take) else { continue };
            order.set(place, gone.number);
            if !same(&gone.value, value) {
                self.kid(gone.number, || Node::Replaced(gone.value));
            }
        }
        self.gone = gone.into_iter().flatten().collect();
    }

    /// Writes what went and what came, and returns where each child that stayed is.
    fn write_order(&self, order: &Order, now: &Value, path: &mut Path, script: &mut Vec<Edit>) -> Vec<usize> {
        let is_list = matches!(now, Value::Array(_));
        let steady = steady(order);
        let mut places = order.places();
        let mut gone: Vec<_> = self.gone.iter().map(|gone| (gone.number, Step::from(&*gone.key))).collect();
        for (place, steady) in steady.iter().enumerate() {
            let number = order.number(place);
            if !steady && number != NEW {
                // One that changed places goes and comes again.
                gone.extend(child(now, place).map(|(step, _)| (number, step)));
                if let Some(place) = places.get_mut(number) {
                    *place = NEW;
                }
            }
        }
        sort_by_number(&mut gone, |(number, _)| *number as u64);
        for (number, step) in gone.into_iter().rev() {
            script.push(Edit::Remove { path: below(path, if is_list { Step::Index(number) } else { step }) });
        }
        let from = script.len();
        let mut staying = 0;
        for (place, steady) in steady.iter().enumerate() {
            if *steady {
                staying += 1;
            } else if let Some((step, value)) = child(now, place) {
                let index = (!is_list).then_some(staying);
                script.push(Edit::Insert { path: below(path, step), index, value: value.clone() });
            }
        }
        if !is_list {
            // From the last to the first, so that the key behind each one is there already.
            if let Some(inserted) = script.get_mut(from..) {
                inserted.reverse();
            }
            let mut present = staying;
            for edit in script.iter_mut().skip(from) {
                if let Edit::Insert { index, .. } = edit {
                    *index = index.filter(|index| *index < present);
                    present += 1;
                }
            }
        }
        places
    }
}

/// Which item of `old` each item of `now` is: the one with its id, else the one at its place if that has no id either.
fn pair(old: &Array, now: &Array) -> Vec<usize> {
    let by = IdKey::IdElseKey;
    let mut ids = Names::default();
    for (place, item) in old.iter().enumerate() {
        if let Some(id) = by.of(item)
            && !ids.contains(&id)
        {
            ids.set(&id, place);
        }
    }
    let number = |(place, item): (usize, &Value)| match by.of(item) {
        Some(id) => ids.remove(&id),
        None => old.get(place).filter(|item| by.of(item).is_none()).map(|_| place),
    };
    now.iter().enumerate().map(number).map(|number| number.unwrap_or(NEW)).collect()
}

fn below(path: &Path, step: Step) -> Path {
    path.iter().cloned().chain([step]).collect()
}

fn len(holder: &Value) -> usize {
    match holder {
        Value::Array(items) => items.len(),
        Value::Object(object) => object.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn place(holder: &Value, step: &Step) -> Option<usize> {
    match (holder, step) {
        (Value::Object(object), Step::Key(key)) => object.position(key),
        (Value::Array(_), Step::Index(index)) => Some(*index),
        _ => None,
    }
}

fn child(holder: &Value, place: usize) -> Option<(Step, &Value)> {
    match holder {
        Value::Array(items) => items.get(place).map(|item| (Step::Index(place), item)),
        Value::Object(object) => object.at(place).map(|(key, value)| (Step::from(key), value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn child_mut(holder: &mut Value, place: usize) -> Option<&mut Value> {
    match holder {
        Value::Array(items) => items.get_mut(place),
        Value::Object(object) => object.at_mut(place),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn children(holder: Value) -> Vec<(Key, Value)> {
    match holder {
        Value::Array(items) => items.into_iter().map(|item| (Key::default(), item)).collect(),
        Value::Object(object) => object.into_iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}
