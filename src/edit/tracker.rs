//! Tracks edits, and sums them up: one script from the document before them to the document after.
//!
//! A rebase takes pending calls off, changes what is beneath and puts them on again; most of that cancels out. While a
//! document is watched, the places that edits touch are noted with what stood there first. In the end only those places
//! are compared: what is as it was is no change, and a child that went and came again as it was never left.

use super::Edit;
use crate::value::names::Names;
use crate::value::{Array, IdKey, Key, Object, Path, Step, Value, below, same, sort_by_number};

/// A value, and for a key its place in the order.
pub(super) type Placed = (Option<usize>, Value);

/// What is done at the last step of a path.
#[derive(Clone, Copy)]
pub(super) enum Action {
    Set,
    Insert,
    Remove,
}

/// So many children that went are compared with one that came.
const TRIES: usize = 8;

type Note = Option<Box<Node>>;

#[derive(Clone, Debug)]
enum Node {
    /// Another value; this one stood here first.
    Replaced(Value),
    Inside(Inside),
}

/// Children, numbered by the places at which they stood first.
#[derive(Clone, Debug, Default)]
struct Inside {
    /// Which child stands at each place, if any came or went.
    order: Option<Order>,
    gone: Vec<Child>,
    /// What has been noted of each child that is still there, by number.
    notes: Vec<Note>,
}

/// A child as it was first; an item has no key.
#[derive(Clone, Debug)]
struct Child {
    number: usize,
    key: Key,
    value: Value,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tracker {
    root: Note,
}

impl Tracker {
    /// Something was done at a place of what is now `root`, where `old` stood; a key, last in the order if it has no place.
    pub(super) fn note(&mut self, root: &Value, path: &[Step], action: Action, (index, old): &Placed) {
        let Some((step, parent)) = path.split_last() else { return replace(&mut self.root, old) };
        let Some((inside, holder)) = self.enter(root, parent) else { return };
        match action {
            Action::Set => {
                if let Some(note) = place(holder, step).and_then(|place| inside.note_at(place)) {
                    replace(note, old);
                }
            }
            Action::Insert => {
                if let Some(place) = place(holder, step) {
                    inside.order(len(holder) - 1).insert(place);
                }
            }
            Action::Remove => {
                let (place, key) = match step {
                    Step::Index(index) => (*index, Key::default()),
                    Step::Key(key) => (index.unwrap_or_else(|| len(holder)), key.clone()),
                };
                let number = inside.order(len(holder) + 1).remove(place);
                if number != NEW {
                    let note = inside.notes.get_mut(number).and_then(Option::take);
                    inside.gone.push(Child { number, key, value: first(note, old.clone()) });
                }
            }
        }
    }

    pub(super) fn script(self, root: &Value) -> Vec<Edit> {
        let mut script = Script { path: Path::new(), edits: Vec::new(), deep: false };
        if let Some(node) = self.root {
            script.deep = matches!(*node, Node::Replaced(_));
            script.write(*node, root);
        }
        script.edits
    }

    /// The notes about a place that is neither new nor below another value, and what stands there.
    fn enter<'v>(&mut self, root: &'v Value, path: &[Step]) -> Option<(&mut Inside, &'v Value)> {
        let mut note = &mut self.root;
        let mut value = root;
        for step in path {
            let Node::Inside(inside) = open(note) else { return None };
            note = inside.note_at(place(value, step)?)?;
            value = value.step(step)?;
        }
        match open(note) {
            Node::Inside(inside) => Some((inside, value)),
            Node::Replaced(_) => None,
        }
    }
}

fn open(note: &mut Note) -> &mut Node {
    note.get_or_insert_with(|| Box::new(Node::Inside(Inside::default())))
}

fn note(notes: &mut Vec<Note>, number: usize) -> Option<&mut Note> {
    if number >= notes.len() {
        notes.resize_with(number + 1, || None);
    }
    notes.get_mut(number)
}

/// Notes that another value stands where `old` stood; the first one to be noted counts.
fn replace(note: &mut Note, old: &Value) {
    if !note.as_ref().is_some_and(|node| matches!(**node, Node::Replaced(_))) {
        let value = first(note.take(), old.clone());
        *note = Some(Box::new(Node::Replaced(value)));
    }
}

fn first(note: Note, value: Value) -> Value {
    match note.map(|node| *node) {
        None => value,
        Some(Node::Replaced(old)) => old,
        Some(Node::Inside(inside)) => inside.first(value),
    }
}

/// Puts children back into the order in which they stood first.
fn sort(children: &mut [Child]) {
    sort_by_number(children, |child| child.number as u64);
}

