//! A store as text, and back.

use super::instance::Instance;
use super::pending::Pending;
use super::task::Task;
use super::{Options, Outcome, Store};
use crate::patch::{self, Call, Code, OnError, PatchError, Refusal, Rules};
use crate::value::{Value, concat, decimal, parse, put, write_list, write_number, write_string, write_strings};

/// The version of the text, as `save` writes it. Another one is refused.
const VERSION: f64 = 1.0;
/// The levels that the text has around a pending call; around a document it has fewer.
const LEVELS: usize = 6;

/// What stops a saved text from being read: a refusal, or nothing but that a part of it is missing or wrong.
type Trouble = Option<Refusal>;

impl Store {
    /// The store as text: what is confirmed of each instance, its rules, its revision and the pending calls on it; which
    /// instance is active; the ids of messages that were taken. Options are not in it.
    #[must_use]
    pub fn save(&self) -> String {
        let mut text = String::from("{\"genui-patch\":1,\"active\":");
        let out = &mut text;
        match self.active() {
            Some(name) => write_string(out, name),
            None => put(out, "null"),
        }
        put(out, ",\"calls\":");
        write_count(out, self.calls);
        for (key, ring) in [(",\"seen\":", &self.seen), (",\"settled\":", &self.settled)] {
            put(out, key);
            write_strings(out, &ring.ids);
        }
        put(out, ",\"instances\":");
        let listed = self.order.iter().filter_map(|slot| self.slots.get(*slot)?.as_ref());
        let hidden = self.slots.iter().flatten().filter(|instance| !instance.listed);
        write_list(out, listed.chain(hidden), |out, instance| instance.save(out));
        put(out, "}");
        text
    }

    /// A store from the text of [`Store::save`]. Documents are checked as loaded ones are.
    ///
    /// # Errors
    /// `INVALID_JSON`, `INVALID_STRUCTURE` and what [`Store::load`] refuses, with the instance's name.
    pub fn restore(text: &str, options: Options) -> Result<Self, Refusal> {
        let depth = options.limits.depth() + LEVELS;
        let saved = parse(text, depth).map_err(|error| PatchError::from_text(&error))?;
        let mut store = Self::new(options);
        let mut part = "";
        match store.take_all(&saved, &mut part) {
            Ok(()) => Ok(store),
            Err(trouble) => Err(trouble.unwrap_or_else(|| damaged(part))),
        }
    }

    /// Takes in what was saved. `part` is what is read: what is missing or wrong where nothing else is told.
    fn take_all(&mut self, saved: &Value, part: &mut &'static str) -> Result<(), Trouble> {
        *part = "version that this package reads";
        if saved.get("genui-patch").and_then(Value::as_number) != Some(VERSION) {
            return Err(None);
        }
        *part = "instances";
        for instance in saved.get("instances").and_then(Value::as_array).ok_or(None)? {
            self.take_saved(instance, part)?;
        }
        self.calls = self.calls.max(whole(saved.get("calls")).unwrap_or_default());
        for (key, ring) in [("seen", &mut self.seen), ("settled", &mut self.settled)] {
            for id in saved.get(key).unwrap_or(&Value::Null).strings() {
                ring.push(id);
            }
        }
        *part = "active instance";
        match saved.get("active").ok_or(None)? {
            Value::String(name) => self.set_active(Some(name)).map_err(Some),
            Value::Null => Ok(()),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Err(None),
        }
    }

    fn take_saved(&mut self, saved: &Value, part: &mut &'static str) -> Result<(), Trouble> {
        *part = "name of an instance";
        let name = saved.get("name").and_then(Value::as_str).ok_or(None)?;
        *part = "rules of an instance";
        let rules = saved.get("rules").and_then(Value::as_str).and_then(Rules::from_name).ok_or(None)?;
        *part = "revision of an instance";
        let revision = whole(saved.get("revision")).filter(|revision| *revision > 0).ok_or(None)?;
        *part = "pending calls";
        let none = Value::from(Vec::new());
        let pending = saved.get("pending").unwrap_or(&none).as_array().ok_or(None)?;
        *part = "document of an instance";
        let document = saved.get("document").cloned();
        if document.is_none() && pending.is_empty() {
            return Err(None);
        }
        self.put_saved(name, document, rules)?;
        let max = self.options.limits.max_pending;
        if self.count_pending() + pending.len() > max {
            let message =
                concat(&["The saved text has more pending calls than ", &decimal(max), ", which is the limit."]);
            let solution = "Restore it with a larger maxPending.";
            return Err(Some(PatchError::new(Code::LimitExceeded, message, solution)));
        }
        *part = "pending call that applies to its instance";
        for call in pending {
            self.take_pending(name, call).ok_or(None)?;
        }
        if let Some(slot) = self.names.get(name)
            && let Some(Some(instance)) = self.slots.get_mut(slot)
        {
            instance.revision = revision;
        }
        Ok(())
    }

