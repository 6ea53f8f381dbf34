//! The default values that the fields of a page declare for its state.

use std::cell::Cell;

use super::cost::copy_cost;
use super::rules::{BoundField, each_bound_field};
use crate::value::names::Names;
use crate::value::{Object, Step, Value, put, put_char};

/// Declared values. A field declares its `value` for its [`BoundField::path`]. The first declaration of a path counts. A value
/// that contains a template (`${…}`) declares nothing.
pub(super) struct DeclaredValues {
    /// In the order of their fields.
    values: Vec<Value>,
    /// The index in `values` of each value, by its path as [`joined_keys`] writes it.
    indexes: Names,
    /// An object like the page's document, with each declared value at its path and nothing else.
    document: Value,
}

impl DeclaredValues {
    /// The values that the fields of a document declare. `cost` counts the blocks and fields, their paths, and the copies.
    pub(super) fn of(root: &Value, cost: &Cell<usize>) -> Self {
        let (mut values, mut indexes, mut document) = (Vec::new(), Names::default(), Object::new());
        each_bound_field(root, cost, &mut |BoundField { field, bind, key, path, .. }| {
            let Some(value) = field.get("value") else { return };
            cost.update(|cost| cost + path.len() / 4);
            if !has_template(value) && !indexes.contains(path) {
                cost.update(|cost| cost + copy_cost(value));
                indexes.set(path, values.len());
                set_below(&mut document, bind, key, value);
                values.push(value.clone());
            }
        });
        Self { values, indexes, document: document.into() }
    }

    /// A copy of the value that a field declares for exactly this path; `None` if none exists.
    pub(super) fn at(&self, path: &[Step], cost: &Cell<usize>) -> Option<Value> {
        let value = self.values.get(self.indexes.get(&joined_keys(path)?)?)?;
        cost.update(|cost| cost + copy_cost(value));
        Some(value.clone())
    }

    /// A copy of the values declared below a path, as one object; empty without any.
    pub(super) fn below(&self, path: &[Step], cost: &Cell<usize>) -> Object {
        // `clear` on state.runtime empties it, even if fields declare values for keys in it.
        let is_runtime =
            matches!(path, [Step::Key(state), Step::Key(part)] if &**state == "state" && &**part == "runtime");
        match self.document.at(path) {
            Some(value @ Value::Object(object)) if !is_runtime => {
                cost.update(|cost| cost + copy_cost(value));
                object.clone()
            }
            _ => Object::new(),
        }
    }
}

/// Sets the value of a field in an object at the path of its `bind` and its key, and creates missing parents. Nothing happens if
/// another field declares a value that is no object for a beginning of the path.
fn set_below(mut object: &mut Object, bind: &str, key: &str, value: &Value) {
    for parent in bind.split_terminator('\0') {
        if !object.contains(parent) {
            object.set(parent, Value::Object(Object::new()));
        }
        let Some(Value::Object(inner)) = object.get_mut(parent) else { return };
        object = inner;
    }
    object.set(key, value.clone());
}

/// A path as [`BoundField::path`] writes it; `None` for a path into a list.
fn joined_keys(path: &[Step]) -> Option<String> {
    let mut text = String::new();
    for step in path {
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
