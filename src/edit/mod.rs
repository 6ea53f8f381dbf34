//! Edits: the smallest invertible changes, and the document that they change.
//!
//! Everything that changes a document is a list of [`Edit`]s. [`Document::apply`] makes one in place and hands back its
//! inverse; there is no other mechanism for undo. A list of edits written as JSON ([`script_to_json`]) is the edit
//! script by which a mirror elsewhere, the snapshot in JavaScript, follows.
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
    /// Another value at a place that exists. The empty path is the document itself.
    Set {
        /// The place.
        path: Path,
        /// The new value.
        value: Value,
    },
    /// A new item of a list, which the items from there on make room for, or a new key of an object.
    Insert {
        /// The place; it ends in the item's index or in the key.
        path: Path,
        /// For a key: its place in the order; the end if absent.
        index: Option<usize>,
        /// The new value.
        value: Value,
    },
    /// An item or a key less.
    Remove {
        /// The place.
        path: Path,
    },
    /// As a removal of `from` and an insertion at `path`, which is a place in the document without it.
    Move {
        /// The place where it is.
        from: Path,
        /// The place where it goes.
        path: Path,
        /// For a key: its place in the order; the end if absent.
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

    /// The places that the edit changes: of a move two, else one and the same.
    pub(crate) fn places(&self) -> [&[Step]; 2] {
        let from = if let Self::Move { from, .. } = self { from } else { self.path() };
        [from, self.path()]
    }
}

/// The target of the edit does not exist, or, for an inserted key, already exists. The document is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchPlace;

impl std::fmt::Display for NoSuchPlace {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the document has no such place")
    }
}

impl std::error::Error for NoSuchPlace {}
