//! Repairing without a model: a text that is nearly JSON, a block that is nearly a call.
//!
//! - [`repair_json`], [`parse_partial_json`]: any JSON;
//! - `block`: a block, with its fields, for `repair_tool_block` and streams;
//! - [`FixKind`]: the table of what a repair may do.
//!
//! How a text is repaired: `syntax` reads it once by the grammar of JSON, with a repair at each place where the grammar allows
//! one, and copies what is sound. `ends` decides where a string ends, `escapes` what its backslashes mean, `strings` writes it.
//! `words` reads what has no quotes, `around` what stands before and after the value, `lookahead` looks for the next key.
//! `escaped` removes a layer of escapes. `fields` then corrects the names in a call. Each change is a `fix`.
//!
//! No string is closed and nothing is completed. A text with two readings is `Ambiguous` and stays as it is.

mod around;
mod block;
mod ends;
mod escaped;
mod escapes;
mod fields;
mod fix;
mod json;
mod lookahead;
mod strings;
mod syntax;
mod words;

pub(super) use around::{is_torn, leads_on};
pub use fix::{Fix, FixKind};
pub use json::{JsonRepair, Partial, parse_partial_json, repair_json};

use crate::value::text::part;
pub(super) use block::{DamagedBlock, Reach, RepairedBlock};

use super::Tools;
use super::tools::CallField;

/// How a text is read.
#[derive(Clone, Copy)]
struct RepairRules<'a> {
    /// The tools whose calls a block holds; of JSON at large there are none.
    tools: Option<&'a Tools>,
    /// The text is whole: what is open at its end may be closed.
    complete: bool,
    /// The fence after the text may belong to a string in it: brackets that are open in a string speak against its end.
    doubtful: bool,
    /// The text may end anywhere, and what is there of it is wanted.
    partial: bool,
    max_depth: usize,
    /// How many fixes are listed.
    most: usize,
}

/// What the value of a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyKind {
    /// Calls have no such key.
    Unknown,
    /// The text of a file.
    Text,
    Path,
    Other,
}

impl RepairRules<'_> {
    const fn is_block(&self) -> bool {
        self.tools.is_some()
    }

    fn key(&self, key: &str) -> KeyKind {
        let Some(tools) = self.tools else { return KeyKind::Unknown };
        match CallField::anywhere(key) {
            Some(CallField::Path) => KeyKind::Path,
            Some(field) if field.is_text() => KeyKind::Text,
            None if !tools.has_own_key(key) => KeyKind::Unknown,
            Some(_) | None => KeyKind::Other,
        }
    }
}

/// The first byte of a text; 0 where there is none.
fn first(text: &str) -> u8 {
    text.as_bytes().first().copied().unwrap_or_default()
}

/// The last byte of a text; 0 where there is none.
fn last(text: &str) -> u8 {
    text.as_bytes().last().copied().unwrap_or_default()
}

/// Where something stands in a text, from a place on.
fn find(text: &str, from: usize, what: &str) -> Option<usize> {
    crate::value::find(text.get(from..)?, what).map(|place| from + place)
}
