//! The default values that the fields of a page declare for its state.

use std::cell::Cell;

use super::cost::copy_cost;
use super::path::PathExpr;
use super::rules::each_field;
use super::rules::vocabulary::MAX_BIND_SEGMENTS;
use crate::value::names::Names;
use crate::value::{Object, Path, Step, Value, put, put_char};

/// Declared values. A field declares its `value` for the path of its block's `bind` followed by its own `key`. The first
/// declaration of a path counts. A value that contains a template (`${…}`) declares nothing.
pub(super) struct DeclaredValues {
    /// In the order of their fields.
    values: Vec<Value>,
    /// The index in `values` of each value, by its path as [`joined_keys`] writes it.
    indexes: Names,
    /// An object like the page's document, with each declared value at its path and nothing else.
    document: Value,
}

impl DeclaredValues {
    /// The values that the fields of a document declare. `cost` counts the blocks and fields, the steps of their paths, and the
    /// copies.
    pub(super) fn of(root: &Value, cost: &Cell<usize>) -> Self {
        let (mut values, mut indexes, mut document) = (Vec::new(), Names::default(), Object::new());
        // The last `bind` and its path: most blocks have the same one, which is parsed once.
        let mut last_bind: Option<(&str, Path)> = None;
        for block in root.get("blocks").and_then(Value::as_array).into_iter().flatten() {
            cost.update(|cost| cost + 1);
            let bind = block.get("bind").and_then(Value::as_str).unwrap_or("state.params");
            if !matches!(&last_bind, Some((text, _)) if *text == bind) {
                let Ok(path) = PathExpr::parse(bind, MAX_BIND_SEGMENTS) else { continue };
                last_bind = Some((bind, path.segments.iter().map(|segment| Step::Key(segment.key())).collect()));
            }
            let (Some((_, path)), Some(props)) = (&mut last_bind, block.get("props")) else { continue };
            each_field(props, cost, &mut |field| {
                let (Some(Value::String(key)), Some(value)) = (field.get("key"), field.get("value")) else { return };
                path.push(Step::from(&**key));
                cost.update(|cost| cost + path.len());
                // Never `None`: all steps of the path are keys.
                let index_key = joined_keys(path).unwrap_or_default();
                if !has_template(value) && !indexes.contains(&index_key) {
                    cost.update(|cost| cost + copy_cost(value));
                    indexes.set(&index_key, values.len());
                    set_below(&mut document, path, value);
                    values.push(value.clone());
                }
                path.pop();
            });
        }
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

/// Sets the value at a path of keys below an object, and creates missing parents. Nothing happens if another field declares a
/// value that is no object for a beginning of the path.
fn set_below(mut object: &mut Object, path: &[Step], value: &Value) {
    let Some((Step::Key(last), parents)) = path.split_last() else { return };
    for parent in parents.iter().filter_map(Step::as_key) {
        if !object.contains(parent) {
            object.set(parent, Value::Object(Object::new()));
        }
        let Some(Value::Object(inner)) = object.get_mut(parent) else { return };
        object = inner;
    }
    object.set(last, value.clone());
}

/// The keys of a path as one text, each followed by a character that no path can have; `None` for a path into a list.
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
