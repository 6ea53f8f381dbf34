//! The values that a page's fields declare for its state.

use super::path::PathExpr;
use super::rules::each_field;
use crate::value::names::Names;
use crate::value::{Object, Step, Value};

/// Declared values by the keys of their places. A field declares its `value` for its block's `bind` and its own `key`;
/// the first declaration of a place counts. A value with a template in it declares nothing.
#[derive(Debug, Default)]
pub(super) struct Declared {
    values: Vec<(Keys, Value)>,
    /// By the keys, joined by a character that no path has.
    places: Names,
}

type Keys = Vec<Box<str>>;

impl Declared {
    /// What is declared at or below a place. All fields are looked at, and of most of them no more than the key.
    pub(super) fn of(root: &Value, near: &[Step]) -> Self {
        let mut declared = Self::default();
        let Some(near) = keys(near) else { return declared };
        let blocks = root.get("blocks").and_then(Value::as_array);
        let mut bound: Option<(&str, Keys)> = None;
        for block in blocks.into_iter().flatten() {
            let bind = block.get("bind").and_then(Value::as_str).unwrap_or("state.params");
            if bound.as_ref().is_none_or(|(text, _)| *text != bind) {
                let Ok(path) = PathExpr::parse(bind, 128) else { continue };
                bound = Some((bind, path.segments.iter().map(|segment| (&*segment.text()).into()).collect()));
            }
            let Some((_, bind)) = &bound else { continue };
            each_field(block, &mut |field| {
                let key = field.get("key").and_then(Value::as_str);
                if let (Some(key), Some(value)) = (key, field.get("value"))
                    && is_near(bind, key, &near)
                    && !has_template(value)
                {
                    declared.declare(bind.iter().cloned().chain([key.into()]).collect(), value);
                }
            });
        }
        declared
    }

    fn declare(&mut self, place: Keys, value: &Value) {
        if self.places.get(&joined(&place)).is_none() {
            self.places.set(&joined(&place), self.values.len());
            self.values.push((place, value.clone()));
        }
    }

    /// What is declared for a place itself.
    pub(super) fn at(&self, path: &[Step]) -> Option<Value> {
        self.values.get(self.places.get(&joined(&keys(path)?))?).map(|(_, value)| value.clone())
    }

    /// What is declared below a place, as one object.
    pub(super) fn below(&self, path: &[Step]) -> Object {
        let mut whole = Value::Object(Object::new());
        // state.runtime as a whole is emptied: what stands there is of the moment.
        let path = match keys(path) {
            Some(path) if path.iter().map(|key| &**key).ne(["state", "runtime"]) => path,
            Some(_) | None => return Object::new(),
        };
        for (place, value) in self.values.iter().filter(|(place, _)| place.starts_with(&path)) {
            if let Some(rest) = place.get(path.len()..).filter(|rest| !rest.is_empty()) {
                place_in(&mut whole, rest, value);
            }
        }
        match whole {
            Value::Object(object) => object,
            _ => Object::new(),
        }
    }
}

/// Whether the place of a key in a bind is a place, or lies below it.
fn is_near(bind: &[Box<str>], key: &str, near: &[Box<str>]) -> bool {
    match near.split_last() {
        Some((last, parents)) if parents.len() == bind.len() => parents == bind && &**last == key,
        _ => bind.starts_with(near),
    }
}

/// Puts a value below an object; where a scalar is declared in the way, that one counts.
fn place_in(whole: &mut Value, path: &[Box<str>], value: &Value) {
    let (Value::Object(object), Some((key, rest))) = (whole, path.split_first()) else { return };
    if rest.is_empty() {
        object.set(key, value.clone());
        return;
    }
    if !object.contains(key) {
        object.set(key, Value::Object(Object::new()));
    }
    if let Some(inner) = object.get_mut(key) {
        place_in(inner, rest, value);
    }
}

fn joined(keys: &[Box<str>]) -> String {
    keys.iter().fold(String::new(), |text, key| text + key + "\0")
}

fn keys(path: &[Step]) -> Option<Keys> {
    path.iter().map(|step| step.as_key().map(Into::into)).collect()
}

/// Whether a value has `${` in one of its strings, which `\` before it would make plain text.
fn has_template(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            text.match_indices("${").any(|(at, _)| !text.get(..at).is_some_and(|b| b.ends_with('\\')))
        }
        Value::Array(items) => items.iter().any(has_template),
        Value::Object(object) => object.iter().any(|(_, value)| has_template(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
