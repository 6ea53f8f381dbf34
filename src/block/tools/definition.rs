//! What a host says of a tool of its own: `{name, description?, aliases?, fields}`, or a JSON Schema in place of fields.

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
}

/// Reads a list of definitions.
pub(super) fn read_all(value: &Value) -> Result<Vec<CustomTool>, String> {
    let items = value.as_array().ok_or("tools must be a list of definitions.")?;
    let mut tools: Vec<CustomTool> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let place = format!("tools[{index}]");
        let tool = read(item, &place)?;
        for (name, place) in tool.names(&place) {
            let is_taken = TOOLS.iter().any(|own| own.name == name)
                || tools.iter().flat_map(|own| own.names("")).any(|(own, _)| own == name);
            if is_taken {
                return Err(format!("{place} is \"{name}\", which another tool is called already."));
            }
        }
        tools.push(tool);
    }
    Ok(tools)
}

fn read(value: &Value, place: &str) -> Result<CustomTool, String> {
    let object = object(value, place, &["name", "description", "aliases", "fields", "schema"])?;
    let name = text(object, "name", place)?.ok_or_else(|| format!("{place}.name is missing."))?;
    check_name(name, &format!("{place}.name"))?;
    text(object, "description", place)?;
    let aliases = aliases(object, place)?;
    let shape = match (object.get("fields"), object.get("schema")) {
        (Some(fields), None) => read_fields(fields, &format!("{place}.fields"))?,
        (None, Some(schema)) => read_root(schema, &format!("{place}.schema"))?,
        _ => return Err(format!("{place} must have either fields or schema.")),
    };
    Ok(CustomTool { name: name.to_owned(), aliases, shape })
}

/// What every provider takes for the name of a tool.
fn check_name(name: &str, place: &str) -> Result<(), String> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if is_plain && (1..=64).contains(&name.len()) {
        return Ok(());
    }
    Err(format!("{place} must be 1 to 64 letters, digits, _ or -."))
}

fn read_fields(value: &Value, place: &str) -> Result<Shape, String> {
    let fields = value.as_object().ok_or_else(|| format!("{place} must be an object."))?;
    let mut shape = Shape { kinds: kind("object"), ..Shape::default() };
    for (key, value) in fields.iter() {
        let place = format!("{place}.{key}");
        let property = read_field(key, value, &place)?;
        for name in property.aliases.iter().chain([&property.key]) {
            if shape.properties.iter().any(|own| own.key == *name || own.aliases.contains(name)) {
                return Err(format!("{place} is called \"{name}\", which another field is called already."));
            }
        }
        shape.properties.push(property);
    }
    finish_root(shape, place)
}

fn read_field(key: &str, value: &Value, place: &str) -> Result<Property, String> {
    let mut property =
        Property { key: key.to_owned(), aliases: Vec::new(), is_required: true, shape: Shape::default() };
    let written = if value.as_str().is_some() {
        Some(value)
    } else {
        let field = object(value, place, &["kind", "optional", "aliases", "enum", "description"])?;
        property.is_required = !flag(field, "optional", place)?;
        property.aliases = aliases(field, place)?;
        property.shape.values = values(field, place)?;
        text(field, "description", place)?;
        field.get("kind")
    };
    let name = written.and_then(Value::as_str).unwrap_or_default();
    property.shape.kinds = match name {
        "path" => kind("string"),
        "any" => Vec::new(),
        name => kind(name),
    };
    property.shape.is_path = name == "path";
    if property.shape.kinds.is_empty() && name != "any" {
        return Err(format!("{place}.kind must be \"path\", \"any\", \"{}\".", KINDS.join("\", \"")));
    }
    Ok(property)
}

fn read_root(value: &Value, place: &str) -> Result<Shape, String> {
    let mut shape = read_schema(value, place)?;
    if shape.kinds.is_empty() {
        shape.kinds = kind("object");
    }
    if shape.kinds != kind("object") {
        return Err(format!("{place}.type must be \"object\"."));
    }
    finish_root(shape, place)
}

/// The call itself: `tool` is the block's own, and a `path` is for the policy.
fn finish_root(mut shape: Shape, place: &str) -> Result<Shape, String> {
    for property in &mut shape.properties {
        if property.key == Place::Tool.key() || property.aliases.iter().any(|alias| alias == Place::Tool.key()) {
            return Err(format!("{place}.tool is taken: it names the tool."));
        }
        property.shape.is_path |= property.key == Place::Path.key() && property.shape.kinds.contains(&STRING);
    }
    Ok(shape)
}

/// What a schema may say; the last ones say nothing about which values fit.
const KEYWORDS: &[&str] = &[
    "type",
    "enum",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "description",
    "title",
    "default",
    "examples",
    "$schema",
];

/// How deep this goes is limited by the depth to which options are read.
fn read_schema(value: &Value, place: &str) -> Result<Shape, String> {
    let schema = object(value, place, KEYWORDS)?;
    let mut shape = Shape { kinds: kinds(schema, place)?, values: values(schema, place)?, ..Shape::default() };
    if let Some(properties) = schema.get("properties") {
        let place = format!("{place}.properties");
        let properties = properties.as_object().ok_or_else(|| format!("{place} must be an object."))?;
        for (key, value) in properties.iter() {
            let own = read_schema(value, &format!("{place}.{key}"))?;
            let property = Property { key: key.to_owned(), aliases: Vec::new(), is_required: false, shape: own };
            shape.properties.push(property);
        }
    }
    for (index, name) in texts(schema, "required", place)?.into_iter().enumerate() {
        let property = shape.properties.iter_mut().find(|property| property.key == name);
        let missing = || format!("{place}.required[{index}] is \"{name}\", which the properties do not have.");
        property.ok_or_else(missing)?.is_required = true;
    }
    shape.is_closed = match schema.get("additionalProperties") {
        None => false,
        Some(Value::Bool(allowed)) => !allowed,
        Some(_) => return Err(format!("{place}.additionalProperties must be true or false.")),
    };
    if let Some(items) = schema.get("items") {
        shape.items = Some(Box::new(read_schema(items, &format!("{place}.items"))?));
    }
    Ok(shape)
}

