//! The types of the vocabulary's tables: words, properties, and shapes of objects. Functions such as [`property`] make the rows.
//!
//! What only docs, types and the page prompt need is empty in a module (`wasm32`), which is downloaded: JavaScript has it from
//! the generated facts.

use super::catalog::Catalog;
use crate::value::text::find_line;
use crate::value::{Object, Value, put};

/// A sentence on what something is for, in both languages of the page prompt. Empty in a module.
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
    /// A string, or a number or boolean, which can be shown as one.
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
    /// A list of values of the field's options.
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
    /// For a type of fields: the kind of its value. For other words: any.
    pub kind: ValueKind,
    /// The purpose of the word.
    pub doc: Doc,
    /// A whole block, field, layout or action of this type, as JSON; empty for a style or a status, and in a module.
    pub example: &'static str,
}

/// A word that is no type of fields.
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
    /// The row of a known word; `None` for another one, which the catalog may add.
    pub(super) fn find(&self, name: &str) -> Option<&'static KnownWord> {
        self.known.iter().find(|word| word.name == name)
    }

    /// Whether a word is known, or added by the catalog.
    pub(super) fn contains(&self, name: &str, catalog: &Catalog) -> bool {
        self.find(name).is_some() || catalog.words(self.list).any(|word| word == name)
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
    /// The list of a catalog that adds types of such objects: `blocks`, `fields` or `actions`. `None` for other shapes.
    pub(super) list: Option<&'static str>,
    /// Names that models use for a property which has another name, or belongs to another object. A line for each: the name, a
    /// tab, and the right name, or a whole sentence that ends with a dot.
    pub(super) misplaced: &'static str,
    /// Of actions: whether a press has an effect, with this catalog.
    pub(super) has_effect: Option<fn(&Value, &Catalog) -> bool>,
}

/// A shape without the three last members, which few shapes have.
pub(super) const fn shape(name: &'static str, doc: Doc, properties: &'static [PropertyRule]) -> ObjectShape {
    ObjectShape { name, doc, properties, list: None, misplaced: "", has_effect: None }
}

impl ObjectShape {
    /// The property with this name; `None` for an unknown one.
    pub(super) fn find(&self, name: &str) -> Option<&'static PropertyRule> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// The known property that a name is one edit away from.
    pub(super) fn nearest(&self, name: &str) -> Option<&'static str> {
        self.properties.iter().map(|property| property.name).find(|known| is_one_edit_away(name, known))
    }

    /// What `misplaced` has for a name: the right name, or a sentence that ends with a dot.
    pub(super) fn suggestion(&self, name: &str) -> Option<&'static str> {
        let has_name = &mut |line: &'static str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with('\t'));
        find_line(self.misplaced, has_name).and_then(|line| line.get(name.len() + 1..))
    }

    /// The properties of an object that only some types have, and unknown ones: what a catalog's schema of its type checks.
    pub(super) fn properties_of_type(&self, object: &Value) -> Value {
        let mut properties = Object::new();
        for (key, value) in object.as_object().into_iter().flat_map(Object::iter) {
            if self.find(key).is_none_or(|property| !property.types.is_empty()) {
                properties.set(key, value.clone());
            }
        }
        properties.into()
    }

    /// Whether this is the shape of blocks.
    pub(super) fn is_block(&self) -> bool {
        self.list == Some("blocks")
    }
}