    fn put_saved(&mut self, name: &str, document: Option<Value>, rules: Rules) -> Result<(), Refusal> {
        patch::check_name(name)?;
        if self.names.contains(name) {
            let message = concat(&["The saved text has the instance \"", name, "\" twice."]);
            return Err(PatchError::new(Code::InstanceExists, message, WHOLE));
        }
        let Some(value) = document else { return self.place(name, true).map(drop) };
        self.check_length(&value)?;
        let held = self.check(value, rules)?;
        self.perform(name, Task::Load(held), &[], &mut Outcome::default())
    }

    /// Puts a saved pending call on its instance again; nothing where it is none, or does not apply.
    fn take_pending(&mut self, name: &str, saved: &Value) -> Option<()> {
        let flag = |key: &str| match saved.get(key) {
            Some(Value::Bool(flag)) => Some(*flag),
            Some(_) | None => None,
        };
        let (confirmed, sent) = (flag("confirmed")?, flag("sent")?);
        let call = saved.get("call")?;
        let id = saved.get("id")?.as_str().filter(|id| self.find_pending(id).is_none())?;
        let number = whole(saved.get("number"))?;
        let mut out = Outcome::default();
        let (target, task) = Task::of(Call::from_value(call.clone()).ok()?, &mut out);
        if *target != *name {
            return None;
        }
        let slot = self.place(name, false).ok()?;
        let instance = self.slots.get_mut(slot)?.as_mut()?;
        let undo = instance.perform(task, &self.options, OnError::Rollback, &mut out).ok()?;
        let pending = Pending::new(id.into(), number, call.clone(), out.changes, undo);
        instance.queue.push(Pending { confirmed, sent, ..pending });
        self.calls = self.calls.max(number);
        self.tend(slot, &Outcome::default());
        Some(())
    }
}

impl Instance {
    fn save(&self, out: &mut String) {
        put(out, "{\"name\":");
        write_string(out, &self.name);
        let bare = if self.queue.is_empty() { None } else { Some(self.bare()) };
        let instance = bare.as_ref().unwrap_or(self);
        // Of one that only a pending call has made, those are the rules that it has now.
        let rules = if instance.is_present() { instance.held.rules } else { self.held.rules };
        put(out, ",\"rules\":\"");
        put(out, rules.name());
        put(out, "\",\"revision\":");
        write_count(out, self.revision);
        if !self.queue.is_empty() {
            put(out, ",\"pending\":");
            write_list(out, &self.queue, |out, pending| {
                put(out, "{\"id\":");
                write_string(out, &pending.id);
                put(out, ",\"number\":");
                write_count(out, pending.number);
                put(out, ",\"call\":");
                pending.call.write_json(out);
                pending.write_marks(out);
                put(out, "}");
            });
        }
        if instance.is_present() {
            put(out, ",\"document\":");
            instance.document.value().write_json(out);
        }
        put(out, "}");
    }
}

/// What to give instead of a text that is not whole.
const WHOLE: &str = "Give the text that save() returned, whole.";

#[cold]
fn damaged(part: &str) -> Refusal {
    PatchError::new(Code::InvalidStructure, concat(&["The saved text has no ", part, "."]), WHOLE)
}

#[expect(clippy::cast_precision_loss, reason = "no store counts to 2^53")]
pub(super) fn write_count(out: &mut String, count: u64) {
    write_number(out, count as f64);
}

fn whole(value: Option<&Value>) -> Option<u64> {
    let number = value?.as_number().filter(|number| *number >= 0.0 && number.fract() == 0.0)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a whole number")]
    Some(number as u64)
}
