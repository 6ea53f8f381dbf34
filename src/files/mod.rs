//! Edits of texts, as file tools make them.
//!
//! - [`edit()`]: replaces one piece of a text;
//! - [`EditFixKind`]: in what a piece may differ from the place that it replaces (`alike`);
//! - [`nearest`]: the most similar place of a text that does not contain a piece;
//! - `search`: all occurrences of a piece.
//!
//! Where files live, and who may change them, is decided by the host.

mod alike;
mod edit;
mod nearest;
mod search;

pub use alike::{Difference, EditFix, EditFixKind};
pub use edit::{EditFailure, Edited, Review, edit};
pub use nearest::{Nearest, nearest};
