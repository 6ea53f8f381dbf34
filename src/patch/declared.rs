//! The default values that the fields of a page declare for its state.

use std::cell::Cell;

use super::cost::copy_cost;
use super::path::PathExpr;
use super::rules::each_field;
use crate::value::names::Names;
use crate::value::{Object, Path, Step, Value, put, put_char};

/// Declared values. A field declares its `value` for the path of its block's `bind` and its own `key`. The first declaration
/// of a path counts. A value that contains a template declares nothing.
pub(super) struct Declared {
    values: Vec<Value>,
    /// The index of each value, by the keys of its path, joined by a character that no path has.
    numbers: Names,
    /// All values in one document.
    whole: Value,
}

impl Declared {
    /// The values that the fields of a document declare. `cost` counts the items and places that are visited.
    pub(super) fn of(root: &Value, cost: &Cell<usize>) -> Self {
        let (mut values, mut numbers, mut whole) = (Vec::new(), Names::default(), Object::new());
        let mut bound: Option<(&str, Path)> = None;
        for block in root.get("blocks").and_then(Value::as_array).into_iter().flatten() {
            cost.update(|cost| cost + 1);
            let bind = block.get("bind").and_then(Value::as_str).unwrap_or("state.params");
            if !matches!(&bound, Some((text, _)) if *text == bind) {
                let Ok(path) = PathExpr::parse(bind, 128) else { continue };
                bound = Some((bind, path.segments.iter().map(|segment| Step::Key(segment.key())).collect()));
            }
            let (Some((_, place)), Some(props)) = (&mut bound, block.get("props")) else { continue };
            each_field(props, cost, &mut |field| {
                let (Some(Value::String(key)), Some(value)) = (field.get("key"), field.get("value")) else { return };
                place.push(Step::from(&**key));
                cost.update(|cost| cost + place.len());
                let joined = joined(place).unwrap_or_default();
                if !has_template(value) && !numbers.contains(&joined) {
                    cost.update(|cost| cost + copy_cost(value));
                    numbers.set(&joined, values.len());
                    place_in(&mut whole, place, value);
                    values.push(value.clone());
                }
                place.pop();
            });
        }
        Self { values, numbers, whole: whole.into() }
    }

    /// The value declared for a path.
    pub(super) fn at(&self, path: &[Step], cost: &Cell<usize>) -> Option<Value> {
        let value = self.values.get(self.numbers.get(&joined(path)?)?)?;
        cost.update(|cost| cost + copy_cost(value));
        Some(value.clone())
    }

    /// The values declared below a path, as one object.
    pub(super) fn below(&self, path: &[Step], cost: &Cell<usize>) -> Object {
        // `clear` empties state.runtime: declared values are for params.
        let is_runtime =
            matches!(path, [Step::Key(state), Step::Key(part)] if &**state == "state" && &**part == "runtime");
        match self.whole.at(path) {
            Some(value @ Value::Object(object)) if !is_runtime => {
                cost.update(|cost| cost + copy_cost(value));
                object.clone()
            }
            _ => Object::new(),
        }
    }
}

/// Sets a value below an object, unless a scalar is declared for a part of its path.
fn place_in(mut object: &mut Object, path: &[Step], value: &Value) {
    let Some((Step::Key(last), holders)) = path.split_last() else { return };
    for holder in holders.iter().filter_map(Step::as_key) {
        if !object.contains(holder) {
            object.set(holder, Value::Object(Object::new()));
        }
        let Some(Value::Object(inner)) = object.get_mut(holder) else { return };
        object = inner;
    }
    object.set(last, value.clone());
}

/// The keys of a path as one text; `None` for a path into a list.
fn joined(place: &[Step]) -> Option<String> {
    let mut text = String::new();
    for step in place {
        put_char(put(&mut text, step.as_key()?), '\0');
    }
    Some(text)
}

/// Whether a string in a value contains `${` without a `\` before it.
fn has_template(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let text = text.as_bytes();
            text.starts_with(b"${") || text.windows(3).any(|part| part.ends_with(b"${") && !part.starts_with(b"\\"))
        }
        Value::Array(items) => items.iter().any(has_template),
        Value::Object(object) => object.iter().any(|(_, value)| has_template(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
