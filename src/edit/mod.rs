//! Edits: the smallest invertible changes of a document.
//!
//! Every change of a document is a list of [`Edit`]s. [`Document::apply`] applies one in place and returns its inverse,
//! which is the only mechanism for undo. A list of edits as JSON is an edit script ([`script_to_json`]). Copies of the
//! document elsewhere, such as the snapshot in JavaScript, apply it to stay equal to the document.
//!
//! ```
//! use genui_patch::edit::{Document, Edit};
//! use genui_patch::value::parse;
//!
//! let mut document = Document::new(parse(r#"{"a":1,"b":2}"#, 8).unwrap());
//! let inverse = document.apply(Edit::Remove { path: vec!["a".into()] }).unwrap();
//! assert_eq!(document.value().to_json(), r#"{"b":2}"#);
//! document.apply(inverse).unwrap();
//! assert_eq!(document.value().to_json(), r#"{"a":1,"b":2}"#);
//! ```

mod document;
mod field_index;
mod script;
mod tracker;

pub use document::Document;
pub(crate) use field_index::{FieldIndex, INNER};
pub use script::{edit_from_value, edit_to_json, script_to_json};

use crate::value::{Path, Step, Value};

/// A change of a document at a resolved path.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Replaces an existing value. The empty path is the whole document.
    Set {
        /// The path of the value.
        path: Path,
        /// The new value.
        value: Value,
    },
    /// Inserts an item into a list, or a new key into an object.
    Insert {
        /// The path of the new value. Its last step is the item's index or the new key.
        path: Path,
        /// For a key: its position in the order of keys; `None` appends it. Ignored for an item of a list.
        index: Option<usize>,
        /// The new value.
        value: Value,
    },
    /// Removes an item or a key.
    Remove {
        /// The path of the item or key.
        path: Path,
    },
    /// Removes the value at `from` and inserts it at `path`, which is resolved after the removal.
    Move {
        /// The old path.
        from: Path,
        /// The new path.
        path: Path,
        /// For a key: its position in the order of keys; `None` appends it. Ignored for an item of a list.
        index: Option<usize>,
    },
}

impl Edit {
    /// The path that the edit changes; of a move, the new one.
    pub fn path(&self) -> &[Step] {
        match self {
            Self::Set { path, .. } | Self::Insert { path, .. } | Self::Remove { path } | Self::Move { path, .. } => {
                path
            }
        }
    }

    /// Both paths that the edit changes, the old one and the new one. They are the same unless it is a move.
    pub(crate) fn both_paths(&self) -> [&[Step]; 2] {
        let from = if let Self::Move { from, .. } = self { from } else { self.path() };
        [from, self.path()]
    }
}

/// The error of an edit whose path does not exist, whose new key already exists, or whose index is beyond the end. The
/// document is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchPlace;

impl std::fmt::Display for NoSuchPlace {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the document has no such place")
    }
}

impl std::error::Error for NoSuchPlace {}
