//! What a value must be: the part of JSON Schema that models are held to.

use crate::value::Value;

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

/// What does not fit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Misfit<'a> {
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
    pub(super) fn check(&self, value: &Value, path: &mut String, report: &mut dyn FnMut(&str, Misfit<'_>)) {
        if !self.kinds.is_empty() && !self.kinds.iter().any(|kind| is_kind(value, *kind)) {
            return report(path, Misfit::Kind(&self.kinds));
        }
        if !self.values.is_empty() && !self.values.contains(value) {
            return report(path, Misfit::Value(&self.values));
        }
        match value {
            Value::String(text) if self.is_path => report(path, Misfit::Path(text)),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let Some(shape) = &self.items else { break };
                    step(path, &index.to_string(), |path| shape.check(item, path, report));
                }
            }
            Value::Object(object) => {
                for Property { key, is_required, shape, .. } in &self.properties {
                    step(path, key, |path| match object.get(key) {
                        None if *is_required => report(path, Misfit::Missing),
                        None => {}
                        Some(Value::Null) if !is_required => {}
                        Some(value) => shape.check(value, path, report),
                    });
                }
                if self.is_closed {
                    for key in object.keys().filter(|key| !self.has(key)) {
                        step(path, key, |path| report(path, Misfit::Foreign));
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn has(&self, key: &str) -> bool {
        self.properties.iter().any(|property| property.key == key)
    }
}

/// Goes one step down, and comes back.
fn step(path: &mut String, key: &str, run: impl FnOnce(&mut String)) {
    let length = path.len();
    if length > 0 {
        path.push('.');
    }
    path.push_str(key);
    run(path);
    path.truncate(length);
}

fn is_kind(value: &Value, kind: usize) -> bool {
    match KINDS.get(kind) {
        Some(&"integer") => value.as_number().is_some_and(|number| number.fract() == 0.0),
        name => name == Some(&value.kind()),
    }
}
