//! `Planner`: the context of the handlers of operations. It resolves paths in the document and collects the edits of the
//! current patch; [`super::run`] applies them.

use std::cell::{Cell, OnceCell};

use super::cost::copy_cost;
use super::declared::Declared;
use super::error::{Arg, Cause, Checked, Refusal};
use super::merge::merge;
use super::op::Op;
use super::options::RunOptions;
use super::path::{Operator, PathExpr, format_path};
use super::segment::{Segment, pointer_to, segments_of, show};
use super::words::{nearest, nearest_values};
use crate::edit::{Document, Edit};
use crate::value::{By, Object, Path, Step, Value, concat};

pub(super) struct Planner<'a> {
    pub(super) document: &'a mut Document,
    pub(super) options: RunOptions<'a>,
    /// See [`Planner::declared`]. Cleared by a patch that changes anything outside of the state.
    pub(super) declared: OnceCell<Declared>,
    /// The steps of the call so far, which `maxWork` limits: items and places that it visits, and values that it copies.
    pub(super) cost: Cell<usize>,
    /// Whether error messages write paths as JSON Pointers.
    pub(super) by_pointer: bool,
    /// The index in the call of the current patch.
    pub(super) patch_index: usize,
    /// The operation of the current patch.
    pub(super) op: Op,
    /// The planned edits of the current patch.
    pub(super) edits: Vec<Edit>,
}

/// A path, as far as the document has it.
pub(super) struct FoundPath<'p> {
    /// The beginning that exists.
    pub(super) path: Path,
    /// The segments that do not exist. The first could be a new key of an object, or the end of a list.
    pub(super) rest: &'p [Segment],
}

impl FoundPath<'_> {
    /// The whole path, with missing segments as keys.
    pub(super) fn resolved(&self) -> Path {
        let mut path = self.path.clone();
        for segment in self.rest {
            path.push(Step::Key(segment.key()));
        }
        path
    }
}

impl<'a> Planner<'a> {
    pub(super) fn new(document: &'a mut Document, options: RunOptions<'a>) -> Self {
        Self {
            document,
            options,
            declared: OnceCell::new(),
            cost: Cell::new(0),
            by_pointer: false,
            patch_index: 0,
            op: Op::Set,
            edits: Vec::new(),
        }
    }

