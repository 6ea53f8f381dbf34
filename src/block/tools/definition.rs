//! A tool that a host added: its names, and what its calls must be.

use super::shape::{KINDS, Misfit, Property, Shape};
use super::{Flaw, Place, TOOLS, folded_eq};
use crate::block::policy::{Policy, check_path};
use crate::block::{Code, Settings, Severity};
use crate::value::{Object, Value};

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
pub(super) fn read_all(value: &Value) -> Result<Vec<CustomTool>, usize> {
    let mut tools: Vec<CustomTool> = Vec::new();
    for item in value.as_array().ok_or(0_usize)?.iter() {
        let is_taken = |tool: &CustomTool| {
            let name =
                |name: &str| TOOLS.iter().any(|own| own.name == name) || tools.iter().any(|own| own.has_name(name));
            name(&tool.name) || tool.aliases.iter().any(|alias| name(alias))
        };
        let tool = read(item).filter(|tool| !is_taken(tool)).ok_or(tools.len())?;
        tools.push(tool);
    }
    Ok(tools)
}

fn read(value: &Value) -> Option<CustomTool> {
    let mut shape = read_schema(value.get("schema")?)?;
    for property in &mut shape.properties {
        if property.key == Place::Tool.key() {
            return None;
        }
        // That one is checked whatever the definition says.
        property.shape.is_path &= property.key != Place::Path.key();
    }
    shape.kinds = kind("object")?;
    let path = value.get("schema")?.get("properties").and_then(|properties| properties.get(Place::Path.key()));
    let path_is_pointer = path.is_some_and(|path| has_format(path, "pointer"));
    let name = value.get("name")?.as_str()?.to_owned();
    Some(CustomTool { name, aliases: texts(value, "aliases")?, shape, path_is_pointer })
}

/// Reads a schema; `None` if it is none. How deep this goes is limited by the depth to which options are read.
fn read_schema(value: &Value) -> Option<Shape> {
    let schema = value.as_object()?;
    let mut shape = Shape {
        values: list(schema, "enum")?.cloned().collect(),
        is_closed: schema.get("additionalProperties") == Some(&Value::Bool(false)),
        is_path: has_format(value, "path"),
        ..Shape::default()
    };
    let types = schema.get("type").filter(|value| value.as_array().is_none());
    for name in list(schema, "type").into_iter().flatten().chain(types) {
        shape.kinds.extend(kind(name.as_str()?)?);
    }
    let required = texts(value, "required")?;
    if let Some(properties) = schema.get("properties") {
        for (key, value) in properties.as_object()?.iter() {
            let is_required = required.iter().any(|name| name == key);
            let aliases = texts(value, "aliases")?;
            let property = Property { key: key.to_owned(), aliases, is_required, shape: read_schema(value)? };
            shape.properties.push(property);
        }
    }
    if required.len() > shape.properties.iter().filter(|property| property.is_required).count() {
        return None;
    }
    if let Some(items) = schema.get("items") {
        shape.items = Some(Box::new(read_schema(items)?));
    }
    Some(shape)
}

fn has_format(schema: &Value, format: &str) -> bool {
    schema.get("format").and_then(Value::as_str) == Some(format)
}

fn kind(name: &str) -> Option<Vec<usize>> {
    KINDS.iter().position(|own| *own == name).map(|kind| vec![kind])
}

/// The items of a list that may be missing.
fn list<'a>(object: &'a Object, key: &str) -> Option<impl Iterator<Item = &'a Value>> {
    let items = match object.get(key) {
        None => None,
        Some(value) => Some(value.as_array()?),
    };
    Some(items.into_iter().flat_map(|items| items.iter()))
}

fn texts(value: &Value, key: &str) -> Option<Vec<String>> {
    list(value.as_object()?, key)?.map(|text| text.as_str().map(str::to_owned)).collect()
}

impl CustomTool {
    fn has_name(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }

    /// Whether the tool is what is meant by a name that is not its own.
    pub(super) fn is_meant_by(&self, name: &str) -> bool {
        self.aliases.iter().any(|alias| alias == name) || folded_eq(&self.name, name)
    }

    pub(super) const fn path_is_pointer(&self) -> bool {
        self.path_is_pointer
    }

    /// Whether a call may have this key, by its own name or by another.
    pub(super) fn knows_key(&self, key: &str) -> bool {
        self.shape.properties.iter().any(|property| property.key == key) || self.meant_by(key).is_some()
    }

    /// The field that is meant by a key that is not its own.
    pub(super) fn meant_by(&self, key: &str) -> Option<&str> {
        let is_own = self.shape.properties.iter().any(|property| property.key == key);
        let mut others = self
            .shape
            .properties
            .iter()
            .filter(|property| property.aliases.iter().any(|alias| alias == key) || folded_eq(&property.key, key));
        others.next().filter(|_| !is_own).map(|property| property.key.as_str())
    }

    /// What is wrong with the fields of a call; of errors not many more than are told of.
    pub(super) fn flaws(&self, call: &Value, settings: &Settings) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        let mut errors = 0;
        self.shape.check(call, &mut String::new(), &mut |path, misfit| {
            if errors <= settings.limits.max_issues {
                self.tell(path, misfit, &settings.policy, &mut flaws);
                errors += usize::from(flaws.last().is_some_and(|flaw| flaw.severity == Severity::Error));
            }
        });
        flaws
    }

    fn tell(&self, path: &str, misfit: Misfit<'_>, policy: &Policy, flaws: &mut Vec<Flaw>) {
        let name = &*self.name;
        let mut add = |code, message, severity| {
            flaws.push(Flaw { code, message, path: path.to_owned(), place: None, severity });
        };
        let allowed: String;
        let (code, parts) = match misfit {
            // The name of the tool is the block's.
            Misfit::Foreign if path == Place::Tool.key() => return,
            Misfit::Foreign => (Code::InvalidField, [name, " has no field \"", path, "\"", ""]),
            Misfit::Missing => (Code::MissingField, [name, " tool requires \"", path, "\" field", ""]),
            Misfit::Kind(kinds) => {
                allowed = listed(kinds.iter().filter_map(|kind| KINDS.get(*kind)).map(|kind| (*kind).to_owned()));
                (Code::InvalidField, [name, " \"", path, "\" must be of type ", &allowed])
            }
            Misfit::Value(values) => {
                allowed = listed(values.iter().map(Value::to_json));
                (Code::InvalidField, [name, " \"", path, "\" must be ", &allowed])
            }
            Misfit::Path(text) => match check_path(text, policy) {
                Err(refusal) => return add(Code::UnsafePath, refusal.message, Severity::Error),
                Ok(checked) => {
                    checked.warnings.into_iter().for_each(|message| add(Code::UnsafePath, message, Severity::Warning));
                    return;
                }
            },
        };
        add(code, parts.concat(), Severity::Error);
    }
}

/// How many allowed values a message lists.
const LISTED: usize = 50;

fn listed(allowed: impl Iterator<Item = String>) -> String {
    allowed.take(LISTED).collect::<Vec<_>>().join(" or ")
}
