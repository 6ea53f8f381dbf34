//! Edits: the smallest invertible changes of a document.
//!
//! Every change of a document is a list of [`Edit`]s. [`Document::apply`] applies one in place and returns its inverse, which
//! is the only mechanism for undo. A list of edits as JSON is an edit script ([`script_to_json`]): a mirror of the document,
//! such as the snapshot in JavaScript, applies it.
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
mod script;
mod tracker;

pub use document::Document;
pub use script::{edit_from_value, edit_to_json, script_to_json};

use crate::value::{Path, Step, Value};

/// A change of a document at a resolved place.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Replaces the value at an existing place. The empty path is the document itself.
    Set {
        /// The place.
        path: Path,
        /// The new value.
        value: Value,
    },
    /// Inserts an item into a list, or a new key into an object.
    Insert {
        /// The place; it ends in the item's index or in the key.
        path: Path,
        /// For a key: its index in the order; the end if absent.
        index: Option<usize>,
        /// The new value.
        value: Value,
    },
    /// Removes an item or a key.
    Remove {
        /// The place.
        path: Path,
    },
    /// Removes the value at `from` and inserts it at `path`, which is resolved after the removal.
    Move {
        /// The old place.
        from: Path,
        /// The new place.
        path: Path,
        /// For a key: its index in the order; the end if absent.
        index: Option<usize>,
    },
}

impl Edit {
    /// The place that the edit changes.
    pub fn path(&self) -> &[Step] {
        match self {
            Self::Set { path, .. } | Self::Insert { path, .. } | Self::Remove { path } | Self::Move { path, .. } => {
                path
            }
        }
    }

    /// The places that the edit changes: two of a move, otherwise the same one twice.
    pub(crate) fn places(&self) -> [&[Step]; 2] {
        let from = if let Self::Move { from, .. } = self { from } else { self.path() };
        [from, self.path()]
    }
}

/// The place of the edit does not exist, or the key to insert exists already. The document is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchPlace;

impl std::fmt::Display for NoSuchPlace {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the document has no such place")
    }
}

impl std::error::Error for NoSuchPlace {}
