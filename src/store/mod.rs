//! The store: named instances, and all operations on them.
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

mod draft;
mod instance;
mod optimistic;
mod options;
mod pending;
mod queue;
mod receive;
mod reply;
mod saved;
mod task;

pub use options::Options;
pub use pending::Pending;
pub use reply::{Outcome, Reply};

use crate::edit::Document;
use crate::patch::{
    self, Arg, Call, Cause, Checked, Code, PatchError, PathExpr, Plain, Refusal, Rules, RunOptions, Work,
    unknown_instance,
};
use crate::value::names::Names;
use crate::value::text::boxed;
use crate::value::{Path, Value, measure, parse};
use instance::{Instance, check_bytes};
use pending::{InstanceStatus, RecentIds};
use task::Task;

/// Named documents and the calls that change them.
#[derive(Debug, Default)]
pub struct Store {
    options: Options,
    /// By slot: a number that stands for a name, which typed entries use.
    slots: Vec<Option<Instance>>,
    free: Vec<usize>,
    names: Names,
    /// Slots of the instances that the person sees, in the order in which they came.
    order: Vec<usize>,
    active: Option<Box<str>>,
    /// How many calls have been pending so far; the ids of pending calls are numbered by it.
    pending_ever: u64,
    /// Ids of the last messages that were taken.
    seen: RecentIds,
    /// Ids of the last pending calls whose effect has come from the server, or was confirmed by it.
    settled: RecentIds,
}

impl Store {
    /// An empty store.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// The names of the instances, in the order in which they came.
    pub fn names(&self) -> Vec<&str> {
        let instances = self.order.iter().filter_map(|slot| self.slots.get(*slot)?.as_ref());
        instances.map(|instance| &*instance.name).collect()
    }

    /// The document of an instance.
    pub fn document(&self, name: &str) -> Option<&Value> {
        self.shown(name).map(|instance| instance.document.value())
    }

    /// How often an instance has changed since it came; 0 for one that is not there.
    pub fn revision(&self, name: &str) -> u64 {
        self.shown(name).map_or(0, |instance| instance.revision)
    }

