//! An update of a data model: from a path and a value to edits.

use super::path::index;
use super::{Code, Protocol};
use crate::edit::{Document, Edit};
use crate::limits::Limits;
use crate::value::{Array, Object, Path, Step, Value, measure};

/// A data model, and about the bytes of its text.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) document: Document,
    bytes: usize,
}

impl Default for Model {
    fn default() -> Self {
        Self { document: Document::new(Value::Object(Object::new())), bytes: 2 }
    }
}

type Refusal = (Code, String);

/// What an update comes to: an edit, the size of what it replaces, and what gives way to it.
struct Plan {
    edit: Edit,
    replaced: usize,
    overwritten: Option<&'static str>,
}

impl Model {
    /// Replaces what stands at a place, makes what is missing on the way, or deletes. The edit is told before it is made.
    pub(super) fn update(
        &mut self,
        segments: &[String],
        value: Option<Value>,
        protocol: Protocol,
        limits: &Limits,
        tell: impl FnOnce(&Edit),
    ) -> Result<Option<&'static str>, Refusal> {
        let Some(Plan { edit, replaced, overwritten }) = self.plan(segments, value, protocol, limits)? else {
            return Ok(None);
        };
        let mut added = 0;
        if let Edit::Set { path, value } | Edit::Insert { path, value, .. } = &edit {
            let size = measure(value);
            added = size.bytes;
            if size.infinite {
                return Err((Code::InvalidMessage, "A number is too large for JSON.".to_owned()));
            }
            if size.depth + path.len() > limits.depth() {
                return Err(over("levels in the data model", limits.depth()));
            }
        }
        let bytes = (self.bytes + added).saturating_sub(replaced);
        if bytes > limits.max_document_bytes && added > replaced {
            return Err(over("bytes of data", limits.max_document_bytes));
        }
        tell(&edit);
        let fits = self.document.apply(edit).is_ok();
        debug_assert!(fits, "a plan that does not fit");
        self.bytes = bytes;
        Ok(overwritten)
    }

    fn plan(
        &self,
        segments: &[String],
        value: Option<Value>,
        protocol: Protocol,
        limits: &Limits,
    ) -> Result<Option<Plan>, Refusal> {
        let mut node = self.document.value();
        let mut path: Path = Vec::with_capacity(segments.len());
        for (place, segment) in segments.iter().enumerate() {
            let rest = segments.get(place + 1..).unwrap_or_default();
            let next = match node {
                Value::Object(object) => {
                    path.push(segment.as_str().into());
                    object.get(segment)
                }
                Value::Array(items) => {
                    let at = match segment.as_str() {
                        "-" => Some(items.len()),
                        _ => index(segment),
                    };
                    let Some(at) = at else {
                        let list = segments.get(..place).unwrap_or_default();
                        return Err((Code::InvalidPath, no_index(segment, list)));
                    };
                    if let (true, Some(value)) = (at > items.len(), &value) {
                        let longer = grow(items, at, wrap(rest, value.clone(), limits)?, limits)?;
                        return Ok(Some(set(path, longer, node)));
                    }
                    path.push(Step::Index(at));
                    items.get(at)
                }
                // Nothing that could be lost stands in the way, or GULF takes it.
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                    if *node != Value::Null && protocol != Protocol::Gulf {
                        return Err((Code::InvalidPath, no_place(segments)));
                    }
                    let Some(value) = value else { return Ok(None) };
                    let value = wrap(segments.get(place..).unwrap_or_default(), value, limits)?;
                    let overwritten = Some(node.kind()).filter(|_| *node != Value::Null);
                    return Ok(Some(Plan { overwritten, ..set(path, value, node) }));
                }
            };
            let Some(next) = next else {
                let Some(value) = value else { return Ok(None) };
                let edit = Edit::Insert { path, index: None, value: wrap(rest, value, limits)? };
                return Ok(Some(Plan { edit, replaced: 0, overwritten: None }));
            };
            node = next;
        }
        Ok(match value {
            Some(value) if value == *node => None,
            Some(value) => Some(set(path, value, node)),
            None if path.is_empty() => Some(set(path, Value::Object(Object::new()), node)),
            None => Some(Plan { edit: Edit::Remove { path }, replaced: measure(node).bytes, overwritten: None }),
        })
    }
}

fn set(path: Path, value: Value, before: &Value) -> Plan {
    Plan { edit: Edit::Set { path, value }, replaced: measure(before).bytes, overwritten: None }
}

/// A value with the lists and objects around it that lead to it.
fn wrap(rest: &[String], mut value: Value, limits: &Limits) -> Result<Value, Refusal> {
    for segment in rest.iter().rev() {
        let at = if segment == "-" { Some(0) } else { index(segment) };
        value = match at {
            Some(at) => grow(&Array::default(), at, value, limits)?,
            None => Value::Object([(segment, value)].into_iter().collect()),
        };
    }
    Ok(value)
}

/// A list with a value at an index behind its end, and nulls between.
fn grow(items: &Array, at: usize, value: Value, limits: &Limits) -> Result<Value, Refusal> {
    if at > items.len() && at >= limits.max_list_growth {
        return Err(over("items by which an index makes a list grow", limits.max_list_growth));
    }
    let mut items: Vec<Value> = items.items().to_vec();
    items.resize(at, Value::Null);
    items.push(value);
    Ok(items.into())
}

#[cold]
fn over(what: &str, limit: usize) -> Refusal {
    (Code::LimitExceeded, format!("More than {limit} {what}."))
}

#[cold]
fn no_index(segment: &str, list: &[String]) -> String {
    format!("\"{segment}\" is no index of the list /{}.", list.join("/"))
}

#[cold]
fn no_place(segments: &[String]) -> String {
    format!("Something that is no object or list stands in the way of /{}.", segments.join("/"))
}
