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
mod instance;
mod interop;
mod options;
mod reply;
mod saved;

use std::sync::Arc;

pub use options::Options;
pub use reply::{Outcome, Reply};

use crate::edit::Edit;
use crate::patch::{
    self, Call, Code, DELETE, PatchError, PathExpr, Refusal, Rules, Target, Terms, Work, unknown_instance,
};
use crate::value::names::Names;
use crate::value::{Path, Value, measure, parse};
use instance::Instance;

/// Named documents and the calls that change them.
#[derive(Debug, Default)]
pub struct Store {
    options: Options,
    /// By slot: a number that stands for a name, which typed entries use.
    slots: Vec<Option<Instance>>,
    names: Names,
    /// Slots in the order in which their instances came.
    order: Vec<usize>,
    active: Option<Box<str>>,
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
        self.instance(name).map(|instance| instance.document.value())
    }

    /// How often an instance has changed since it came; 0 for one that is not there.
    #[must_use]
    pub fn revision(&self, name: &str) -> u64 {
        self.instance(name).map_or(0, |instance| instance.revision)
    }

    /// The slot of an instance.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.names.get(name)
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
            Some(name) if !self.names.contains(name) => Err(unknown_instance(name, self.names().into_iter())),
            name => {
                self.active = name.map(Into::into);
                Ok(())
            }
        }
    }

    /// Takes an authoritative document, whole, in place of what the instance held. Without `rules` an instance keeps
    /// those that it is under.
    pub fn load(&mut self, name: &str, document: &str, rules: Option<Rules>) -> Reply {
        let outcome = self.read(document, self.options.limits.max_document_bytes).and_then(|value| {
            instance::check_name(name)?;
            let known = self.instance(name).map(|instance| instance.rules);
            let rules = rules.or(known).unwrap_or(self.options.rules);
            patch::check_size(&[], &value, &self.options.limits)?;
            patch::check_document(&value, rules, &self.options.catalog)?;
            Ok(self.put(name, value, rules))
        });
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
        let Call { target, patches, unknown } = call;
        let name: Arc<str> = target.name().into();
        let mut outcome = match target {
            Target::Existing(name) => self.change(&name, Work::Patches(patches)),
            Target::Create(name, dialect) => self.create(&name, dialect, patches),
            Target::Delete(name) => self.delete(&name, patches),
        };
        if let Ok(outcome) = &mut outcome {
            let keys = unknown.into_iter().map(patch::Reason::UnknownKey);
            let skipped = keys.map(|reason| patch::Skipped { index: None, op: "".into(), path: "".into(), reason });
            outcome.skipped.splice(0..0, skipped);
        }
        self.reply(name, outcome)
    }

    /// Sets one place of the instance in a slot: a call with one `set`, without its text.
    pub fn set(&mut self, slot: usize, path: &PathExpr, value: Value) -> Option<Reply> {
        let Self { options, slots, .. } = self;
        let instance = slots.get_mut(slot)?.as_mut()?;
        let name = instance.name.clone();
        let outcome = instance.set(path, value, options);
        Some(self.reply(name, outcome))
    }

    /// Where a path leads in an instance.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND`, or `INVALID_INSTANCE`.
    pub fn resolve(&mut self, name: &str, path: &PathExpr) -> Result<Path, Refusal> {
        let slot = self.slot(name);
        match slot.and_then(|slot| self.slots.get_mut(slot)?.as_mut()) {
            Some(instance) => patch::resolve(&mut instance.document, path, instance.rules),
            None => Err(unknown_instance(name, self.names().into_iter())),
        }
    }

    /// Limits of this store.
    #[must_use]
    pub const fn options(&self) -> &Options {
        &self.options
    }

    fn instance(&self, name: &str) -> Option<&Instance> {
        self.slots.get(self.slot(name)?)?.as_ref()
    }

    fn read(&self, text: &str, max_bytes: usize) -> Result<Value, Refusal> {
        if text.len() > max_bytes {
            let message = format!("The text has {} bytes; the limit is {max_bytes}.", text.len());
            return Err(PatchError::new(Code::LimitExceeded, message, "Send less at once."));
        }
        parse(text, self.options.limits.max_depth).map_err(|error| PatchError::from_text(&error))
    }

    fn change(&mut self, name: &str, work: Work) -> Result<Outcome, Refusal> {
        let Some(slot) = self.slot(name) else { return Err(unknown_instance(name, self.names().into_iter())) };
        let Self { options, slots, .. } = self;
        match slots.get_mut(slot).and_then(Option::as_mut) {
            Some(instance) => instance.take(work, options),
            None => Ok(Outcome::default()),
        }
    }

    fn create(&mut self, name: &str, dialect: patch::Dialect, patches: Vec<Value>) -> Result<Outcome, Refusal> {
        if self.names.contains(name) {
            let message = format!("There already is an instance \"{name}\".");
            let solution = "Use another name, or send the patches to the instance that is there.";
            return Err(PatchError::new(Code::InstanceExists, message, solution));
        }
        let rules = self.options.rules;
        let mut document = crate::edit::Document::new(patch::start_document(name, dialect));
        let terms = Terms {
            rules,
            catalog: &self.options.catalog,
            limits: &self.options.limits,
            on_error: self.options.on_error,
            creating: true,
        };
        let run = patch::run(&mut document, patches, terms)?;
        // Half an instance helps nobody: what stops the making of one refuses it whole.
        if let Some(stopped) = run.stopped {
            return Err(stopped);
        }
        patch::check_document(document.value(), rules, &self.options.catalog)?;
        instance::check_bytes(measure(document.value()).bytes, &self.options.limits)?;
        let mut outcome = self.put(name, document.into_value(), rules);
        outcome.applied = run.applied;
        outcome.skipped = run.skipped;
        Ok(outcome)
    }

    fn delete(&mut self, name: &str, patches: Vec<Value>) -> Result<Outcome, Refusal> {
        let Some(slot) = self.slot(name) else { return Err(unknown_instance(name, self.names().into_iter())) };
        if let Some(index) = patches.iter().position(|patch| patch.get("op").and_then(Value::as_str) != Some("delete"))
        {
            let message = format!("A call to {DELETE} takes no patches.");
            let mut refusal = PatchError::new(
                Code::InvalidOp,
                message,
                "Leave the patches out, or send them in a call of their own.",
            );
            refusal.index = Some(index);
            return Err(refusal);
        }
        self.names.remove(name);
        self.order.retain(|other| *other != slot);
        let gone = self.slots.get_mut(slot).and_then(Option::take);
        if self.active.as_deref() == Some(name) {
            self.active = None;
        }
        let revision = gone.map_or(0, |instance| instance.revision + 1);
        let changes = vec![Edit::Remove { path: Path::new() }];
        Ok(Outcome { applied: patches.len(), changes, revision, ..Outcome::default() })
    }

    /// Puts a checked document in place of what an instance held, or makes the instance.
    fn put(&mut self, name: &str, value: Value, rules: Rules) -> Outcome {
        let slot = self.slot(name).unwrap_or_else(|| {
            let free = self.slots.iter().position(Option::is_none).unwrap_or(self.slots.len());
            if free == self.slots.len() {
                self.slots.push(None);
            }
            self.names.set(name, free);
            self.order.push(free);
            free
        });
        let changes = vec![Edit::Set { path: Path::new(), value: value.clone() }];
        let Some(place) = self.slots.get_mut(slot) else { return Outcome::default() };
        let revision = place.as_ref().map_or(1, |known| known.revision + 1);
        *place = Some(Instance::new(name, value, rules, revision));
        Outcome { changes, revision, ..Outcome::default() }
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
