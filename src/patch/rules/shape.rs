//! The types of the vocabulary's tables: words, properties, and shapes of objects.

use super::catalog::Catalog;
use crate::value::text::find_line;
use crate::value::{Object, Value, put};

/// A sentence on what something is for, in both languages of the page prompt. Empty in a module: JavaScript has the
/// sentences from the generated facts.
#[derive(Clone, Copy, Debug)]
pub struct Doc {
    /// English.
    pub english: &'static str,
    /// Chinese.
    pub chinese: &'static str,
}

pub(super) const fn doc(english: &'static str, chinese: &'static str) -> Doc {
    if cfg!(target_arch = "wasm32") { Doc { english: "", chinese: "" } } else { Doc { english, chinese } }
}

/// The kind of a value. A value of another kind causes a warning, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Any value.
    Any,
    /// A string, or another scalar that can be shown as one.
    Text,
    /// A number.
    Number,
    /// A boolean.
    Flag,
    /// A list.
    List,
    /// An object.
    Object,
    /// The value of one of the field's options.
    Choice,
    /// A list of such values.
    Choices,
    /// A whole number from 1 to 12.
    Columns,
}

impl ValueKind {
    /// The name in the generated facts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Text => "text",
            Self::Number => "number",
            Self::Flag => "flag",
            Self::List => "list",
            Self::Object => "object",
            Self::Choice => "choice",
            Self::Choices => "choices",
            Self::Columns => "columns",
        }
    }
}

/// One word that a property may have, such as a type of fields.
#[derive(Debug)]
pub struct KnownWord {
    /// The word.
    pub name: &'static str,
    /// For a type of fields: the kind of its value.
    pub kind: ValueKind,
    /// The purpose of the word.
    pub doc: Doc,
    /// A whole block, field, layout or action of this type, as JSON.
    pub example: &'static str,
}

pub(super) const fn word(name: &'static str, doc: Doc, example: &'static str) -> KnownWord {
    field_type(name, ValueKind::Any, doc, example)
}

pub(super) const fn field_type(name: &'static str, kind: ValueKind, doc: Doc, example: &'static str) -> KnownWord {
    KnownWord { name, kind, doc, example: if cfg!(target_arch = "wasm32") { "" } else { example } }
}

/// Words that a property may have: those that are known, and the list of the catalog that adds to them.
#[derive(Debug)]
pub struct Words {
    /// The name of the list in a catalog.
    pub list: &'static str,
    /// The known words.
    pub known: &'static [KnownWord],
}

impl Words {
    pub(super) fn find(&self, name: &str) -> Option<&'static KnownWord> {
        self.known.iter().find(|word| word.name == name)
    }

    pub(super) fn contains(&self, name: &str, catalog: &Catalog) -> bool {
        self.find(name).is_some() || catalog.words(self.list).any(|own| own == name)
    }

    /// The known words and those of the catalog, for a message.
    pub(super) fn names(&self, catalog: &Catalog) -> String {
        let mut out = String::new();
        for name in self.known.iter().map(|word| word.name).chain(catalog.words(self.list)) {
            let separator = if out.is_empty() { "" } else { ", " };
            put(put(&mut out, separator), name);
        }
        out
    }
}

/// The properties of one sort of objects in a page's document.
#[derive(Debug)]
pub struct ObjectShape {
    /// The name of its type in TypeScript.
    pub name: &'static str,
    /// A description of such an object.
    pub doc: Doc,
    /// Its properties. Others are kept as they are written.
    pub properties: &'static [PropertyRule],
    /// The list of a catalog that has types of it.
    pub(super) list: Option<&'static str>,
    /// Names under which models look for something that stands elsewhere: a line for each, its name, a tab, and the name that
    /// is meant, or a sentence.
    pub(super) misplaced: &'static str,
    /// Whether an object of this shape does anything, where that can be said.
    pub(super) has_effect: Option<fn(&Value, &Catalog) -> bool>,
}

pub(super) const fn shape(name: &'static str, doc: Doc, properties: &'static [PropertyRule]) -> ObjectShape {
    ObjectShape { name, doc, properties, list: None, misplaced: "", has_effect: None }
}

impl ObjectShape {
    pub(super) fn find(&self, name: &str) -> Option<&'static PropertyRule> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// The known property that a name is one edit away from.
    pub(super) fn nearest(&self, name: &str) -> Option<&'static str> {
        self.properties.iter().map(|property| property.name).find(|own| is_one_edit_away(name, own))
    }

    /// The name or the sentence to suggest for a name that has no effect here.
    pub(super) fn suggestion(&self, name: &str) -> Option<&'static str> {
        let is_own = &mut |line: &'static str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with('\t'));
        find_line(self.misplaced, is_own).and_then(|line| line.get(name.len() + 1..))
    }

    /// The properties of an object that are of its type alone, and not of every object of this shape.
    pub(super) fn own_properties(&self, value: &Value) -> Value {
        let mut own = Object::new();
        for (key, value) in value.as_object().into_iter().flat_map(Object::iter) {
            if self.find(key).is_none_or(|property| !property.types.is_empty()) {
                own.set(key, value.clone());
            }
        }
        own.into()
    }

    pub(super) fn is_block(&self) -> bool {
        self.list == Some("blocks")
    }
}

