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

/// What an update came to: the edits, and what gave way to it.
#[derive(Debug)]
pub(super) struct Updated {
    pub(super) edits: Vec<Edit>,
    pub(super) overwritten: Option<&'static str>,
}

type Refusal = (Code, String);

impl Model {
    /// Replaces what stands at a place, makes what is missing on the way, or deletes.
    pub(super) fn update(
        &mut self,
        segments: &[String],
        value: Option<Value>,
        protocol: Protocol,
        limits: &Limits,
    ) -> Result<Updated, Refusal> {
        if let Some(value) = &value {
            let size = measure(value);
            if size.infinite {
                return Err((Code::InvalidMessage, "A number is too large for JSON.".to_owned()));
            }
            if size.depth + segments.len() > limits.max_depth {
                return Err(over("levels in the data model", limits.max_depth));
            }
        }
        let Some((edit, overwritten)) = self.plan(segments, value, protocol, limits)? else {
            return Ok(Updated { edits: Vec::new(), overwritten: None });
        };
        let added = size(&edit);
        let script = edit.clone();
        let Ok(inverse) = self.document.apply(edit) else { return Err((Code::InvalidPath, no_place(segments))) };
        let bytes = (self.bytes + added).saturating_sub(size(&inverse));
        if bytes > limits.max_document_bytes && bytes > self.bytes {
            self.document.undo(vec![inverse]);
            return Err(over("bytes of data", limits.max_document_bytes));
        }
        self.bytes = bytes;
        Ok(Updated { edits: vec![script], overwritten })
    }

    fn plan(
        &self,
        segments: &[String],
        value: Option<Value>,
        protocol: Protocol,
        limits: &Limits,
    ) -> Result<Option<(Edit, Option<&'static str>)>, Refusal> {
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
                    let Some(at) = at else { return Err((Code::InvalidPath, no_place(segments))) };
                    if at > items.len() && value.is_some() {
                        let longer = grow(items, at, wrap(rest, value, limits)?, limits)?;
                        return Ok(Some((Edit::Set { path, value: longer }, None)));
                    }
                    path.push(Step::Index(at));
                    items.get(at)
                }
                // Nothing that could be lost stands in the way.
                Value::Null => return made(path, segments.get(place..), value, limits, None),
                Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                    return match protocol {
                        Protocol::Gulf => made(path, segments.get(place..), value, limits, Some(node.kind())),
                        Protocol::A2ui08 | Protocol::A2ui09 => Err((Code::InvalidPath, no_place(segments))),
                    };
                }
            };
            match next {
                Some(next) => node = next,
                None => {
                    return Ok(match value {
                        Some(_) => Some((Edit::Insert { path, index: None, value: wrap(rest, value, limits)? }, None)),
                        None => None,
                    });
                }
            }
        }
        Ok(Some(match value {
            Some(value) if value == *node => return Ok(None),
            Some(value) => (Edit::Set { path, value }, None),
            None if path.is_empty() => (Edit::Set { path, value: Value::Object(Object::new()) }, None),
            None => (Edit::Remove { path }, None),
        }))
    }
}

/// Puts what is to be made in the place of what was there.
fn made(
    path: Path,
    rest: Option<&[String]>,
    value: Option<Value>,
    limits: &Limits,
    overwritten: Option<&'static str>,
) -> Result<Option<(Edit, Option<&'static str>)>, Refusal> {
    match value {
        Some(_) => {
            let value = wrap(rest.unwrap_or_default(), value, limits)?;
            Ok(Some((Edit::Set { path, value }, overwritten)))
        }
        None => Ok(None),
    }
}

/// A value with the lists and objects around it that lead to it.
fn wrap(rest: &[String], value: Option<Value>, limits: &Limits) -> Result<Value, Refusal> {
    let mut value = value.unwrap_or_default();
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

fn size(edit: &Edit) -> usize {
    match edit {
        Edit::Set { value, .. } | Edit::Insert { value, .. } => measure(value).bytes,
        Edit::Remove { .. } | Edit::Move { .. } => 0,
    }
}

#[cold]
fn over(what: &str, limit: usize) -> Refusal {
    (Code::LimitExceeded, format!("More than {limit} {what}."))
}

#[cold]
fn no_place(segments: &[String]) -> String {
    format!("Something that is no object or list stands in the way of /{}.", segments.join("/"))
}
