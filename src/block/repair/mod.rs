//! Repairing without a model: a text that is nearly JSON, a block that is nearly a call.
//!
//! - [`repair_json`], [`parse_partial_json`]: any JSON;
//! - [`repair_tool_block`]: a block, with its fields; [`FIXES`]: the table of what a repair may do.
//!
//! The way of a text: `syntax` goes through it once and copies what is sound; `text` and `quotes` read strings, with
//! looks `ahead`, `words` what has no quotes, `around` what goes before and after. `escaped` takes a layer of escapes
//! off. `fields` then gives a call the names that it should have. Every change is a `fix`. What a text does not bear out
//! is not done: no string is closed, nothing is completed, and a text that may be read in two ways stays broken.

mod ahead;
mod around;
mod block;
mod escaped;
mod fields;
mod fix;
mod json;
mod pairs;
mod quotes;
mod syntax;
mod text;
mod words;

pub(super) use around::{is_torn, leads_on};
pub use block::{BlockRepair, repair_tool_block};
pub use fix::{FIXES, Fix, FixKind};
pub use json::{JsonRepair, Partial, parse_partial_json, repair_json};

pub(super) use block::{Broken, Mended, Reach};
use std::cell::Cell;

use super::lead::first_object;
use around::holds_keys;
use fix::Mark;
use pairs::{Edit, Quotes};
use syntax::{Fail, Repairer};

/// What kind of text is repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    /// A tool block: calls of tools with known keys.
    Block,
    /// JSON at large.
    Json,
}

/// How a text is read.
struct Rules<'a> {
    dialect: Dialect,
    /// The text is whole: what is open at its end may be closed.
    complete: bool,
    /// The text may end where it does not: what is open inside of a string speaks against that.
    doubtful: bool,
    /// The text may end anywhere, and what is there of it is wanted.
    partial: bool,
    /// The second reading, in which quotes need not come in pairs.
    loose: bool,
    /// Whether that would read something otherwise, as far as this reading came.
    is_ambiguous: Cell<bool>,
    max_depth: usize,
    /// How many fixes are listed.
    most: usize,
    /// The numbers of known keys, below 64.
    known: &'a dyn Fn(&str) -> Option<u32>,
    /// Of these keys the values are texts of files; of those, paths.
    texts: u64,
    paths: u64,
}

/// A repaired text.
#[derive(Debug)]
struct Repaired {
    text: String,
    marks: Vec<Mark>,
    /// Quotes inside of strings were escaped.
    delicate: bool,
    /// The ways to undo what may be one damage.
    edits: Vec<Edit>,
}

impl Rules<'_> {
    /// Repairs what was unescaped. Where in the text that was, nobody can tell any more: its fixes are one.
    fn repair_escaped(&self, inner: &str) -> Result<Repaired, Fail> {
        let marks = vec![Mark { kind: FixKind::EscapedTwice, offset: 0, count: 1 }];
        Ok(Repaired { marks, ..self.repair(inner)? })
    }

    /// Repairs a text, once.
    fn repair(&self, text: &str) -> Result<Repaired, Fail> {
        let (quotes, edits) = self.quotes(text)?;
        let mut repairer = Repairer::new(text, self, quotes);
        match repairer.run() {
            Ok(()) => {}
            Err(_) if self.partial => {
                repairer.cut_off();
            }
            Err(fail) => return Err(fail),
        }
        let Repairer { mut out, marks, list, delicate, .. } = repairer;
        if list {
            out = ["[\n", &out, "\n]"].concat();
        }
        Ok(Repaired { text: out, marks, delicate, edits })
    }

    /// What is known of the quotes of a text, and how else one damage may be undone.
    fn quotes(&self, text: &str) -> Result<(Quotes, Vec<Edit>), Fail> {
        if self.dialect == Dialect::Json {
            return Ok((Quotes::Unknown, Vec::new()));
        }
        let start = first_object(text).unwrap_or_default();
        if holds_keys(text.get(..start).unwrap_or_default()) {
            return Err(Fail::Unclear);
        }
        let (quotes, edits) = Quotes::of(text.get(start..).unwrap_or_default(), self.max_depth);
        let quotes = match quotes {
            Quotes::Unclear => return Err(Fail::Unclear),
            Quotes::But(from, to) => Quotes::But(start + from, start + to),
            quotes => quotes,
        };
        Ok((quotes, edits.into_iter().map(|edit| edit.moved(start)).collect()))
    }
}
