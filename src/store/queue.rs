//! Pending calls of an instance: taken off, put on again, settled.

use std::sync::Arc;

use super::instance::Instance;
use super::pending::{Pending, Undo};
use super::task::{Done, Task};
use super::{Options, Outcome};
use crate::edit::Edit;
use crate::patch::{Call, Code, OnError, PatchError, Refusal, Rules};
use crate::value::{Path, Step, Value, same};

impl Instance {
    /// Does a task beneath all pending calls, and drops those that it settles.
    pub(super) fn beneath(&mut self, task: Task<'_>, settles: &[&str], options: &Options) -> Result<Outcome, Refusal> {
        if self.queue.is_empty()
            && self.is_present()
            && let Task::Load(value, rules) | Task::Update(value, rules) = &task
            && same(self.document.value(), value)
        {
            self.held.rules = *rules;
            return Ok(Outcome { revision: self.revision, ..Outcome::default() });
        }
        if self.queue.is_empty() && !matches!(task, Task::Update(..)) {
            let done = self.perform(task, options, options.on_error)?;
            return Ok(self.count(done));
        }
        if let Some(outcome) = self.slip_beneath(&task, settles, options) {
            return Ok(outcome);
        }
        self.rebase(0, task, settles, options)
    }

    /// Drops one pending call, with what it has changed.
    pub(super) fn drop_pending(&mut self, place: usize, options: &Options) -> Result<Outcome, Refusal> {
        let id = self.queue.get(place).map(|pending| pending.id.clone());
        self.rebase(place, Task::Nothing, id.as_deref().as_slice(), options)
    }

    /// Takes pending calls off from a place on, does a task, and puts them on again but for those that are settled.
    fn rebase(&mut self, from: usize, task: Task<'_>, settles: &[&str], options: &Options) -> Result<Outcome, Refusal> {
        let was_present = self.is_present();
        self.document.watch();
        let mut off = self.take_off(from);
        let done = match self.perform(task, options, options.on_error) {
            Ok(done) => done,
            Err(refusal) => {
                self.put_on(off);
                self.document.settle();
                return Err(refusal);
            }
        };
        let Done { applied, skipped, changes, stopped, .. } = done;
        let mut outcome = Outcome { applied, skipped, stopped, queued: !off.is_empty(), ..Outcome::default() };
        let open = off.len();
        off.retain(|pending| !settles.contains(&&*pending.id));
        if off.len() < open {
            outcome.turned = true;
            self.replay(off, None, options, &mut outcome);
        } else if changes.is_empty() {
            self.put_on(off);
        } else {
            self.replay(off, Some(&changes).filter(|changes| is_aside(changes)), options, &mut outcome);
        }
        outcome.turned |= self.join() || !outcome.conflicts.is_empty();
        outcome.left = self.queue.len();
        let script = self.document.settle();
        outcome.changes = match (was_present, self.is_present()) {
            (true, true) => script,
            (true, false) => vec![Edit::Remove { path: Path::new() }],
            (false, true) => vec![Edit::Set { path: Path::new(), value: self.document.value().clone() }],
            (false, false) => Vec::new(),
        };
        outcome.behind = behind(self.document.value(), &outcome.changes);
        self.revision += u64::from(!outcome.changes.is_empty());
        outcome.revision = self.revision;
        Ok(outcome)
    }

    /// Takes pending calls off from a place on, the last one first.
    fn take_off(&mut self, from: usize) -> Vec<Pending> {
        let mut off = self.queue.split_off(from);
        for pending in off.iter_mut().rev() {
            let undo = std::mem::take(&mut pending.undo);
            pending.undo = self.undo(undo);
        }
        off
    }

    /// Puts pending calls on again as they were: nothing has changed beneath them.
    fn put_on(&mut self, off: Vec<Pending>) {
        for mut pending in off {
            pending.undo = self.redo(pending.undo);
            self.queue.push(pending);
        }
    }