/// Whether two names are equal without regard to case, or become equal by one edit: a byte is added, removed or replaced, or two
/// adjacent ones are swapped. False for names of less than four bytes, of which too many are near each other.
fn is_one_edit_away(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    if a.len().min(b.len()) < 4 || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    // Without the equal bytes at the beginning and at the end, only the edit is left.
    while let ([a_byte, a_rest @ ..], [b_byte, b_rest @ ..]) = (a, b)
        && a_byte.eq_ignore_ascii_case(b_byte)
    {
        (a, b) = (a_rest, b_rest);
    }
    while let ([a_rest @ .., a_byte], [b_rest @ .., b_byte]) = (a, b)
        && a_byte.eq_ignore_ascii_case(b_byte)
    {
        (a, b) = (a_rest, b_rest);
    }
    match (a, b) {
        ([] | [_], [] | [_]) => true,
        ([a_first, a_second], [b_first, b_second]) => a_first == b_second && a_second == b_first,
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
    /// The types of fields, or of actions, that have the property; all types if the list is empty. It is ignored on others.
    pub types: &'static [&'static str],
    /// What a refusal of the property, or a warning about it, says to send instead: a sentence, or empty.
    pub(super) solution: &'static str,
    /// Whether the property is there in every page that an agent has created, even if it is not required. TypeScript's type then
    /// requires it.
    pub always: bool,
    /// The purpose of the property.
    pub doc: Doc,
    /// The value, as JSON, that counts while the property is left out; empty if none exists, and in a module.
    pub default: &'static str,
}

/// When a property is required.
#[derive(Clone, Copy, Debug)]
pub(super) enum Need {
    Optional,
    Required,
    /// Required unless the object has this property.
    Unless(&'static str),
    /// Required unless the type of the object is one of these.
    NotForTypes(&'static [&'static str]),
}

/// The values that a property takes. Other values are refused. Only [`Is::Advice`], and [`Is::Loose`] for items of its list, keep
/// them, with a warning.
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
    /// The state, an object which may have no other properties than those of its shape.
    State(&'static ObjectShape),
    /// The `props` of a block, which hold its fields.
    Props(&'static ObjectShape),
    /// A list. Its items should be objects of this shape.
    Loose(&'static ObjectShape),
    /// Should be a value of this kind, or a template.
    Advice(ValueKind),
}

/// An optional property of all types, without a solution and a default. The methods below change that.
pub(super) const fn property(name: &'static str, is: Is, doc: Doc) -> PropertyRule {
    PropertyRule { name, need: Need::Optional, is, types: &[], solution: "", always: false, doc, default: "" }
}

impl PropertyRule {
    /// The same property, required when `need` says.
    pub(super) const fn needed(self, need: Need) -> Self {
        Self { need, ..self }
    }

    /// The same property, with [`PropertyRule::always`].
    pub(super) const fn always(self) -> Self {
        Self { always: true, ..self }
    }

    /// The same property with a solution.
    pub(super) const fn solved_by(self, solution: &'static str) -> Self {
        Self { solution, ..self }
    }

    /// The same property for these types alone.
    pub(super) const fn for_types(self, types: &'static [&'static str]) -> Self {
        Self { types, ..self }
    }

    /// The same property with a default, as JSON.
    pub(super) const fn by_default(self, default: &'static str) -> Self {
        Self { default: if cfg!(target_arch = "wasm32") { "" } else { default }, ..self }
    }

    /// Whether every object of the shape, of whatever type, needs the property.
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

    /// Whether the property has no effect on this object, which is of another type.
    pub(super) fn is_ignored(&self, holder: &Value) -> bool {
        !self.types.is_empty() && !is_of_type(holder, self.types)
    }

    /// Whether this object, which lacks the property, needs it.
    pub(super) fn is_missing(&self, holder: &Value) -> bool {
        match self.need {
            Need::Optional => false,
            Need::Required => true,
            Need::Unless(other) => holder.get(other).is_none(),
            Need::NotForTypes(types) => !is_of_type(holder, types),
        }
    }
}

/// Whether a field or an action is of one of these types.
fn is_of_type(holder: &Value, types: &[&str]) -> bool {
    let type_names = TYPE_KEYS.iter().filter_map(|key| holder.get(key)?.as_str());
    type_names.into_iter().any(|name| types.contains(&name))
}

/// The properties whose value is the type: of a field, and of an action.
pub(super) const TYPE_KEYS: [&str; 2] = ["type", "action_type"];
