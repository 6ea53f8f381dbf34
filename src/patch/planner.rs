//! `Planner`: the context of the handlers of operations. It resolves paths in the document and collects the edits of the
//! current patch; [`super::run`] applies them.

use std::cell::{Cell, OnceCell};

use super::cost::copy_cost;
use super::declared::DeclaredValues;
use super::error::{Arg, Cause, Checked, Refusal};
use super::merge::{MergeMode, merge};
use super::op::Op;
use super::options::RunOptions;
use super::path::{Operator, PathExpr, format_path};
use super::segment::{Segment, pointer_to, segments_of, show};
use super::words::{IN_QUOTES, nearest, nearest_values};
use crate::edit::{Document, Edit};
use crate::value::{By, Object, Path, Step, Value, concat};

/// The context of the handlers of operations: the document, the options, and the edits that they plan.
pub(super) struct Planner<'a> {
    /// Handlers only read it, except that lookups of ids build the indexes of its lists.
    pub(super) document: &'a mut Document,
    pub(super) options: RunOptions<'a>,
    /// The defaults that fields declare, once [`Planner::declared_values`] has collected them. Cleared by a patch that changes anything
    /// outside of the state.
    pub(super) declared_values: OnceCell<DeclaredValues>,
    /// The number of steps that the call has taken, which `maxWork` limits. Visited items and paths count, and the costs that
    /// [`super::cost`] computes. A cell, since functions that only read the planner count steps too.
    pub(super) cost: Cell<usize>,
    /// Whether error messages write paths as JSON Pointers, since the caller does (a JSON Patch).
    pub(super) by_pointer: bool,
    /// The index in the call of the current patch.
    pub(super) patch_index: usize,
    /// The operation of the current patch; unused for a JSON Patch.
    pub(super) op: Op,
    /// The planned edits of the current patch.
    pub(super) edits: Vec<Edit>,
}

/// A path, split into the part that the document has and the missing rest.
pub(super) struct Location<'p> {
    /// The beginning that exists, resolved: ids have become indexes.
    pub(super) path: Path,
    /// The segments that do not exist. The first could be a new key of an object, or the index after the last item of a list.
    pub(super) rest: &'p [Segment],
}

