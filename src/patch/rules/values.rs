//! Values in the state, checked against the fields that show them.

use std::cell::Cell;

use super::catalog::Catalog;
use super::shape::ValueKind;
use super::unique::{GROUPS, NO_NUMBER};
use super::vocabulary::{MAX_BIND_SEGMENTS, field_type_of};
use super::warning::{WarningCode, Warnings, expected_by_kind};
use crate::counted::count_work;
use crate::edit::{FieldIndex, INNER};
use crate::patch::error::{Arg, Cause, Checked};
use crate::patch::path::PathExpr;
use crate::patch::words::cut;
use crate::value::names::Names;
use crate::value::{Array, Path, Step, Value, put, put_char};

/// The treatment of a value in the state that is not of the kind that its field takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Values {
    /// The call succeeds, with a warning.
    #[default]
    Warn,
    /// The call is refused.
    Strict,
    /// The value is accepted without a warning.
    Off,
}

impl Values {
    /// The mode with this name in options.
    pub fn from_name(name: &str) -> Option<Self> {
        let modes = [("warn", Self::Warn), ("strict", Self::Strict), ("off", Self::Off)];
        modes.into_iter().find(|(mode_name, _)| *mode_name == name).map(|(_, mode)| mode)
    }
}

impl FieldIndex {
    /// The index of a page's document.
    pub(crate) fn of(root: &Value) -> Self {
        let mut index = Self::default();
        // The call is not charged for the index, which later calls use too.
        let uncharged = Cell::default();
        let mut last_block = None;
        each_bound_field(root, &uncharged, &mut |BoundField { place, bind, path, .. }| {
            let is_new_block = last_block.replace(place.0) != Some(place.0);
            // If the map has the path of the `bind`, it also has those above it.
            if is_new_block && !index.numbers.contains(bind) {
                for (end, _) in bind.match_indices('\0') {
                    let inner_path = bind.get(..=end).unwrap_or_default();
                    if !index.numbers.contains(inner_path) {
                        index.numbers.set(inner_path, INNER);
                    }
                }
            }
            if index.numbers.get(path).is_none_or(|number| number == INNER) {
                index.numbers.set(path, index.places.len());
                index.places.push(place);
            }
        });
        index
    }

    /// The field at an index of `places`.
    fn field<'v>(&self, root: &'v Value, number: usize) -> Option<&'v Value> {
        let (block_index, field_index) = *self.places.get(number)?;
        let (mut field_count, mut result) = (0, None);
        let block = root.get("blocks").and_then(Value::as_array)?.get(block_index)?;
        let uncharged = Cell::default();
        each_field(block.get("props")?, &uncharged, &mut |field| {
            if field_count == field_index {
                result = Some(field);
            }
            field_count += 1;
        });
        result
    }
}

/// Checks the values of the state at the paths that a call has changed.
pub(crate) struct ValueCheck<'a> {
    pub(crate) root: &'a Value,
    pub(crate) index: &'a FieldIndex,
    pub(crate) catalog: &'a Catalog,
    pub(crate) values: Values,
    /// The steps of the call so far; `max` is their limit.
    pub(crate) cost: &'a Cell<usize>,
    pub(crate) max: usize,
    /// The paths of the values that this check has checked, as the index writes them.
    pub(crate) checked_paths: Names,
}

impl ValueCheck<'_> {
    /// Checks the fields whose values are at, above or below a path of the document.
    pub(crate) fn around(&mut self, path: &[Step], warnings: &mut Warnings) -> Checked {
        // The path so far, as the index writes it.
        let mut index_key = String::new();
        let mut value = self.root;
        for (depth, step) in path.iter().enumerate() {
            let Some(key) = step.as_key() else { return Ok(()) };
            let Some(next) = value.get(key) else { return Ok(()) };
            value = next;
            put_char(put(&mut index_key, key), '\0');
            let Some(number) = self.index.numbers.get(&index_key) else { return Ok(()) };
            if number != INNER {
                self.field(number, &index_key, value, path.get(..=depth).unwrap_or_default(), warnings)?;
            }
        }
        self.below(value, &mut index_key, &mut path.to_vec(), warnings)
    }

    /// Checks the fields whose values are below a path, but not those inside of another field's value. `index_key` is the path
    /// as the index writes it, `value` the value at the path.
    fn below(&mut self, value: &Value, index_key: &mut String, path: &mut Path, warnings: &mut Warnings) -> Checked {
        let Some(object) = value.as_object() else { return Ok(()) };
        let length = index_key.len();
        for (key, value) in object.iter() {
            self.cost.update(|cost| cost + 1);
            put_char(put(index_key, key), '\0');
            if let Some(number) = self.index.numbers.get(index_key) {
                path.push(Step::from(key));
                if number == INNER {
                    self.below(value, index_key, path, warnings)?;
                } else {
                    self.field(number, index_key, value, path, warnings)?;
                }
                path.pop();
            }
            index_key.truncate(length);
        }
        Ok(())
    }

    /// Checks the value of one field, unless it has been checked already. `path` is that of the value, `index_key` the same as
    /// the index writes it, `number` the field's index in [`FieldIndex::places`].
    fn field(
        &mut self,
        number: usize,
        index_key: &str,
        value: &Value,
        path: &[Step],
        warnings: &mut Warnings,
    ) -> Checked {
        let is_checked = self.checked_paths.set(index_key, NO_NUMBER).is_some();
        if is_checked {
            return Ok(());
        }
        let Some(field) = self.index.field(self.root, number) else { return Ok(()) };
        // A schema of the host takes the place of the vocabulary's kind.
        if let (_, Some(schema)) = self.catalog.schemas("fields", field) {
            return schema.check(value, path, self.cost, self.max);
        }
        let Some(wanted) = expected_by_field(field, value, self.cost).filter(|_| self.values != Values::Off) else {
            return Ok(());
        };
        let key = field.get("key").and_then(Value::as_str).unwrap_or_default();
        let args = [Arg::Cut(key), Arg::Text(&wanted), Arg::Json(value)];
        if self.values == Values::Strict {
            return Err(Cause::FieldTakes.refuse(&args));
        }
        // The value itself counts as the object: no check of an object around it drops the warning.
        let object_depth = path.len();
        warnings.warn(path.to_vec(), object_depth, WarningCode::ValueKind, Cause::FieldTakes, &args);
        Ok(())
    }
}

