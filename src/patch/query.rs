//! Questions about a document that change nothing.

use super::condition;
use super::error::Refusal;
use super::options::RunOptions;
use super::path::{Operator, PathExpr};
use super::planner::Planner;
use crate::edit::Document;
use crate::value::Path;

/// Resolves a path in a document, whose ids are looked up as for patches. The document is `mut` only for the index that a lookup
/// may build; its value does not change.
///
/// # Errors
/// `PATH_NOT_FOUND` if the document does not have the whole path; the refusal says what it has.
pub fn resolve(document: &mut Document, path: &PathExpr, options: RunOptions<'_>) -> Result<Path, Refusal> {
    let mut planner = Planner::new(document, options);
    let location = planner.find(&path.segments)?;
    // `list+` means the item after the last one, which does not exist yet.
    if path.operator == Operator::Append {
        Err(planner.missing_path(&location))
    } else {
        planner.existing_path(location)
    }
}

/// Whether a condition holds for a document. Its grammar is that of a patch's `condition`.
///
/// # Errors
/// `INVALID_STRUCTURE` for a syntax error; the refusal has the text from the error on.
pub fn holds(document: &mut Document, condition: &str, options: RunOptions<'_>) -> Result<bool, Refusal> {
    condition::holds(&mut Planner::new(document, options), condition)
}