impl Location<'_> {
    /// The whole path. The missing segments become keys, since missing parents are created as objects.
    pub(super) fn whole_path(&self) -> Path {
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
            declared_values: OnceCell::new(),
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
    pub(super) fn find<'p>(&mut self, segments: &'p [Segment]) -> Result<Location<'p>, Refusal> {
        let (location, is_unreachable) = self.follow(segments);
        if is_unreachable { Err(self.unreachable_path(&location)) } else { Ok(location) }
    }

    /// Resolves segments; `None` if the document does not have them all.
    pub(super) fn look_up(&mut self, segments: &[Segment]) -> Option<Path> {
        let (location, _) = self.follow(segments);
        location.rest.is_empty().then_some(location.path)
    }

    /// Follows segments. Also returns whether the first missing one is unreachable: it cannot even be created in the value
    /// before it. See [`Self::find`].
    pub(super) fn follow<'p>(&mut self, segments: &'p [Segment]) -> (Location<'p>, bool) {
        let mut location = Location { path: Path::with_capacity(segments.len()), rest: segments };
        let mut value = self.document.value();
        while let Some((segment, rest)) = location.rest.split_first() {
            let step = match (value, segment) {
                (Value::Object(_), segment) => Step::Key(segment.key()),
                (Value::Array(items), Segment::Index(index)) => {
                    if *index as usize > items.len() {
                        return (location, true);
                    }
                    Step::Index(*index as usize)
                }
                (Value::Array(_), Segment::Id(id)) => {
                    // The lookup may build the list's index, which needs a mutable document: `value` is borrowed again.
                    let index = self.find_item(&location.path, id);
                    let list = self.document.value().at(&location.path);
                    let (Some(list), Some(index)) = (list, index) else { return (location, true) };
                    value = list;
                    Step::Index(index)
                }
                // A key of a list, or anything below a scalar.
                _ => return (location, true),
            };
            // Missing: a key of an object, or the index after the last item of a list.
            let Some(next) = value.step(&step) else { break };
            value = next;
            location.path.push(step);
            location.rest = rest;
        }
        (location, false)
    }

    /// The index of the first item with the id `id` in the list at `path`; `None` if there is no such item or no list.
    pub(super) fn find_item(&mut self, path: &[Step], id: &str) -> Option<usize> {
        let part = By::Id(self.options.rules.id_key(path));
        self.document.list_at(path)?.find(&part, id, &self.cost)
    }

    /// A path as an argument of a message, in the caller's spelling: a path or a JSON Pointer.
    const fn path_arg<'p>(&self, path: &'p [Step]) -> Arg<'p> {
        if self.by_pointer { Arg::Pointer(path) } else { Arg::Path(path) }
    }

    /// The refusal of a path whose first missing segment cannot exist. It depends on the kinds of that segment and of the value
    /// before it, and suggests a path that the caller may have meant.
    pub(super) fn unreachable_path(&self, location: &Location<'_>) -> Refusal {
        let shown_path = self.path_arg(&location.path);
        let (holder, Some((segment, deeper))) = (self.at(&location.path), location.rest.split_first()) else {
            // Not reached: an unreachable path has a missing segment.
            return self.missing_path(location);
        };
        // `list.-` and `list["+"]`: attempts to append.
        if let (Value::Array(_), Segment::Key(key) | Segment::Id(key)) = (holder, segment)
            && matches!(&**key, "-" | "+")
            && !self.by_pointer
            && let Ok(append_path) = format_path(&segments_of(&location.path), Operator::Append)
        {
            return Cause::EndAsKey.refuse(&[shown_path, Arg::Text(key), Arg::Text(&append_path)]);
        }
        match (holder, segment) {
            (Value::Array(_), Segment::Index(index)) => self.missing_index(&location.path, *index as usize),
            (Value::Array(_), Segment::Id(id)) => self.no_item(&location.path, id),
            // A JSON Pointer cannot name an item by its id.
            (Value::Array(_), Segment::Key(key)) if self.by_pointer => {
                Cause::KeyOnListPlain.refuse(&[shown_path, Arg::Cut(key)])
            }
            // `blocks.form`: perhaps the key is an id, `blocks["form"]`.
            (Value::Array(_), Segment::Key(key)) => {
                let mut segments = segments_of(&location.path);
                segments.push(Segment::Id(key.clone()));
                segments.extend_from_slice(deeper);
                match format_path(&segments, Operator::Plain) {
                    Ok(path) => Cause::KeyOnList.refuse(&[shown_path, Arg::Cut(key), Arg::Text(&path)]),
                    Err(_) => Cause::KeyOnListPlain.refuse(&[shown_path, Arg::Cut(key)]),
                }
            }
            (scalar, _) => {
                // "Set it to an object first" would be no advice where the structure rules require this scalar. Unlike in
                // `allows_any`, the path is that of the scalar, without the segments below it.
                let may_become_object = self.options.rules.is_open() || in_state(&location.path, NO_REST);
                let cause = if may_become_object { Cause::BelowFreeScalar } else { Cause::BelowScalar };
                cause.refuse(&[shown_path, Arg::Kind(scalar)])
            }
        }
    }

    /// The value at a path; `null` if the document does not have the path.
    pub(super) fn at(&self, path: &[Step]) -> &Value {
        self.document.value().at(path).unwrap_or(&Value::Null)
    }

    /// The defaults that fields declare, collected at the first use and cached, see the member `declared_values`.
    pub(super) fn declared_values(&self) -> &DeclaredValues {
        self.declared_values.get_or_init(|| DeclaredValues::of(self.document.value(), &self.cost))
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
    pub(super) fn resolve<'p>(&mut self, path: &'p PathExpr) -> Result<Location<'p>, Refusal> {
        self.check_operator(path)?;
        self.find(&path.segments)
    }

    /// Refuses a path with an operator that the operation does not accept.
    pub(super) fn check_operator(&self, path: &PathExpr) -> Checked {
        if path.operator == Operator::Plain || path.operator == self.op.operator() {
            return Ok(());
        }
        // The `?` is for a path with names that no path may have: it is refused for them instead.
        Err(wrong_operator(path, self.op)?)
    }

    /// As [`Self::resolve`], but refuses a path of which the document lacks a part.
    pub(super) fn resolve_existing(&mut self, path: &PathExpr) -> Result<Path, Refusal> {
        let location = self.resolve(path)?;
        self.existing_path(location)
    }

    /// The path, if the document has all of it; else the refusal.
    pub(super) fn existing_path(&self, location: Location<'_>) -> Result<Path, Refusal> {
        if location.rest.is_empty() { Ok(location.path) } else { Err(self.missing_path(&location)) }
    }

    /// Plans a new value for an existing path, unless it has that value already.
    pub(super) fn set(&mut self, path: Path, value: Value) {
        if self.document.value().at(&path) != Some(&value) {
            self.edits.push(Edit::Set { path, value });
        }
    }

    /// Plans an insertion. A key becomes the last one of its object.
    pub(super) fn insert(&mut self, path: Path, value: Value) {
        self.edits.push(Edit::Insert { path, index: None, value });
    }

    /// Plans a removal.
    pub(super) fn remove(&mut self, path: Path) {
        self.edits.push(Edit::Remove { path });
    }

    /// Plans a shallow merge of `entries` into the object at `path`. `no_object` is the cause of the refusal if there is a value
    /// of another kind.
    pub(super) fn merge(&mut self, mut path: Path, entries: Object, no_object: Cause) -> Checked {
        match self.document.value().at(&path).unwrap_or(&Value::Null) {
            Value::Object(target) => merge(target, &mut path, entries, MergeMode::Shallow, &mut self.edits),
            other => return Err(no_object.refuse(&[Arg::Path(&path), Arg::Kind(other)])),
        }
        Ok(())
    }

    /// Plans a value for a path of which a part may be missing. Under open rules and in the state, missing parents are created
    /// as objects, and an index after the last item appends. Elsewhere only a key may be missing, and only the last one.
    pub(super) fn set_or_create(&mut self, location: Location<'_>, value: Value) -> Checked {
        let Some((first, deeper)) = location.rest.split_first() else {
            self.set(location.path, value);
            return Ok(());
        };
        let in_list = matches!(self.at(&location.path), Value::Array(_));
        let is_last_key = !in_list && deeper.is_empty();
        if !is_last_key && !self.allows_any(&location) {
            return Err(self.missing_path(&location));
        }
        // One insertion brings the value in, with its missing parents around it.
        let mut value = value;
        for segment in deeper.iter().rev() {
            let mut object = Object::new();
            object.set(&segment.text(), value);
            value = Value::Object(object);
        }
        let mut path = location.path;
        path.push(match first {
            Segment::Index(index) if in_list => Step::Index(*index as usize),
            segment => Step::Key(segment.key()),
        });
        self.insert(path, value);
        Ok(())
    }

    /// Whether any value may stand at a path: under open rules everywhere, else in the state.
    pub(super) fn allows_any(&self, location: &Location<'_>) -> bool {
        self.options.rules.is_open() || in_state(&location.path, location.rest)
    }

    /// The refusal of a path whose first missing segment could exist, but is not created: the operation needs it, or the
    /// structure rules forbid it. The message has the nearest keys of the object before it, or the length of the list.
    pub(super) fn missing_path(&self, location: &Location<'_>) -> Refusal {
        let wanted = location.rest.first().map(Segment::text).unwrap_or_default();
        let (shown_path, name) = (self.path_arg(&location.path), Arg::Cut(&wanted));
        match self.at(&location.path) {
            // The only index of a list that is missing and could be created.
            Value::Array(items) => self.missing_index(&location.path, items.len()),
            Value::Object(object) if object.is_empty() => Cause::NoKeyYet.refuse(&[shown_path, name]),
            Value::Object(object) => {
                let mut keys = object.keys().map(|key| Some(key.into()));
                Cause::NoKey.refuse(&[
                    shown_path,
                    name,
                    Arg::Text(&nearest(&wanted, object.len(), IN_QUOTES, &mut keys)),
                ])
            }
            _ => Cause::NoParent.refuse(&[shown_path, name]),
        }
    }

    /// The refusal of an index that the list at `path` does not have. It suggests the last index, and the path to append to.
    fn missing_index(&self, path: &[Step], index: usize) -> Refusal {
        let len = self.at(path).as_array().map_or(0, crate::value::Array::len);
        let append_path = match path {
            _ if self.by_pointer => concat(&[&pointer_to(path), "/-"]),
            // A document that is a list has no path, except as a JSON Pointer: nothing to suggest.
            [] => String::new(),
            path => show(path),
        };
        let append_hint = if append_path.is_empty() { "" } else { ", or append with op add, path " };
        let cause = match len {
            0 if append_path.is_empty() => Cause::RootEmpty,
            0 => Cause::BeyondEmpty,
            1 => Cause::BeyondOne,
            _ => Cause::Beyond,
        };
        let last = Arg::Count(len.saturating_sub(1));
        let (append_hint, append_path) = (Arg::Text(append_hint), Arg::Text(&append_path));
        cause.refuse(&[self.path_arg(path), Arg::Count(len), Arg::Count(index), last, append_hint, append_path])
    }

    /// The refusal of an id that no item of the list at `path` has, with the nearest ids of its items.
    pub(super) fn no_item(&self, path: &[Step], id: &str) -> Refusal {
        let id_key = self.options.rules.id_key(path);
        let items = self.at(path).as_array();
        let nearest = items.map(|items| nearest_values(id, items, &|item| id_key.value(item), IN_QUOTES));
        let nearest = nearest.unwrap_or_default();
        let cause = if nearest.is_empty() { Cause::NoItemHasId } else { Cause::NoItem };
        cause.refuse(&[Arg::Path(path), Arg::Text(id_key.name()), Arg::Cut(id), Arg::Text(&nearest)])
    }
}

