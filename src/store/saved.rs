//! Saves a store as text, and restores it.

use super::instance::Instance;
use super::pending::Pending;
use super::reply::write_count;
use super::task::Task;
use super::{Options, Outcome, SETTLES_NONE, Store};
use crate::patch::{self, Arg, Call, Cause, Checked, OnError, PatchError, Refusal, Rules};
use crate::value::text::owned;
use crate::value::{Value, parse, put, put_char, write_list, write_string, write_strings};

/// The version of the text, which `save` writes as a digit. Another one is refused.
const VERSION: f64 = 1.0;
/// The levels of lists and objects around a value in a pending call, the deepest in the text: store, instances, instance, pending
/// calls, pending call, call.
const LEVELS: usize = 6;

impl Store {
    /// The store as text: the confirmed document, rules, revision and pending calls of each instance, the name of the active
    /// instance, and the ids of received messages and settled calls. Options and drafts are not saved.
    pub fn save(&self) -> String {
        let mut text = owned("{\"genui-patch\":1,\"active\":");
        let out = &mut text;
        // Not saved: an instance that only a draft creates.
        let is_saved = |instance: &Instance| {
            instance.without_drafts(&self.options).is_none_or(|copy| copy.is_present() || !copy.queue.is_empty())
        };
        match self.active().filter(|name| self.instance(name).is_some_and(is_saved)) {
            Some(name) => write_string(out, name),
            None => _ = put(out, "null"),
        }
        write_count(put(out, ",\"calls\":"), self.last_call_number);
        for (key, recent) in [(",\"seen\":", &self.applied_messages), (",\"settled\":", &self.confirmed_ids)] {
            write_strings(put(out, key), &recent.ids);
        }
        put(out, ",\"instances\":");
        // First the shown instances, in their order. A hidden one is deleted by a pending call.
        let listed = self.order.iter().filter_map(|slot| self.slots.get(*slot)?.as_ref());
        let hidden = self.slots.iter().flatten().filter(|instance| !instance.is_listed);
        put_char(out, '[');
        let mut is_first = true;
        for instance in listed.chain(hidden) {
            if !is_saved(instance) {
                continue;
            }
            let copy = instance.without_drafts(&self.options);
            let instance = copy.as_ref().unwrap_or(instance);
            put(out, if std::mem::take(&mut is_first) { "" } else { "," });
            instance.save(out);
        }
        put_char(out, ']');
        put_char(out, '}');
        text
    }

    /// A store from the text of [`Store::save`]. Documents are checked as loaded ones are.
    ///
    /// # Errors
    /// `INVALID_JSON`, `INVALID_STRUCTURE` and what [`Store::load`] refuses, with the instance's name.
    pub fn restore(text: &str, options: Options) -> Result<Self, Refusal> {
        let depth = options.limits.depth() + LEVELS;
        let saved = parse(text, depth).map_err(|error| PatchError::from_text(&error))?;
        if saved.get("genui-patch").and_then(Value::as_number) != Some(VERSION) {
            return Err(damaged_save("version that this package reads"));
        }
        let mut store = Self::new(options);
        for instance in read_part(&saved, "instances", Value::as_array, "instances")? {
            store.restore_instance(instance)?;
        }
        // At least the greatest number of the pending calls, also if the saved number is missing.
        store.last_call_number = store.last_call_number.max(saved.get("calls").and_then(as_count).unwrap_or_default());
        for (key, recent) in [("seen", &mut store.applied_messages), ("settled", &mut store.confirmed_ids)] {
            for id in saved.get(key).unwrap_or(&Value::Null).strings() {
                recent.push(id);
            }
        }
        match saved.get("active") {
            Some(Value::String(name)) => store.set_active(Some(name))?,
            Some(Value::Null) => {}
            _ => return Err(damaged_save("active instance")),
        }
        Ok(store)
    }

