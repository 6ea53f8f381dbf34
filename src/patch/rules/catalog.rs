//! What a page's document is made of: a table of shapes, the words in them, and what a host adds to the words.

use self::Need::{ForTypes, NotForTypes, Optional, Required, Unless};
use crate::options;
use crate::patch::op::Op;
use crate::patch::path::PathExpr;
use crate::value::text::boxed;
use crate::value::{Value, join, put};

/// Words that a property may have: those that are known, and the list of the catalog that adds to them.
pub(super) struct Words(&'static [&'static str], &'static str);

impl Words {
    pub(super) fn know(&self, word: &str, catalog: &Catalog) -> bool {
        let Self(known, list) = self;
        known.contains(&word) || catalog.words.iter().any(|(own, added)| own == list && **added == *word)
    }

    pub(super) fn list(&self, catalog: &Catalog) -> String {
        let mut out = join(self.0, ", ");
        for (list, word) in &catalog.words {
            if *list == self.1 {
                put(put(&mut out, ", "), word);
            }
        }
        out
    }
}

pub(super) type Shape = &'static [PropertyRule];

pub(super) struct PropertyRule {
    pub(super) name: &'static str,
    need: Need,
    pub(super) is: Is,
    pub(super) example: &'static str,
}

enum Need {
    Optional,
    Required,
    /// Unless it has this one instead.
    Unless(&'static str),
    /// If its type is one of these; else it is not looked at.
    ForTypes(&'static [&'static str]),
    /// Unless its type is one of these.
    NotForTypes(&'static [&'static str]),
}

pub(super) enum Is {
    Text,
    Filled,
    Word(&'static Words),
    Fit(fn(&Value) -> bool),
    AnyList,
    List(Shape),
    Object(Shape),
    /// The state, which has no other properties.
    State(Shape),
    /// The `props` of a block, which hold its fields.
    Props(Shape),
}

pub(super) fn find(shape: Shape, name: &str) -> Option<&'static PropertyRule> {
    shape.iter().find(|property| property.name == name)
}

impl PropertyRule {
    pub(super) fn is_ignored(&self, holder: &Value) -> bool {
        matches!(self.need, Need::ForTypes(types) if !is_of_type(holder, types))
    }

    pub(super) fn is_needed(&self, holder: &Value) -> bool {
        match self.need {
            Need::Optional => false,
            Need::Required | Need::ForTypes(_) => true,
            Need::Unless(other) => holder.get(other).is_none(),
            Need::NotForTypes(types) => !is_of_type(holder, types),
        }
    }
}

fn is_of_type(holder: &Value, types: &[&str]) -> bool {
    holder.get("type").and_then(Value::as_str).is_some_and(|word| types.contains(&word))
}

static BLOCKS: Words = Words(&["form", "grid", "tabs", "accordion"], "blocks");
/// Kinds of blocks whose `props` list fields.
pub(super) const WITH_FIELDS: &[&str] = &["form", "grid"];
/// Types of fields: those of seed 000, then those of seed 001's family. Of a host's types only a label is asked.
#[rustfmt::skip]
pub const FIELD_TYPES: &[&str] =
    &["text", "number", "textarea", "select", "checkbox", "radio",
      "multiselect", "json", "date", "datetime", "file", "html", "image", "tag", "progress", "badge", "table", "modal", "component"];
static FIELDS: Words = Words(FIELD_TYPES, "fields");
const WITH_OPTIONS: &[&str] = &["select", "radio", "multiselect"];
const WITH_COLUMNS: &[&str] = &["table"];
/// Seed 001 shows a piece of text without a label.
const WITHOUT_LABEL: &[&str] = &["html"];
static STYLES: Words = Words(&["primary", "secondary", "danger", "warning", "success", "default"], "styles");
static LAYOUTS: Words = Words(&["single", "flex", "grid", "tabs"], "layouts");
static STATUSES: Words = Words(&["idle", "submitted"], "statuses");
static ACTION_TYPES: Words = Words(&["api", "navigate", "navigate_block", "modal", "apply_patch"], "");
static OPERATIONS: Words = Words(Op::NAMES, "");

const AN_ACTION: &str = "Send {\"id\": \"save\", \"label\": \"Save\", \"style\": \"primary\"}.";
const A_BLOCK: &str = "Send {\"id\": \"form_block\", \"type\": \"form\", \"props\": {\"fields\": []}}.";
const A_FIELD: &str = "Send {\"key\": \"name\", \"label\": \"Name\", \"type\": \"text\"}.";
const OPTIONS: &str = "Send a list of {\"label\": \"Red\", \"value\": \"red\"}.";
const AN_OPTION: &str = "Send no option without a label or a value: {\"label\": \"Red\", \"value\": \"red\"}.";
const COLUMNS: &str = "Send a list of {\"key\", \"label\"}.";
const A_STEP: &str = "Send whole numbers {\"current\": 1, \"total\": 3} with 1 <= current <= total.";
const A_BIND: &str = "Use state.params, or a path below it or below state.runtime.";
const PATCHES: &str = "Send {\"state.params.saved\": true} or a list of {\"op\", \"path\", \"value\"}.";

const fn rule(name: &'static str, need: Need, is: Is, example: &'static str) -> PropertyRule {
    PropertyRule { name, need, is, example }
}

