//! Patch calls (seeds 000 and 001): what an agent sends to change a page.
//!
//! A call goes one way: [`Call::from_value`] reads it, [`run`] takes its patches one after another, and each patch is
//! read ([`Patch`]), planned (its operation turns it into edits on the document as it stands), measured, applied, and
//! checked by the structure rules around the places that it touched. What fails is undone by inverse edits: a patch is
//! atomic, and so, unless asked otherwise ([`OnError`]), is a call.
//!
//! - `call`: the two dialects; `path`: the path grammar; `condition`: conditions;
//! - `op`: the table of operations; `plan` leads to `scalars`, `lists` and `trees`, which find their places by `site`;
//! - `rules`: the structure rules; `declared`: what fields declare for the state;
//! - `error`: the codes; `words`: words for messages.

mod call;
mod condition;
mod declared;
mod error;
mod lists;
mod op;
mod path;
mod plan;
mod rules;
mod run;
mod scalars;
mod site;
mod start;
mod trees;
mod words;

pub(crate) use call::unknown_instance;
pub use call::{CREATE, Call, DELETE, Dialect, Patch, Target};
pub use error::{Code, PatchError, Refusal};
pub use op::{Needs, Op};
pub use path::{Operator, PathExpr, Segment, format_path};
pub use rules::{Catalog, Rules, check_document};
pub use run::{OnError, Outcome, Reason, Skipped, Terms, run};
pub(crate) use run::{check_size, set};
pub use site::Site;
pub use start::document as start_document;

use crate::edit::Document;
use crate::value::Path;

/// The place that a path means in a document, if it is there. Looks ids up as patches do.
///
/// # Errors
/// `PATH_NOT_FOUND`, with what is there instead.
pub fn resolve(document: &mut Document, path: &PathExpr, rules: Rules) -> Result<Path, Refusal> {
    Site { document, rules, founding: false }.find_existing(&path.segments)
}