    /// Applies pending calls again, each on its own. `aside` are the changes beneath them, if nothing can depend on those but
    /// what touches the same places: a plain set elsewhere is then just made again.
    fn replay(&mut self, off: Vec<Pending>, mut aside: Option<&Vec<Edit>>, options: &Options, outcome: &mut Outcome) {
        for mut pending in off {
            let stands = |changes: &Vec<Edit>| self.stands(&pending, changes, options.limits.max_document_bytes);
            if aside.is_some_and(stands) {
                pending.undo = self.redo(pending.undo);
                outcome.rebased.push(pending.id.clone());
                self.queue.push(pending);
                continue;
            }
            // What comes of this one may be something else than before, and those behind it may depend on it.
            aside = None;
            let again = self.apply_again(&pending, options);
            match again {
                Ok(Done { changes, undo, .. }) => {
                    outcome.rebased.push(pending.id.clone());
                    self.queue.push(Pending { changes, undo, ..pending });
                }
                Err(refusal) if pending.confirmed => {
                    outcome.conflicts.push((pending.id, needs_snapshot(&self.name, &refusal)));
                }
                Err(refusal) => outcome.conflicts.push((pending.id, refusal)),
            }
        }
    }

    /// Whether a call that was taken off comes to the same as before: it sets one place, and the changes are apart from it.
    fn stands(&self, pending: &Pending, changes: &[Edit], max_bytes: usize) -> bool {
        let (Some(_), Undo::Edits(edits, growth)) = (&pending.place, &pending.undo) else { return false };
        let [Edit::Set { path, .. } | Edit::Insert { path, .. }] = &**edits else { return false };
        let is_apart = |change: &Edit| change.path().iter().zip(path).any(|(one, other)| one != other);
        changes.iter().all(is_apart) && self.held.bytes.saturating_add_signed(*growth) <= max_bytes
    }

    fn apply_again(&mut self, pending: &Pending, options: &Options) -> Result<Done, Refusal> {
        if let (Some(path), Some(value)) = (&pending.place, pending.value())
            && let Ok(done) = self.perform(Task::Set(path, value.clone()), options, OnError::Rollback)
        {
            return Ok(done);
        }
        // As a call, which knows what to say of a patch that is refused.
        let call = Call::from_value(pending.call.clone())?;
        self.perform(Task::of(call).1, options, OnError::Rollback)
    }

    /// Calls that the server has taken join what is confirmed, from the front on. Whether any has.
    pub(super) fn join(&mut self) -> bool {
        let open = self.queue.iter().position(|pending| !pending.confirmed).unwrap_or(self.queue.len());
        self.queue.drain(..open);
        open > 0
    }

    /// Counts what a task has changed, where nothing is pending.
    fn count(&mut self, done: Done) -> Outcome {
        let Done { applied, skipped, changes, stopped, .. } = done;
        self.revision += u64::from(!changes.is_empty());
        Outcome { applied, skipped, changes, stopped, revision: self.revision, ..Outcome::default() }
    }

    /// Puts a call on top of the pending ones, or into the last one, where both set the same place. `calls` counts
    /// them; `is_full`: no more may be pending.
    pub(super) fn put_on_top(
        &mut self,
        calls: &mut u64,
        is_full: bool,
        call: Value,
        parsed: Call,
        options: &Options,
    ) -> Result<Outcome, Refusal> {
        let mut done = self.perform(Task::of(parsed).1, options, OnError::Rollback)?;
        let (applied, skipped) = (done.applied, std::mem::take(&mut done.skipped));
        let changes = done.changes.clone();
        let mut pending = Pending::new("".into(), *calls + 1, call, done);
        let taken_in = self.queue.last_mut().filter(|last| last.takes(&pending));
        // What is typed again as it is leaves the pending call as it was.
        let turned = taken_in.is_none() || !changes.is_empty();
        let id = if let Some(last) = taken_in {
            last.take_in(pending);
            last.id.clone()
        } else if is_full {
            self.undo(pending.undo);
            let message = format!("There are {} pending calls, which is the limit.", options.limits.max_pending);
            return Err(PatchError::new(Code::LimitExceeded, message, "Wait until the server has settled some."));
        } else {
            *calls += 1;
            let id: Arc<str> = format!("{}-{calls}", options.client_id).into();
            pending.id = id.clone();
            self.queue.push(pending);
            id
        };
        self.revision += u64::from(!changes.is_empty());
        Ok(Outcome {
            applied,
            skipped,
            changes,
            revision: self.revision,
            pending: Some(id),
            queued: true,
            turned,
            left: self.queue.len(),
            ..Outcome::default()
        })
    }

