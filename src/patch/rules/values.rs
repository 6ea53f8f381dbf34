//! Values in the state, checked against the fields that show them.

use std::cell::Cell;

use super::catalog::Catalog;
use super::shape::ValueKind;
use super::unique::GROUPS;
use super::vocabulary::field_type_of;
use super::warning::{WarningCode, Warnings, expected_by_kind};
use crate::counted::count_work;
use crate::patch::error::{Arg, Cause, Checked};
use crate::patch::path::PathExpr;
use crate::patch::words::cut;
use crate::value::names::Names;
use crate::value::{Array, Path, Step, Value, put, put_char};

/// The treatment of a value in the state that the field which shows it does not take.
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
    /// The mode of a name, as options write it.
    pub fn from_name(name: &str) -> Option<Self> {
        let modes = [("warn", Self::Warn), ("strict", Self::Strict), ("off", Self::Off)];
        modes.into_iter().find(|(own, _)| *own == name).map(|(_, mode)| mode)
    }
}

/// The fields of a page by the places of their values in the state. Of several with one place the first counts.
#[derive(Debug, Default)]
pub(crate) struct FieldIndex {
    /// The fields, each as the index of its block and its number among the fields of that block.
    fields: Vec<(usize, usize)>,
    /// Indexes in `fields` by the keys of the values' places, joined; [`INNER`] for what is above such a place.
    numbers: Names,
}

/// The number of a place that has fields below it, but no field of its own.
const INNER: usize = u32::MAX as usize;

impl FieldIndex {
    pub(crate) fn of(root: &Value) -> Self {
        let mut index = Self::default();
        // Most blocks have the same `bind`: it is parsed once. `name` begins with its place, and ends with the key of a field.
        let (mut bound, mut name, mut bound_length) = (None, String::new(), 0);
        let blocks = root.get("blocks").and_then(Value::as_array).into_iter().flatten();
        for (block_index, block) in blocks.enumerate() {
            count_work(1);
            let bind = block.get("bind").and_then(Value::as_str).unwrap_or("state.params");
            let Some(props) = block.get("props") else { continue };
            if bound != Some(bind) {
                let Ok(path) = PathExpr::parse(bind, 128) else { continue };
                bound = Some(bind);
                name.clear();
                for segment in &path.segments {
                    put_char(put(&mut name, &segment.text()), '\0');
                    if !index.numbers.contains(&name) {
                        index.numbers.set(&name, INNER);
                    }
                }
                bound_length = name.len();
            }
            let mut count = 0;
            each_field(props, &Cell::default(), &mut |field| {
                count += 1;
                let Some(key) = field.get("key").and_then(Value::as_str) else { return };
                name.truncate(bound_length);
                put_char(put(&mut name, key), '\0');
                if index.numbers.get(&name).is_none_or(|number| number == INNER) {
                    index.numbers.set(&name, index.fields.len());
                    index.fields.push((block_index, count - 1));
                }
            });
            name.truncate(bound_length);
        }
        index
    }

    /// The field of a number in `numbers`.
    fn field<'v>(&self, root: &'v Value, number: usize) -> Option<&'v Value> {
        let (block_index, wanted) = *self.fields.get(number)?;
        let (mut count, mut found) = (0, None);
        let block = root.get("blocks").and_then(Value::as_array)?.get(block_index)?;
        each_field(block.get("props")?, &Cell::default(), &mut |field| {
            if count == wanted {
                found = Some(field);
            }
            count += 1;
        });
        found
    }

    /// Whether an edit may change the index: one in the blocks, of an object, of a list, or of a key by which a value is found.
    pub(crate) fn depends_on(path: &[Step], is_of_container: bool) -> bool {
        match path.first().and_then(Step::as_key) {
            None => true,
            Some("blocks") => is_of_container || matches!(path.last().and_then(Step::as_key), Some("bind" | "key")),
            Some(_) => false,
        }
    }
}

/// Checks the values of the state at the places that a call has changed.
pub(crate) struct ValueCheck<'a> {
    pub(crate) root: &'a Value,
    pub(crate) index: &'a FieldIndex,
    pub(crate) catalog: &'a Catalog,
    pub(crate) values: Values,
    pub(crate) cost: &'a Cell<usize>,
    pub(crate) max: usize,
    /// Places that were checked, as the index writes them.
    pub(crate) seen: Names,
}

