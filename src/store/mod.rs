//! The store: named instances, and all operations on them.
//!
//! A [`Store`] loads documents ([`Store::load`]) and applies patch calls ([`Store::apply`]). Both return a [`Reply`]
//! for the sender and never panic. A refused call leaves every instance unchanged, byte for byte.
//!
//! Each instance has two states: the *confirmed* one, and the *shown* one, which is the confirmed one with the pending
//! calls applied. An instance can be absent in either: a pending call may create or delete it.
//!
//! The methods are spread over the files: `optimistic` has those for pending calls, `draft` for calls whose text still arrives,
//! `receive` for messages of a server, `saved` for saving. `task` and `queue` change one instance.
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
mod wire;

pub use options::Options;
pub use pending::Pending;
pub use reply::{NextKey, Outcome, Reply};
#[doc(hidden)]
pub use wire::{ChangeKind, ChangePart};

use crate::edit::Document;
use crate::patch::{
    self, Arg, Call, Cause, Checked, Code, PatchError, PathExpr, Refusal, Rules, RunOptions, Work, unknown_instance,
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
    /// The instances. The index of an instance (its *slot*) never changes; a deleted instance leaves `None`.
    slots: Vec<Option<Instance>>,
    /// The empty slots, for reuse.
    free_slots: Vec<usize>,
    /// The slot of each name, also of an instance that is not shown.
    names: Names,
    /// The slots of the instances that are shown, in order of creation.
    order: Vec<usize>,
    /// The name of the instance that the user is looking at.
    active: Option<Box<str>>,
    /// The number of the last call that became pending, which is in its id: calls are numbered from 1.
    last_call_number: u64,
    /// The `patch_id`s of the server messages that were applied last, to ignore repetitions.
    applied_messages: RecentIds,
    /// The ids of the pending calls that the server confirmed last, or whose effects it pushed, to ignore repetitions.
    confirmed_ids: RecentIds,
}

/// The argument `settles` that drops no pending call.
const SETTLES_NONE: &[&str] = &[];

impl Store {
    /// An empty store.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// The names of the shown instances, in order of creation.
    pub fn names(&self) -> Vec<&str> {
        let instances = self.order.iter().filter_map(|slot| self.slots.get(*slot)?.as_ref());
        instances.map(|instance| &*instance.name).collect()
    }

    /// The shown document of an instance; `None` for an unknown name.
    pub fn document(&self, name: &str) -> Option<&Value> {
        self.shown_instance(name).map(|instance| instance.document.value())
    }

    /// The number of changes of an instance since its creation; 0 for an unknown name.
    pub fn revision(&self, name: &str) -> u64 {
        self.shown_instance(name).map_or(0, |instance| instance.revision)
    }

    /// The slot of a shown instance; `None` if the instance is not shown.
    fn slot(&self, name: &str) -> Option<usize> {
        self.shown_instance(name)?;
        self.names.get(name)
    }

    /// The instance that the user is looking at.
    pub fn active(&self) -> Option<&str> {
        self.active.as_deref()
    }

    /// Sets the instance that the user is looking at.
    ///
    /// # Errors
    /// `INVALID_INSTANCE`, with the existing names.
    pub fn set_active(&mut self, name: Option<&str>) -> Result<(), Refusal> {
        if let Some(name) = name
            && self.slot(name).is_none()
        {
            return Err(self.unknown_name(name));
        }
        self.active = name.map(boxed);
        Ok(())
    }

    /// Replaces the confirmed document of an instance, or creates the instance. Without `rules` the instance keeps its rules;
    /// a new one has those of the options.
    pub fn load(&mut self, name: &str, document: &str, rules: Option<Rules>) -> Reply {
        self.load_settling(name, document, rules, SETTLES_NONE)
    }

