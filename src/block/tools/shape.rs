//! Checks a value against a schema: the part of JSON Schema that models are held to.

use crate::value::{Value, decimal};

/// The kinds of values, and how a definition names them.
pub(super) const KINDS: [&str; 7] = ["null", "boolean", "number", "integer", "string", "array", "object"];

/// What a value must be.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    /// Indexes of [`KINDS`]; none for any kind.
    pub(super) kinds: Vec<usize>,
    /// The values allowed; none for any.
    pub(super) values: Vec<Value>,
    pub(super) properties: Vec<Property>,
    /// Whether only these properties may be there.
    pub(super) is_closed: bool,
    pub(super) items: Option<Box<Self>>,
    /// A string that the path policy must allow.
    pub(super) is_path: bool,
}

/// A key of an object.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) key: String,
    pub(super) aliases: Vec<String>,
    /// One that is not may be null too.
    pub(super) is_required: bool,
    pub(super) shape: Shape,
}

/// How a value violates its schema.
#[derive(Clone, Copy, Debug)]
pub(super) enum SchemaViolation<'a> {
    Missing,
    /// The property is none of those that are allowed.
    Foreign,
    Kind(&'a [usize]),
    Value(&'a [Value]),
    /// A path, for the policy to say.
    Path(&'a str),
}

impl Shape {
    /// Tells what does not fit, with its path; the shape's own depth limits how deep this goes.
    pub(super) fn check(&self, value: &Value, path: &mut String, report: &mut dyn FnMut(&str, SchemaViolation<'_>)) {
        if !self.kinds.is_empty() && !self.kinds.iter().any(|kind| is_kind(value, *kind)) {
            return report(path, SchemaViolation::Kind(&self.kinds));
        }
        if !self.values.is_empty() && !self.values.contains(value) {
            return report(path, SchemaViolation::Value(&self.values));
        }
        let length = path.len();
        match value {
            Value::String(text) if self.is_path => report(path, SchemaViolation::Path(text)),
            Value::Array(items) => {
                let Some(shape) = &self.items else { return };
                for (index, item) in items.iter().enumerate() {
                    enter(path, &decimal(index));
                    shape.check(item, path, report);
                    path.truncate(length);
                }
            }
            Value::Object(object) => {
                for Property { key, is_required, shape, .. } in &self.properties {
                    enter(path, key);
                    match object.get(key) {
                        None if *is_required => report(path, SchemaViolation::Missing),
                        None => {}
                        Some(Value::Null) if !is_required => {}
                        Some(value) => shape.check(value, path, report),
                    }
                    path.truncate(length);
                }
                if !self.is_closed {
                    return;
                }
                for (key, _) in object.iter() {
                    if !self.has(key) {
                        enter(path, key);
                        report(path, SchemaViolation::Foreign);
                        path.truncate(length);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.properties.iter().any(|property| property.key == key)
    }
}

/// Goes one step down.
pub(super) fn enter(path: &mut String, key: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(key);
}

fn is_kind(value: &Value, kind: usize) -> bool {
    match KINDS.get(kind) {
        Some(&"integer") => value.as_number().is_some_and(|number| number.fract() == 0.0),
        name => name == Some(&value.kind()),
    }
}
