//! One message: which protocol it is of, what it asks for. Told by its keys, in one table.

use super::path::{segments, write_segments};
use super::reader::write_component;
use super::{Code, Problem, Protocol, Severity};
use crate::value::{Array, Object, Value, write_list, write_object};

/// What a message does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Header,
    Components,
    Data,
    Render,
    Create,
    Delete,
}

/// A key that messages have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named {
    pub(super) kind: Kind,
    /// That of the message, where `surfaceId` does not tell A2UI v0.8 from GULF.
    pub(super) protocol: Protocol,
    by_surface: bool,
}

/// The surface of a stream without ids.
pub(super) const MAIN: &str = "main";

/// What a message says, checked.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) protocol: Protocol,
    pub(super) surface: Box<str>,
    pub(super) action: Action,
    pub(super) warning: Option<Problem>,
}

#[derive(Debug)]
pub(super) enum Action {
    Header,
    /// Ids and `{type, weight?, props, protocol}`.
    Components(Vec<(String, Value)>),
    /// Without a value: deletes.
    Data {
        path: Vec<String>,
        value: Option<Value>,
    },
    /// `{root, styles?, catalogId?}`
    Render(Object),
    /// `{catalogId, theme?, sendDataModel?, …}`
    Create(Object),
    Delete,
}

impl Action {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Components(_) => "components",
            Self::Data { .. } => "data",
            Self::Render(_) => "render",
            Self::Create(_) => "create",
            Self::Delete => "delete",
        }
    }

    /// Appends what the message says: components as `{id, type, weight?, props, protocol}`; data as `[segments, value?]`;
    /// what is known of the surface.
    pub(super) fn write_json(&self, out: &mut String) {
        match self {
            Self::Header | Self::Delete => out.push_str("null"),
            Self::Components(components) => {
                write_list(out, components, |out, (id, component)| write_component(out, id, component));
            }
            Self::Data { path, value } => {
                out.push('[');
                write_segments(out, path);
                if let Some(value) = value {
                    out.push(',');
                    value.write_json(out);
                }
                out.push(']');
            }
            Self::Render(info) | Self::Create(info) => write_object(out, info.iter()),
        }
    }
}

/// The message that has this key.
pub(super) fn named(key: &str) -> Option<Named> {
    use Kind::{Components, Create, Data, Delete, Header, Render};
    let (kind, protocol, by_surface) = match key {
        "streamHeader" => (Header, Protocol::Gulf, false),
        "componentUpdate" => (Components, Protocol::Gulf, false),
        "surfaceUpdate" => (Components, Protocol::A2ui08, false),
        "updateComponents" => (Components, Protocol::A2ui09, false),
        "dataModelUpdate" => (Data, Protocol::A2ui08, true),
        "updateDataModel" => (Data, Protocol::A2ui09, false),
        "beginRendering" => (Render, Protocol::A2ui08, true),
        "createSurface" => (Create, Protocol::A2ui09, false),
        "deleteSurface" => (Delete, Protocol::A2ui08, false),
        _ => return None,
    };
    Some(Named { kind, protocol, by_surface })
}

/// Messages of GULF may come without their envelope.
const BARE: [(&str, Kind); 4] =
    [("components", Kind::Components), ("contents", Kind::Data), ("root", Kind::Render), ("version", Kind::Header)];

/// Whether an object has the key of a message.
pub(super) fn is_enveloped(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.keys().any(|key| named(key).is_some()))
}

