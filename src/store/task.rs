//! Something to be done to one instance, and how it is done and undone.

use super::Options;
use super::instance::{Held, Instance, check_bytes};
use super::pending::Undo;
use crate::edit::{Document, Edit};
use crate::limits::Limits;
use crate::patch::{
    self, Call, Code, DELETE, Dialect, OnError, PatchError, PathExpr, Plain, Reason, Refusal, Rules, Skipped, Target,
    Terms, Work, unknown_instance,
};
use crate::value::{Path, Value, measure};

/// Something to be done to one instance.
#[derive(Debug)]
pub(super) enum Task<'a> {
    /// Patches, of whatever kind.
    Work(Work),
    /// One value at one place.
    Set(&'a PathExpr, Value),
    /// The making of the instance.
    Create(Dialect, Vec<Value>),
    /// Its removal.
    Delete(Vec<Value>),
    /// A checked document in place of what it holds.
    Load(Value, Rules),
    /// The same, of which only what differs is a change.
    Update(Value, Rules),
    /// Nothing but what else happens to the pending calls.
    Nothing,
}

impl Task<'_> {
    /// Whether it makes an instance that is not there.
    pub(super) const fn makes(&self) -> bool {
        matches!(self, Self::Create(..) | Self::Load(..) | Self::Update(..))
    }

    /// The name of the instance that a call is about, and what is to be done to it.
    pub(super) fn of(call: Call) -> (Box<str>, Self) {
        let Call { target, patches, .. } = call;
        match target {
            Target::Existing(name) => (name, Self::Work(Work::Patches(patches))),
            Target::Create(name, dialect) => (name, Self::Create(dialect, patches)),
            Target::Delete(name) => (name, Self::Delete(patches)),
        }
    }
}

/// The keys of a call that mean nothing, as they are reported.
pub(super) fn unknown_keys(call: &Call) -> Vec<Skipped> {
    let keys = call.unknown.iter().cloned().map(Reason::UnknownKey);
    keys.map(|reason| Skipped { index: None, op: "".into(), path: "".into(), reason }).collect()
}

/// What a task has done.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) applied: usize,
    pub(super) skipped: Vec<Skipped>,
    pub(super) changes: Vec<Edit>,
    pub(super) stopped: Option<Refusal>,
    pub(super) undo: Undo,
}

impl Instance {
    /// Does a task to the document as it stands; a refused one leaves it as it was.
    pub(super) fn perform(&mut self, task: Task<'_>, options: &Options, on_error: OnError) -> Result<Done, Refusal> {
        let terms = self.terms(options, on_error);
        match task {
            Task::Nothing => Ok(Done::of(patch::Outcome::default(), 0)),
            Task::Create(dialect, patches) => {
                self.create(dialect, patches, Terms { rules: options.rules, creating: true, ..terms })
            }
            Task::Load(value, rules) | Task::Update(value, rules) => Ok(self.hold(value, rules)),
            _ if !self.is_present() => Err(unknown_instance(&self.name, std::iter::empty())),
            Task::Delete(patches) => self.delete(&patches),
            Task::Work(work) => {
                let run = work.run(&mut self.document, terms)?;
                self.weigh(run, terms.limits)
            }
            Task::Set(path, value) => {
                let run = patch::set(&mut self.document, path, value, terms)?;
                self.weigh(run, terms.limits)
            }
        }
    }

