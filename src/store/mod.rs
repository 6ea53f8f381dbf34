//! The store: named instances, and everything that is done to them.
//!
//! A [`Store`] takes authoritative documents ([`Store::load`]) and patch calls ([`Store::apply`]) and answers with a
//! [`Reply`]: data for whoever sent them, never a panic. What fails leaves every instance as it was, byte for byte.
//!
//! ```
//! use genui_patch::store::{Options, Store};
//!
//! let mut store = Store::new(Options::default());
//! store.apply(r#"{"instance_name": "__CREATE__", "new_instance_name": "counter"}"#);
//! let reply = store.apply(
//!     r#"{"instance_name": "counter", "patches": [{"op": "increment", "path": "state.params.count"}]}"#,
//! );
//! assert!(reply.is_success());
//! assert_eq!(store.document("counter").unwrap().at(&["state".into(), "params".into()]).unwrap().to_json(), r#"{"count":1}"#);
//! ```

mod approve;
mod aside;
mod coalesce;
mod instance;
mod interop;
mod optimistic;
mod options;
mod pending;
mod queue;
mod receive;
mod reply;
mod ring;
mod saved;
mod task;

use std::sync::Arc;

pub use options::Options;
pub use pending::Pending;
pub use reply::{Outcome, Reply};

use crate::patch::{self, Call, Code, PatchError, PathExpr, Plain, Refusal, Rules, unknown_instance};
use crate::value::names::Names;
use crate::value::{Path, Value, measure, parse};
use instance::{Instance, check_bytes};
use ring::Ring;
use task::Task;

/// Named documents and the calls that change them.
#[derive(Debug, Default)]
pub struct Store {
    options: Options,
    /// By slot: a number that stands for a name, which typed entries use.
    slots: Vec<Option<Instance>>,
    /// Slots that hold nothing.
    free: Vec<usize>,
    names: Names,
    /// Slots of the instances that the person sees, in the order in which they came.
    order: Vec<usize>,
    active: Option<Box<str>>,
    /// Pending calls so far.
    calls: u64,
    /// Ids of the last messages that were taken.
    seen: Ring,
    /// Ids of the last pending calls whose effect has come from the server, or was confirmed by it.
    settled: Ring,
}

/// Which state of an instance is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// What the person sees: what is confirmed with the pending calls on top.
    Shown,
    /// What the server has confirmed.
    Confirmed,
}