/// The `rest` of a path of which nothing is missing.
pub(super) const NO_REST: &[Segment] = &[];

/// Whether a path is `state.params` or `state.runtime`.
pub(super) fn is_state_part(path: &[Step]) -> bool {
    path.len() == 2 && in_state(path, NO_REST)
}

/// Whether a path, resolved up to `rest`, is `state.params` or `state.runtime`, or is below one of them: a page's `state` has no
/// other parts.
pub(super) fn in_state(path: &[Step], rest: &[Segment]) -> bool {
    let is_state = match (path.first(), rest.first()) {
        (Some(step), _) => step.as_key() == Some("state"),
        (None, Some(segment)) => segment.text() == "state",
        (None, None) => false,
    };
    let is_below = path.len() + rest.len() > 1;
    is_state && is_below
}

/// The refusal of [`Planner::check_operator`], which suggests a path without the operator. An `Err` is another refusal: of a
/// path with names that no path may have.
fn wrong_operator(path: &PathExpr, op: Op) -> Result<Refusal, Refusal> {
    let plain_path = format_path(&path.segments, Operator::Plain)?;
    // For the item of a list: the path of the list, and the item's id or index.
    let list = path.segments.split_last().and_then(|(_, list)| format_path(list, Operator::Plain).ok());
    let list = list.unwrap_or_default();
    let id = path.segments.last().map(Segment::text).unwrap_or_default();
    let cause = match path.operator {
        Operator::Append => Cause::Appends,
        Operator::ItemById => Cause::RemovesItem,
        Operator::ItemAt if op == Op::Remove => Cause::RemoveAt,
        Operator::ItemAt | Operator::Plain => Cause::SetsItem,
    };
    Ok(cause.refuse(&[op.name(), &plain_path, &list, &id].map(Arg::Text)))
}
