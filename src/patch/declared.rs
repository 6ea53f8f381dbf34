//! The values that a page's fields declare for its state.

use super::path::PathExpr;
use super::rules::each_field;
use super::site::weight;
use crate::value::names::Names;
use crate::value::{Object, Step, Value};

/// Declared values by the keys of their places. A field declares its `value` for its block's `bind` and its own `key`;
/// the first declaration of a place counts. A value with a template in it declares nothing.
#[derive(Debug, Default)]
pub(super) struct Declared {
    values: Vec<(Keys, Value)>,
    /// By the keys, joined by a character that no path has.
    places: Names,
    /// Which values are declared below a place, by the number of the place in `above`.
    below: Vec<Vec<usize>>,
    above: Names,
}

type Keys = Vec<Box<str>>;

impl Declared {
    /// What the fields of a document declare. `steps` counts what is looked at.
    pub(super) fn of(root: &Value, steps: &mut usize) -> Self {
        let mut declared = Self::default();
        let blocks = root.get("blocks").and_then(Value::as_array);
        let mut bound: Option<(&str, Keys, Vec<usize>)> = None;
        for block in blocks.into_iter().flatten() {
            *steps += 1;
            let bind = block.get("bind").and_then(Value::as_str).unwrap_or("state.params");
            if bound.as_ref().is_none_or(|(text, ..)| *text != bind) {
                let Ok(path) = PathExpr::parse(bind, 128) else { continue };
                let keys: Keys = path.segments.iter().map(|segment| (&*segment.text()).into()).collect();
                *steps += keys.len() * keys.len();
                let above = (0..=keys.len()).map(|len| declared.number(keys.get(..len).unwrap_or_default())).collect();
                bound = Some((bind, keys, above));
            }
            let Some((_, bind, above)) = &bound else { continue };
            each_field(block, &mut |field| {
                *steps += 1;
                let key = field.get("key").and_then(Value::as_str);
                if let (Some(key), Some(value)) = (key, field.get("value"))
                    && !has_template(value)
                {
                    *steps += above.len();
                    declared.declare(bind.iter().cloned().chain([key.into()]).collect(), above, value);
                }
            });
        }
        declared
    }

    /// The number of a place in `below`.
    fn number(&mut self, place: &[Box<str>]) -> usize {
        let place = joined(place);
        self.above.get(&place).unwrap_or_else(|| {
            self.above.set(&place, self.below.len());
            self.below.push(Vec::new());
            self.below.len() - 1
        })
    }

    fn declare(&mut self, place: Keys, above: &[usize], value: &Value) {
        let number = self.values.len();
        let joined = joined(&place);
        if self.places.get(&joined).is_none() {
            self.places.set(&joined, number);
            self.values.push((place, value.clone()));
            for list in above {
                self.below.get_mut(*list).into_iter().for_each(|list| list.push(number));
            }
        }
    }

    /// What is declared for a place itself.
    pub(super) fn at(&self, path: &[Step], steps: &mut usize) -> Option<Value> {
        let (_, value) = self.values.get(self.places.get(&joined(&keys(path)?))?)?;
        *steps += weight(value);
        Some(value.clone())
    }

    /// What is declared below a place, as one object.
    pub(super) fn below(&self, path: &[Step], steps: &mut usize) -> Object {
        let mut whole = Value::Object(Object::new());
        // state.runtime as a whole is emptied: what stands there is of the moment.
        let path = match keys(path) {
            Some(path) if path.iter().map(|key| &**key).ne(["state", "runtime"]) => path,
            Some(_) | None => return Object::new(),
        };
        let numbers = self.above.get(&joined(&path)).and_then(|list| self.below.get(list));
        for (place, value) in numbers.into_iter().flatten().filter_map(|number| self.values.get(*number)) {
            *steps += weight(value);
            place_in(&mut whole, place.get(path.len()..).unwrap_or_default(), value);
        }
        match whole {
            Value::Object(object) => object,
            _ => Object::new(),
        }
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
            let text = text.as_bytes();
            text.starts_with(b"${") || text.windows(3).any(|part| part.ends_with(b"${") && !part.starts_with(b"\\"))
        }
        Value::Array(items) => items.iter().any(has_template),
        Value::Object(object) => object.iter().any(|(_, value)| has_template(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