    /// As [`Store::load`], for a document that already contains the effects of the pending calls with the ids
    /// `settles`: those calls are dropped.
    pub fn load_settling(&mut self, name: &str, document: &str, rules: Option<Rules>, settles: &[&str]) -> Reply {
        let revision_before = self.revision(name);
        let mut reply = self.load_brief(name, document, rules, settles);
        // Without pending calls `load_brief` lists no changes. The change is then the whole document, if it has changed.
        if let Ok(outcome) = &mut reply.outcome
            && !outcome.has_pending
            && outcome.revision != revision_before
        {
            outcome.changes = self.instance(name).map(Instance::as_change).unwrap_or_default();
        }
        reply
    }

    /// As [`Store::load_settling`], for a caller that has the document: unless calls are pending, the reply has no
    /// changes.
    pub(crate) fn load_brief(&mut self, name: &str, document: &str, rules: Option<Rules>, settles: &[&str]) -> Reply {
        let mut out = Outcome::new();
        // Ids that are not pending here are none of this store's calls, and are not remembered as settled.
        let mut settles = settles.to_vec();
        let queue = self.instance(name).map_or(&[][..], |instance| &instance.queue);
        settles.retain(|id| queue.iter().any(|pending| *pending.id == **id));
        let result = self
            .parse_limited("text", document, self.options.limits.max_document_bytes)
            .and_then(|value| self.check_document(name, value, rules))
            .and_then(|(value, status)| self.perform(name, Task::Load(value, status), &settles, &mut out));
        if result.is_ok() {
            for id in settles {
                self.confirmed_ids.push(id);
            }
        }
        self.reply(name, result, out)
    }

    /// Applies a call, given as JSON text, to the confirmed instance, and replays the pending calls.
    pub fn apply(&mut self, call: &str) -> Reply {
        self.apply_settling(call, SETTLES_NONE)
    }

    /// As [`Store::apply`], and drops the pending calls in `settles` if the call succeeds.
    pub(super) fn apply_settling(&mut self, call: &str, settles: &[&str]) -> Reply {
        let mut out = Outcome::new();
        let (name, task) = match self.parse_call(call) {
            Ok(call) => Task::of(call, &mut out),
            Err(refusal) => return Reply::refused(refusal),
        };
        let result = self.perform(&name, task, settles, &mut out);
        self.reply(&name, result, out)
    }

    /// Returns the reply that [`Store::apply`] would give if no calls were pending. Changes nothing.
    pub fn preview(&self, call: &str) -> Reply {
        let mut out = Outcome::new();
        let (name, task) = match self.parse_call(call) {
            Ok(call) => Task::of(call, &mut out),
            Err(refusal) => return Reply::refused(refusal),
        };
        let confirmed = match self.instance(&name) {
            Some(instance) => Ok(instance.without_pending()),
            None if task.may_create_instance() => Ok(Instance::absent(&name)),
            None => Err(self.unknown_name(&name)),
        };
        let result = confirmed
            .and_then(|mut confirmed| confirmed.apply_under_pending(task, SETTLES_NONE, &self.options, &mut out));
        self.reply(&name, self.list_instances_in_refusal(&name, result), out)
    }

    /// Applies an edit script, given as JSON text. It is atomic; the rules are checked after the last edit.
    pub fn edit(&mut self, name: &str, script: &str) -> Reply {
        self.apply_text(name, script, Work::Edits)
    }

    /// Applies a JSON Patch (RFC 6902), given as JSON text. It is atomic even if `on_error` is not `Rollback`.
    pub fn json_patch(&mut self, name: &str, operations: &str) -> Reply {
        self.apply_text(name, operations, Work::JsonPatch)
    }

    /// Applies a JSON Merge Patch (RFC 7396), given as JSON text.
    pub fn merge_patch(&mut self, name: &str, merge: &str) -> Reply {
        self.apply_text(name, merge, Work::MergePatch)
    }

    /// Parses a text, and performs it as the kind of work that `work` makes.
    fn apply_text(&mut self, name: &str, text: &str, work: fn(Value) -> Work) -> Reply {
        let mut out = Outcome::new();
        let result = self
            .parse_limited("text", text, self.options.limits.max_call_bytes)
            .and_then(|value| self.perform(name, Task::Work(work(value)), SETTLES_NONE, &mut out));
        self.reply(name, result, out)
    }