    const fn terms<'o>(&self, options: &'o Options, on_error: OnError) -> Terms<'o> {
        let Options { catalog, limits, .. } = options;
        Terms { rules: self.held.rules, catalog, limits, on_error, creating: false }
    }

    /// Puts a scalar in the place of another, where nothing is pending and nothing else depends on it.
    pub(super) fn set_plain(&mut self, path: &PathExpr, value: &mut Value, options: &Options) -> Option<Plain> {
        if !self.queue.is_empty() {
            return None;
        }
        let room = options.limits.max_document_bytes.saturating_sub(self.held.bytes);
        self.put_plain(path, value, room, options)
    }

    /// The same whatever is pending, by which the document may grow by `room` bytes.
    pub(super) fn put_plain(
        &mut self,
        path: &PathExpr,
        value: &mut Value,
        room: usize,
        options: &Options,
    ) -> Option<Plain> {
        if !self.is_present() {
            return None;
        }
        let terms = self.terms(options, options.on_error);
        let plain = patch::set_plain(&mut self.document, path, value, room, terms)?;
        if plain.changed {
            self.held.bytes = self.held.bytes.saturating_add_signed(plain.growth);
            self.revision += 1;
        }
        Some(plain)
    }

    /// Counts what was changed, or undoes it where the document has become too large, and where it comes to nothing.
    fn weigh(&mut self, mut run: patch::Outcome, limits: &Limits) -> Result<Done, Refusal> {
        let more: usize = run.changes.iter().map(bytes).sum();
        let less: usize = run.inverses.iter().map(bytes).sum();
        let growth = more.cast_signed() - less.cast_signed();
        let bytes = self.held.bytes.saturating_add_signed(growth);
        if growth > 0
            && let Err(refusal) = check_bytes(bytes, limits)
        {
            self.document.undo(run.inverses);
            return Err(refusal);
        }
        self.held.bytes = bytes;
        if growth == 0 {
            self.document.cancel(&mut run.changes, &mut run.inverses);
        }
        Ok(Done::of(run, growth))
    }

    fn create(&mut self, dialect: Dialect, patches: Vec<Value>, terms: Terms<'_>) -> Result<Done, Refusal> {
        if self.is_present() {
            let message = format!("There already is an instance \"{}\".", self.name);
            let solution = "Use another name, or send the patches to the instance that is there.";
            return Err(PatchError::new(Code::InstanceExists, message, solution));
        }
        let mut document = Document::new(patch::start_document(&self.name, dialect));
        let run = patch::run(&mut document, patches, terms)?;
        // Half an instance helps nobody: what stops the making of one refuses it whole.
        if let Some(stopped) = run.stopped {
            return Err(stopped);
        }
        patch::check_document(document.value(), terms.rules, terms.catalog)?;
        check_bytes(measure(document.value()).bytes, terms.limits)?;
        let done = self.hold(document.into_value(), terms.rules);
        Ok(Done { applied: run.applied, skipped: run.skipped, ..done })
    }

    fn delete(&mut self, patches: &[Value]) -> Result<Done, Refusal> {
        let is_delete = |patch: &Value| patch.get("op").and_then(Value::as_str) == Some("delete");
        if let Some(index) = patches.iter().position(|patch| !is_delete(patch)) {
            let message = format!("A call to {DELETE} takes no patches.");
            let solution = "Leave the patches out, or send them in a call of their own.";
            let mut refusal = PatchError::new(Code::InvalidOp, message, solution);
            refusal.index = Some(index);
            return Err(refusal);
        }
        let before = self.exchange(Held::default());
        Ok(Done {
            applied: patches.len(),
            changes: vec![Edit::Remove { path: Path::new() }],
            undo: Undo::Whole(Box::new(before)),
            ..Done::of(patch::Outcome::default(), 0)
        })
    }

    /// Puts a document in place of what the instance holds.
    fn hold(&mut self, value: Value, rules: Rules) -> Done {
        let changes = vec![Edit::Set { path: Path::new(), value: value.clone() }];
        let before = self.exchange(Held { bytes: measure(&value).bytes, value, rules, present: true });
        Done { changes, undo: Undo::Whole(Box::new(before)), ..Done::of(patch::Outcome::default(), 0) }
    }

    /// Takes something back; what comes back does it again with [`Instance::redo`].
    pub(super) fn undo(&mut self, undo: Undo) -> Undo {
        match undo {
            Undo::Edits(edits, growth) => {
                self.held.bytes = self.held.bytes.saturating_add_signed(-growth);
                Undo::Edits(self.document.undo(edits), growth)
            }
            Undo::Whole(held) => Undo::Whole(Box::new(self.exchange(*held))),
        }
    }

    /// Does again what was taken back.
    pub(super) fn redo(&mut self, undo: Undo) -> Undo {
        match undo {
            Undo::Edits(edits, growth) => {
                self.held.bytes = self.held.bytes.saturating_add_signed(growth);
                Undo::Edits(self.document.redo(edits), growth)
            }
            Undo::Whole(held) => Undo::Whole(Box::new(self.exchange(*held))),
        }
    }
}

impl Done {
    fn of(run: patch::Outcome, growth: isize) -> Self {
        let patch::Outcome { applied, skipped, changes, inverses, stopped } = run;
        Self { applied, skipped, changes, stopped, undo: Undo::Edits(inverses, growth) }
    }
}

/// The bytes that an edit brings in, as [`measure`] counts them. What its inverse brings in is what it takes out.
fn bytes(edit: &Edit) -> usize {
    let key = |path: &Path| path.last().map_or(0, |step| step.as_key().map_or(1, |key| key.len() + 4));
    match edit {
        Edit::Set { value, .. } => measure(value).bytes,
        Edit::Insert { path, value, .. } => measure(value).bytes + key(path),
        Edit::Move { path, .. } => key(path),
        Edit::Remove { .. } => 0,
    }
}
