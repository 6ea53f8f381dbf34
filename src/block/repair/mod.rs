//! Repairing without a model: a text that is nearly JSON, a block that is nearly a call.
//!
//! - [`repair_json`], [`parse_partial_json`]: any JSON;
//! - `block`: a block, with its fields, for `repair_tool_block` and streams;
//! - [`FixKind`]: the table of what a repair may do.
//!
//! The way of a text: `pairs` finds by a `walk` over its structure which quotes delimit strings; `syntax` goes through
//! it once and copies what is sound; `strings` and `quotes` read strings, with a `lookahead`; `words` reads what has no quotes,
//! `around` what stands before and after. `escaped` takes a layer of escapes off. `fields` then corrects the names in a call.
//! Every change is a `fix`. What a text does not bear out is not done: no string is closed, nothing is
//! completed, and a text that may be read in two ways stays broken.

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
    /// The text may end where it does not: what is open inside of a string speaks against that.
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