/// Reads a message.
pub(super) fn read(value: Value) -> Result<Message, Problem> {
    let Value::Object(mut message) = value else {
        return Err(Problem::new(Code::InvalidMessage, format!("A message is an object, not {}.", value.kind()), ""));
    };
    let version = message.get("version").cloned();
    let key = only_key(&message)?.map(ToOwned::to_owned);
    let bare = BARE.into_iter().find(|(name, _)| message.contains(name));
    let (key, named, body) = match (key, bare) {
        (Some(key), _) => {
            let named = named(&key);
            let body = message.remove(&key).map(|(_, body)| body).unwrap_or_default();
            (key, named, body)
        }
        (None, Some((_, kind))) => {
            let named = Named { kind, protocol: Protocol::Gulf, by_surface: false };
            (String::new(), Some(named), Value::Object(message))
        }
        (None, None) => (String::new(), None, Value::Null),
    };
    let Some(named) = named else {
        return Err(Problem::new(Code::UnknownMessage, "The object has none of the keys of a message.".to_owned(), ""));
    };
    let Value::Object(body) = body else {
        let message = format!("{key} must be an object, not {}.", body.kind());
        return Err(Problem::new(Code::InvalidMessage, message, &format!("/{key}")));
    };
    let mut protocol = named.protocol;
    if named.by_surface && !body.contains("surfaceId") {
        protocol = Protocol::Gulf;
    }
    if named.kind == Kind::Delete && version.is_some() {
        protocol = Protocol::A2ui09;
    }
    let mut fields = Fields { body, key };
    let surface = match protocol {
        Protocol::Gulf => MAIN.into(),
        Protocol::A2ui08 | Protocol::A2ui09 => fields.text("surfaceId")?,
    };
    let mut warning = None;
    let action = match named.kind {
        Kind::Header => {
            let version = fields.text("version")?;
            let known = version.split('.').next().is_some_and(|major| matches!(major, "0" | "1"));
            if !known {
                warning = Some(unsupported(&version, &fields.at("version")));
            }
            Action::Header
        }
        Kind::Components => Action::Components(components(&mut fields, protocol)?),
        Kind::Data => data(&mut fields, protocol)?,
        Kind::Render => {
            fields.text("root")?;
            fields.object("styles")?;
            Action::Render(pick(fields.body, &["root", "styles", "catalogId"]))
        }
        Kind::Create => {
            fields.object("theme")?;
            Action::Create(pick(fields.body, &["catalogId", "theme", "sendDataModel"]))
        }
        Kind::Delete => Action::Delete,
    };
    if protocol == Protocol::A2ui09 {
        let known = version.as_ref().and_then(Value::as_str);
        if !known.is_some_and(|version| version.strip_prefix('v').unwrap_or(version).starts_with("0.9")) {
            warning = Some(match known {
                Some(other) => unsupported(other, "/version"),
                None => Problem::new(Code::UnsupportedVersion, "The message has no version.".to_owned(), "/version")
                    .into_warning(),
            });
        }
    }
    Ok(Message { protocol, surface, action, warning })
}

/// The key that tells what a message is.
fn only_key(message: &Object) -> Result<Option<&str>, Problem> {
    let mut keys = message.keys().filter(|key| named(key).is_some());
    match (keys.next(), keys.next()) {
        (Some(one), Some(other)) => {
            let message = format!("An object is one message; this one has {one} and {other}.");
            Err(Problem::new(Code::InvalidMessage, message, ""))
        }
        (one, _) => Ok(one),
    }
}

#[cold]
fn unsupported(version: &str, path: &str) -> Problem {
    let shown: String = version.chars().take(40).collect();
    Problem::new(Code::UnsupportedVersion, format!("Version \"{shown}\" is not known."), path).into_warning()
}

/// The fields of a message, and where they stand.
struct Fields {
    body: Object,
    /// That of the message; empty without an envelope.
    key: String,
}

impl Fields {
    fn at(&self, field: &str) -> String {
        pointer(&self.key, field)
    }

    fn text(&self, field: &str) -> Result<Box<str>, Problem> {
        match self.body.get(field) {
            Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
            other => Err(self.wrong(field, "a string that is not empty", other)),
        }
    }

    fn object(&self, field: &str) -> Result<(), Problem> {
        match self.body.get(field) {
            None | Some(Value::Object(_) | Value::Null) => Ok(()),
            other => Err(self.wrong(field, "an object", other)),
        }
    }

    #[cold]
    fn wrong(&self, field: &str, wanted: &str, found: Option<&Value>) -> Problem {
        let found = found.map_or("missing", Value::kind);
        Problem::new(Code::InvalidMessage, format!("{field} must be {wanted}, it is {found}."), &self.at(field))
    }
}

#[cold]
fn pointer(key: &str, field: &str) -> String {
    if key.is_empty() { format!("/{field}") } else { format!("/{key}/{field}") }
}

/// These fields, in this order, where they are there.
fn pick(body: Object, names: &[&str]) -> Object {
    body.into_iter().filter(|(key, value)| names.contains(&&**key) && *value != Value::Null).collect()
}

fn components(fields: &mut Fields, protocol: Protocol) -> Result<Vec<(String, Value)>, Problem> {
    let items = match fields.body.remove("components") {
        Some((_, Value::Array(items))) => items,
        other => return Err(fields.wrong("components", "a list", other.as_ref().map(|(_, value)| value))),
    };
    let mut read = Vec::new();
    for (place, item) in items.into_iter().enumerate() {
        read.push(component(item, protocol).map_err(|(field, message)| {
            let at = fields.at("components");
            Problem::new(Code::InvalidMessage, message, &format!("{at}/{place}{field}"))
        })?);
    }
    Ok(read)
}