impl Inside {
    /// Which child stands where, of so many at first.
    fn order(&mut self, count: usize) -> &mut Order {
        self.order.get_or_insert_with(|| Order::of((0..count).collect()))
    }

    fn number(&self, place: usize) -> usize {
        self.order.as_ref().map_or(place, |order| order.number(place))
    }

    /// What is noted of the child at a place, unless that is new.
    fn note_at(&mut self, place: usize) -> Option<&mut Note> {
        let number = self.number(place);
        if number == NEW { None } else { note(&mut self.notes, number) }
    }

    fn first(mut self, value: Value) -> Value {
        let is_list = matches!(value, Value::Array(_));
        let mut children = std::mem::take(&mut self.gone);
        for (place, (key, value)) in split(value).into_iter().enumerate() {
            let number = self.number(place);
            if number != NEW {
                let note = self.notes.get_mut(number).and_then(Option::take);
                children.push(Child { number, key, value: first(note, value) });
            }
        }
        sort(&mut children);
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

    /// The notes that lead from one list or object to another; nothing for values that are not of one kind.
    fn between(old: Value, now: &Value) -> Option<Self> {
        let numbers = match (&old, now) {
            (Value::Object(old), Value::Object(now)) => {
                let mut numbers = Vec::new();
                for key in now.keys() {
                    numbers.push(old.position(key).unwrap_or(NEW));
                }
                numbers
            }
            (Value::Array(old), Value::Array(now)) => pair(old, now),
            _ => return None,
        };
        let mut inside = Self { order: Some(Order::of(numbers)), ..Self::default() };
        let places = inside.places(len(now), len(&old));
        for (number, (key, value)) in split(old).into_iter().enumerate() {
            let note = if places.get(number) == Some(&NEW) {
                inside.gone.push(Child { number, key, value });
                None
            } else {
                Some(Box::new(Node::Replaced(value)))
            };
            inside.notes.push(note);
        }
        Some(inside)
    }

    /// The place of each child, of so many places; `NEW` for one that is nowhere.
    fn places(&self, now: usize, count: usize) -> Vec<usize> {
        let mut places = vec![NEW; count];
        for place in 0..now {
            let number = self.number(place);
            if let Some(own) = places.get_mut(number) {
                *own = place;
            }
        }
        places
    }

    /// Finds children that went among those that came: in an object the one with the same key, in a list an equal one.
    fn match_back(&mut self, now: &Value) {
        sort(&mut self.gone);
        let Some(order) = &mut self.order else { return };
        let mut from = 0;
        for place in 0..len(now) {
            if order.number(place) != NEW || from >= self.gone.len() {
                continue;
            }
            let Some((step, value)) = child(now, place) else { continue };
            let is_it = |gone: &Child| match &step {
                Step::Key(key) => *gone.key == **key,
                Step::Index(_) => same(&gone.value, value),
            };
            let tried = self.gone.get(from..).unwrap_or_default().iter().take(TRIES).position(is_it);
            let Some(gone) = tried.and_then(|tried| self.gone.get_mut(from + tried)) else { continue };
            from += tried.unwrap_or_default() + 1;
            let number = std::mem::replace(&mut gone.number, NEW);
            order.set(place, number);
            if let Some(note) = note(&mut self.notes, number) {
                *note = Some(Box::new(Node::Replaced(std::mem::take(&mut gone.value))));
            }
        }
        self.gone.retain(|gone| gone.number != NEW);
    }
}

struct Script {
    path: Path,
    edits: Vec<Edit>,
    /// Other values are compared down to where they differ.
    deep: bool,
}

impl Script {
    fn write(&mut self, node: Node, now: &Value) {
        match node {
            Node::Inside(inside) => self.write_inside(inside, now),
            Node::Replaced(old) if same(&old, now) => {}
            Node::Replaced(old) => {
                let between = if self.deep { Inside::between(old, now) } else { None };
                match between {
                    Some(inside) => self.write_inside(inside, now),
                    None => self.edits.push(Edit::Set { path: self.path.clone(), value: now.clone() }),
                }
            }
        }
    }

    fn write_inside(&mut self, mut inside: Inside, now: &Value) {
        inside.match_back(now);
        let places = self.write_order(&mut inside, now);
        for (number, note) in inside.notes.into_iter().enumerate() {
            let place = places.as_ref().map_or(number, |places| places.get(number).copied().unwrap_or(NEW));
            if let Some(node) = note
                && let Some((step, value)) = child(now, place)
            {
                self.path.push(step);
                self.write(*node, value);
                self.path.pop();
            }
        }
    }

