//! JSON Merge Patch (RFC 7396) on a document, as edits with inverses.

use super::error::Refusal;
use super::path::{Operator, PathExpr, unresolved};
use super::planner::{Planner, merge, without_nulls};
use super::run::{PatchOutcome, RunOptions};
use super::trees::check_removable;
use crate::edit::{Document, Edit};
use crate::value::{Path, Value};

/// Merges a patch into a document: objects merge, `null` removes a key, anything else replaces.
///
/// # Errors
/// What the rules of a page refuse, and limits; the document is then as it was.
pub fn merge_patch(document: &mut Document, patch: Value, options: RunOptions<'_>) -> Result<PatchOutcome, Refusal> {
    let mut planner = Planner::new(document, options);
    match (planner.document.value(), patch) {
        (Value::Object(own), Value::Object(entries)) => {
            merge(own, &mut Path::new(), entries, true, &mut planner.edits);
        }
        (_, patch) => planner.set(Path::new(), without_nulls(patch)),
    }
    if !options.rules.is_open() {
        for edit in &planner.edits {
            if let Edit::Remove { path } = edit {
                check_removable(path, options.rules)?;
            }
            // Values and ids are checked once the edits are made.
            PathExpr { segments: unresolved(edit.path()), operator: Operator::Plain }.check_names()?;
        }
    }
    planner.make()?;
    Ok(planner.outcome)
}
