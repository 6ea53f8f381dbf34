//! Warnings about valid values that probably do not do what their author meant.

use super::shape::{ObjectShape, ValueKind};
use super::vocabulary::is_columns;
use crate::codes::codes;
use crate::edit::Edit;
use crate::patch::error::{Arg, Cause};
use crate::value::{Path, Step, Value};

codes! {
    /// What is odd about a part of a call that took effect.
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
    /// The place in the document.
    pub path: Path,
    /// The kind of oddity.
    pub code: WarningCode,
    /// One sentence.
    pub message: String,
    /// The correction to send.
    pub solution: String,
    /// How many steps of the path lead to the object that the warning is about.
    object_depth: usize,
}

/// The warnings of a call. A warning is dropped when a later patch corrects its object, and its path changes when items move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Warnings {
    pub(crate) list: Vec<Warning>,
    /// The index in the call of the patch that is being applied.
    pub(crate) index: usize,
    /// The most warnings that are listed.
    pub(crate) max: usize,
}

impl Warnings {
    pub(super) fn warn(&mut self, path: Path, object_depth: usize, code: WarningCode, cause: Cause, args: &[Arg<'_>]) {
        if self.list.len() < self.max {
            // Only for its texts: nothing is refused.
            let refusal = cause.refuse(args);
            let (message, solution) = (refusal.message, refusal.solution);
            self.list.push(Warning { index: self.index, path, code, message, solution, object_depth });
        }
    }

    /// Drops the warnings of an object, not of the objects in it, before it is checked again.
    pub(super) fn forget(&mut self, object: &[Step]) {
        self.list.retain(|warning| warning.object_depth != object.len() || !warning.path.starts_with(object));
    }

    /// Drops the warnings about values that an edit has replaced, and updates the paths of items that it has moved.
    #[inline(never)]
    pub(crate) fn follow(&mut self, edit: &Edit) {
        if self.list.is_empty() {
            return;
        }
        match edit {
            Edit::Set { path, .. } => self.list.retain(|warning| !warning.path.starts_with(path)),
            Edit::Insert { path, .. } => self.shift_after_insertion(path),
            Edit::Remove { path } => self.shift_after_removal(path),
            // The item at the new place is checked as a new one is.
            Edit::Move { from, path, .. } => {
                self.shift_after_removal(from);
                self.shift_after_insertion(path);
            }
        }
    }

    /// Drops the warnings of an item that is removed, and shifts those of the items after it.
    fn shift_after_removal(&mut self, path: &[Step]) {
        self.list.retain(|warning| !warning.path.starts_with(path));
        for warning in &mut self.list {
            shift(&mut warning.path, path, |index, at| if index > at { index - 1 } else { index });
        }
    }

    /// Shifts the warnings of the items at and after the place of a new item.
    fn shift_after_insertion(&mut self, path: &[Step]) {
        for warning in &mut self.list {
            shift(&mut warning.path, path, |index, at| if index >= at { index + 1 } else { index });
        }
    }
}

/// Changes the index that a path has in the list in which an item comes or goes.
fn shift(path: &mut Path, item: &[Step], by: fn(usize, usize) -> usize) {
    if let Some((Step::Index(at), list)) = item.split_last()
        && path.starts_with(list)
        && let Some(Step::Index(index)) = path.get_mut(list.len())
    {
        *index = by(*index, *at);
    }
}

/// The kind that a value should be of, e.g. "a number"; `None` if it is of that kind. Callers skip templates, which may
/// become any value.
pub(super) fn expected_by_kind(kind: ValueKind, value: &Value) -> Option<&'static str> {
    let (fits, wanted) = match (kind, value) {
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

pub(super) fn is_template(value: &Value) -> bool {
    value.as_str().is_some_and(|text| crate::value::text::contains(text, "${"))
}

/// The first required property that an item of this shape lacks, and how to correct it.
pub(super) fn missing_property<'s>(item: &Value, shape: &'s ObjectShape) -> Option<(&'s str, &'s str)> {
    let needed = shape.properties.iter().filter(|property| property.is_required());
    needed.filter(|property| item.get(property.name).is_none()).map(|own| (own.name, own.solution)).next()
}