    /// Whether a condition, as in a patch, holds for a shown instance.
    ///
    /// # Errors
    /// `INVALID_STRUCTURE` for a syntax error, or `INVALID_INSTANCE`.
    pub fn holds(&mut self, name: &str, condition: &str) -> Result<bool, Refusal> {
        match self.shown_document(name) {
            Some((document, options)) => patch::holds(document, condition, options),
            None => Err(self.unknown_name(name)),
        }
    }

    /// Resolves a path in a shown instance.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND`, or `INVALID_INSTANCE`.
    pub fn resolve(&mut self, name: &str, path: &PathExpr) -> Result<Path, Refusal> {
        match self.shown_document(name) {
            Some((document, options)) => patch::resolve(document, path, options),
            None => Err(self.unknown_name(name)),
        }
    }

    /// The rules of the shown instance; for an unknown name, the rules of new instances.
    pub fn rules(&self, name: &str) -> Rules {
        self.shown_instance(name).map_or(self.options.rules, |instance| instance.status.rules)
    }

    /// The rules of the confirmed instance; the rules of new instances if the instance is not confirmed.
    pub fn confirmed_rules(&self, name: &str) -> Rules {
        // The undo of the first pending call leads to the confirmed state.
        let confirmed_status =
            |instance: &Instance| instance.queue.first().map_or(instance.status, |pending| pending.undo.status);
        let confirmed = self.instance(name).map(confirmed_status);
        confirmed.filter(|status| status.is_present).map_or(self.options.rules, |status| status.rules)
    }

    /// The options of this store.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// The instance in the slot of a name, even if it is not shown.
    fn instance(&self, name: &str) -> Option<&Instance> {
        self.slots.get(self.names.get(name)?)?.as_ref()
    }

    /// An instance, if it is shown, that is, present with the pending calls applied.
    fn shown_instance(&self, name: &str) -> Option<&Instance> {
        self.instance(name).filter(|instance| instance.is_present())
    }

    /// The document of a shown instance, and the options for patches of it.
    fn shown_document(&mut self, name: &str) -> Option<(&mut Document, RunOptions<'_>)> {
        let slot = self.slot(name)?;
        let instance = self.slots.get_mut(slot)?.as_mut()?;
        let options = instance.run_options(&self.options, self.options.on_error);
        Some((&mut instance.document, options))
    }

    /// Parses a text of at most `max_bytes` bytes, which may nest as deep as a document. `what` names the text in errors.
    fn parse_limited(&self, what: &str, text: &str, max_bytes: usize) -> Result<Value, Refusal> {
        self.parse_to_depth(what, text, max_bytes, self.options.limits.depth())
    }

    /// As [`Self::parse_limited`], with another depth.
    fn parse_to_depth(&self, what: &str, text: &str, max_bytes: usize, max_depth: usize) -> Result<Value, Refusal> {
        if text.len() > max_bytes {
            return Err(Cause::TextTooLong.refuse(&[Arg::Text(what), Arg::Count(text.len()), Arg::Count(max_bytes)]));
        }
        parse(text, max_depth).map_err(|error| PatchError::from_text(&error))
    }

    fn parse_call(&self, text: &str) -> Result<Call, Refusal> {
        Call::from_value(self.parse_limited("text", text, self.options.limits.max_call_bytes)?)
    }

    /// Refuses a document inside a message if [`Store::load`] would refuse its text as too long.
    fn check_length(&self, value: &Value) -> Checked {
        let max = self.options.limits.max_document_bytes;
        // A value has at most six times as many bytes of JSON as `measure` counts: a control character is one byte, and its
        // escape six. Mostly this saves writing the text.
        if measure(value).bytes.saturating_mul(6) <= max {
            return Ok(());
        }
        check_bytes(value.to_json().len(), &self.options.limits)
    }