/// `type`: a name, or a list of names.
fn kinds(schema: &Object, place: &str) -> Result<Vec<usize>, String> {
    let written = match schema.get("type") {
        None => return Ok(Vec::new()),
        Some(Value::Array(names)) => names.iter().collect(),
        Some(name) => vec![name],
    };
    let kinds: Vec<usize> = written.iter().filter_map(|name| kind(name.as_str()?).first().copied()).collect();
    if kinds.len() < written.len() || kinds.is_empty() {
        return Err(format!("{place}.type must be, or list, some of \"{}\".", KINDS.join("\", \"")));
    }
    Ok(kinds)
}

fn kind(name: &str) -> Vec<usize> {
    KINDS.iter().position(|own| *own == name).into_iter().collect()
}

const STRING: usize = 4;

fn values(object: &Object, place: &str) -> Result<Vec<Value>, String> {
    match object.get("enum") {
        None => Ok(Vec::new()),
        Some(Value::Array(values)) if !values.is_empty() => Ok(values.iter().cloned().collect()),
        Some(_) => Err(format!("{place}.enum must be a list of at least one value.")),
    }
}

fn aliases(object: &Object, place: &str) -> Result<Vec<String>, String> {
    Ok(texts(object, "aliases", place)?.into_iter().map(str::to_owned).collect())
}

fn object<'a>(value: &'a Value, place: &str, known: &[&str]) -> Result<&'a Object, String> {
    let object = value.as_object().ok_or_else(|| format!("{place} must be an object."))?;
    match object.keys().find(|key| !known.contains(key)) {
        Some(key) => Err(format!("{place}.{key} is not understood; there are {}.", known.join(", "))),
        None => Ok(object),
    }
}

fn text<'a>(object: &'a Object, key: &str, place: &str) -> Result<Option<&'a str>, String> {
    match object.get(key) {
        None => Ok(None),
        Some(value) => value.as_str().map(Some).ok_or_else(|| format!("{place}.{key} must be a string.")),
    }
}

fn texts<'a>(object: &'a Object, key: &str, place: &str) -> Result<Vec<&'a str>, String> {
    let Some(value) = object.get(key) else { return Ok(Vec::new()) };
    let texts = value.as_array().map(|items| items.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
    texts.flatten().ok_or_else(|| format!("{place}.{key} must be a list of strings."))
}

fn flag(object: &Object, key: &str, place: &str) -> Result<bool, String> {
    match object.get(key) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(format!("{place}.{key} must be true or false.")),
    }
}

impl CustomTool {
    /// The name and the aliases, and where they stand in the definition at `place`.
    fn names<'a>(&'a self, place: &str) -> impl Iterator<Item = (&'a str, String)> + 'a {
        let aliases = format!("{place}.aliases");
        let name = (self.name.as_str(), format!("{place}.name"));
        [name].into_iter().chain(self.aliases.iter().map(move |alias| (alias.as_str(), aliases.clone())))
    }

    /// Whether the tool is what is meant by a name that is not its own.
    pub(super) fn is_meant_by(&self, name: &str) -> bool {
        self.aliases.iter().any(|alias| alias == name) || folded_eq(&self.name.to_ascii_lowercase(), name)
    }

    /// Whether a call may have this key, by its own name or by another.
    pub(super) fn knows_key(&self, key: &str) -> bool {
        self.shape.properties.iter().any(|property| property.key == key) || self.meant_by(key).is_some()
    }

    /// The field that is meant by a key that is not its own.
    pub(super) fn meant_by(&self, key: &str) -> Option<&str> {
        let is_own = self.shape.properties.iter().any(|property| property.key == key);
        let mut others = self.shape.properties.iter().filter(|property| {
            property.aliases.iter().any(|alias| alias == key) || folded_eq(&property.key.to_ascii_lowercase(), key)
        });
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
        let name = &self.name;
        let mut add = |code, message, severity| {
            flaws.push(Flaw { code, message, path: path.to_owned(), place: None, severity });
        };
        let (code, message) = match misfit {
            // The name of the tool is the block's.
            Misfit::Foreign if path == Place::Tool.key() => return,
            Misfit::Foreign => (Code::InvalidField, format!("{name} has no field \"{path}\"")),
            Misfit::Missing => (Code::MissingField, format!("{name} tool requires \"{path}\" field")),
            Misfit::Kind(kinds) => {
                let kinds: Vec<&str> = kinds.iter().filter_map(|kind| KINDS.get(*kind).copied()).collect();
                (Code::InvalidField, format!("{name} \"{path}\" must be of type {}", kinds.join(" or ")))
            }
            Misfit::Value(values) => (Code::InvalidField, format!("{name} \"{path}\" must be {}", listed(values))),
            Misfit::Path(text) => match check_path(text, policy) {
                Err(refusal) => (Code::UnsafePath, refusal.message),
                Ok(checked) => {
                    checked.warnings.into_iter().for_each(|message| add(Code::UnsafePath, message, Severity::Warning));
                    return;
                }
            },
        };
        add(code, message, Severity::Error);
    }
}

/// How many allowed values a message lists.
const LISTED: usize = 10;

fn listed(values: &[Value]) -> String {
    let mut texts: Vec<String> = values.iter().take(LISTED).map(Value::to_json).collect();
    if values.len() > LISTED {
        texts.push("…".to_owned());
    }
    texts.join(" or ")
}
