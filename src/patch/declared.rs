//! The default values that the fields of a page declare for its state.

use std::cell::Cell;

use super::path::PathExpr;
use super::planner::weight;
use super::rules::each_list;
use crate::value::names::Names;
use crate::value::{Object, Path, Step, Value, put, put_char};

/// Declared values by the keys of their places. A field declares its `value` for its block's `bind` and its own `key`;
/// the first declaration of a place counts. A value with a template in it declares nothing.
#[derive(Debug, Default)]
pub(super) struct Declared {
    places: Vec<DeclaredPlace>,
    /// The numbers of the places, by their keys, joined by a character that no path has.
    numbers: Names,
}

/// A place for which something is declared, or below which something is.
#[derive(Debug)]
struct DeclaredPlace {
    path: Path,
    value: Option<Value>,
    /// The numbers of the places below it that have a value.
    below: Vec<usize>,
}

impl Declared {
    /// What the fields of a document declare. `cost` counts how many items and places are looked at, here and below.
    pub(super) fn of(root: &Value, cost: &Cell<usize>) -> Self {
        let mut declared = Self::default();
        let count = |more: usize| cost.update(|cost| cost + more);
        let Some(Value::Array(blocks)) = root.get("blocks") else { return declared };
        let mut bound: Option<(&str, Path, Vec<usize>)> = None;
        for block in blocks {
            count(1);
            let bind = block.get("bind").and_then(Value::as_str).unwrap_or("state.params");
            if !matches!(&bound, Some((text, ..)) if *text == bind) {
                let Ok(path) = PathExpr::parse(bind, 128) else { continue };
                let mut place = Path::new();
                let mut above = vec![declared.number(&place)];
                for segment in &path.segments {
                    place.push(Step::Key(segment.key()));
                    above.push(declared.number(&place));
                }
                count(place.len() * place.len());
                bound = Some((bind, place, above));
            }
            let Some((_, place, above)) = &mut bound else { continue };
            let Some(props) = block.get("props") else { continue };
            let _ = each_list(props, "fields", &mut Path::new(), cost, &mut |fields, _| {
                for field in fields {
                    if let (Some(Value::String(key)), Some(value)) = (field.get("key"), field.get("value"))
                        && !has_template(value)
                    {
                        count(above.len());
                        place.push(Step::from(&**key));
                        declared.declare(place, above, value);
                        place.pop();
                    }
                }
                Ok(())
            });
        }
        declared
    }

    fn number(&mut self, path: &[Step]) -> usize {
        let joined = joined(path).unwrap_or_default();
        self.numbers.get(&joined).unwrap_or_else(|| {
            self.numbers.set(&joined, self.places.len());
            self.places.push(DeclaredPlace { path: path.to_vec(), value: None, below: Vec::new() });
            self.places.len() - 1
        })
    }

    fn declare(&mut self, path: &[Step], above: &[usize], value: &Value) {
        let number = self.number(path);
        if let Some(place @ DeclaredPlace { value: None, .. }) = self.places.get_mut(number) {
            place.value = Some(value.clone());
            for holder in above {
                if let Some(holder) = self.places.get_mut(*holder) {
                    holder.below.push(number);
                }
            }
        }
    }

    fn place(&self, path: &[Step]) -> Option<&DeclaredPlace> {
        self.places.get(self.numbers.get(&joined(path)?)?)
    }

    /// What is declared for a place itself.
    pub(super) fn at(&self, path: &[Step], cost: &Cell<usize>) -> Option<Value> {
        let value = self.place(path)?.value.as_ref()?;
        cost.update(|cost| cost + weight(value));
        Some(value.clone())
    }

    /// What is declared below a place, as one object.
    pub(super) fn below(&self, path: &[Step], cost: &Cell<usize>) -> Object {
        let mut whole = Object::new();
        // state.runtime as a whole is emptied: what stands there is of the moment.
        if matches!(path, [Step::Key(state), Step::Key(part)] if &**state == "state" && &**part == "runtime") {
            return whole;
        }
        for number in self.place(path).map_or(&[][..], |place| &place.below) {
            if let Some(DeclaredPlace { path: inner, value: Some(value), .. }) = self.places.get(*number) {
                cost.update(|cost| cost + weight(value));
                place_in(&mut whole, inner.get(path.len()..).unwrap_or_default(), value);
            }
        }
        whole
    }
}

/// Puts a value below an object; where a scalar is declared in the way, that one counts.
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

/// The keys of a place as one text; nothing for a place in a list.
fn joined(place: &[Step]) -> Option<String> {
    let mut text = String::new();
    for step in place {
        put_char(put(&mut text, step.as_key()?), '\0');
    }
    Some(text)
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