/// A component as all protocols have it: `{type, weight?, props, protocol}`, under its id.
pub(super) fn component(item: Value, protocol: Protocol) -> Result<(String, Value), (&'static str, String)> {
    let Value::Object(item) = item else { return Err(("", "A component is an object.".to_owned())) };
    let (mut id, mut kind, mut weight, mut props) = (None, None, None, Object::new());
    let field = if protocol == Protocol::Gulf { "componentProperties" } else { "component" };
    for (key, value) in item {
        match (&*key, value) {
            ("id", Value::String(text)) if !text.is_empty() => id = Some(text.into_string()),
            ("id", _) => return Err(("/id", "The id must be a string that is not empty.".to_owned())),
            ("weight", value @ Value::Number(_)) => weight = Some(value),
            ("weight", Value::Null) => {}
            ("weight", _) => return Err(("/weight", "The weight must be a number.".to_owned())),
            ("component", Value::String(text)) if protocol == Protocol::A2ui09 => kind = Some(text.into_string()),
            (key, Value::Object(wrapper)) if key == field && protocol != Protocol::A2ui09 => {
                let mut types = wrapper.into_iter();
                match (types.next(), types.next()) {
                    (Some((name, Value::Object(own))), None) => {
                        kind = Some(name.into_owned());
                        props = own;
                    }
                    (Some((name, Value::Null)), None) => kind = Some(name.into_owned()),
                    (Some((name, _)), None) => {
                        return Err(("", format!("The properties of {name} must be an object.")));
                    }
                    _ => return Err(("", format!("{field} must have one key, which is the type."))),
                }
            }
            (key, value) if protocol == Protocol::A2ui09 && key != "component" => {
                props.set(key, value);
            }
            _ => {}
        }
    }
    let Some(id) = id else { return Err(("/id", "The component has no id.".to_owned())) };
    let Some(kind) = kind.filter(|kind| !kind.is_empty()) else {
        return Err(("", format!("The component \"{id}\" has no type in {field}.")));
    };
    let mut own = Object::new();
    own.set("type", Value::from(kind));
    if let Some(weight) = weight {
        own.set("weight", weight);
    }
    own.set("props", Value::Object(props));
    own.set("protocol", Value::from(protocol.name()));
    Ok((id, Value::Object(own)))
}

fn data(fields: &mut Fields, protocol: Protocol) -> Result<Action, Problem> {
    let path = match fields.body.get("path") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => segments(text, protocol).ok_or_else(|| {
            let shown: String = text.chars().take(60).collect();
            Problem::new(Code::InvalidPath, format!("\"{shown}\" is no path."), &fields.at("path"))
        })?,
        other => return Err(fields.wrong("path", "a string", other)),
    };
    let field = if protocol == Protocol::A2ui09 { "value" } else { "contents" };
    let value = fields.body.remove(field).map(|(_, value)| value);
    let value = match (protocol, value) {
        (Protocol::A2ui09, value) | (Protocol::Gulf, value @ Some(_)) => value,
        (Protocol::A2ui08, Some(Value::Array(entries))) => match map(entries) {
            Ok(object) => Some(Value::Object(object)),
            Err(place) => {
                let message = "An entry is a key with one of valueString, valueNumber, valueBoolean, valueMap.";
                let at = format!("{}{place}", fields.at(field));
                return Err(Problem::new(Code::InvalidMessage, message.to_owned(), &at));
            }
        },
        (_, other) => return Err(fields.wrong(field, "the data", other.as_ref())),
    };
    Ok(Action::Data { path, value })
}

/// `[{key, valueString | valueNumber | valueBoolean | valueMap}]` of A2UI v0.8; the pointer to an entry that is none.
fn map(entries: Array) -> Result<Object, String> {
    let mut object = Object::new();
    for (place, entry) in entries.into_iter().enumerate() {
        let wrong = || format!("/{place}");
        let Value::Object(entry) = entry else { return Err(wrong()) };
        let (mut key, mut value) = (None, None);
        for (name, own) in entry {
            match (&*name, own) {
                ("key", Value::String(text)) => key = Some(text),
                ("valueString", own @ Value::String(_))
                | ("valueNumber", own @ Value::Number(_))
                | ("valueBoolean", own @ Value::Bool(_))
                    if value.is_none() =>
                {
                    value = Some(own);
                }
                ("valueMap", Value::Array(inner)) if value.is_none() => {
                    value = Some(Value::Object(map(inner).map_err(|at| format!("/{place}/valueMap{at}"))?));
                }
                // Empty members beside the one that counts.
                (_, Value::Null) => {}
                _ => return Err(wrong()),
            }
        }
        let (Some(key), Some(value)) = (key, value) else { return Err(wrong()) };
        object.set(&key, value);
    }
    Ok(object)
}

impl Problem {
    pub(super) fn new(code: Code, message: String, path: &str) -> Self {
        Self { code, severity: Severity::Error, message, path: path.to_owned() }
    }

    pub(super) fn into_warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }
}
