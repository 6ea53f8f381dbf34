//! JSON values: the tree that documents are made of, and text in and out.
//!
//! - [`Value`], with [`Object`] (ordered keys) and [`Array`] (items findable by id);
//! - [`parse`] / [`Value::to_json`]: RFC 8259 text, numbers as ECMAScript writes them;
//! - [`Lexer`]: the incremental tokenizer of `parse` and of streamed tool blocks, so that a whole text and a text in pieces
//!   have the same value;
//! - [`Step`] and pointers (RFC 6901): the way from a value to a value inside it.
//!
//! Numbers are doubles, as in JavaScript: integers above 2^53 lose digits, `-0` is `0`. Lone surrogate escapes become
//! U+FFFD. Keys keep the order in which they were written; equality ignores it, as JSON does.
//!
//! Functions are `#[inline(never)]` where one copy for all callers makes the WebAssembly modules smaller.

mod array;
mod builder;
pub(crate) mod chunks;
mod key;
mod lexer;
mod measure;
mod name_index;
pub(crate) mod names;
mod number;
mod object;
mod path;
mod position;
mod scan;
#[cfg(feature = "serde")]
mod serde;
mod sort;
pub(crate) mod text;
mod write;

pub(crate) use array::By;
pub use array::{Array, IdKey};
pub use builder::{Builder, ParseError, parse};
pub use key::Key;
pub(crate) use key::key;
pub use lexer::{Container, Fault, FaultKind, Lexer, Role, Sink, Stop};
pub(crate) use lexer::{is_blank, is_json, is_quote, is_typographic_double, is_typographic_single, word_length};
pub use measure::{Measure, measure};
pub(crate) use number::is_number;
pub use number::{write_index, write_number};
pub use object::Object;
pub(crate) use path::below;
pub use path::{Path, Step, pointer};
pub use position::Position;
pub(crate) use position::utf16_len;
pub(crate) use scan::{NO_LOW_BYTE, length_before, run_length};
pub(crate) use sort::sort_by_number;
pub(crate) use text::{concat, decimal, find, join, put, put_char, write_hex};
pub(crate) use write::{is_same_json, write_escape, write_list, write_strings};
pub use write::{path_to_json, write_string};

/// A JSON value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A double, as in JavaScript. Infinite only when read from text such as `1e400`.
    Number(f64),
    /// A string; always well-formed.
    String(Box<str>),
    /// A list.
    Array(Array),
    /// Keys and values, in the order in which they were written.
    Object(Object),
}

impl Value {
    /// The value's kind as JSON names it: `"null"`, `"boolean"`, `"number"`, `"string"`, `"array"`, `"object"`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number.
    pub const fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The number as an index, if it is a whole number from 0 below 2^32, which every `usize` of WebAssembly can hold.
    pub(crate) fn as_index(&self) -> Option<usize> {
        let number = self.as_number()?;
        (number.fract() == 0.0 && (0.0..4_294_967_296.0).contains(&number)).then_some(number as usize)
    }

    /// The items of a list.
    pub const fn as_array(&self) -> Option<&Array> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The strings among the items of a list; none for a value of another kind.
    pub(crate) fn strings(&self) -> Vec<&str> {
        let mut texts = Vec::new();
        if let Self::Array(items) = self {
            for item in items {
                texts.extend(item.as_str());
            }
        }
        texts
    }

    /// The keys and values of an object.
    pub const fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The value of a key, if this is an object that has it.
    #[inline(never)]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }

    /// The value one step below: see [`Value::at`].
    pub fn step(&self, step: &Step) -> Option<&Self> {
        self.at(std::slice::from_ref(step))
    }

    /// The value at a path; `None` if none exists, or if a step does not fit, e.g. an index into an object.
    #[inline(never)]
    pub fn at(&self, path: &[Step]) -> Option<&Self> {
        let mut value = self;
        for step in path {
            value = match (value, step) {
                (Self::Object(object), Step::Key(key)) => object.get(key)?,
                (Self::Array(items), Step::Index(index)) => items.get(*index)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Whether conditions and templates treat the value as false: `null`, `false`, `0` and `""`.
    pub fn is_falsy(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(flag) => !flag,
            Self::Number(number) => *number == 0.0,
            Self::String(text) => text.is_empty(),
            Self::Array(_) | Self::Object(_) => false,
        }
    }

    /// The compact JSON text of the value, as `JSON.stringify` writes it.
    #[inline(never)]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }
}

/// As [`Value::to_json`].
impl std::fmt::Display for Value {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.to_json())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into_boxed_str())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl From<Vec<Self>> for Value {
    fn from(items: Vec<Self>) -> Self {
        Self::Array(items.into())
    }
}
