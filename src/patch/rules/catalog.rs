//! The catalog: words that a host adds to the vocabulary (types, styles, …), and the schemas of the blocks, fields and actions
//! of the added types.

use crate::options;
use crate::patch::schema::Schema;
use crate::value::text::boxed;
use crate::value::{Value, concat};

/// Words that a host adds to the vocabulary. A type of blocks, fields or actions may have schemas for its objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalog {
    entries: Vec<CatalogEntry>,
}

#[derive(Clone, Debug, PartialEq)]
struct CatalogEntry {
    /// The list that contains the word, one of [`LISTS`].
    list: &'static str,
    /// The word.
    name: Box<str>,
    /// The schema of the properties that only this type has; of a block, of its `props`.
    props: Option<Schema>,
    /// The schema of a field's value.
    value: Option<Schema>,
}

/// The lists of a catalog: first lists of types, which may have schemas, then lists of other words.
const LISTS: [&str; 6] = ["blocks", "fields", "actions", "styles", "layouts", "statuses"];
/// The first so many of [`LISTS`] are lists of types.
const TYPE_LIST_COUNT: usize = 3;

impl Catalog {
    /// Reads `{blocks?, fields?, actions?, styles?, layouts?, statuses?}`, each a list of names. The first three may be
    /// objects by name: `{props?, value?, description?, example?}`, the first two of which are JSON Schemas.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        let mut entries = Vec::new();
        options::read(value, "catalog list", &LISTS, &mut |list_index, words| {
            let list = LISTS.get(list_index).copied().unwrap_or_default();
            match words {
                Value::Array(names) => {
                    for name in names.iter() {
                        match name.as_str() {
                            Some(name) if !name.is_empty() => entries.push(CatalogEntry::new(list, name)),
                            _ => return Ok(wanted(list_index)),
                        }
                    }
                }
                Value::Object(types) if list_index < TYPE_LIST_COUNT => {
                    for (name, description) in types.iter() {
                        let mut entry = CatalogEntry::new(list, name);
                        entry.read(description)?;
                        entries.push(entry);
                    }
                }
                _ => return Ok(wanted(list_index)),
            }
            // No message: the list is accepted.
            Ok("")
        })?;
        Ok(Self { entries })
    }

    /// The words that the catalog adds to a list of [`LISTS`].
    pub(super) fn words(&self, list: &str) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(move |entry| entry.list == list).map(|entry| &*entry.name)
    }

    /// Whether any entry has a schema.
    pub(super) fn has_schemas(&self) -> bool {
        self.entries.iter().any(|entry| entry.props.is_some() || entry.value.is_some())
    }

    /// The schemas for a block, a field or an action: of the properties that only its type has, and of a field's value. `list`
    /// is the list of its types. Only the first entry with the object's type counts; for an action without such an entry, the
    /// first one with its id.
    pub(super) fn schemas(&self, list: &str, object: &Value) -> (Option<&Schema>, Option<&Schema>) {
        let keys: &[&str] = match list {
            "actions" => &["action_type", "id"],
            // `layout` is another spelling of the type of a block.
            _ => &["type", "layout"],
        };
        for name in keys.iter().filter_map(|key| object.get(key)?.as_str()) {
            for entry in &self.entries {
                if entry.list == list && *entry.name == *name {
                    return (entry.props.as_ref(), entry.value.as_ref());
                }
            }
        }
        (None, None)
    }
}

/// What the list at an index of [`LISTS`] must be, for a message.
const fn wanted(list_index: usize) -> &'static str {
    if list_index < TYPE_LIST_COUNT {
        "a list of names, or an object of descriptions by name"
    } else {
        "a list of names"
    }
}

impl CatalogEntry {
    fn new(list: &'static str, name: &str) -> Self {
        Self { list, name: boxed(name), props: None, value: None }
    }

    /// Reads the description of a type. `propsCheck` and `valueCheck` are added by JavaScript: the numbers of functions of the
    /// host that check what a JSON Schema cannot say.
    fn read(&mut self, description: &Value) -> Result<(), String> {
        const KEYS: [&str; 6] = ["description", "example", "props", "value", "propsCheck", "valueCheck"];
        const PROPS: usize = 2;
        const VALUE: usize = 3;
        const FIRST_CHECK: usize = 4;
        let title = concat(&[self.list.trim_end_matches('s'), " \"", &self.name, "\""]);
        // `propsCheck` and `valueCheck`.
        let mut checks = [None, None];
        options::read(description, &concat(&["key of ", &title]), &KEYS, &mut |key_index, value| {
            match key_index {
                PROPS => self.props = Some(Schema::from_value(value, &title)?),
                VALUE if self.list == "fields" => self.value = Some(Schema::from_value(value, &title)?),
                VALUE => return Ok("left out: only fields have values"),
                FIRST_CHECK.. => {
                    if let Some(check) = checks.get_mut(key_index - FIRST_CHECK) {
                        *check = value.as_index();
                    }
                }
                // The description and the example are for the prompt, which JavaScript writes.
                ..PROPS => {}
            }
            // No message: the key is accepted.
            Ok("")
        })?;
        // A type may have a check without a schema: the check then belongs to a schema that allows everything.
        for (schema, check) in [&mut self.props, &mut self.value].into_iter().zip(checks) {
            if let Some(check) = check {
                schema.get_or_insert_with(|| Schema::any(&title)).host_check = Some(check);
            }
        }
        Ok(())
    }
}
