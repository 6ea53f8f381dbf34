//! Warnings about valid values that probably do not do what their author meant.

use super::shape::{ObjectShape, PropertyRule, ValueKind};
use super::vocabulary::is_columns;
use crate::codes::codes;
use crate::edit::Edit;
use crate::patch::error::{Arg, Cause};
use crate::value::{Path, Step, Value};

codes! {
    /// Why a part of a call that took effect is probably a mistake.
    WarningCode;
    NoEffect "NO_EFFECT" "A property that means nothing where it stands, or an action that does nothing.",
    ValueKind "VALUE_KIND" "A value of another kind than its field or its property takes.",
    NoId "NO_ID" "An item that nothing can name.",
}

/// A part of a call that took effect, but probably does not do what its author meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The index of the patch in the call.
    pub index: usize,
    /// The path of the value in the document: of an object, of a property of it, or of an item in that property.
    pub path: Path,
    /// The reason why the value is probably a mistake.
    pub code: WarningCode,
    /// One sentence: what is odd.
    pub message: String,
    /// The correction to send.
    pub solution: String,
    /// The number of steps of `path` that lead to the object. The others lead to its property or item.
    object_depth: usize,
}

/// The warnings of a call. A warning is dropped when a later patch corrects its object, and its path changes when items move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Warnings {
    pub(crate) list: Vec<Warning>,
    /// The index in the call of the patch that is being applied.
    pub(crate) index: usize,
    /// The most warnings that are listed; further ones are dropped.
    pub(crate) max: usize,
}

impl Warnings {
    /// Adds a warning about the value at `path`. `cause` has its texts, whose gaps `args` fill; for `object_depth` see
    /// [`Warning`].
    pub(super) fn warn(&mut self, path: Path, object_depth: usize, code: WarningCode, cause: Cause, args: &[Arg<'_>]) {
        if self.list.len() < self.max {
            // Only the texts of the refusal are used.
            let refusal = cause.refuse(args);
            let (message, solution) = (refusal.message, refusal.solution);
            self.list.push(Warning { index: self.index, path, code, message, solution, object_depth });
        }
    }

    /// Drops the warnings about the object at a path, but not those about objects in it, before the object is checked again.
    pub(super) fn forget(&mut self, object: &[Step]) {
        self.list.retain(|warning| warning.object_depth != object.len() || !warning.path.starts_with(object));
    }

    /// Drops the warnings about values that an edit has replaced or removed, and updates the paths of items that it has shifted.
    /// Not inline, which makes the module smaller.
    #[inline(never)]
    pub(crate) fn follow(&mut self, edit: &Edit) {
        if self.list.is_empty() {
            return;
        }
        match edit {
            Edit::Set { path, .. } => self.list.retain(|warning| !warning.path.starts_with(path)),
            Edit::Insert { path, .. } => self.shift_after_insertion(path),
            Edit::Remove { path } => self.shift_after_removal(path),
            // The warnings of the moved item are dropped: it is checked again, as a new one is.
            Edit::Move { from, path, .. } => {
                self.shift_after_removal(from);
                self.shift_after_insertion(path);
            }
        }
    }

    /// Drops the warnings of an item or a key that is removed, and shifts those of the items after it.
    fn shift_after_removal(&mut self, path: &[Step]) {
        self.list.retain(|warning| !warning.path.starts_with(path));
        for warning in &mut self.list {
            shift(&mut warning.path, path, |index, removed| if index > removed { index - 1 } else { index });
        }
    }

    /// Shifts the warnings of the item whose index a new item gets, and of those after it.
    fn shift_after_insertion(&mut self, path: &[Step]) {
        for warning in &mut self.list {
            shift(&mut warning.path, path, |index, inserted| if index >= inserted { index + 1 } else { index });
        }
    }
}

/// Updates a path that leads through the list of the inserted or removed item `item`. `new_index` gets the index that the path
/// has in the list, and the index of `item`. Nothing happens if `item` is a key.
fn shift(path: &mut Path, item: &[Step], new_index: fn(usize, usize) -> usize) {
    if let Some((Step::Index(item_index), list)) = item.split_last()
        && path.starts_with(list)
        && let Some(Step::Index(index)) = path.get_mut(list.len())
    {
        *index = new_index(*index, *item_index);
    }
}

/// The words for a kind, e.g. "a number", if a value is not of that kind; `None` if it is, or is null, which means that there is
/// no value yet. Callers skip templates, which may become any value.
pub(super) fn expected_by_kind(kind: ValueKind, value: &Value) -> Option<&'static str> {
    let (fits, wanted) = match (kind, value) {
        // The choices depend on the field: `expected_by_field` checks them.
        (_, Value::Null) | (ValueKind::Any | ValueKind::Choice, _) => return None,
        // Numbers and booleans are shown as text.
        (ValueKind::Text, value) => (!matches!(value, Value::Array(_) | Value::Object(_)), "a text"),
        (ValueKind::Number, value) => (value.as_number().is_some(), "a number"),
        (ValueKind::Flag, value) => (matches!(value, Value::Bool(_)), "true or false"),
        (ValueKind::List | ValueKind::Choices, value) => (value.as_array().is_some(), "a list"),
        (ValueKind::Object, value) => (value.as_object().is_some(), "an object"),
        (ValueKind::Columns, value) => (is_columns(value), "a whole number from 1 to 12"),
    };
    if fits { None } else { Some(wanted) }
}

/// Whether a value is a text with a template, `${…}`.
pub(super) fn is_template(value: &Value) -> bool {
    value.as_str().is_some_and(|text| crate::value::text::contains(text, "${"))
}

/// The name of the first required property that an item of this shape lacks, and the solution; `None` if it lacks none.
pub(super) fn missing_property<'s>(item: &Value, shape: &'s ObjectShape) -> Option<(&'s str, &'s str)> {
    let is_missing = |property: &&PropertyRule| property.is_required() && item.get(property.name).is_none();
    shape.properties.iter().find(is_missing).map(|property| (property.name, property.solution))
}
