//! A tool that a host added: its names, and the schema of its calls, in the part of JSON Schema that a call is checked for.

use crate::value::text::owned;
use std::sync::Arc;

use super::call_field::{CallField, IssueSink, check_path, folded_eq};
use super::files::FILE_TOOLS;
use crate::block::policy::Policy;
use crate::block::{Code, Severity};
use crate::value::{Value, concat, decimal, join};

/// A tool that a host added.
#[derive(Clone, Debug)]
pub struct CustomTool {
    pub(super) name: String,
    aliases: Vec<String>,
    /// The schema of a call, which is an object.
    shape: Shape,
    /// Whether `path` is a pointer into data instead of a path in the workspace, so that the path policy does not apply.
    pub(in crate::block) path_is_pointer: bool,
}

/// The kinds of values, as a definition names them.
const KINDS: [&str; 7] = ["null", "boolean", "number", "integer", "string", "array", "object"];

/// The schema of a value.
#[derive(Clone, Debug, Default)]
struct Shape {
    /// The allowed kinds, of [`KINDS`]; empty allows all.
    kinds: Vec<&'static str>,
    /// The allowed values; empty allows all.
    values: Vec<Value>,
    /// The properties of an object, in the order of the definition.
    properties: Vec<Property>,
    /// Whether other properties are errors.
    is_closed: bool,
    /// The schema of the items of a list; `None` allows any items.
    items: Option<Box<Self>>,
    /// Whether the path policy must allow a string here.
    is_path: bool,
}

/// A property of an object.
#[derive(Clone, Debug)]
struct Property {
    key: String,
    aliases: Vec<String>,
    /// An optional property may be null too.
    is_required: bool,
    shape: Shape,
}

/// Reads a list of definitions; the error is the index of the first one that is invalid or whose names are taken, or 0 if the
/// value is not a list.
pub(super) fn read_all(value: &Value) -> Result<Vec<Arc<CustomTool>>, usize> {
    let mut tools: Vec<Arc<CustomTool>> = Vec::new();
    for item in value.as_array().ok_or(0_usize)?.iter() {
        match read(item) {
            Some(tool) if !is_taken(&tool.name, &tools) && !tool.aliases.iter().any(|name| is_taken(name, &tools)) => {
                tools.push(Arc::new(tool));
            }
            _ => return Err(tools.len()),
        }
    }
    Ok(tools)
}

/// Whether a file tool has this name, or one of `tools` has it as its name or an alias. The aliases of file tools are free, since
/// the host's tools are looked up first.
fn is_taken(name: &str, tools: &[Arc<CustomTool>]) -> bool {
    FILE_TOOLS.iter().any(|tool| tool.name == name)
        || tools.iter().any(|tool| tool.name == name || tool.aliases.iter().any(|alias| alias == name))
}

/// Reads a definition; `None` if it is invalid.
fn read(value: &Value) -> Option<CustomTool> {
    let mut shape = read_schema(value.get("schema")?)?;
    for property in &mut shape.properties {
        // `tool` is the name of the tool in every call.
        if property.key == CallField::Tool.key() {
            return None;
        }
        // `check_call` checks `path` for all tools, unless it is a pointer.
        property.shape.is_path &= property.key != CallField::Path.key();
    }
    // A call is an object, whatever the schema says.
    shape.kinds.clear();
    shape.kinds.push(kind("object")?);
    let path = value.get("schema")?.get("properties").and_then(|properties| properties.get(CallField::Path.key()));
    let path_is_pointer = path.is_some_and(|path| has_format(path, "pointer"));
    let name = owned(value.get("name")?.as_str()?);
    Some(CustomTool { name, aliases: texts(value, "aliases")?, shape, path_is_pointer })
}

/// Reads a schema; `None` if it is invalid. The depth limit of the options bounds the recursion.
fn read_schema(value: &Value) -> Option<Shape> {
    let schema = value.as_object()?;
    let mut shape = Shape {
        is_closed: matches!(schema.get("additionalProperties"), Some(Value::Bool(false))),
        is_path: has_format(value, "path"),
        ..Shape::default()
    };
    if let Some(values) = schema.get("enum") {
        for allowed in values.as_array()?.iter() {
            shape.values.push(allowed.clone());
        }
    }
    match schema.get("type") {
        Some(Value::String(name)) => shape.kinds.push(kind(name)?),
        _ => {
            for name in texts(value, "type")? {
                shape.kinds.push(kind(&name)?);
            }
        }
    }
    let required = texts(value, "required")?;
    let mut required_count = 0;
    if let Some(properties) = schema.get("properties") {
        for (key, value) in properties.as_object()?.iter() {
            let is_required = required.iter().any(|name| name == key);
            required_count += usize::from(is_required);
            shape.properties.push(Property {
                key: owned(key),
                aliases: texts(value, "aliases")?,
                is_required,
                shape: read_schema(value)?,
            });
        }
    }
    if let Some(items) = schema.get("items") {
        shape.items = Some(Box::new(read_schema(items)?));
    }
    // A required field must be one of the properties, and be listed once.
    (required_count == required.len()).then_some(shape)
}

/// Whether a schema has this `format`.
fn has_format(schema: &Value, format: &str) -> bool {
    schema.get("format").and_then(Value::as_str) == Some(format)
}

/// The kind with this name, as [`KINDS`] has it; `None` for any other name.
fn kind(name: &str) -> Option<&'static str> {
    KINDS.into_iter().find(|kind| *kind == name)
}

