//! What a file tool does to a text.
//!
//! - [`edit`]: one piece of a text replaced by another;
//! - [`nearest`]: where a text is most like a piece that it does not have.
//!
//! Where files live, and who may change them, is for the host.

mod edit;
mod nearest;

pub use edit::{EditFailure, edit};
pub use nearest::{Nearest, nearest};
