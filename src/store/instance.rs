//! One instance: the shown document with its rules, and the pending calls whose changes it contains.

use std::sync::Arc;

use super::pending::{InstanceStatus, Pending, Undo};
use crate::edit::{Document, Edit};
use crate::limits::Limits;
use crate::patch::{Arg, Cause, Checked};
use crate::value::{Path, Value};

/// One instance of a store.
#[derive(Debug, Default)]
pub(super) struct Instance {
    pub(super) name: Arc<str>,
    /// The shown document: the confirmed one with the pending calls applied in order.
    pub(super) document: Document,
    /// The status of the shown document.
    pub(super) status: InstanceStatus,
    /// The number of changes that the shown document has had.
    pub(super) revision: u64,
    /// The pending calls, the oldest first.
    pub(super) queue: Vec<Pending>,
    /// Whether the store lists the instance in its `order`: whether it was present after the last change.
    pub(super) is_listed: bool,
}

impl Instance {
    /// An instance that does not exist yet. A [`super::task::Task`], such as a creation or a load, gives it a document.
    pub(super) fn absent(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A copy of the instance in its confirmed state, without pending calls. It keeps the revision of the shown document: the
    /// reply of a preview counts on from it.
    pub(super) fn without_pending(&self) -> Self {
        let document = Document::new(self.document.value().clone());
        let mut confirmed = Self { document, status: self.status, revision: self.revision, ..Self::absent(&self.name) };
        for pending in self.queue.iter().rev() {
            confirmed.apply_undo(pending.undo.clone());
        }
        confirmed
    }

    /// Whether the instance is there with the pending calls applied.
    pub(super) const fn is_present(&self) -> bool {
        self.status.is_present
    }

    /// A change that sets the whole document.
    pub(super) fn as_change(&self) -> Vec<Edit> {
        vec![Edit::Set { path: Path::new(), value: self.document.value().clone() }]
    }

    /// Replaces the document, and returns the undo. The replacement itself has the form of an undo: edits and a status.
    pub(super) fn replace_document(&mut self, value: Value, status: InstanceStatus) -> Undo {
        self.apply_undo(Undo { edits: vec![Edit::Set { path: Path::new(), value }], status })
    }

    /// Reverts a change, and returns the opposite undo, which makes the change again.
    pub(super) fn apply_undo(&mut self, undo: Undo) -> Undo {
        let status = std::mem::replace(&mut self.status, undo.status);
        Undo { edits: self.document.undo(undo.edits), status }
    }
}

/// Refuses a document of more bytes than the limit.
pub(super) fn check_bytes(bytes: usize, limits: &Limits) -> Checked {
    let max = limits.max_document_bytes;
    if bytes <= max { Ok(()) } else { Err(Cause::DocumentTooLarge.refuse(&[Arg::Count(bytes), Arg::Count(max)])) }
}
