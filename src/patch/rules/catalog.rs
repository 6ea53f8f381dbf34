//! The catalog: words that a host adds to the vocabulary, and the schemas of their blocks, fields and actions.

use crate::options;
use crate::patch::schema::Schema;
use crate::value::text::boxed;
use crate::value::{Value, concat};

/// Words that a host adds to the known ones, each with the schemas of what a block, a field or an action of that type holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalog {
    entries: Vec<CatalogEntry>,
}

#[derive(Clone, Debug, PartialEq)]
struct CatalogEntry {
    /// The list that contains the word.
    list: &'static str,
    name: Box<str>,
    /// The schema of the properties that only this type has.
    props: Option<Schema>,
    /// The schema of a field's value.
    value: Option<Schema>,
}

/// Lists of types, whose entries may have schemas, and lists of words.
const LISTS: [&str; 6] = ["blocks", "fields", "actions", "styles", "layouts", "statuses"];
/// How many of [`LISTS`] are lists of types.
const WITH_SCHEMAS: usize = 3;

impl Catalog {
    /// Reads `{blocks?, fields?, actions?, styles?, layouts?, statuses?}`, each a list of names. The first three may be
    /// objects by name: `{props?, value?, description?, example?}`, the first two of which are JSON Schemas.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        let mut entries = Vec::new();
        options::read(value, "catalog list", &LISTS, &mut |place, given| {
            let list = LISTS.get(place).copied().unwrap_or_default();
            match given {
                Value::Array(names) => {
                    for name in names.iter() {
                        match name.as_str() {
                            Some(name) if !name.is_empty() => entries.push(CatalogEntry::new(list, name)),
                            _ => return Ok(wanted(place)),
                        }
                    }
                }
                Value::Object(types) if place < WITH_SCHEMAS => {
                    for (name, given) in types.iter() {
                        let mut entry = CatalogEntry::new(list, name);
                        entry.read(given)?;
                        entries.push(entry);
                    }
                }
                _ => return Ok(wanted(place)),
            }
            Ok("")
        })?;
        Ok(Self { entries })
    }

    /// The words that it adds to a list.
    pub(super) fn words(&self, list: &str) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(move |entry| entry.list == list).map(|entry| &*entry.name)
    }

    /// Whether something has a schema at all.
    pub(super) fn has_schemas(&self) -> bool {
        self.entries.iter().any(|entry| entry.props.is_some() || entry.value.is_some())
    }

    /// The schemas for a block, a field or an action: of its own properties, and of its value. An action is known by its type,
    /// or by its id.
    pub(super) fn schemas(&self, list: &str, holder: &Value) -> (Option<&Schema>, Option<&Schema>) {
        let keys: &[&str] = match list {
            "actions" => &["action_type", "id"],
            _ => &["type", "layout"],
        };
        for name in keys.iter().filter_map(|key| holder.get(key)?.as_str()) {
            for entry in &self.entries {
                if entry.list == list && *entry.name == *name {
                    return (entry.props.as_ref(), entry.value.as_ref());
                }
            }
        }
        (None, None)
    }
}

/// The value that the list at `place` of [`LISTS`] takes, for a message.
const fn wanted(place: usize) -> &'static str {
    if place < WITH_SCHEMAS { "a list of names, or an object of descriptions by name" } else { "a list of names" }
}

impl CatalogEntry {
    fn new(list: &'static str, name: &str) -> Self {
        Self { list, name: boxed(name), props: None, value: None }
    }

    fn read(&mut self, given: &Value) -> Result<(), String> {
        const KEYS: [&str; 6] = ["description", "example", "props", "value", "propsCheck", "valueCheck"];
        let title = concat(&[self.list.trim_end_matches('s'), " \"", &self.name, "\""]);
        let mut checks = [None, None];
        options::read(given, &concat(&["key of ", &title]), &KEYS, &mut |place, given| {
            match place {
                0 | 1 => {}
                2 => self.props = Some(Schema::from_value(given, &title)?),
                3 if self.list == "fields" => self.value = Some(Schema::from_value(given, &title)?),
                3 => return Ok("left out: only fields have values"),
                _ => {
                    if let Some(check) = checks.get_mut(place - 4) {
                        *check = given.as_index();
                    }
                }
            }
            Ok("")
        })?;
        for (schema, check) in [&mut self.props, &mut self.value].into_iter().zip(checks) {
            if let Some(check) = check {
                schema.get_or_insert_with(|| Schema::any(&title)).host_check = Some(check);
            }
        }
        Ok(())
    }
}
