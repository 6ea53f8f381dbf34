//! A store as text, and back.

use super::{Options, Store};
use crate::patch::{self, Code, PatchError, Refusal, Rules};
use crate::value::{Value, parse, write_string};

/// The version of the text, as `save` writes it. Another one is refused.
const VERSION: f64 = 1.0;
/// The levels that the text has around a document.
const LEVELS: usize = 6;

impl Store {
    /// The store as text: instances, their rules and revisions, and which one is active. Options are not in it.
    #[must_use]
    pub fn save(&self) -> String {
        let mut out = String::from("{\"genui-patch\":1,\"active\":");
        match self.active() {
            Some(name) => write_string(&mut out, name),
            None => out.push_str("null"),
        }
        out.push_str(",\"instances\":[");
        for (place, name) in self.names().into_iter().enumerate() {
            let Some(instance) = self.instance(name) else { continue };
            out.push_str(if place > 0 { ",{\"name\":" } else { "{\"name\":" });
            write_string(&mut out, name);
            out.push_str(&format!(
                ",\"rules\":\"{}\",\"revision\":{},\"document\":",
                instance.rules.name(),
                instance.revision
            ));
            instance.document.value().write_json(&mut out);
            out.push('}');
        }
        out.push_str("]}");
        out
    }

    /// A store from the text of [`Store::save`]. Documents are checked as loaded ones are.
    ///
    /// # Errors
    /// `INVALID_JSON`, `INVALID_STRUCTURE` and what [`Store::load`] refuses, with the instance's name.
    pub fn restore(text: &str, options: Options) -> Result<Self, Refusal> {
        let depth = options.limits.max_depth + LEVELS;
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
            let value = instance.get("document").ok_or_else(|| damaged("document of an instance"))?.clone();
            store.take_saved(name, value, rules, revision)?;
        }
        match saved.get("active") {
            Some(Value::String(name)) => store.set_active(Some(name))?,
            Some(Value::Null) => {}
            Some(_) | None => return Err(damaged("active instance")),
        }
        Ok(store)
    }

    fn take_saved(&mut self, name: &str, value: Value, rules: Rules, revision: f64) -> Result<(), Refusal> {
        super::instance::check_name(name)?;
        if self.slot(name).is_some() {
            let message = format!("The saved text has the instance \"{name}\" twice.");
            return Err(PatchError::new(Code::InstanceExists, message, "Give the text that save() returned, whole."));
        }
        patch::check_size(&[], &value, &self.options.limits)?;
        patch::check_document(&value, rules, &self.options.catalog)?;
        self.put(name, value, rules);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be at least 1")]
        let revision = revision as u64;
        if let Some(instance) = self.slot(name).and_then(|slot| self.slots.get_mut(slot)?.as_mut()) {
            instance.revision = revision;
        }
        Ok(())
    }
}
