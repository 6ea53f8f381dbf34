//! The words that a page's document is made of: tables, and what a host adds to them.

use crate::value::Value;

/// What a field of some type needs beside `key` and `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldType {
    pub(super) name: &'static str,
    pub(super) label: bool,
    pub(super) options: bool,
    pub(super) columns: bool,
}

const fn field(name: &'static str) -> FieldType {
    FieldType { name, label: true, options: false, columns: false }
}

const fn choice(name: &'static str) -> FieldType {
    FieldType { options: true, ..field(name) }
}

/// Field types: a row each.
pub(super) const FIELD_TYPES: &[FieldType] = &[
    // Seed 000.
    field("text"),
    field("number"),
    field("textarea"),
    choice("select"),
    field("checkbox"),
    choice("radio"),
    // Seed 001's family.
    choice("multiselect"),
    field("json"),
    field("date"),
    field("datetime"),
    field("file"),
    // Seed 001 shows a piece of text without a label.
    FieldType { label: false, ..field("html") },
    field("image"),
    field("tag"),
    field("progress"),
    field("badge"),
    FieldType { columns: true, ..field("table") },
    field("modal"),
    field("component"),
];

/// Kinds of blocks, and whether such a block lists fields.
pub(super) const BLOCKS: &[&str] = &["form", "grid", "tabs", "accordion"];
/// Kinds of blocks whose `props` list fields.
pub(super) const BLOCKS_WITH_FIELDS: &[&str] = &["form", "grid"];
/// Styles of actions.
pub(super) const STYLES: &[&str] = &["primary", "secondary", "danger", "warning", "success", "default"];
/// What an action does.
pub(super) const ACTION_TYPES: &[&str] = &["api", "navigate", "navigate_block", "modal", "apply_patch"];
/// Layouts of a page.
pub(super) const LAYOUTS: &[&str] = &["single", "flex", "grid", "tabs"];
/// States of a page.
pub(super) const STATUSES: &[&str] = &["idle", "submitted"];

/// Words that a host adds to the known ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// Kinds of blocks.
    pub blocks: Vec<Box<str>>,
    /// Field types; they need `key`, `label` and `type`.
    pub fields: Vec<Box<str>>,
    /// Styles of actions.
    pub styles: Vec<Box<str>>,
    /// Layouts of a page.
    pub layouts: Vec<Box<str>>,
    /// States of a page.
    pub statuses: Vec<Box<str>>,
}

impl Catalog {
    /// Reads `{blocks?, fields?, styles?, layouts?, statuses?}`, each a list of names.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        let mut catalog = Self::default();
        let Value::Object(lists) = value else { return Err("The catalog must be an object.".to_owned()) };
        for (key, words) in lists.iter() {
            let list = match key {
                "blocks" => &mut catalog.blocks,
                "fields" => &mut catalog.fields,
                "styles" => &mut catalog.styles,
                "layouts" => &mut catalog.layouts,
                "statuses" => &mut catalog.statuses,
                _ => {
                    return Err(format!(
                        "The catalog has no \"{key}\"; it has blocks, fields, styles, layouts, statuses."
                    ));
                }
            };
            let words =
                words.as_array().into_iter().flatten().map(|word| word.as_str().filter(|word| !word.is_empty()));
            *list = words.map(|word| word.map(Into::into)).collect::<Option<_>>().unwrap_or_default();
            if list.is_empty() && value.get(key).and_then(Value::as_array).is_none_or(|words| !words.is_empty()) {
                return Err(format!("The catalog's \"{key}\" must be a list of names."));
            }
        }
        Ok(catalog)
    }
}

/// Whether a word is among the known ones or in the catalog.
pub(super) fn knows(known: &[&str], added: &[Box<str>], word: &str) -> bool {
    known.contains(&word) || added.iter().any(|own| **own == *word)
}

/// The words that are known, for a message.
pub(super) fn words(known: &[&str], added: &[Box<str>]) -> String {
    known.iter().copied().chain(added.iter().map(|word| &**word)).collect::<Vec<_>>().join(", ")
}
