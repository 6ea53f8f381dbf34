//! A tool that a host added: its names, and the schema of its calls.

use crate::value::text::owned;
use std::sync::Arc;

use super::shape::{KINDS, Property, SchemaViolation, Shape};
use super::{CallField, Flaw, TOOLS, folded_eq};
use crate::block::policy::{Policy, check_path};
use crate::block::{Code, Settings, Severity};
use crate::value::{Value, concat};

/// A tool that a host added.
#[derive(Clone, Debug)]
pub struct CustomTool {
    pub(super) name: String,
    aliases: Vec<String>,
    shape: Shape,
    /// Whether `path` is a place in data, not in the workspace.
    path_is_pointer: bool,
}

/// Reads a list of definitions; tells the index of the first one that is none.
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

fn is_taken(name: &str, tools: &[Arc<CustomTool>]) -> bool {
    TOOLS.iter().any(|own| own.name == name)
        || tools.iter().any(|tool| tool.name == name || tool.aliases.iter().any(|alias| alias == name))
}

fn read(value: &Value) -> Option<CustomTool> {
    let mut shape = read_schema(value.get("schema")?)?;
    for property in &mut shape.properties {
        if property.key == CallField::Tool.key() {
            return None;
        }
        // That one is checked whatever the definition says.
        property.shape.is_path &= property.key != CallField::Path.key();
    }
    shape.kinds.clear();
    shape.kinds.push(kind("object")?);
    let path = value.get("schema")?.get("properties").and_then(|properties| properties.get(CallField::Path.key()));
    let path_is_pointer = path.is_some_and(|path| has_format(path, "pointer"));
    let name = owned(value.get("name")?.as_str()?);
    Some(CustomTool { name, aliases: texts(value, "aliases")?, shape, path_is_pointer })
}

/// Reads a schema; `None` if it is none. How deep this goes is limited by the depth to which options are read.
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
    let mut found = 0;
    if let Some(properties) = schema.get("properties") {
        for (key, value) in properties.as_object()?.iter() {
            let count = required.iter().filter(|name| *name == key).count();
            if count > 1 {
                return None;
            }
            found += count;
            shape.properties.push(Property {
                key: owned(key),
                aliases: texts(value, "aliases")?,
                is_required: count > 0,
                shape: read_schema(value)?,
            });
        }
    }
    if let Some(items) = schema.get("items") {
        shape.items = Some(Box::new(read_schema(items)?));
    }
    // What is required must be one of the properties.
    (found == required.len()).then_some(shape)
}

fn has_format(schema: &Value, format: &str) -> bool {
    schema.get("format").and_then(Value::as_str) == Some(format)
}

fn kind(name: &str) -> Option<usize> {
    KINDS.iter().position(|own| *own == name)
}

/// The texts of a list that may be missing.
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
    /// Whether the tool is what is meant by a name that is not its own.
    pub(super) fn is_meant_by(&self, name: &str) -> bool {
        self.aliases.iter().any(|alias| alias == name) || folded_eq(&self.name, name)
    }

    pub(super) const fn path_is_pointer(&self) -> bool {
        self.path_is_pointer
    }

    /// Whether a call may have this key, by its own name or by another.
    pub(super) fn knows_key(&self, key: &str) -> bool {
        self.shape.has(key) || self.meant_by(key).is_some()
    }

    /// The field that is meant by a key that is not its own.
    pub(super) fn meant_by(&self, key: &str) -> Option<&str> {
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

    /// What is wrong with the fields of a call; of errors not many more than are told of.
    pub(super) fn flaws(&self, call: &Value, settings: &Settings) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        let mut errors = 0;
        self.shape.check(call, &mut String::new(), &mut |path, violation| {
            if errors <= settings.limits.max_issues {
                self.tell(path, violation, &settings.policy, &mut flaws);
                errors += usize::from(flaws.last().is_some_and(|flaw| flaw.severity == Severity::Error));
            }
        });
        flaws
    }

    fn tell(&self, path: &str, violation: SchemaViolation<'_>, policy: &Policy, flaws: &mut Vec<Flaw>) {
        let mut add = |code, message, severity| {
            flaws.push(Flaw { code, message, path: owned(path), severity });
        };
        let mut allowed = String::new();
        let mut allow = |what: &str| {
            allowed.push_str(if allowed.is_empty() { "" } else { " or " });
            allowed.push_str(what);
        };
        let (code, before, after) = match violation {
            // The name of the tool is the block's.
            SchemaViolation::Foreign if path == CallField::Tool.key() => return,
            SchemaViolation::Foreign => (Code::InvalidField, " has no field \"", "\""),
            SchemaViolation::Missing => (Code::MissingField, " tool requires \"", "\" field"),
            SchemaViolation::Kind(kinds) => {
                for kind in kinds {
                    allow(KINDS.get(*kind).copied().unwrap_or_default());
                }
                (Code::InvalidField, " \"", "\" must be of type ")
            }
            SchemaViolation::Value(values) => {
                for value in values.iter().take(LISTED) {
                    allow(&value.to_json());
                }
                (Code::InvalidField, " \"", "\" must be ")
            }
            SchemaViolation::Path(text) => {
                match check_path(text, policy) {
                    Err(refusal) => add(Code::UnsafePath, refusal.message, Severity::Error),
                    Ok(checked) => {
                        for warning in checked.warnings {
                            add(Code::UnsafePath, warning, Severity::Warning);
                        }
                    }
                }
                return;
            }
        };
        let message = concat(&[&self.name, before, path, after, &allowed]);
        add(code, message, Severity::Error);
    }
}

/// How many allowed values a message lists.
const LISTED: usize = 50;