impl Store {
    /// An empty store.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// The names of the instances, in the order in which they came.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let instances = self.order.iter().filter_map(|slot| self.slots.get(*slot)?.as_ref());
        instances.map(|instance| &*instance.name).collect()
    }

    /// The document of an instance.
    #[must_use]
    pub fn document(&self, name: &str) -> Option<&Value> {
        self.instance(name).filter(|instance| instance.is_present()).map(|instance| instance.document.value())
    }

    /// How often an instance has changed since it came; 0 for one that is not there.
    #[must_use]
    pub fn revision(&self, name: &str) -> u64 {
        self.instance(name).filter(|instance| instance.is_present()).map_or(0, |instance| instance.revision)
    }

    /// The slot of an instance.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<usize> {
        let slot = self.names.get(name)?;
        self.slots.get(slot)?.as_ref().filter(|instance| instance.is_present()).map(|_| slot)
    }

    /// The instance that the person is looking at.
    #[must_use]
    pub fn active(&self) -> Option<&str> {
        self.active.as_deref()
    }

    /// Says which instance the person is looking at.
    ///
    /// # Errors
    /// `INVALID_INSTANCE`, with the names that there are.
    pub fn set_active(&mut self, name: Option<&str>) -> Result<(), Refusal> {
        match name {
            Some(name) if self.slot(name).is_none() => Err(unknown_instance(name, self.names().into_iter())),
            name => {
                self.active = name.map(Into::into);
                Ok(())
            }
        }
    }

    /// Takes an authoritative document, whole, in place of what the instance held. Without `rules` an instance keeps
    /// those that it is under.
    pub fn load(&mut self, name: &str, document: &str, rules: Option<Rules>) -> Reply {
        self.load_settling(name, document, rules, &[])
    }

    /// The same, of a document that holds what some of the pending calls do: they are dropped, and the document stands for
    /// them.
    pub fn load_settling(&mut self, name: &str, document: &str, rules: Option<Rules>, settles: &[&str]) -> Reply {
        let queue = self.instance(name).map_or(&[][..], |instance| &instance.queue);
        let is_pending = |id: &&str| queue.iter().any(|pending| *pending.id == **id);
        let settles: Vec<&str> = settles.iter().copied().filter(is_pending).collect();
        let outcome = self.read(document, self.options.limits.max_document_bytes).and_then(|value| {
            patch::check_name(name)?;
            let known = self.instance(name).and_then(Instance::confirmed_rules);
            let rules = rules.or(known).unwrap_or(self.options.rules);
            self.check(&value, rules)?;
            self.perform_and_settle(name, Task::Load(value, rules), &settles)
        });
        if outcome.is_ok() {
            settles.iter().for_each(|id| self.settled.push(id));
        }
        self.reply(name.into(), outcome)
    }

    /// Takes a call, as text.
    pub fn apply(&mut self, call: &str) -> Reply {
        let read = self.read(call, self.options.limits.max_call_bytes).and_then(Call::from_value);
        match read {
            Ok(call) => self.apply_call(call),
            Err(refusal) => Reply::refused(None, refusal),
        }
    }

    /// Takes a call.
    pub fn apply_call(&mut self, call: Call) -> Reply {
        let (name, outcome) = self.take(call, &[]);
        self.reply(name, outcome)
    }

    /// Sets one place of the instance in a slot: a call with one `set`, without its text.
    pub fn set(&mut self, slot: usize, path: &PathExpr, value: Value) -> Option<Reply> {
        let Self { options, slots, .. } = self;
        let instance = slots.get_mut(slot)?.as_mut().filter(|instance| instance.is_present())?;
        let name = instance.name.clone();
        let outcome = instance.beneath(Task::Set(path, value), &[], options);
        if outcome.as_ref().is_ok_and(|outcome| outcome.queued) {
            self.tend(slot);
            self.forget_lost(&outcome);
        }
        Some(self.reply(name, outcome))
    }

    /// The same where it comes to a scalar in the place of another and nothing is pending: then the value has gone in, and
    /// the one that was there has come out. Else nothing has happened.
    #[doc(hidden)]
    pub fn set_plain(&mut self, slot: usize, path: &PathExpr, value: &mut Value) -> Option<Plain> {
        let Self { options, slots, .. } = self;
        slots.get_mut(slot)?.as_mut()?.set_plain(path, value, options)
    }

    /// Where a path leads in an instance.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND`, or `INVALID_INSTANCE`.
    pub fn resolve(&mut self, name: &str, path: &PathExpr) -> Result<Path, Refusal> {
        match self.present(name) {
            Some(instance) => patch::resolve(&mut instance.document, path, instance.held.rules),
            None => Err(unknown_instance(name, self.names().into_iter())),
        }
    }

    /// The rules that an instance is under as the person sees it, or as it is confirmed; for one that is not there, those
    /// of a new one.
    #[must_use]
    pub fn rules(&self, name: &str, view: View) -> Rules {
        let instance = self.instance(name);
        let known = match view {
            View::Shown => instance.filter(|instance| instance.is_present()).map(|instance| instance.held.rules),
            View::Confirmed => instance.and_then(Instance::confirmed_rules),
        };
        known.unwrap_or(self.options.rules)
    }

    /// Limits of this store.
    #[must_use]
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// An instance, whether or not the person sees it.
    fn instance(&self, name: &str) -> Option<&Instance> {
        self.slots.get(self.names.get(name)?)?.as_ref()
    }

    /// An instance that the person sees.
    fn present(&mut self, name: &str) -> Option<&mut Instance> {
        let slot = self.slot(name)?;
        self.slots.get_mut(slot)?.as_mut()
    }

    fn read(&self, text: &str, max_bytes: usize) -> Result<Value, Refusal> {
        if text.len() > max_bytes {
            let message = format!("The text has {} bytes; the limit is {max_bytes}.", text.len());
            return Err(PatchError::new(Code::LimitExceeded, message, "Send less at once."));
        }
        parse(text, self.options.limits.depth()).map_err(|error| PatchError::from_text(&error))
    }

    /// Takes an authoritative call, which may settle pending ones.
    fn take(&mut self, call: Call, settles: &[&str]) -> (Arc<str>, Result<Outcome, Refusal>) {
        let skipped = task::unknown_keys(&call);
        let (name, task) = Task::of(call);
        let mut outcome = self.perform_and_settle(&name, task, settles);
        if let Ok(outcome) = &mut outcome {
            outcome.skipped.splice(0..0, skipped);
        }
        (name.into(), outcome)
    }

    /// Refuses a document, read as a part of another text, whose own text [`Store::load`] would refuse.
    fn check_length(&self, value: &Value) -> Result<(), Refusal> {
        let max = self.options.limits.max_document_bytes;
        // No value is written with more than six times the bytes that it measures.
        if measure(value).bytes.saturating_mul(6) <= max {
            return Ok(());
        }
        check_bytes(value.to_json().len(), &self.options.limits)
    }

    /// Refuses what is no document under these rules.
    fn check(&self, value: &Value, rules: Rules) -> Result<(), Refusal> {
        patch::check_size(&[], value, &self.options.limits)?;
        patch::check_document(value, rules, &self.options.catalog)
    }

    fn perform(&mut self, name: &str, task: Task<'_>) -> Result<Outcome, Refusal> {
        self.perform_and_settle(name, task, &[])
    }

    /// Does a task to what is confirmed of an instance, beneath what is pending on it.
    fn perform_and_settle(&mut self, name: &str, task: Task<'_>, settles: &[&str]) -> Result<Outcome, Refusal> {
        let slot = self.place(name, task.makes())?;
        let Self { options, slots, .. } = self;
        let Some(instance) = slots.get_mut(slot).and_then(Option::as_mut) else { return Ok(Outcome::default()) };
        let outcome = instance.beneath(task, settles, options);
        self.tend(slot);
        self.forget_lost(&outcome);
        outcome.map_err(|refusal| self.name_known(name, refusal))
    }

    /// A call that was settled and is lost all the same may come again, in a push.
    fn forget_lost(&mut self, outcome: &Result<Outcome, Refusal>) {
        for (id, refusal) in outcome.iter().flat_map(|outcome| &outcome.conflicts) {
            if refusal.code == Code::NeedsSnapshot {
                self.settled.remove(id);
            }
        }
    }

    /// The slot of a name; with `make`, also for one that is not there.
    fn place(&mut self, name: &str, make: bool) -> Result<usize, Refusal> {
        match self.names.get(name) {
            Some(slot) => Ok(slot),
            None if !make => Err(unknown_instance(name, self.names().into_iter())),
            None => {
                patch::check_name(name)?;
                let slot = self.free.pop().unwrap_or_else(|| {
                    self.slots.push(None);
                    self.slots.len() - 1
                });
                if let Some(place) = self.slots.get_mut(slot) {
                    *place = Some(Instance::absent(name));
                }
                self.names.set(name, slot);
                Ok(slot)
            }
        }
    }

    /// After something was done to the instance in a slot: keeps the order of those that are seen, and forgets what is
    /// over.
    fn tend(&mut self, slot: usize) {
        let Some(instance) = self.slots.get_mut(slot).and_then(Option::as_mut) else { return };
        let is_present = instance.is_present();
        let was_listed = std::mem::replace(&mut instance.listed, is_present);
        if is_present {
            if !was_listed {
                self.order.push(slot);
            }
            return;
        }
        if self.active.as_deref() == Some(&*instance.name) {
            self.active = None;
        }
        if instance.is_over() {
            let name = instance.name.clone();
            self.names.remove(&name);
            if let Some(place) = self.slots.get_mut(slot) {
                *place = None;
                self.free.push(slot);
            }
        }
        if was_listed {
            self.order.retain(|other| *other != slot);
        }
    }

    /// A refusal for an instance that is not there, with those that are.
    fn name_known(&self, name: &str, refusal: Refusal) -> Refusal {
        if refusal.code == Code::InvalidInstance {
            return unknown_instance(name, self.names().into_iter());
        }
        refusal
    }

    fn reply(&self, name: Arc<str>, outcome: Result<Outcome, Refusal>) -> Reply {
        match outcome {
            Ok(outcome) => Reply { instance: Some(name), outcome: Ok(outcome), available: None },
            Err(refusal) => {
                let available = (refusal.code == Code::InvalidInstance)
                    .then(|| self.names().into_iter().take(reply::MAX_LISTED).map(Into::into).collect());
                Reply { available, ..Reply::refused(Some(name), refusal) }
            }
        }
    }
}
