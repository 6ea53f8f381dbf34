//! Patch calls (seeds 000 and 001): what an agent sends to change a page.
//!
//! A call goes one way: [`Call::from_value`] reads it, [`Work::run`] takes its patches one after another, and each is
//! read into what its operation needs, planned (its operation turns it into edits on the document as it stands),
//! measured, applied, and checked by the structure rules around the places that it touched. What fails is undone by
//! inverse edits: a patch is atomic, and so, unless asked otherwise ([`OnError`]), is a call.
//!
//! - `call`: the two dialects, and patches; `path`: the path grammar; `condition`: conditions;
//! - `op`: the table of operations, which leads to `scalars`, `lists` and `trees`; they resolve paths and plan edits with `planner`;
//! - `rules`: the structure rules; `declared`: what fields declare for the state;
//! - `run`: patches and edits, made and checked; `json_patch`: RFC 6902 and RFC 7396 as edits;
//! - `error`: the codes, and the table of all sentences; `words`: what fills their gaps.

mod call;
mod condition;
mod declared;
mod error;
mod json_patch;
mod lists;
mod op;
mod path;
mod planner;
mod rules;
mod run;
mod scalars;
mod trees;
mod words;

pub use call::{CREATE, Call, DELETE, Dialect, Target, VERSIONS};
pub(crate) use call::{INSTANCE_KEYS, check_name, unknown_instance};
pub(crate) use error::{Arg, Cause, Checked};
pub use error::{Code, PatchError, Refusal};
pub use op::Op;
pub use path::{Operator, PathExpr, Segment, format_path};
use planner::Planner;
pub use rules::{Catalog, FIELD_TYPES, Rules, check_document};
pub(crate) use run::check_size;
pub use run::{OnError, PatchOutcome, Reason, RunOptions, Skipped, Work};
pub use trees::start_document;

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