    /// The slot of an instance.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.shown(name)?;
        self.names.get(name)
    }

    /// The instance that the person is looking at.
    pub fn active(&self) -> Option<&str> {
        self.active.as_deref()
    }

    /// Says which instance the person is looking at.
    ///
    /// # Errors
    /// `INVALID_INSTANCE`, with the names that there are.
    pub fn set_active(&mut self, name: Option<&str>) -> Result<(), Refusal> {
        if let Some(name) = name
            && self.slot(name).is_none()
        {
            return Err(self.unknown(name));
        }
        self.active = name.map(boxed);
        Ok(())
    }

    /// Takes an authoritative document in place of what the instance held, under its rules unless others are given.
    pub fn load(&mut self, name: &str, document: &str, rules: Option<Rules>) -> Reply {
        self.load_settling(name, document, rules, &[])
    }

    /// The same, of a document that holds what some of the pending calls do: they are dropped.
    pub fn load_settling(&mut self, name: &str, document: &str, rules: Option<Rules>, settles: &[&str]) -> Reply {
        let before = self.revision(name);
        let mut reply = self.load_quietly(name, document, rules, settles);
        if let Ok(outcome) = &mut reply.outcome
            && !outcome.has_pending
            && outcome.revision != before
        {
            outcome.changes = self.instance(name).map(Instance::as_change).unwrap_or_default();
        }
        reply
    }

    /// The same, for whoever has the document already: where nothing is pending it is not copied into the answer.
    pub(crate) fn load_quietly(&mut self, name: &str, document: &str, rules: Option<Rules>, settles: &[&str]) -> Reply {
        let mut out = Outcome::new();
        let mut settles = settles.to_vec();
        let queue = self.instance(name).map_or(&[][..], |instance| &instance.queue);
        settles.retain(|id| queue.iter().any(|pending| *pending.id == **id));
        let read = self.read("text", document, self.options.limits.max_document_bytes, 0);
        let checked = read.and_then(|value| self.check(name, value, rules));
        let result =
            checked.and_then(|(value, status)| self.perform(name, Task::Load(value, status), &settles, &mut out));
        if result.is_ok() {
            for id in settles {
                self.settled.push(id);
            }
        }
        self.reply(name, result, out)
    }

    /// Takes a call, as text.
    pub fn apply(&mut self, call: &str) -> Reply {
        let mut out = Outcome::new();
        let (name, task) = match self.read_call(call) {
            Ok(call) => Task::of(call, &mut out),
            Err(refusal) => return Reply::refused(refusal),
        };
        let result = self.perform(&name, task, &[], &mut out);
        self.reply(&name, result, out)
    }

    /// What [`Store::apply`] would answer if nothing were pending.
    pub fn preview(&self, call: &str) -> Reply {
        let mut out = Outcome::new();
        let (name, task) = match self.read_call(call) {
            Ok(call) => Task::of(call, &mut out),
            Err(refusal) => return Reply::refused(refusal),
        };
        let bare = match self.instance(&name) {
            Some(instance) => Ok(instance.bare()),
            None if task.makes_instance() => Ok(Instance::absent(&name)),
            None => Err(self.unknown(&name)),
        };
        let result = bare.and_then(|mut bare| bare.beneath(task, &[], &self.options, &mut out));
        self.reply(&name, self.with_names(&name, result), out)
    }

    /// Makes edits, written as an edit script, all or none. The rules hold for the document that they leave.
    pub fn edit(&mut self, name: &str, script: &str) -> Reply {
        self.work(name, script, Work::Edits)
    }

    /// Applies a JSON Patch (RFC 6902), as text, to an instance. It is atomic whatever the options say.
    pub fn json_patch(&mut self, name: &str, operations: &str) -> Reply {
        self.work(name, operations, Work::JsonPatch)
    }

    /// Applies a JSON Merge Patch (RFC 7396), as text, to an instance.
    pub fn merge_patch(&mut self, name: &str, merge: &str) -> Reply {
        self.work(name, merge, Work::MergePatch)
    }

    fn work(&mut self, name: &str, text: &str, work: fn(Value) -> Work) -> Reply {
        let mut out = Outcome::new();
        let read = self.read("text", text, self.options.limits.max_call_bytes, 0);
        let result = read.and_then(|value| self.perform(name, Task::Work(work(value)), &[], &mut out));
        self.reply(name, result, out)
    }

    /// Whether a condition, as patches have them, holds for an instance.
    ///
    /// # Errors
    /// `INVALID_STRUCTURE` where the grammar is left, or `INVALID_INSTANCE`.
    pub fn holds(&mut self, name: &str, condition: &str) -> Result<bool, Refusal> {
        match self.present(name) {
            Some((document, options)) => patch::holds(document, condition, options),
            None => Err(self.unknown(name)),
        }
    }

    /// Sets one place of the instance in a slot: a call with one `set`, without its text.
    pub fn set(&mut self, slot: usize, path: &PathExpr, value: Value) -> Option<Reply> {
        let mut out = Outcome::new();
        let name = self.slots.get(slot)?.as_ref().filter(|instance| instance.is_present())?.name.clone();
        let result = self.change(slot, Task::Work(Work::Set(path.clone(), value)), &[], &mut out);
        Some(self.reply(&name, result, out))
    }

    /// The same where a scalar replaces another and nothing is pending: the old value comes out. Else it does nothing.
    #[doc(hidden)]
    pub fn set_plain(&mut self, slot: usize, path: &PathExpr, value: &mut Value) -> Option<Plain> {
        let instance = self.slots.get_mut(slot)?.as_mut()?;
        if !instance.queue.is_empty() || !instance.is_present() {
            return None;
        }
        let room = self.options.limits.max_document_bytes.saturating_sub(instance.status.bytes);
        let options = instance.run_options(&self.options, self.options.on_error);
        let plain = patch::set_plain(&mut instance.document, path, value, room, options)?;
        if plain.changed {
            instance.status.bytes = instance.status.bytes.saturating_add_signed(plain.growth);
            instance.revision += 1;
        }
        Some(plain)
    }

    /// Where a path leads in an instance.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND`, or `INVALID_INSTANCE`.
    pub fn resolve(&mut self, name: &str, path: &PathExpr) -> Result<Path, Refusal> {
        match self.present(name) {
            Some((document, options)) => patch::resolve(document, path, options),
            None => Err(self.unknown(name)),
        }
    }

    /// The rules that an instance is under as the person sees it; for one that is not there, those of a new one.
    pub fn rules(&self, name: &str) -> Rules {
        self.shown(name).map_or(self.options.rules, |instance| instance.status.rules)
    }

    /// The same of an instance as it is confirmed.
    pub fn confirmed_rules(&self, name: &str) -> Rules {
        let confirmed =
            self.instance(name).map(|own| own.queue.first().map_or(own.status, |pending| pending.undo.status));
        confirmed.filter(|status| status.present).map_or(self.options.rules, |status| status.rules)
    }

    /// The options of this store.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// An instance, whether or not the person sees it.
    fn instance(&self, name: &str) -> Option<&Instance> {
        self.slots.get(self.names.get(name)?)?.as_ref()
    }

    fn shown(&self, name: &str) -> Option<&Instance> {
        self.instance(name).filter(|instance| instance.is_present())
    }

    /// The document of an instance that the person sees, and how it is worked on.
    fn present(&mut self, name: &str) -> Option<(&mut Document, RunOptions<'_>)> {
        let slot = self.slot(name)?;
        let instance = self.slots.get_mut(slot)?.as_mut()?;
        let options = instance.run_options(&self.options, self.options.on_error);
        Some((&mut instance.document, options))
    }

    /// Reads a text of so many bytes at most, whose values are so many levels inside of it. `what` names it.
    fn read(&self, what: &str, text: &str, max: usize, levels: usize) -> Result<Value, Refusal> {
        if text.len() > max {
            return Err(Cause::TextTooLong.refuse(&[Arg::Text(what), Arg::Count(text.len()), Arg::Count(max)]));
        }
        parse(text, self.options.limits.depth() + levels).map_err(|error| PatchError::from_text(&error))
    }

    fn read_call(&self, text: &str) -> Result<Call, Refusal> {
        Call::from_value(self.read("text", text, self.options.limits.max_call_bytes, 0)?)
    }

    /// Refuses a document, read as a part of another text, whose own text [`Store::load`] would refuse.
    fn check_length(&self, value: &Value) -> Checked {
        let max = self.options.limits.max_document_bytes;
        // No value is written with more than six times the bytes that it measures.
        if measure(value).bytes.saturating_mul(6) <= max {
            return Ok(());
        }
        check_bytes(value.to_json().len(), &self.options.limits)
    }

    /// Checks a document under the rules of what is confirmed of an instance, unless others are given.
    fn check(&self, name: &str, value: Value, rules: Option<Rules>) -> Result<(Value, InstanceStatus), Refusal> {
        patch::check_name(name)?;
        let rules = rules.unwrap_or_else(|| self.confirmed_rules(name));
        let bytes = patch::check_size(&[], &value, &self.options.limits)?.bytes;
        patch::check_document(&value, rules, &self.options.catalog)?;
        Ok((value, InstanceStatus { present: true, rules, bytes }))
    }

    /// Does a task to what is confirmed of an instance, beneath what is pending on it, and drops the calls that it settles.
    fn perform(&mut self, name: &str, task: Task, settles: &[&str], out: &mut Outcome) -> Checked {
        let slot = self.slot_for(name, task.makes_instance())?;
        self.change(slot, task, settles, out)
    }

    /// The same for the instance in a slot.
    fn change(&mut self, slot: usize, task: Task, settles: &[&str], out: &mut Outcome) -> Checked {
        let Some(Some(instance)) = self.slots.get_mut(slot) else { return Ok(()) };
        let name = instance.name.clone();
        let result = instance.beneath(task, settles, &self.options, out);
        self.tidy(slot, out);
        self.with_names(&name, result)
    }

    /// The slot of a name; with `make`, also for one that is not there and may be given to an instance.
    fn slot_for(&mut self, name: &str, make: bool) -> Result<usize, Refusal> {
        if let Some(slot) = self.names.get(name) {
            return Ok(slot);
        }
        if !make {
            return Err(self.unknown(name));
        }
        let slot = self.free.pop().unwrap_or(self.slots.len());
        let instance = Some(Instance::absent(name));
        match self.slots.get_mut(slot) {
            Some(own) => *own = instance,
            None => self.slots.push(instance),
        }
        self.names.set(name, slot);
        Ok(slot)
    }

    /// After a change of the instance in a slot: updates the order of visible instances, and drops what is over.
    fn tidy(&mut self, slot: usize, out: &Outcome) {
        // A call that was settled and is lost all the same may come again, in a push.
        for (id, refusal) in &out.conflicts {
            if refusal.code == Code::NeedsSnapshot {
                self.settled.remove(id);
            }
        }
        let Some(place) = self.slots.get_mut(slot) else { return };
        let Some(instance) = place else { return };
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
        // No pending call may bring it back.
        if instance.queue.is_empty() {
            self.names.remove(&instance.name);
            *place = None;
            self.free.push(slot);
        }
        if was_listed {
            self.order.retain(|other| *other != slot);
        }
    }

    fn unknown(&self, name: &str) -> Refusal {
        unknown_instance(name, &self.names())
    }

    /// An instance does not know of others.
    fn with_names(&self, name: &str, result: Checked) -> Checked {
        match result {
            Err(refusal) if refusal.code == Code::InvalidInstance => Err(self.unknown(name)),
            result => result,
        }
    }

    fn reply(&self, name: &str, result: Checked, outcome: Outcome) -> Reply {
        let outcome = result.map(|()| outcome);
        let is_unknown = matches!(&outcome, Err(refusal) if refusal.code == Code::InvalidInstance);
        let names = is_unknown.then(|| self.names().into_iter().take(reply::MAX_LISTED).map(boxed).collect());
        Reply { instance: Some(name.into()), outcome, available: names }
    }
}