    /// The instance as it is confirmed, without anything pending.
    pub(super) fn bare(&self) -> Self {
        let mut bare = Self {
            name: self.name.clone(),
            document: crate::edit::Document::new(self.document.value().clone()),
            held: self.held.clone(),
            revision: self.revision,
            queue: self.queue.clone(),
            listed: false,
        };
        bare.take_off(0);
        bare
    }

    /// The document that is confirmed, if there is one, and its rules.
    pub(super) fn confirmed(&self) -> Option<(Value, Rules)> {
        let bare = self.bare();
        bare.is_present().then(|| (bare.document.into_value(), bare.held.rules))
    }

    /// The changes that lead from what the person sees to what is confirmed; `None` where nothing is confirmed.
    #[cfg(feature = "store")]
    pub(super) fn back(&mut self) -> Option<Outcome> {
        let was_present = self.is_present();
        self.document.watch();
        let off = self.take_off(0);
        let mut changes = self.document.settle();
        if self.is_present() && !was_present {
            changes = vec![Edit::Set { path: Path::new(), value: self.document.value().clone() }];
        }
        let behind = behind(self.document.value(), &changes);
        let outcome = self.is_present().then(|| Outcome { changes, behind, ..Outcome::default() });
        self.put_on(off);
        outcome
    }
}

/// Whether changes give values to places of the state that keys alone lead to: no rule, no id and no index of another place
/// depends on them.
fn is_aside(changes: &[Edit]) -> bool {
    let in_state = |path: &[Step]| {
        path.len() > 2
            && path.iter().all(|step| step.as_key().is_some())
            && path.first().and_then(Step::as_key) == Some("state")
    };
    changes.iter().all(|change| matches!(change, Edit::Set { path, .. } if in_state(path)))
}

/// A call that the server has taken cannot just be dropped: what it has done is on the server.
#[cold]
fn needs_snapshot(name: &str, refusal: &PatchError) -> Refusal {
    let message = format!("The server took this call, which no longer applies here: {}", refusal.message);
    PatchError::new(Code::NeedsSnapshot, message, format!("Load \"{name}\" again from the server."))
}

/// Of each insertion at an index of an object: the key behind it in an object as JavaScript orders it, where integers
/// come first.
fn behind(root: &Value, changes: &[Edit]) -> Vec<(usize, Box<str>)> {
    let key_behind = |edit: &Edit| match edit {
        Edit::Insert { path, index: Some(_), .. } => {
            let (Step::Key(key), parent) = path.split_last()? else { return None };
            if is_integer(key) {
                return None;
            }
            let object = root.at(parent)?.as_object()?;
            let mut behind = (object.position(key)? + 1..object.len()).filter_map(|place| object.at(place));
            behind.find(|(key, _)| !is_integer(key)).map(|(key, _)| key.into())
        }
        _ => None,
    };
    let changes = changes.iter().enumerate();
    changes.filter_map(|(number, edit)| Some((number, key_behind(edit)?))).collect()
}

/// Whether JavaScript takes a key for an index: such keys come first, in the order of their numbers.
fn is_integer(key: &str) -> bool {
    key.parse::<u32>().is_ok_and(|number| number < u32::MAX) && (key == "0" || !key.starts_with(['0', '+']))
}