/// Whether two names are the same, in upper or lower case, but for one character that is more, missing or another, or for two
/// that are swapped. Names of three characters or less are too short to say.
fn is_one_edit_away(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    if a.len().min(b.len()) < 4 || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    while let ([one, a_rest @ ..], [other, b_rest @ ..]) = (a, b)
        && one.eq_ignore_ascii_case(other)
    {
        (a, b) = (a_rest, b_rest);
    }
    while let ([a_rest @ .., one], [b_rest @ .., other]) = (a, b)
        && one.eq_ignore_ascii_case(other)
    {
        (a, b) = (a_rest, b_rest);
    }
    match (a, b) {
        ([] | [_], [] | [_]) => true,
        ([one, other], [first, second]) => one == second && other == first,
        _ => false,
    }
}

/// One property of an object.
#[derive(Debug)]
pub struct PropertyRule {
    /// Its name.
    pub name: &'static str,
    /// When the property is required.
    pub(super) need: Need,
    /// The values that the property takes.
    pub is: Is,
    /// The types of fields, or of actions, that have the property; all types if the list is empty.
    pub types: &'static [&'static str],
    /// The sentence that a refusal of the property, or a warning about it, says to send instead; may be empty.
    pub(super) solution: &'static str,
    /// Whether every page that an agent has made has it, so that TypeScript's type requires it too.
    pub always: bool,
    /// The purpose of the property.
    pub doc: Doc,
    /// The value, as JSON, that counts while the property is left out.
    pub default: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Need {
    Optional,
    Required,
    /// Required unless the object has this property.
    Unless(&'static str),
    /// Required unless the type of the object is one of these.
    NotForTypes(&'static [&'static str]),
}

/// The values that a property takes. A value that [`Is::Advice`] or [`Is::Loose`] does not allow is kept, with a warning.
#[derive(Clone, Copy, Debug)]
pub enum Is {
    /// A string.
    Text,
    /// A string that is not empty.
    Filled,
    /// One of some words.
    Word(&'static Words),
    /// The name of an operation.
    Operation,
    /// A value that the function accepts. The text is its type in TypeScript.
    Fit(fn(&Value) -> bool, &'static str),
    /// A list of objects.
    List(&'static ObjectShape),
    /// An object.
    Object(&'static ObjectShape),
    /// The state, which has no other properties.
    State(&'static ObjectShape),
    /// The `props` of a block, which hold its fields.
    Props(&'static ObjectShape),
    /// A list, whose items should be such objects.
    Loose(&'static ObjectShape),
    /// Should be a value of this kind, or a template.
    Advice(ValueKind),
}

pub(super) const fn property(name: &'static str, is: Is, doc: Doc) -> PropertyRule {
    PropertyRule { name, need: Need::Optional, is, types: &[], solution: "", always: false, doc, default: "" }
}

impl PropertyRule {
    pub(super) const fn needed(self, need: Need) -> Self {
        Self { need, ..self }
    }

    pub(super) const fn always(self) -> Self {
        Self { always: true, ..self }
    }

    pub(super) const fn solved_by(self, solution: &'static str) -> Self {
        Self { solution, ..self }
    }

    pub(super) const fn for_types(self, types: &'static [&'static str]) -> Self {
        Self { types, ..self }
    }

    pub(super) const fn by_default(self, default: &'static str) -> Self {
        Self { default: if cfg!(target_arch = "wasm32") { "" } else { default }, ..self }
    }

    /// Whether it is always needed.
    pub const fn is_required(&self) -> bool {
        matches!(self.need, Need::Required) && self.types.is_empty()
    }

    /// The documentation's words for when the property is needed.
    pub fn need(&self) -> String {
        match self.need {
            Need::Optional => String::new(),
            Need::Required => "required".into(),
            Need::Unless(other) => format!("required unless `{other}` is given"),
            Need::NotForTypes(types) => format!("required, but not for `{}`", types.join("`, `")),
        }
    }

    /// Whether the property has no effect on an object of this type.
    pub(super) fn is_ignored(&self, holder: &Value) -> bool {
        !self.types.is_empty() && !is_of_type(holder, self.types)
    }

    /// Whether an object that lacks the property is refused.
    pub(super) fn is_missing(&self, holder: &Value) -> bool {
        match self.need {
            Need::Optional => false,
            Need::Required => true,
            Need::Unless(other) => holder.get(other).is_none(),
            Need::NotForTypes(types) => !is_of_type(holder, types),
        }
    }
}

fn is_of_type(holder: &Value, types: &[&str]) -> bool {
    let words = TYPE_KEYS.iter().filter_map(|key| holder.get(key)?.as_str());
    words.into_iter().any(|word| types.contains(&word))
}

/// The properties that have the type of an object: of a field, and of an action.
pub(super) const TYPE_KEYS: [&str; 2] = ["type", "action_type"];