    /// Writes what went and what came, and returns where each child that stayed is.
    fn write_order(&mut self, inside: &mut Inside, now: &Value) -> Option<Vec<usize>> {
        let order = inside.order.as_ref()?;
        let is_list = matches!(now, Value::Array(_));
        let stays = order.steady();
        let mut places = inside.places(len(now), inside.notes.len());
        for (place, stays) in stays.iter().enumerate() {
            let number = order.number(place);
            if !stays && number != NEW {
                // One that changed places goes and comes again.
                let key = if let Some((Step::Key(key), _)) = child(now, place) { key } else { Key::default() };
                inside.gone.push(Child { number, key, value: Value::Null });
                if let Some(place) = places.get_mut(number) {
                    *place = NEW;
                }
            }
        }
        sort(&mut inside.gone);
        for Child { number, key, .. } in inside.gone.iter().rev() {
            let path = below(&self.path, if is_list { Step::Index(*number) } else { Step::Key(key.clone()) });
            self.edits.push(Edit::Remove { path });
        }
        let from = self.edits.len();
        let mut staying = 0;
        for (place, stays) in stays.iter().enumerate() {
            if *stays {
                staying += 1;
            } else if let Some((step, value)) = child(now, place) {
                let index = (!is_list).then_some(staying);
                self.edits.push(Edit::Insert { path: below(&self.path, step), index, value: value.clone() });
            }
        }
        if !is_list && let Some(inserted) = self.edits.get_mut(from..) {
            // From the last to the first, so that the key behind each one is there already.
            inserted.reverse();
            for (present, edit) in (staying..).zip(inserted) {
                if let Edit::Insert { index, .. } = edit {
                    *index = index.filter(|index| *index < present);
                }
            }
        }
        Some(places)
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
    let mut numbers = Vec::new();
    for (place, item) in now.iter().enumerate() {
        let number = match by.of(item) {
            Some(id) => ids.remove(&id),
            None => old.get(place).filter(|item| by.of(item).is_none()).map(|_| place),
        };
        numbers.push(number.unwrap_or(NEW));
    }
    numbers
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
        Value::Object(object) => object.at(place).map(|(key, value)| (Step::Key(key.clone()), value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn split(holder: Value) -> Vec<(Key, Value)> {
    let mut children = Vec::new();
    match holder {
        Value::Array(items) => {
            for item in items {
                children.push((Key::default(), item));
            }
        }
        Value::Object(object) => children.extend(object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    children
}

/// A child that came.
const NEW: usize = usize::MAX;

/// The numbers of children by their places now, null for a child that came; a [`Array`] is cheap to edit in the middle.
#[derive(Clone, Debug)]
struct Order {
    numbers: Array,
}

fn to_value(number: usize) -> Value {
    if number == NEW { Value::Null } else { Value::Number(number as f64) }
}

fn to_number(value: Option<&Value>) -> usize {
    value.and_then(Value::as_number).map_or(NEW, |number| number as usize)
}

impl Order {
    fn of(numbers: Vec<usize>) -> Self {
        let mut values = Vec::new();
        for number in numbers {
            values.push(to_value(number));
        }
        Self { numbers: values.into() }
    }

    fn number(&self, place: usize) -> usize {
        to_number(self.numbers.get(place))
    }

    fn set(&mut self, place: usize, number: usize) {
        self.numbers.replace(place, to_value(number));
    }

    fn insert(&mut self, place: usize) {
        self.numbers.insert(place.min(self.numbers.len()), Value::Null);
    }

    fn remove(&mut self, place: usize) -> usize {
        to_number(self.numbers.remove(place).as_ref())
    }

    /// Of each place, whether its child may stay where it is while others move: a longest run in increasing order.
    fn steady(&self) -> Vec<bool> {
        // Patience sorting: `ends[n]` is the place at which the best run of n + 1 children ends.
        let mut ends: Vec<usize> = Vec::new();
        let mut before = Vec::new();
        for value in &self.numbers {
            let place = before.len();
            let number = to_number(Some(value));
            before.push(NEW);
            if number == NEW {
                continue;
            }
            let is_next = ends.last().is_none_or(|end| self.number(*end) < number);
            let run = if is_next { ends.len() } else { ends.partition_point(|end| self.number(*end) < number) };
            if let (Some(last), Some(before)) = (run.checked_sub(1).and_then(|run| ends.get(run)), before.last_mut()) {
                *before = *last;
            }
            match ends.get_mut(run) {
                Some(end) => *end = place,
                None => ends.push(place),
            }
        }
        let mut steady = vec![false; before.len()];
        let mut place = ends.last().copied().unwrap_or(NEW);
        while let Some(stays) = steady.get_mut(place) {
            *stays = true;
            place = before.get(place).copied().unwrap_or(NEW);
        }
        steady
    }
}
