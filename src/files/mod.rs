//! Edits of text files: replaces a piece that occurs exactly once.
//!
//! - [`edit()`]: replaces the one occurrence of a piece in a text, or explains why it cannot;
//! - [`EditFixKind`]: the differences in typing, such as typographic quotes, for which an edit still applies (`alike`);
//! - [`nearest`]: the most similar lines of a text that does not contain the piece, for the error message;
//! - `search`: all occurrences of a piece.
//!
//! The host decides where files are stored and who may change them.

mod alike;
mod edit;
mod nearest;
mod search;

pub use alike::{Difference, EditFix, EditFixKind};
pub use edit::{EditFailure, Edited, Review, edit};
pub use nearest::{Nearest, nearest};