    /// Adds an instance of a saved text: loads its document, and applies its pending calls again. An instance without a document
    /// is created by one of them.
    fn restore_instance(&mut self, saved: &Value) -> Checked {
        let name = read_part(saved, "name", Value::as_str, "name of an instance")?;
        let rules = read_part(saved, "rules", |rules| Rules::from_name(rules.as_str()?), "rules of an instance")?;
        // Not 0: a saved instance has had a change, at least its creation.
        let revision = read_part(
            saved,
            "revision",
            |revision| as_count(revision).filter(|revision| *revision > 0),
            "revision of an instance",
        )?;
        let empty = Value::from(Vec::new());
        let pending = saved.get("pending").unwrap_or(&empty).as_array().ok_or_else(|| damaged_save("pending calls"))?;
        let document = saved.get("document").cloned();
        if document.is_none() && pending.is_empty() {
            return Err(damaged_save("document of an instance"));
        }
        patch::check_instance_name(name)?;
        if self.names.contains(name) {
            return Err(Cause::SavedTwice.refuse(&[Arg::Text(name)]));
        }
        let may_create = true;
        let slot = self.slot_for(name, may_create)?;
        if let Some(value) = document {
            self.check_length(&value)?;
            let (value, status) = self.check_document(name, value, Some(rules))?;
            self.perform_in_slot(slot, Task::Load(value, status), SETTLES_NONE, &mut Outcome::new())?;
        }
        let max = self.options.limits.max_pending;
        if self.count_pending() + pending.len() > max {
            return Err(Cause::SavedTooManyPending.refuse(&[Arg::Count(max)]));
        }
        for call in pending {
            self.restore_pending(slot, name, call)
                .ok_or_else(|| damaged_save("pending call that applies to its instance"))?;
        }
        if let Some(Some(instance)) = self.slots.get_mut(slot) {
            instance.revision = revision;
        }
        Ok(())
    }

    /// Applies a saved pending call to its instance again; `None` if it is invalid or does not apply.
    fn restore_pending(&mut self, slot: usize, name: &str, saved: &Value) -> Option<()> {
        let boolean = |key: &str| if let Some(Value::Bool(flag)) = saved.get(key) { Some(*flag) } else { None };
        let (confirmed, sent) = (boolean("confirmed")?, boolean("sent")?);
        let call = saved.get("call")?;
        // An id is pending only once.
        let id = saved.get("id")?.as_str().filter(|id| self.find_pending(id).is_none())?;
        let number = as_count(saved.get("number")?)?;
        let mut out = Outcome::new();
        let (target, task) = Task::of(Call::from_value(call.clone()).ok()?, &mut out);
        if *target != *name {
            return None;
        }
        let instance = self.slots.get_mut(slot)?.as_mut()?;
        let undo = instance.perform(task, &self.options, OnError::Rollback, &mut out).ok()?;
        let (id, call, changes) = (id.into(), call.clone(), out.changes);
        instance.queue.push(Pending { id, number, call, changes, confirmed, sent, is_draft: false, undo });
        self.last_call_number = self.last_call_number.max(number);
        self.update_slot(slot, &Outcome::new());
        Some(())
    }
}

impl Instance {
    /// Appends the instance: its confirmed document, if there is one, and its pending calls, from which the changes follow.
    fn save(&self, out: &mut String) {
        write_string(put(out, "{\"name\":"), &self.name);
        let copy = if self.queue.is_empty() { None } else { Some(self.without_pending()) };
        let confirmed = copy.as_ref().unwrap_or(self);
        // An instance that a pending call creates has no confirmed rules.
        let rules = if confirmed.is_present() { confirmed.status.rules } else { self.status.rules };
        put(put(out, ",\"rules\":\""), rules.name());
        write_count(put(out, "\",\"revision\":"), self.revision);
        if !self.queue.is_empty() {
            write_list(put(out, ",\"pending\":"), &self.queue, |out, pending| {
                write_string(put(out, "{\"id\":"), &pending.id);
                write_count(put(out, ",\"number\":"), pending.number);
                pending.call.write_json(put(out, ",\"call\":"));
                pending.write_flags(out);
                put_char(out, '}');
            });
        }
        if confirmed.is_present() {
            confirmed.document.value().write_json(put(out, ",\"document\":"));
        }
        put_char(out, '}');
    }
}

/// The value at a key of an object in a saved text, as `read` reads it. It is refused if it is absent or `read` returns `None`;
/// `what` names it then.
fn read_part<'v, T>(saved: &'v Value, key: &str, read: fn(&'v Value) -> Option<T>, what: &str) -> Result<T, Refusal> {
    saved.get(key).and_then(read).ok_or_else(|| damaged_save(what))
}

/// The refusal of a saved text that lacks a part, or has an invalid one.
fn damaged_save(part: &str) -> Refusal {
    Cause::SavedLacks.refuse(&[Arg::Text(part)])
}

/// The value as a whole number from 0; `None` for any other value.
fn as_count(value: &Value) -> Option<u64> {
    let number = value.as_number().filter(|number| *number >= 0.0 && number.fract() == 0.0)?;
    // A greater number becomes `u64::MAX`.
    Some(number as u64)
}
