//! One instance: a document, its rules and its revision.

use std::sync::Arc;

use super::{Options, Outcome};
use crate::edit::{Document, Edit};
use crate::limits::Limits;
use crate::patch::{self, CREATE, Code, DELETE, PatchError, PathExpr, Refusal, Rules, Terms, Work};
use crate::value::{Value, measure};

#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) name: Arc<str>,
    pub(super) document: Document,
    pub(super) rules: Rules,
    /// Changes so far.
    pub(super) revision: u64,
    /// About the bytes of the document's text.
    bytes: usize,
}

impl Instance {
    pub(super) fn new(name: &str, value: Value, rules: Rules, revision: u64) -> Self {
        let bytes = measure(&value).bytes;
        Self { name: name.into(), document: Document::new(value), rules, revision, bytes }
    }

    pub(super) const fn terms<'o>(&self, options: &'o Options) -> Terms<'o> {
        Terms {
            rules: self.rules,
            catalog: &options.catalog,
            limits: &options.limits,
            on_error: options.on_error,
            creating: false,
        }
    }

    /// Does a piece of work, whole or as far as the options say.
    pub(super) fn take(&mut self, work: Work, options: &Options) -> Result<Outcome, Refusal> {
        let terms = self.terms(options);
        let run = work.run(&mut self.document, terms)?;
        self.settle(run, &options.limits)
    }

    /// Sets one place.
    pub(super) fn set(&mut self, path: &PathExpr, value: Value, options: &Options) -> Result<Outcome, Refusal> {
        let terms = self.terms(options);
        let run = patch::set(&mut self.document, path, value, terms)?;
        self.settle(run, &options.limits)
    }

    /// Counts what was changed, or undoes it where the document has become too large.
    fn settle(&mut self, run: patch::Outcome, limits: &Limits) -> Result<Outcome, Refusal> {
        let more: usize = run.changes.iter().map(bytes).sum();
        let less: usize = run.inverses.iter().map(bytes).sum();
        let bytes = (self.bytes + more).saturating_sub(less);
        if more > less
            && let Err(refusal) = check_bytes(bytes, limits)
        {
            self.document.undo(run.inverses);
            return Err(refusal);
        }
        self.bytes = bytes;
        self.revision += u64::from(!run.changes.is_empty());
        let patch::Outcome { applied, skipped, changes, stopped, .. } = run;
        Ok(Outcome { applied, skipped, changes, revision: self.revision, stopped })
    }
}

/// About the bytes that an edit brings in.
fn bytes(edit: &Edit) -> usize {
    match edit {
        Edit::Set { value, .. } => measure(value).bytes,
        Edit::Insert { path, value, .. } => {
            measure(value).bytes + 4 + path.last().and_then(|step| step.as_key()).map_or(0, str::len)
        }
        Edit::Remove { .. } | Edit::Move { .. } => 0,
    }
}

pub(super) fn check_bytes(bytes: usize, limits: &Limits) -> Result<(), Refusal> {
    let max = limits.max_document_bytes;
    if bytes <= max {
        return Ok(());
    }
    let message = format!("The document would have about {bytes} bytes; the limit is {max}.");
    Err(PatchError::new(Code::LimitExceeded, message, "Remove something first."))
}

/// Refuses what is no name for an instance.
pub(super) fn check_name(name: &str) -> Result<(), Refusal> {
    if !name.is_empty() && name != CREATE && name != DELETE {
        return Ok(());
    }
    let message = format!("\"{name}\" is no name for an instance.");
    Err(PatchError::new(Code::InvalidInstance, message, "Use a non-empty name other than the sentinels."))
}
