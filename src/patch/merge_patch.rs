//! JSON Merge Patch (RFC 7396) on a document, as edits with inverses.

use super::error::Refusal;
use super::path::{Operator, PathExpr, unresolved};
use super::planner::{merge, without_nulls};
use super::run::{PatchOutcome, RunOptions, make};
use super::trees::check_removable;
use crate::edit::{Document, Edit};
use crate::value::{Path, Value};

/// Merges a patch into a document: objects merge, `null` removes a key, anything else replaces.
///
/// # Errors
/// What the rules of a page refuse, and limits; the document is then as it was.
pub fn merge_patch(document: &mut Document, patch: Value, options: RunOptions<'_>) -> Result<PatchOutcome, Refusal> {
    document.steps = 0;
    let mut edits = Vec::new();
    match (document.value(), patch) {
        (Value::Object(own), Value::Object(entries)) => merge(own, &mut Path::new(), entries, true, &mut edits),
        (own, patch) => {
            let value = without_nulls(patch);
            if *own != value {
                edits.push(Edit::Set { path: Path::new(), value });
            }
        }
    }
    if !options.rules.is_open() {
        for edit in &edits {
            if let Edit::Remove { path } = edit {
                check_removable(path, options.rules)?;
            }
            // Values and ids are checked once the edits are made.
            PathExpr { segments: unresolved(edit.path()), operator: Operator::Plain }.check_names()?;
        }
    }
    let mut outcome = PatchOutcome::default();
    make(document, &mut edits, options, &mut outcome)?;
    Ok(outcome)
}
