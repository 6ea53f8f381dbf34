//! What a file tool does to a text.
//!
//! - [`edit()`]: one piece of a text replaced by another;
//! - [`EditFixKind`]: in what a piece may differ from the place that it replaces;
//! - [`nearest`]: where a text is most like a piece that it does not have.
//!
//! Where files live, and who may change them, is for the host.

mod alike;
mod edit;
mod nearest;

pub use alike::{Difference, EditFix, EditFixKind};
pub use edit::{EditFailure, Edited, Review, edit};
pub use nearest::{Nearest, nearest};