/// A field of a page that has a `key`. Its value in the state has the path of its block's `bind`, followed by the key.
pub(in crate::patch) struct BoundField<'p, 'v> {
    pub(in crate::patch) field: &'v Value,
    /// The index of its block, and its index among the fields of that block, as [`each_field`] visits them.
    pub(super) place: (usize, usize),
    /// The path of the `bind`, as its keys, each followed by `\0`, which no path can have.
    pub(in crate::patch) bind: &'p str,
    pub(in crate::patch) key: &'p str,
    /// The path of the value, written in the same way.
    pub(in crate::patch) path: &'p str,
}

/// Visits the fields of a page that have a `key`, in order. `cost` counts blocks, fields and groups.
pub(in crate::patch) fn each_bound_field<'v>(
    root: &'v Value,
    cost: &Cell<usize>,
    visit: &mut dyn FnMut(BoundField<'_, 'v>),
) {
    // Most blocks have the same `bind`, so the last one is kept parsed: the first `bind_len` bytes of `path` are its path.
    let (mut last_bind, mut path, mut bind_len) = (None, String::new(), 0);
    let blocks = root.get("blocks").and_then(Value::as_array).into_iter().flatten();
    for (block_index, block) in blocks.enumerate() {
        count_work(1);
        cost.update(|cost| cost + 1);
        let bind = block.get("bind").and_then(Value::as_str).unwrap_or("state.params");
        let Some(props) = block.get("props") else { continue };
        if last_bind != Some(bind) {
            let Ok(bind_path) = PathExpr::parse(bind, MAX_BIND_SEGMENTS) else { continue };
            last_bind = Some(bind);
            path.clear();
            for segment in &bind_path.segments {
                put_char(put(&mut path, &segment.text()), '\0');
            }
            bind_len = path.len();
        }
        let mut field_count = 0;
        each_field(props, cost, &mut |field| {
            let place = (block_index, field_count);
            field_count += 1;
            let Some(key) = field.get("key").and_then(Value::as_str) else { return };
            path.truncate(bind_len);
            put_char(put(&mut path, key), '\0');
            let bind = path.get(..bind_len).unwrap_or_default();
            visit(BoundField { field, place, bind, key, path: &path });
        });
    }
}

/// Visits the fields of a group (a block's `props`, a tab or a panel), and those of the groups inside of it, in order. `cost`
/// counts the fields and groups.
fn each_field<'v>(group: &'v Value, cost: &Cell<usize>, visit: &mut dyn FnMut(&'v Value)) {
    for (name, is_of_groups) in [("fields", false), (GROUPS[0], true), (GROUPS[1], true)] {
        for item in group.get(name).and_then(Value::as_array).into_iter().flatten() {
            cost.update(|cost| cost + 1);
            if is_of_groups {
                each_field(item, cost, visit);
            } else {
                visit(item);
            }
        }
    }
}

/// What a field takes, for a message, e.g. "a number" or `one of "s", "l"`; `None` if it takes the value, or is of a host's own
/// type.
pub(super) fn expected_by_field(field: &Value, value: &Value, cost: &Cell<usize>) -> Option<String> {
    let kind = field_type_of(field)?.kind;
    if let Some(wanted) = expected_by_kind(kind, value) {
        return Some(wanted.into());
    }
    if !matches!(kind, ValueKind::Choice | ValueKind::Choices) {
        return None;
    }
    let options = field.get("options").and_then(Value::as_array)?;
    let fits = match value {
        Value::Null => true,
        Value::Array(items) if kind == ValueKind::Choices => items.iter().all(|item| is_offered(item, options, cost)),
        // The empty text: nothing is chosen yet.
        value => *value == Value::from("") || is_offered(value, options, cost),
    };
    if fits {
        return None;
    }
    let mut out = String::from(if kind == ValueKind::Choice { "one of " } else { "a list of some of " });
    for (index, value) in options.iter().filter_map(|option| option.get("value")).take(MAX_LISTED_OPTIONS).enumerate() {
        let separator = if index > 0 { ", " } else { "" };
        put(put(&mut out, separator), cut(&value.to_json()));
    }
    put(&mut out, if options.len() > MAX_LISTED_OPTIONS { ", …" } else { "" });
    Some(out)
}

/// The most options that a message names.
const MAX_LISTED_OPTIONS: usize = 8;

/// Whether an option of a field has this value.
fn is_offered(value: &Value, options: &Array, cost: &Cell<usize>) -> bool {
    cost.update(|cost| cost + options.len());
    options.iter().any(|option| option.get("value") == Some(value))
}
