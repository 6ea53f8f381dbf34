//! One instance: a document with its rules, and the pending calls that are on top of what is confirmed.

use std::sync::Arc;

use super::pending::{Pending, Undo};
use crate::edit::{Document, Edit};
use crate::limits::Limits;
use crate::patch::{Arg, Cause, Checked, Rules};
use crate::value::{Path, Value};

#[derive(Debug)]
pub(super) struct Instance {
    pub(super) name: Arc<str>,
    /// What the person sees: what is confirmed, and the pending calls applied to it in order.
    pub(super) document: Document,
    /// What belongs to the document. Its value is the document's, so here it is null.
    pub(super) contents: Contents,
    /// Changes so far of what the person sees.
    pub(super) revision: u64,
    pub(super) queue: Vec<Pending>,
    /// Whether it is in the store's order of instances.
    pub(super) listed: bool,
}

/// What an instance holds when it is there, and when it is not.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    pub(super) present: bool,
    pub(super) value: Value,
    pub(super) rules: Rules,
    /// About the bytes of the value's text.
    pub(super) bytes: usize,
}

impl Instance {
    /// An instance that is not there yet.
    pub(super) fn absent(name: &str) -> Self {
        Self {
            name: name.into(),
            document: Document::default(),
            contents: Contents::default(),
            revision: 0,
            queue: Vec::new(),
            listed: false,
        }
    }

    /// The instance as it is confirmed, without anything pending.
    pub(super) fn bare(&self) -> Self {
        let mut bare = Self {
            document: Document::new(self.document.value().clone()),
            contents: self.contents.clone(),
            revision: self.revision,
            ..Self::absent(&self.name)
        };
        for pending in self.queue.iter().rev() {
            bare.turn(pending.undo.clone());
        }
        bare
    }

    /// Whether the person sees it.
    pub(super) const fn is_present(&self) -> bool {
        self.contents.present
    }

    /// The rules of what is confirmed, if there is something: those from before the first pending call that makes or
    /// removes the instance.
    pub(super) fn confirmed_rules(&self) -> Option<Rules> {
        let before = self.queue.iter().find_map(|pending| match &pending.undo {
            Undo::Whole(contents) => Some(&**contents),
            Undo::Edits(..) => None,
        });
        let contents = before.unwrap_or(&self.contents);
        contents.present.then_some(contents.rules)
    }

    /// Nobody sees it, and no pending call may bring it back.
    pub(super) const fn is_over(&self) -> bool {
        !self.contents.present && self.queue.is_empty()
    }

    /// Its document, whole, as a change.
    pub(super) fn as_change(&self) -> Vec<Edit> {
        vec![Edit::Set { path: Path::new(), value: self.document.value().clone() }]
    }

    /// Puts something in place of what the instance holds; what comes back takes it back.
    pub(super) fn replace_contents(&mut self, mut contents: Contents) -> Undo {
        let value = std::mem::take(&mut contents.value);
        let mut before = std::mem::replace(&mut self.contents, contents);
        if let Ok(Edit::Set { value, .. }) = self.document.apply(Edit::Set { path: Path::new(), value }) {
            before.value = value;
        }
        Undo::Whole(Box::new(before))
    }

    /// Takes something back; what comes back does it again in the same way.
    pub(super) fn turn(&mut self, undo: Undo) -> Undo {
        match undo {
            Undo::Edits(edits, growth) => {
                self.contents.bytes = self.contents.bytes.saturating_add_signed(growth);
                Undo::Edits(self.document.turn(edits), -growth)
            }
            Undo::Whole(contents) => self.replace_contents(*contents),
        }
    }
}

/// Refuses a document that is too large.
#[inline(never)]
pub(super) fn check_bytes(bytes: usize, limits: &Limits) -> Checked {
    let max = limits.max_document_bytes;
    if bytes <= max { Ok(()) } else { Err(Cause::DocumentTooLarge.refuse(&[Arg::Count(bytes), Arg::Count(max)])) }
}