    /// Follows segments as far as the document has them.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND` for segments that cannot exist: below a scalar, after the end of a list, an unknown id.
    pub(super) fn find<'p>(&mut self, segments: &'p [Segment]) -> Result<FoundPath<'p>, Refusal> {
        let (found, is_unreachable) = self.follow(segments);
        if is_unreachable { Err(self.unreachable(&found)) } else { Ok(found) }
    }

    /// Resolves segments; `None` if the document does not have them all.
    pub(super) fn look_up(&mut self, segments: &[Segment]) -> Option<Path> {
        let (found, _) = self.follow(segments);
        found.rest.is_empty().then_some(found.path)
    }

    /// Follows segments, and returns whether the first missing one cannot exist in the value before it.
    pub(super) fn follow<'p>(&mut self, segments: &'p [Segment]) -> (FoundPath<'p>, bool) {
        let mut found = FoundPath { path: Path::with_capacity(segments.len()), rest: segments };
        let mut value = self.document.value();
        while let Some((segment, rest)) = found.rest.split_first() {
            let step = match (value, segment) {
                (Value::Object(_), segment) => Step::Key(segment.key()),
                (Value::Array(items), Segment::Index(index)) => {
                    if *index as usize > items.len() {
                        return (found, true);
                    }
                    Step::Index(*index as usize)
                }
                (Value::Array(_), Segment::Id(id)) => {
                    // The lookup may build the list's index, which needs a mutable document: `value` is borrowed again.
                    let place = self.find_item(&found.path, id);
                    let list = self.document.value().at(&found.path);
                    let (Some(list), Some(place)) = (list, place) else { return (found, true) };
                    value = list;
                    Step::Index(place)
                }
                _ => return (found, true),
            };
            let Some(next) = value.step(&step) else { break };
            value = next;
            found.path.push(step);
            found.rest = rest;
        }
        (found, false)
    }

    /// The index of the first item with an id in the list at `path`.
    pub(super) fn find_item(&mut self, path: &[Step], id: &str) -> Option<usize> {
        let by = By::Id(self.options.rules.id_key(path));
        self.document.list_at(path)?.find(&by, id, &self.cost)
    }

    /// A place as an argument of a message, in the spelling of the caller.
    const fn place_arg<'p>(&self, path: &'p [Step]) -> Arg<'p> {
        if self.by_pointer { Arg::Pointer(path) } else { Arg::Place(path) }
    }

    /// Refuses a path whose first missing segment cannot exist.
    pub(super) fn unreachable(&self, found: &FoundPath<'_>) -> Refusal {
        let place = self.place_arg(&found.path);
        let (holder, Some((segment, deeper))) = (self.at(&found.path), found.rest.split_first()) else {
            return self.missing(found);
        };
        if let (Value::Array(_), Segment::Key(key) | Segment::Id(key)) = (holder, segment)
            && matches!(&**key, "-" | "+")
            && !self.by_pointer
            && let Ok(end) = format_path(&segments_of(&found.path), true)
        {
            return Cause::EndAsKey.refuse(&[place, Arg::Text(key), Arg::Text(&end)]);
        }
        match (holder, segment) {
            (Value::Array(_), Segment::Index(index)) => self.beyond(&found.path, *index as usize),
            (Value::Array(_), Segment::Id(id)) => self.no_item(&found.path, id),
            (Value::Array(_), Segment::Key(key)) if self.by_pointer => {
                Cause::KeyOnListPlain.refuse(&[place, Arg::Cut(key)])
            }
            (Value::Array(_), Segment::Key(key)) => {
                let mut segments = segments_of(&found.path);
                segments.push(Segment::Id(key.clone()));
                segments.extend_from_slice(deeper);
                match format_path(&segments, false) {
                    Ok(path) => Cause::KeyOnList.refuse(&[place, Arg::Cut(key), Arg::Text(&path)]),
                    Err(_) => Cause::KeyOnListPlain.refuse(&[place, Arg::Cut(key)]),
                }
            }
            (scalar, _) => {
                // The structure rules allow no object in place of this scalar.
                let is_unruled = self.options.rules.is_open() || in_state(&found.path, &[]);
                let cause = if is_unruled { Cause::BelowFreeScalar } else { Cause::BelowScalar };
                cause.refuse(&[place, Arg::Kind(scalar)])
            }
        }
    }

    /// The value at a path; `null` if the document has no such place.
    pub(super) fn at(&self, path: &[Step]) -> &Value {
        self.document.value().at(path).unwrap_or(&Value::Null)
    }

    /// The defaults that fields declare, collected once for the patches of a call.
    pub(super) fn declared(&self) -> &Declared {
        self.declared.get_or_init(|| Declared::of(self.document.value(), &self.cost))
    }

    /// Refuses a call that has taken more steps than `maxWork`.
    pub(super) fn check_cost(&self) -> Checked {
        let max = self.options.limits.max_work;
        if self.cost.get() <= max { Ok(()) } else { Err(Cause::TooMuchWork.refuse(&[Arg::Count(max)])) }
    }

    /// Charges the copy of a part of the document before it is made: a few operations could otherwise double a document
    /// again and again.
    pub(super) fn charge_copy(&self, value: &Value) -> Checked {
        self.cost.update(|cost| cost + copy_cost(value));
        self.check_cost()
    }

    /// Follows the path of a patch. The operation must accept the operator of the path.
    pub(super) fn resolve<'p>(&mut self, path: &'p PathExpr) -> Result<FoundPath<'p>, Refusal> {
        self.check_operator(path)?;
        self.find(&path.segments)
    }

    /// Refuses a path with an operator that the operation does not accept.
    pub(super) fn check_operator(&self, path: &PathExpr) -> Checked {
        if path.operator == Operator::Plain || path.operator == self.op.operator() {
            return Ok(());
        }
        Err(wrong_operator(path, self.op)?)
    }

    /// As [`Self::resolve`], but refuses a place that the document does not have.
    pub(super) fn resolve_existing(&mut self, path: &PathExpr) -> Result<Path, Refusal> {
        let found = self.resolve(path)?;
        self.existing(found)
    }

    /// The path, if the document has all of it.
    pub(super) fn existing(&self, found: FoundPath<'_>) -> Result<Path, Refusal> {
        if found.rest.is_empty() { Ok(found.path) } else { Err(self.missing(&found)) }
    }

    /// Plans another value for an existing place, unless it has that value already.
    pub(super) fn set(&mut self, path: Path, value: Value) {
        if self.document.value().at(&path) != Some(&value) {
            self.edits.push(Edit::Set { path, value });
        }
    }

    /// Plans an insertion. A key becomes the last one of its object.
    pub(super) fn insert(&mut self, path: Path, value: Value) {
        self.edits.push(Edit::Insert { path, index: None, value });
    }

    pub(super) fn remove(&mut self, path: Path) {
        self.edits.push(Edit::Remove { path });
    }

    /// Plans a merge into an object. Another kind of value is refused with `refused`.
    pub(super) fn merge(&mut self, mut path: Path, entries: Object, refused: Cause) -> Checked {
        match self.document.value().at(&path).unwrap_or(&Value::Null) {
            Value::Object(own) => merge(own, &mut path, entries, false, &mut self.edits),
            other => return Err(refused.refuse(&[Arg::Place(&path), Arg::Kind(other)])),
        }
        Ok(())
    }

    /// Plans a value for a place that may be missing. In state, missing parents are created as objects.
    pub(super) fn set_or_create(&mut self, found: FoundPath<'_>, value: Value) -> Checked {
        let Some((first, deeper)) = found.rest.split_first() else {
            self.set(found.path, value);
            return Ok(());
        };
        let in_list = matches!(self.at(&found.path), Value::Array(_));
        if (in_list || !deeper.is_empty()) && !self.is_unruled(&found) {
            return Err(self.missing(&found));
        }
        let mut value = value;
        for segment in deeper.iter().rev() {
            let mut object = Object::new();
            object.set(&segment.text(), value);
            value = Value::Object(object);
        }
        let mut path = found.path;
        path.push(match first {
            Segment::Index(index) if in_list => Step::Index(*index as usize),
            segment => Step::Key(segment.key()),
        });
        self.insert(path, value);
        Ok(())
    }

    /// Whether the structure rules allow any value at a place: under open rules, and in the state.
    pub(super) fn is_unruled(&self, found: &FoundPath<'_>) -> bool {
        self.options.rules.is_open() || in_state(&found.path, found.rest)
    }

    /// Refuses a missing path, with the keys or the length that the document has there.
    pub(super) fn missing(&self, found: &FoundPath<'_>) -> Refusal {
        let wanted = found.rest.first().map(Segment::text).unwrap_or_default();
        let (place, name) = (self.place_arg(&found.path), Arg::Cut(&wanted));
        match self.at(&found.path) {
            Value::Array(items) => self.beyond(&found.path, items.len()),
            Value::Object(object) if object.is_empty() => Cause::NoKeyYet.refuse(&[place, name]),
            Value::Object(object) => {
                let mut keys = object.keys().map(|key| Some(key.into()));
                Cause::NoKey.refuse(&[place, name, Arg::Text(&nearest(&wanted, object.len(), "\"", &mut keys))])
            }
            _ => Cause::NoParent.refuse(&[place, name]),
        }
    }

    /// Refuses an index that a list does not have.
    fn beyond(&self, path: &[Step], index: usize) -> Refusal {
        let len = self.at(path).as_array().map_or(0, crate::value::Array::len);
        let end = match path {
            _ if self.by_pointer => concat(&[&pointer_to(path), "/-"]),
            // The document itself has no path.
            [] => String::new(),
            path => show(path),
        };
        let append = if end.is_empty() { "" } else { ", or append with op add, path " };
        let cause = match len {
            0 if end.is_empty() => Cause::RootEmpty,
            0 => Cause::BeyondEmpty,
            1 => Cause::BeyondOne,
            _ => Cause::Beyond,
        };
        let last = Arg::Count(len.saturating_sub(1));
        let args = [self.place_arg(path), Arg::Count(len), Arg::Count(index), last, Arg::Text(append), Arg::Text(&end)];
        cause.refuse(&args)
    }

    /// Refuses an unknown id, with the nearest ids of the list.
    pub(super) fn no_item(&self, path: &[Step], id: &str) -> Refusal {
        let by = self.options.rules.id_key(path);
        let known = self.at(path).as_array().map(|items| nearest_values(id, items, &|item| by.value(item), "\""));
        let known = known.unwrap_or_default();
        let cause = if known.is_empty() { Cause::NoItemHasId } else { Cause::NoItem };
        cause.refuse(&[Arg::Place(path), Arg::Text(by.name()), Arg::Cut(id), Arg::Text(&known)])
    }
}

/// Whether a place is `state.params` or `state.runtime`, or inside one of them.
pub(super) fn in_state(path: &[Step], rest: &[Segment]) -> bool {
    let is_state = match (path.first(), rest.first()) {
        (Some(step), _) => step.as_key() == Some("state"),
        (None, Some(segment)) => segment.text() == "state",
        (None, None) => false,
    };
    is_state && path.len() + rest.len() > 1
}

/// The refusal for [`Planner::check_operator`]. An `Err` refuses a path that cannot be written.
fn wrong_operator(path: &PathExpr, op: Op) -> Result<Refusal, Refusal> {
    let place = format_path(&path.segments, false)?;
    let list = path.segments.split_last().and_then(|(_, list)| format_path(list, false).ok()).unwrap_or_default();
    let id = path.segments.last().map(Segment::text).unwrap_or_default();
    let cause = match path.operator {
        Operator::Append => Cause::Appends,
        Operator::ItemById => Cause::RemovesItem,
        Operator::ItemAt if op == Op::Remove => Cause::RemoveAt,
        Operator::ItemAt | Operator::Plain => Cause::SetsItem,
    };
    Ok(cause.refuse(&[op.name(), &place, &list, &id].map(Arg::Text)))
}
