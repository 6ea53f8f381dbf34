//! Repair without a model: of text that is nearly JSON, and of blocks that are nearly calls.
//!
//! - [`repair_json`], [`parse_partial_json`]: any JSON;
//! - `block`: a block with its fields, for `repair_tool_block` and streams;
//! - [`FixKind`]: the table of fixes.
//!
//! `syntax` reads the text once by the grammar of JSON, copies valid parts and applies a fix at each place where the grammar
//! allows one; a comment `repair: …` with an example stands at each. `quotes` knows the quotes of strings, `ends` finds the
//! quote that ends a string, `escapes` decides what its backslashes mean, `strings` writes it. `words` reads values and keys
//! without quotes, `around` drops text around the value, `lookahead` looks for the next key. `escaped` removes a layer of
//! escapes. `fields` then corrects the names in a call. `fix` lists the changes.
//!
//! A repair never closes a string and never invents a value. A text that it refuses stays unchanged; `unrepairable` says
//! why: no fix applies, or the text is ambiguous.

mod around;
mod block;
mod ends;
mod escaped;
mod escapes;
mod fields;
mod fix;
mod json;
mod lookahead;
mod quotes;
mod strings;
mod syntax;
mod unrepairable;
mod words;

pub(super) use around::{is_rest_of_value, seems_to_continue};
pub use fix::{Fix, FixKind};
pub use json::{JsonRepair, Partial, parse_partial_json, repair_json};

use crate::value::text::part;
pub(super) use block::{DamagedBlock, Reach, RepairedBlock};

use super::Tools;
use super::tools::CallField;

/// The options of one repair.
#[derive(Clone, Copy)]
struct RepairRules<'a> {
    /// The known tools if the text is a tool block; `None` for any other JSON.
    tools: Option<&'a Tools>,
    /// The text was not cut off: lists and objects that are open at its end may be closed.
    is_complete: bool,
    /// The fence after the text may belong to one of its strings: a string whose own brackets are not closed may go on after
    /// the fence.
    has_doubtful_end: bool,
    /// For `parse_partial_json`: the text may end anywhere, and the repair returns as much of it as has arrived.
    is_partial: bool,
    /// The maximum number of lists and objects inside each other.
    max_depth: usize,
    /// The maximum number of fixes that are listed.
    max_fixes: usize,
}

/// How a key of a call constrains its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyKind {
    /// No tool has this key, or the text is not a tool block.
    Unknown,
    /// The text of a file, or a part of it: `content`, `old_string` or `new_string`.
    Text,
    /// The path of a file.
    Path,
    /// Any other field of a file tool or of a tool that the host added.
    Other,
}

impl RepairRules<'_> {
    /// Whether the text is a tool block.
    const fn is_block(&self) -> bool {
        self.tools.is_some()
    }

    /// The kind of a key, under its own name or an alias.
    fn key_kind(&self, key: &str) -> KeyKind {
        let Some(tools) = self.tools else { return KeyKind::Unknown };
        match CallField::find_anywhere(key) {
            Some(CallField::Path) => KeyKind::Path,
            Some(field) if field.is_text() => KeyKind::Text,
            None if !tools.has_own_key(key) => KeyKind::Unknown,
            Some(_) | None => KeyKind::Other,
        }
    }
}

/// The first byte of `text`; 0 if `text` is empty.
fn first_byte(text: &str) -> u8 {
    text.as_bytes().first().copied().unwrap_or_default()
}

/// The last byte of `text`; 0 if `text` is empty.
fn last_byte(text: &str) -> u8 {
    text.as_bytes().last().copied().unwrap_or_default()
}

/// The byte offset of the first occurrence of `what` at or after the offset `from`.
fn find(text: &str, from: usize, what: &str) -> Option<usize> {
    crate::value::find(text.get(from..)?, what).map(|distance| from + distance)
}
