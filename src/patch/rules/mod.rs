//! Structure rules: what a page's document must look like (seeds 000 and 001).
//!
//! A document that was valid stays valid: after a patch has been applied, [`check_touched`] checks the smallest unit
//! around each place that it touched (a field, an action, a block's own properties, …), and the patch is undone where
//! that fails. So a small patch costs a small check. [`check_document`] checks a whole one. Only the properties named
//! in these files are checked, all others are kept as written.

mod blocks;
mod catalog;
mod parts;
mod unique;

pub(super) use blocks::each_field;
pub use catalog::Catalog;
pub(super) use unique::check_unique;

use super::error::{Code, PatchError, Refusal};
use super::path::{PathExpr, Segment, show};
use crate::value::{Array, IdKey, Path, Step, Value};
use std::cell::Cell;

/// Which rules a document is under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Those of a page's document.
    #[default]
    Ui,
    /// None: free JSON, any first segment.
    Open,
}

impl Rules {
    /// The name in options and in saved stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ui => "ui",
            Self::Open => "open",
        }
    }

    /// The rules of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Ui, Self::Open].into_iter().find(|rules| rules.name() == name)
    }

    pub(super) const fn is_open(self) -> bool {
        matches!(self, Self::Open)
    }

    /// Which property addresses the items of the list at a path. Everything that reads a path asks this one rule;
    /// `src/js/resolve.ts` repeats it for snapshots, and a property test compares the two.
    #[must_use]
    pub fn id_key(self, path: &[Step]) -> IdKey {
        self.id_key_of(path.first().and_then(Step::as_key), path.last().and_then(Step::as_key))
    }

    /// The same by the part of the document that the list is in and by its own key, if it has one.
    pub(super) fn id_key_of(self, part: Option<&str>, list: Option<&str>) -> IdKey {
        match list {
            _ if self.is_open() || part == Some("state") => IdKey::IdElseKey,
            Some("blocks" | "actions") => IdKey::Id,
            Some("fields" | "columns") => IdKey::Key,
            Some("options") => IdKey::Value,
            Some(_) | None => IdKey::IdElseKey,
        }
    }
}

/// Checks a whole document.
///
/// # Errors
/// `INVALID_STRUCTURE` or `DUPLICATE_ID`, with the place.
pub fn check_document(root: &Value, rules: Rules, catalog: &Catalog) -> Result<(), Refusal> {
    match rules {
        Rules::Open => Ok(()),
        Rules::Ui => {
            let checker = Checker { root, catalog, seen: &Seen::default() };
            checker.document().and_then(|()| unique::check_all(root, &mut 0))
        }
    }
}

/// What was looked at while the edits of one patch are checked.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// How many items.
    pub(super) steps: Cell<usize>,
    /// The block that was checked whole.
    block: Cell<Option<usize>>,
}

/// Checks the unit around a place that an edit touched.
pub(super) fn check_touched(root: &Value, path: &[Step], catalog: &Catalog, seen: &Seen) -> Result<(), Refusal> {
    Checker { root, catalog, seen }.around(path)
}

/// Whether no rule asks which scalar stands at a path, as long as it is one.
pub(super) fn is_free(path: &PathExpr) -> bool {
    match &*path.segments {
        [Segment::Key(part), Segment::Key(state), _, ..] if &**part == "state" => {
            matches!(&**state, "params" | "runtime")
        }
        [Segment::Key(part), _, Segment::Key(key)] if &**part == "blocks" => !blocks::HEAD.contains(&&**key),
        _ => false,
    }
}

/// Checks parts of one document.
#[derive(Clone, Copy)]
struct Checker<'a> {
    root: &'a Value,
    catalog: &'a Catalog,
    seen: &'a Seen,
}

impl<'a> Checker<'a> {
    fn document(self) -> Result<(), Refusal> {
        let Value::Object(parts) = self.root else {
            return Err(wrong_kind(&[], self.root, "an object"));
        };
        ["page_key", "meta", "state", "layout", "blocks", "actions"]
            .into_iter()
            .filter(|part| parts.contains(part))
            .try_for_each(|part| self.around(&[part.into()]))
    }

    /// Checks the smallest unit around a place. A place that has gone needs no check; what it stood in does.
    fn around(self, path: &[Step]) -> Result<(), Refusal> {
        let Some((Step::Key(part), rest)) = path.split_first() else { return self.document() };
        match (&**part, rest) {
            ("page_key", _) => self.page_key(),
            ("meta", _) => self.meta(),
            ("state", [] | [_]) => self.state(),
            ("layout", _) => self.layout(),
            ("blocks", rest) => self.around_block(rest),
            ("actions", []) => self.actions(path),
            ("actions", [index, ..]) => self.action(&["actions".into(), index.clone()]),
            _ => Ok(()),
        }
    }

    fn at(self, path: &[Step]) -> Option<&'a Value> {
        self.root.at(path)
    }

    /// Counts the items of a list that is walked.
    fn count(self, items: &Array) -> usize {
        self.seen.steps.set(self.seen.steps.get() + items.len());
        items.len()
    }
}

/// Refuses a value of the wrong kind.
#[cold]
fn wrong_kind(path: &[Step], found: &Value, wanted: &str) -> Refusal {
    let place = show(path);
    let message = format!("{place} is {}, not {wanted}.", super::words::article(found));
    PatchError::new(Code::InvalidStructure, message, format!("Make it {wanted}."))
}

/// Refuses a property that is needed and absent.
#[cold]
fn needed(path: &[Step], property: &str, solution: impl Into<String>) -> Refusal {
    PatchError::new(Code::InvalidStructure, format!("{} has no {property}.", show(path)), solution)
}

/// Refuses a word that is not among the known ones.
#[cold]
fn unknown_word(path: &[Step], found: &Value, known: &str) -> Refusal {
    let found = found.to_json();
    let message = format!("{} is {}, which is not known.", show(path), super::words::cut(&found));
    PatchError::new(Code::InvalidStructure, message, format!("Use one of {known}."))
}

fn below(path: &[Step], step: impl Into<Step>) -> Path {
    path.iter().cloned().chain([step.into()]).collect()
}
