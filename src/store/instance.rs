//! One instance: a document with its rules, and the pending calls that are on top of what is confirmed.

use std::sync::Arc;

use super::pending::{InstanceStatus, Pending, Undo};
use crate::edit::{Document, Edit};
use crate::limits::Limits;
use crate::patch::{Arg, Cause, Checked};
use crate::value::{Path, Value};

#[derive(Debug, Default)]
pub(super) struct Instance {
    pub(super) name: Arc<str>,
    /// What the person sees: what is confirmed, and the pending calls applied to it in order.
    pub(super) document: Document,
    pub(super) status: InstanceStatus,
    /// Changes so far of what the person sees.
    pub(super) revision: u64,
    pub(super) queue: Vec<Pending>,
    /// Whether it is in the store's order of instances.
    pub(super) listed: bool,
}

impl Instance {
    pub(super) fn absent(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The instance as it is confirmed, without anything pending.
    pub(super) fn bare(&self) -> Self {
        let document = Document::new(self.document.value().clone());
        let mut bare = Self { document, status: self.status, revision: self.revision, ..Self::absent(&self.name) };
        for pending in self.queue.iter().rev() {
            bare.turn(pending.undo.clone());
        }
        bare
    }

    pub(super) const fn is_present(&self) -> bool {
        self.status.present
    }

    /// Its document, whole, as a change.
    pub(super) fn as_change(&self) -> Vec<Edit> {
        vec![Edit::Set { path: Path::new(), value: self.document.value().clone() }]
    }

    /// Puts another document in the place of what the instance holds; what comes back takes it back.
    pub(super) fn replace(&mut self, value: Value, status: InstanceStatus) -> Undo {
        self.turn(Undo { edits: vec![Edit::Set { path: Path::new(), value }], status })
    }

    /// Takes something back; what comes back does it again in the same way.
    pub(super) fn turn(&mut self, undo: Undo) -> Undo {
        let status = std::mem::replace(&mut self.status, undo.status);
        Undo { edits: self.document.undo(undo.edits), status }
    }
}

pub(super) fn check_bytes(bytes: usize, limits: &Limits) -> Checked {
    let max = limits.max_document_bytes;
    if bytes <= max { Ok(()) } else { Err(Cause::DocumentTooLarge.refuse(&[Arg::Count(bytes), Arg::Count(max)])) }
}