impl ValueCheck<'_> {
    /// Checks the fields whose values are at, above or below a place.
    pub(crate) fn around(&mut self, place: &[Step], warnings: &mut Warnings) -> Checked {
        let mut name = String::new();
        let mut value = self.root;
        for (depth, step) in place.iter().enumerate() {
            let Some(key) = step.as_key() else { return Ok(()) };
            let Some(next) = value.get(key) else { return Ok(()) };
            value = next;
            put_char(put(&mut name, key), '\0');
            let Some(number) = self.index.numbers.get(&name) else { return Ok(()) };
            if number != INNER {
                self.field(number, &name, value, place.get(..=depth).unwrap_or_default(), warnings)?;
            }
        }
        self.below(value, &mut name, &mut place.to_vec(), warnings)
    }

    /// Checks the fields whose values are below a place. What is below the place of a field belongs to its value.
    fn below(&mut self, value: &Value, name: &mut String, place: &mut Path, warnings: &mut Warnings) -> Checked {
        let Some(object) = value.as_object() else { return Ok(()) };
        let length = name.len();
        for (key, value) in object.iter() {
            self.cost.update(|cost| cost + 1);
            put_char(put(name, key), '\0');
            if let Some(number) = self.index.numbers.get(name) {
                place.push(Step::from(key));
                if number == INNER {
                    self.below(value, name, place, warnings)?;
                } else {
                    self.field(number, name, value, place, warnings)?;
                }
                place.pop();
            }
            name.truncate(length);
        }
        Ok(())
    }

    /// Checks the value of one field, once in a call. `name` is its place, as the index writes it.
    fn field(&mut self, number: usize, name: &str, value: &Value, place: &[Step], warnings: &mut Warnings) -> Checked {
        if self.seen.set(name, 0).is_some() {
            return Ok(());
        }
        let Some(field) = self.index.field(self.root, number) else { return Ok(()) };
        if let (_, Some(schema)) = self.catalog.schemas("fields", field) {
            return schema.check(value, place, self.cost, self.max);
        }
        let Some(wanted) = expected_by_field(field, value, self.cost).filter(|_| self.values != Values::Off) else {
            return Ok(());
        };
        let key = field.get("key").and_then(Value::as_str).unwrap_or_default();
        let args = [Arg::Cut(key), Arg::Text(&wanted), Arg::Json(value)];
        if self.values == Values::Strict {
            return Err(Cause::FieldTakes.refuse(&args));
        }
        warnings.warn(place.to_vec(), place.len(), WarningCode::ValueKind, Cause::FieldTakes, &args);
        Ok(())
    }
}

/// Visits the fields of a group, and those of the groups inside of it, in order. `cost` counts what is visited.
pub(in crate::patch) fn each_field<'v>(group: &'v Value, cost: &Cell<usize>, visit: &mut dyn FnMut(&'v Value)) {
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

/// The kind of value that a field of the vocabulary takes, for a message; `None` if the value is of that kind.
pub(super) fn expected_by_field(field: &Value, value: &Value, cost: &Cell<usize>) -> Option<String> {
    let kind = field_type_of(field)?.kind;
    if let Some(wanted) = expected_by_kind(kind, value) {
        return Some(wanted.into());
    }
    let options = field.get("options").and_then(Value::as_array)?;
    let values = |item: &Value| match item {
        Value::Array(items) if kind == ValueKind::Choices => items.iter().all(|own| is_offered(own, options, cost)),
        item => *item == Value::from("") || is_offered(item, options, cost),
    };
    if !matches!(kind, ValueKind::Choice | ValueKind::Choices) || *value == Value::Null || values(value) {
        return None;
    }
    let mut out = String::from(if kind == ValueKind::Choice { "one of " } else { "a list of some of " });
    for (place, value) in options.iter().filter_map(|option| option.get("value")).take(LISTED).enumerate() {
        let separator = if place > 0 { ", " } else { "" };
        put(put(&mut out, separator), cut(&value.to_json()));
    }
    put(&mut out, if options.len() > LISTED { ", …" } else { "" });
    Some(out)
}

/// The most options that a message names.
const LISTED: usize = 8;

fn is_offered(value: &Value, options: &Array, cost: &Cell<usize>) -> bool {
    cost.update(|cost| cost + options.len());
    options.iter().any(|option| option.get("value") == Some(value))
}
