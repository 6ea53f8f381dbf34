//! Questions about a document that change nothing.

use super::condition;
use super::error::Refusal;
use super::options::RunOptions;
use super::path::{Operator, PathExpr};
use super::planner::Planner;
use crate::edit::Document;
use crate::value::Path;

/// The place that a path means in a document, if it is there. Looks ids up as patches do.
///
/// # Errors
/// `PATH_NOT_FOUND`, with what is there instead.
pub fn resolve(document: &mut Document, path: &PathExpr, options: RunOptions<'_>) -> Result<Path, Refusal> {
    let mut planner = Planner::new(document, options);
    let found = planner.find(&path.segments)?;
    // The end of a list is a place where nothing stands yet.
    if path.operator == Operator::Append { Err(planner.missing(&found)) } else { planner.existing(found) }
}

/// Whether a condition holds for a document as it stands: the `condition` of a patch, on its own.
///
/// # Errors
/// `INVALID_STRUCTURE`, with the place where the grammar is left.
pub fn holds(document: &mut Document, condition: &str, options: RunOptions<'_>) -> Result<bool, Refusal> {
    condition::holds(&mut Planner::new(document, options), condition)
}