    /// Checks a document under `rules`, or else under the rules of the confirmed instance. Returns it with the status that the
    /// instance has with it.
    fn check_document(
        &self,
        name: &str,
        value: Value,
        rules: Option<Rules>,
    ) -> Result<(Value, InstanceStatus), Refusal> {
        patch::check_instance_name(name)?;
        let rules = rules.unwrap_or_else(|| self.confirmed_rules(name));
        let bytes = patch::check_size(&[], &value, &self.options.limits)?.bytes;
        patch::check_document(&value, rules, &self.options.catalog)?;
        Ok((value, InstanceStatus { is_present: true, rules, bytes }))
    }

    /// Performs a task on the confirmed instance, drops the pending calls in `settles`, and replays the others.
    fn perform(&mut self, name: &str, task: Task, settles: &[&str], out: &mut Outcome) -> Checked {
        let slot = self.slot_for(name, task.may_create_instance())?;
        self.perform_in_slot(slot, task, settles, out)
    }

    /// As [`Store::perform`], for the instance in a slot.
    fn perform_in_slot(&mut self, slot: usize, task: Task, settles: &[&str], out: &mut Outcome) -> Checked {
        let Some(Some(instance)) = self.slots.get_mut(slot) else { return Ok(()) };
        let name = instance.name.clone();
        let result = instance.apply_under_pending(task, settles, &self.options, out);
        self.update_slot(slot, out);
        self.list_instances_in_refusal(&name, result)
    }

    /// The slot of a name. With `may_create`, a name without a slot gets one with an absent instance; otherwise it is refused.
    fn slot_for(&mut self, name: &str, may_create: bool) -> Result<usize, Refusal> {
        if let Some(slot) = self.names.get(name) {
            return Ok(slot);
        }
        if !may_create {
            return Err(self.unknown_name(name));
        }
        let slot = self.free_slots.pop().unwrap_or(self.slots.len());
        let instance = Some(Instance::absent(name));
        match self.slots.get_mut(slot) {
            Some(free_slot) => *free_slot = instance,
            None => self.slots.push(instance),
        }
        self.names.set(name, slot);
        Ok(slot)
    }

    /// Updates the store after a change of an instance: lists the instance if it is shown, and frees its slot if it is absent
    /// and has no pending calls. `out` is the outcome of the change.
    fn update_slot(&mut self, slot: usize, out: &Outcome) {
        // `NEEDS_SNAPSHOT`: a confirmed call could not be replayed. A later push may have its effect, and must not be ignored.
        for (id, refusal) in &out.conflicts {
            if refusal.code == Code::NeedsSnapshot {
                self.confirmed_ids.remove(id);
            }
        }
        let Some(entry) = self.slots.get_mut(slot) else { return };
        let Some(instance) = entry else { return };
        let is_present = instance.is_present();
        let was_listed = std::mem::replace(&mut instance.is_listed, is_present);
        if is_present {
            if !was_listed {
                self.order.push(slot);
            }
            return;
        }
        if self.active.as_deref() == Some(&*instance.name) {
            self.active = None;
        }
        // The slot must stay while calls are pending: a replay may create the instance again.
        if instance.queue.is_empty() {
            self.names.remove(&instance.name);
            *entry = None;
            self.free_slots.push(slot);
        }
        if was_listed {
            self.order.retain(|other| *other != slot);
        }
    }

    /// The refusal of an unknown name of an instance.
    fn unknown_name(&self, name: &str) -> Refusal {
        unknown_instance(name, &self.names())
    }

    /// Replaces the refusal of an unknown instance by one that lists the existing names: an instance does not know the others.
    fn list_instances_in_refusal(&self, name: &str, result: Checked) -> Checked {
        match result {
            Err(refusal) if refusal.code == Code::InvalidInstance => Err(self.unknown_name(name)),
            result => result,
        }
    }

    /// The reply for the instance `name`: the outcome if the result is a success, else the refusal.
    fn reply(&self, name: &str, result: Checked, outcome: Outcome) -> Reply {
        let outcome = result.map(|()| outcome);
        let is_unknown = matches!(&outcome, Err(refusal) if refusal.code == Code::InvalidInstance);
        let available = is_unknown.then(|| self.names().into_iter().take(reply::MAX_LISTED_NAMES).map(boxed).collect());
        Reply { instance: Some(name.into()), outcome, available }
    }
}
