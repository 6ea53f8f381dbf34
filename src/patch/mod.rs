//! Patch calls (seeds 000 and 001): what an agent sends to change a page.
//!
//! [`Call::from_value`] parses a call, and [`Work::run`] runs its patches one after another. Each patch is parsed, planned
//! (its operation turns it into edits of the document), measured, applied, and checked by the structure rules around the
//! values that it touches. A refused patch is undone by inverse edits: a patch is atomic, and so is a call unless the options
//! say otherwise ([`OnError`]).
//!
//! The files, from the top to the bottom; a file imports only files further down this list:
//!
//! - `work`: the kinds of work, and one patch from its parsing to its rule checks; `query`: questions that change nothing;
//! - `json_patch`: RFC 6902 and RFC 7396 as edits; `run`: applies planned edits and checks them;
//! - `handlers`: which function plans an operation; `trees`, `lists`, `scalars`: those functions; `condition`: conditions;
//! - `planner`: what they work with: paths resolved in the document, and the edits so far;
//! - `declared`: the defaults that fields declare; `call`: calls and patches parsed; `merge`: merges; `cost`: what values cost;
//! - `op`: the table of operations; `rules`: the vocabulary of a page, the structure rules and the warnings made from it;
//!   `schema`: JSON Schema, for catalogs; `options`: what a run is given;
//! - `path`: the path grammar; `error`: the codes, and the table of all sentences; `segment`, `words`: the paths and names
//!   that fill the gaps of these sentences.

mod call;
mod condition;
mod cost;
mod declared;
mod error;
mod handlers;
mod json_patch;
mod lists;
mod merge;
mod op;
mod options;
mod path;
mod planner;
mod query;
mod rules;
mod run;
mod scalars;
mod schema;
mod segment;
mod trees;
mod words;
mod work;

pub use call::{CREATE, Call, DELETE, Dialect, Target, VERSIONS};
pub(crate) use call::{INSTANCE_KEYS, check_instance_name, unknown_instance};
pub(crate) use cost::check_size;
pub(crate) use error::{Arg, Cause, Checked};
pub use error::{Code, PatchError, Refusal};
pub use op::Op;
pub use options::{OnError, RunOptions};
pub use path::{Operator, PathExpr, format_path};
pub use query::{holds, resolve};
pub use rules::{Catalog, Rules, Values, Warning, WarningCode, check_document, vocabulary};
pub use run::{PatchOutcome, Reason, Skipped};
pub use segment::Segment;
pub(crate) use segment::show as show_path;
pub use trees::start_document;
pub use work::Work;
