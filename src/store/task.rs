//! A task: one change of one instance (patches, a creation, a deletion, a load), and the code that performs it.

use super::instance::{Instance, check_bytes};
use super::pending::{InstanceStatus, Undo};
use super::{Options, Outcome};
use crate::edit::{Document, Edit};
use crate::patch::{
    self, Arg, Call, Cause, Checked, Dialect, OnError, Reason, Refusal, RunOptions, Skipped, Target, Work,
    unknown_instance,
};
use crate::value::{Path, Value, measure};

/// One change of one instance.
pub(super) enum Task {
    /// Changes the document of a present instance.
    Work(Work),
    /// Creates the instance, and applies the patches to its first document.
    Create(Dialect, Vec<Value>),
    /// Deletes the instance. The patches may only be `delete` operations.
    Delete(Vec<Value>),
    /// Replaces the document by one that has been checked. The outcome lists no changes, since the sender has the
    /// document.
    Load(Value, InstanceStatus),
    /// Replaces the document by one that has been checked. The outcome lists the differences as changes.
    Update(Value, InstanceStatus),
    /// Leaves the confirmed document alone: only pending calls are dropped and replayed.
    Nothing,
}

impl Task {
    /// Whether the task may create its instance.
    pub(super) const fn may_create_instance(&self) -> bool {
        matches!(self, Self::Create(..) | Self::Load(..) | Self::Update(..))
    }

    /// Returns the name of the instance that a call changes, and the task. Reports unknown keys of the call in
    /// `out.skipped`.
    pub(super) fn of(call: Call, out: &mut Outcome) -> (Box<str>, Self) {
        let Call { target, patches, unknown_keys } = call;
        for key in unknown_keys {
            let reason = Reason::UnknownKey(key);
            out.skipped.push(Skipped { index: None, op: "".into(), path: "".into(), reason });
        }
        match target {
            Target::Existing(name) => (name, Self::Work(Work::Patches(patches))),
            Target::Create(name, dialect) => (name, Self::Create(dialect, patches)),
            Target::Delete(name) => (name, Self::Delete(patches)),
        }
    }
}

impl Instance {
    /// Performs a task on the document, whatever pending calls are applied to it, and returns the undo. Writes what it did to
    /// `out`. A refused task changes nothing.
    pub(super) fn perform(
        &mut self,
        task: Task,
        options: &Options,
        on_error: OnError,
        out: &mut Outcome,
    ) -> Result<Undo, Refusal> {
        let mut run_options = self.run_options(options, on_error);
        let run = match task {
            Task::Nothing => return Ok(Undo { edits: Vec::new(), status: self.status }),
            Task::Create(dialect, patches) => {
                if self.is_present() {
                    return Err(Cause::InstanceIsThere.refuse(&[Arg::Text(&self.name)]));
                }
                // The absent instance has no rules yet.
                run_options = RunOptions { rules: options.rules, creates_instance: true, ..run_options };
                let mut document = Document::new(patch::start_document(&self.name, dialect));
                let run = Work::Patches(patches).run(&mut document, run_options)?;
                // A failed patch refuses the whole creation, whatever `on_error` says.
                if let Some(stopped) = run.stopped {
                    return Err(stopped);
                }
                patch::check_document(document.value(), run_options.rules, run_options.catalog)?;
                let bytes = measure(document.value()).bytes;
                check_bytes(bytes, run_options.limits)?;
                out.applied = run.applied;
                out.skipped.extend(run.skipped);
                out.warnings = run.warnings;
                let status = InstanceStatus { is_present: true, rules: run_options.rules, bytes };
                let undo = self.replace_document(document.into_value(), status);
                out.changes = self.as_change();
                return Ok(undo);
            }
            Task::Load(value, status) | Task::Update(value, status) => return Ok(self.replace_document(value, status)),
            // The store replaces this refusal by one that has the known names.
            _ if !self.is_present() => return Err(unknown_instance(&self.name, &[])),
            Task::Delete(patches) => {
                check_deletion(&patches)?;
                out.applied = patches.len();
                out.changes = vec![Edit::Remove { path: Path::new() }];
                return Ok(self.replace_document(Value::Null, InstanceStatus::default()));
            }
            Task::Work(work) => work.run(&mut self.document, run_options)?,
        };
        self.commit(run, options, out)
    }

    /// The options with which patches run on this instance: under its rules, with the rest of the store's options.
    pub(super) const fn run_options<'o>(&self, options: &'o Options, on_error: OnError) -> RunOptions<'o> {
        let Options { catalog, limits, values, .. } = options;
        RunOptions { rules: self.status.rules, catalog, limits, values: *values, on_error, creates_instance: false }
    }

    /// Accepts the changes that patches made to the document: writes them to `out`, and returns the undo. The changes are
    /// reverted if the document is now too large, which is an error, or if together they change nothing.
    fn commit(&mut self, run: patch::PatchOutcome, options: &Options, out: &mut Outcome) -> Result<Undo, Refusal> {
        let patch::PatchOutcome { applied, skipped, mut changes, mut inverses, stopped, warnings } = run;
        let growth = bytes_added(&changes).cast_signed() - bytes_added(&inverses).cast_signed();
        let bytes = self.status.bytes.saturating_add_signed(growth);
        // A document that is too large already may shrink.
        if growth > 0
            && let Err(refusal) = check_bytes(bytes, &options.limits)
        {
            self.document.undo(inverses);
            return Err(refusal);
        }
        let status_before = InstanceStatus { bytes: std::mem::replace(&mut self.status.bytes, bytes), ..self.status };
        // Changes that cancel out do not change the size.
        if growth == 0 {
            self.document.cancel(&mut changes, &mut inverses);
        }
        out.applied = applied;
        out.skipped.extend(skipped);
        out.changes = changes;
        out.stopped = stopped;
        out.warnings = warnings;
        Ok(Undo { edits: inverses, status: status_before })
    }
}

/// Refuses a deletion with patches other than `delete`.
fn check_deletion(patches: &[Value]) -> Checked {
    let is_delete = |patch: &Value| patch.get("op").and_then(Value::as_str) == Some("delete");
    let Some(index) = patches.iter().position(|patch| !is_delete(patch)) else { return Ok(()) };
    let mut refusal = Cause::DeleteWithPatches.refuse(&[]);
    refusal.index = Some(index);
    Err(refusal)
}

/// The number of bytes that edits add, as [`measure`] counts them. Applied to the inverses, it gives the bytes that the edits
/// remove.
fn bytes_added(edits: &[Edit]) -> usize {
    let mut bytes = 0;
    for edit in edits {
        if let Edit::Set { value, .. } | Edit::Insert { value, .. } = edit {
            bytes += measure(value).bytes;
        }
        // A new item has a comma, a new key also two quotes and a colon. A move adds them at one end, and its inverse at the
        // other.
        if let Edit::Insert { path, .. } | Edit::Move { path, .. } = edit {
            bytes += path.last().map_or(0, |step| step.as_key().map_or(1, |key| key.len() + 4));
        }
    }
    bytes
}
