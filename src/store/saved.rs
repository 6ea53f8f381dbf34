//! A store as text, and back.

use super::instance::Instance;
use super::pending::Pending;
use super::task::Task;
use super::{Options, Store};
use crate::patch::{self, Call, Code, OnError, PatchError, Refusal, Rules};
use crate::value::{Array, Value, parse, write_list, write_string};

/// The version of the text, as `save` writes it. Another one is refused.
const VERSION: f64 = 1.0;
/// The levels that the text has around a pending call; around a document it has fewer.
const LEVELS: usize = 6;

impl Store {
    /// The store as text: what is confirmed of each instance, its rules, its revision and the pending calls on it; which
    /// instance is active; the ids of messages that were taken. Options are not in it.
    #[must_use]
    pub fn save(&self) -> String {
        let mut out = String::from("{\"genui-patch\":1,\"active\":");
        match self.active() {
            Some(name) => write_string(&mut out, name),
            None => out.push_str("null"),
        }
        out.push_str(&format!(",\"calls\":{},\"seen\":", self.calls));
        self.seen.write_json(&mut out);
        out.push_str(",\"settled\":");
        self.settled.write_json(&mut out);
        out.push_str(",\"instances\":");
        let listed = self.order.iter().filter_map(|slot| self.slots.get(*slot)?.as_ref());
        let hidden = self.slots.iter().flatten().filter(|instance| !instance.listed);
        let instances: Vec<_> = listed.chain(hidden).collect();
        write_list(&mut out, &instances, |out, instance| instance.save(out));
        out.push('}');
        out
    }

    /// A store from the text of [`Store::save`]. Documents are checked as loaded ones are.
    ///
    /// # Errors
    /// `INVALID_JSON`, `INVALID_STRUCTURE` and what [`Store::load`] refuses, with the instance's name.
    pub fn restore(text: &str, options: Options) -> Result<Self, Refusal> {
        let depth = options.limits.depth() + LEVELS;
        let saved = parse(text, depth).map_err(|error| PatchError::from_text(&error))?;
        let damaged = |what: &str| {
            let message = format!("The saved text has no {what}.");
            PatchError::new(Code::InvalidStructure, message, "Give the text that save() returned, whole.")
        };
        if saved.get("genui-patch").and_then(Value::as_number) != Some(VERSION) {
            return Err(damaged("version that this package reads"));
        }
        let mut store = Self::new(options);
        let instances = saved.get("instances").and_then(Value::as_array).ok_or_else(|| damaged("instances"))?;
        for instance in instances {
            let name = instance.get("name").and_then(Value::as_str).ok_or_else(|| damaged("name of an instance"))?;
            let rules = instance.get("rules").and_then(Value::as_str).and_then(Rules::from_name);
            let rules = rules.ok_or_else(|| damaged("rules of an instance"))?;
            let revision = instance
                .get("revision")
                .and_then(Value::as_number)
                .filter(|revision| *revision >= 1.0 && revision.fract() == 0.0);
            let revision = revision.ok_or_else(|| damaged("revision of an instance"))?;
            let pending =
                instance.get("pending").map(|pending| pending.as_array().ok_or_else(|| damaged("pending calls")));
            let none = Array::default();
            let pending = pending.transpose()?.unwrap_or(&none);
            let value = instance.get("document").cloned();
            if value.is_none() && pending.is_empty() {
                return Err(damaged("document of an instance"));
            }
            store.take_saved(name, value, rules)?;
            let max = store.options.limits.max_pending;
            if store.count_pending() + pending.len() > max {
                let message = format!("The saved text has more pending calls than {max}, which is the limit.");
                return Err(PatchError::new(Code::LimitExceeded, message, "Restore it with a larger maxPending."));
            }
            for call in pending {
                store.take_pending(name, call).ok_or_else(|| damaged("pending call that applies to its instance"))?;
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be at least 1")]
            let revision = revision as u64;
            let slot = store.names.get(name);
            if let Some(instance) = slot.and_then(|slot| store.slots.get_mut(slot)?.as_mut()) {
                instance.revision = revision;
            }
        }
        store.calls = store.calls.max(saved.get("calls").and_then(whole).unwrap_or_default());
        for (key, ring) in [("seen", &mut store.seen), ("settled", &mut store.settled)] {
            let ids = saved.get(key).and_then(Value::as_array).into_iter().flatten();
            ids.filter_map(Value::as_str).for_each(|id| ring.push(id));
        }
        match saved.get("active") {
            Some(Value::String(name)) => store.set_active(Some(name))?,
            Some(Value::Null) => {}
            Some(_) | None => return Err(damaged("active instance")),
        }
        Ok(store)
    }

    fn take_saved(&mut self, name: &str, value: Option<Value>, rules: Rules) -> Result<(), Refusal> {
        patch::check_name(name)?;
        if self.names.contains(name) {
            let message = format!("The saved text has the instance \"{name}\" twice.");
            return Err(PatchError::new(Code::InstanceExists, message, "Give the text that save() returned, whole."));
        }
        match value {
            Some(value) => {
                self.check_length(&value)?;
                self.check(&value, rules)?;
                self.perform(name, Task::Load(value, rules)).map(drop)
            }
            None => self.place(name, true).map(drop),
        }
    }

    /// Puts a saved pending call on its instance again; nothing where it is none, or does not apply.
    fn take_pending(&mut self, name: &str, saved: &Value) -> Option<()> {
        let call = saved.get("call")?.clone();
        let parsed = Call::from_value(call.clone()).ok()?;
        let flag = |key: &str| match saved.get(key) {
            Some(Value::Bool(flag)) => Some(*flag),
            Some(_) | None => None,
        };
        let (confirmed, sent) = (flag("confirmed")?, flag("sent")?);
        let id = saved.get("id")?.as_str().filter(|id| self.find_pending(id).is_none())?;
        let number = whole(saved.get("number")?)?;
        if parsed.target.name() != name {
            return None;
        }
        let slot = self.place(name, false).ok()?;
        let Self { options, slots, calls, .. } = self;
        let instance = slots.get_mut(slot)?.as_mut()?;
        let done = instance.perform(Task::of(parsed).1, options, OnError::Rollback).ok()?;
        instance.queue.push(Pending { confirmed, sent, ..Pending::new(id.into(), number, call, done) });
        *calls = (*calls).max(number);
        self.tend(slot);
        Some(())
    }
}

impl Instance {
    fn save(&self, out: &mut String) {
        out.push_str("{\"name\":");
        write_string(out, &self.name);
        let confirmed = if self.queue.is_empty() { None } else { Some(self.confirmed()) };
        let (document, rules) = match &confirmed {
            None => (Some(self.document.value()), self.held.rules),
            Some(Some((value, rules))) => (Some(value), *rules),
            Some(None) => (None, self.held.rules),
        };
        out.push_str(&format!(",\"rules\":\"{}\",\"revision\":{}", rules.name(), self.revision));
        if !self.queue.is_empty() {
            out.push_str(",\"pending\":");
            write_list(out, &self.queue, |out, pending| {
                out.push_str("{\"id\":");
                write_string(out, &pending.id);
                out.push_str(&format!(",\"number\":{},\"call\":", pending.number));
                pending.call.write_json(out);
                pending.write_marks(out);
                out.push('}');
            });
        }
        if let Some(document) = document {
            out.push_str(",\"document\":");
            document.write_json(out);
        }
        out.push('}');
    }
}

fn whole(value: &Value) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a whole number")]
    value.as_number().filter(|number| *number >= 0.0 && number.fract() == 0.0).map(|number| number as u64)
}