pub(super) static PAGE: [PropertyRule; 6] = [
    rule("page_key", Optional, Is::Text, ""),
    rule("meta", Optional, Is::Object(&META), ""),
    rule("state", Optional, Is::State(&STATE), ""),
    rule("layout", Optional, Is::Object(&LAYOUT), ""),
    rule("blocks", Optional, Is::List(&BLOCK), ""),
    rule("actions", Optional, Is::List(&ACTION), ""),
];

static META: [PropertyRule; 3] = [
    rule("pageKey", Optional, Is::Text, ""),
    rule("status", Optional, Is::Word(&STATUSES), ""),
    rule("step", Optional, Is::Fit(is_step), A_STEP),
];

static STATE: [PropertyRule; 2] =
    [rule("params", Optional, Is::Object(&[]), ""), rule("runtime", Optional, Is::Object(&[]), "")];

static LAYOUT: [PropertyRule; 2] = [
    rule("type", Required, Is::Word(&LAYOUTS), ""),
    rule("columns", Optional, Is::Fit(is_columns), "Send a whole number from 1 to 12."),
];

pub(super) static BLOCK: [PropertyRule; 5] = [
    rule("id", Required, Is::Filled, A_BLOCK),
    rule("type", Unless("layout"), Is::Word(&BLOCKS), ""),
    rule("layout", Optional, Is::Word(&BLOCKS), ""),
    rule("bind", Optional, Is::Fit(is_bind), A_BIND),
    rule("props", Optional, Is::Props(&GROUP), ""),
];

/// What `props`, a tab or a panel holds.
static GROUP: [PropertyRule; 4] = [
    rule("fields", Optional, Is::List(&FIELD), ""),
    rule("actions", Optional, Is::List(&ACTION), ""),
    rule("tabs", Optional, Is::List(&GROUP), ""),
    rule("panels", Optional, Is::List(&GROUP), ""),
];

static FIELD: [PropertyRule; 5] = [
    rule("key", Required, Is::Filled, A_FIELD),
    rule("type", Required, Is::Word(&FIELDS), ""),
    rule("label", NotForTypes(WITHOUT_LABEL), Is::Text, A_FIELD),
    rule("options", ForTypes(WITH_OPTIONS), Is::List(&OPTION), OPTIONS),
    rule("columns", ForTypes(WITH_COLUMNS), Is::AnyList, COLUMNS),
];

static OPTION: [PropertyRule; 2] =
    [rule("label", Required, Is::Text, AN_OPTION), rule("value", Required, Is::Fit(is_scalar), AN_OPTION)];

static ACTION: [PropertyRule; 6] = [
    rule("id", Required, Is::Filled, AN_ACTION),
    rule("label", Required, Is::Text, AN_ACTION),
    rule("style", Unless("action_type"), Is::Word(&STYLES), ""),
    rule("action_type", Optional, Is::Word(&ACTION_TYPES), ""),
    rule("handler_type", Optional, Is::Word(&OPERATIONS), ""),
    rule("patches", Optional, Is::Fit(is_patches), PATCHES),
];

/// `{current, total}`: whole numbers, 1 <= current <= total.
fn is_step(step: &Value) -> bool {
    let number = |key: &str| step.get(key).and_then(Value::as_number).filter(|number| number.fract() == 0.0);
    match (number("current"), number("total")) {
        (Some(current), Some(total)) => 1.0 <= current && current <= total,
        _ => false,
    }
}

fn is_columns(columns: &Value) -> bool {
    columns.as_number().is_some_and(|number| number.fract() == 0.0 && (1.0..=12.0).contains(&number))
}

/// A path to `state.params`, to `state.runtime` or below them.
fn is_bind(bind: &Value) -> bool {
    let path = bind.as_str().and_then(|text| PathExpr::parse(text, 128).ok());
    path.is_some_and(|path| {
        path.segments.len() > 1
            && path.segments.first().is_some_and(|segment| segment.text() == "state")
            && path.check_page().is_ok()
    })
}

const fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// An object of paths and values, or a list of patches.
fn is_patches(patches: &Value) -> bool {
    let is_patch = |patch: &Value| {
        patch.get("op").and_then(Value::as_str).and_then(Op::from_name).is_some()
            && patch.get("path").is_none_or(|path| path.as_str().is_some())
    };
    match patches {
        Value::Object(_) => true,
        Value::Array(patches) => patches.iter().all(is_patch),
        _ => false,
    }
}

/// Words that a host adds to the known ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// Each with the list that it stands in.
    words: Vec<(&'static str, Box<str>)>,
}

impl Catalog {
    /// Reads `{blocks?, fields?, styles?, layouts?, statuses?}`, each a list of names.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        const LISTS: [&str; 5] = ["blocks", "fields", "styles", "layouts", "statuses"];
        let mut words = Vec::new();
        options::read(value, "catalog list", &LISTS, &mut |place, list| {
            let items = list.as_array();
            for word in items.into_iter().flatten() {
                match (word.as_str(), LISTS.get(place)) {
                    (Some(word), Some(list)) if !word.is_empty() => words.push((*list, boxed(word))),
                    _ => return Ok("a list of names"),
                }
            }
            Ok(if items.is_some() { "" } else { "a list of names" })
        })?;
        Ok(Self { words })
    }
}