/// The strings of the list at `key`; empty if it is missing, `None` if it is not a list of strings.
fn texts(value: &Value, key: &str) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    if let Some(list) = value.as_object()?.get(key) {
        for item in list.as_array()?.iter() {
            texts.push(owned(item.as_str()?));
        }
    }
    Some(texts)
}

impl CustomTool {
    /// Whether a name is an alias of the tool, or its own name in another spelling.
    pub(super) fn has_alias(&self, name: &str) -> bool {
        self.aliases.iter().any(|alias| alias == name) || folded_eq(&self.name, name)
    }

    /// Whether this key is a field of the tool, or an alias of one.
    pub(super) fn knows_key(&self, key: &str) -> bool {
        self.shape.has(key) || self.field_of_alias(key).is_some()
    }

    /// Whether this field may be a string; true for a field that the definition does not have.
    pub(super) fn may_be_text(&self, key: &str) -> bool {
        let property = self.shape.properties.iter().find(|property| property.key == key);
        property.is_none_or(|property| property.shape.kinds.contains(&"string"))
    }

    /// The field that this key is an alias of; `None` if it is a field itself.
    pub(super) fn field_of_alias(&self, key: &str) -> Option<&str> {
        if self.shape.has(key) {
            return None;
        }
        for property in &self.shape.properties {
            if property.aliases.iter().any(|alias| alias == key) || folded_eq(&property.key, key) {
                return Some(&property.key);
            }
        }
        None
    }

    /// Reports the findings about the fields of a call. Stops soon after `max_errors` errors.
    pub(super) fn check(&self, call: &Value, policy: &Policy, max_errors: usize, report: &mut IssueSink<'_>) {
        SchemaCheck { tool: &self.name, policy, max_errors, path: String::new(), errors: 0, report }
            .check(&self.shape, call);
    }
}

/// How many allowed values a message lists at most.
const MAX_LISTED: usize = 50;

/// A check of a call against the schema of its tool.
struct SchemaCheck<'a, 't> {
    /// The name of the tool, for the messages.
    tool: &'a str,
    policy: &'a Policy,
    /// With more errors than this, nothing else is checked.
    max_errors: usize,
    /// The path in the call of the value that is checked: keys and indexes joined by dots.
    path: String,
    /// The number of errors reported so far.
    errors: usize,
    report: &'a mut IssueSink<'t>,
}

impl SchemaCheck<'_, '_> {
    /// Reports the values that do not fit. A value of a wrong kind, or not among the allowed values, is one error, and nothing in
    /// it is checked. Otherwise a path is checked by the policy, and items and properties each by their shape. The depth of the
    /// shape bounds the recursion.
    fn check(&mut self, shape: &Shape, value: &Value) {
        if self.errors > self.max_errors {
            return;
        }
        if !shape.kinds.is_empty() && !shape.kinds.iter().any(|kind| is_kind(value, kind)) {
            return self.error(Code::InvalidField, " \"", "\" must be of type ", &join(&shape.kinds, " or "));
        }
        if !shape.values.is_empty() && !shape.values.contains(value) {
            let mut allowed = String::new();
            for value in shape.values.iter().take(MAX_LISTED) {
                allowed.push_str(if allowed.is_empty() { "" } else { " or " });
                value.write_json(&mut allowed);
            }
            return self.error(Code::InvalidField, " \"", "\" must be ", &allowed);
        }
        match (value, &shape.items) {
            (Value::String(text), _) if shape.is_path => {
                let path = check_path(text, &self.path, self.policy, self.report);
                self.errors += usize::from(path.is_none());
            }
            (Value::Array(items), Some(shape)) => {
                for (index, item) in items.iter().enumerate() {
                    let length = self.enter(&decimal(index));
                    self.check(shape, item);
                    self.path.truncate(length);
                }
            }
            (Value::Object(object), _) => {
                for Property { key, is_required, shape, .. } in &shape.properties {
                    let length = self.enter(key);
                    match object.get(key) {
                        None if *is_required => self.error(Code::MissingField, " tool requires \"", "\" field", ""),
                        None => {}
                        Some(Value::Null) if !is_required => {}
                        Some(value) => self.check(shape, value),
                    }
                    self.path.truncate(length);
                }
                // Properties that the schema does not have.
                for (key, _) in object.iter().filter(|(key, _)| shape.is_closed && !shape.has(key)) {
                    let length = self.enter(key);
                    // `tool` belongs to the block: every call has it.
                    if self.path != CallField::Tool.key() {
                        self.error(Code::InvalidField, " has no field \"", "\"", "");
                    }
                    self.path.truncate(length);
                }
            }
            _ => {}
        }
    }

    /// Extends the path by one step; returns the previous length, to which the caller truncates the path afterwards.
    fn enter(&mut self, key: &str) -> usize {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(key);
        length
    }

    /// Reports an error about the current path. Its message is the tool's name, `before`, the path, `after` and `end`.
    fn error(&mut self, code: Code, before: &str, after: &str, end: &str) {
        self.errors += 1;
        let message = concat(&[self.tool, before, &self.path, after, end]);
        (self.report)(code, message, &self.path, Severity::Error);
    }
}

impl Shape {
    /// Whether the object has a property with this key.
    fn has(&self, key: &str) -> bool {
        self.properties.iter().any(|property| property.key == key)
    }
}

/// Whether a value is of a kind of [`KINDS`].
fn is_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "integer" => value.as_number().is_some_and(|number| number.fract() == 0.0),
        _ => kind == value.kind(),
    }
}
