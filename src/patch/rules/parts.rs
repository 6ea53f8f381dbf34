//! The parts of a page's document other than its blocks.

use super::catalog::{ACTION_TYPES, LAYOUTS, STATUSES, STYLES, knows, words};
use super::{Checker, below, needed, unknown_word, wrong_kind};
use crate::patch::error::{Code, PatchError, Refusal};
use crate::patch::op::Op;
use crate::value::{Step, Value};

impl Checker<'_> {
    pub(super) fn page_key(self) -> Result<(), Refusal> {
        match self.root.get("page_key") {
            Some(Value::String(_)) | None => Ok(()),
            Some(other) => Err(wrong_kind(&["page_key".into()], other, "a string")),
        }
    }

    pub(super) fn meta(self) -> Result<(), Refusal> {
        let path = ["meta".into()];
        let meta = match self.root.get("meta") {
            Some(meta @ Value::Object(_)) => meta,
            Some(other) => return Err(wrong_kind(&path, other, "an object")),
            None => return Ok(()),
        };
        if let Some(key) = meta.get("pageKey")
            && key.as_str().is_none()
        {
            return Err(wrong_kind(&below(&path, "pageKey"), key, "a string"));
        }
        if let Some(status) = meta.get("status")
            && !status.as_str().is_some_and(|word| knows(STATUSES, &self.catalog.statuses, word))
        {
            let known = words(STATUSES, &self.catalog.statuses);
            return Err(unknown_word(&below(&path, "status"), status, &known));
        }
        meta.get("step").map_or(Ok(()), |step| self.step(step))
    }

    /// `{current, total}`: whole numbers, 1 <= current <= total.
    fn step(self, step: &Value) -> Result<(), Refusal> {
        let number = |key: &str| step.get(key).and_then(Value::as_number).filter(|number| number.fract() == 0.0);
        match (number("current"), number("total")) {
            (Some(current), Some(total)) if 1.0 <= current && current <= total => Ok(()),
            _ => {
                let message = format!("meta.step is {}.", crate::patch::words::cut(&step.to_json()));
                let solution = "Send whole numbers {\"current\": 1, \"total\": 3} with 1 <= current <= total.";
                Err(PatchError::new(Code::InvalidStructure, message, solution))
            }
        }
    }

    pub(super) fn state(self) -> Result<(), Refusal> {
        let path = ["state".into()];
        let state = match self.root.get("state") {
            Some(Value::Object(state)) => state,
            Some(other) => return Err(wrong_kind(&path, other, "an object")),
            None => return Ok(()),
        };
        for (key, value) in state.iter() {
            if !matches!(key, "params" | "runtime") {
                let message = format!("state has \"{}\".", crate::patch::words::cut(key));
                let solution = "Put it into state.params or state.runtime.";
                return Err(PatchError::new(Code::InvalidStructure, message, solution));
            }
            if value.as_object().is_none() {
                return Err(wrong_kind(&below(&path, key), value, "an object"));
            }
        }
        Ok(())
    }

    pub(super) fn layout(self) -> Result<(), Refusal> {
        let path = ["layout".into()];
        let layout = match self.root.get("layout") {
            Some(layout @ Value::Object(_)) => layout,
            Some(other) => return Err(wrong_kind(&path, other, "an object")),
            None => return Ok(()),
        };
        let known = words(LAYOUTS, &self.catalog.layouts);
        match layout.get("type") {
            Some(Value::String(word)) if knows(LAYOUTS, &self.catalog.layouts, word) => {}
            Some(other) => return Err(unknown_word(&below(&path, "type"), other, &known)),
            None => return Err(needed(&path, "type", format!("Use one of {known}."))),
        }
        match layout.get("columns") {
            Some(Value::Number(columns)) if columns.fract() == 0.0 && (1.0..=12.0).contains(columns) => Ok(()),
            Some(other) => {
                let message = format!("layout.columns is {}.", crate::patch::words::cut(&other.to_json()));
                Err(PatchError::new(Code::InvalidStructure, message, "Send a whole number from 1 to 12."))
            }
            None => Ok(()),
        }
    }

    /// A list of actions.
    pub(super) fn actions(self, path: &[Step]) -> Result<(), Refusal> {
        match self.at(path) {
            Some(Value::Array(actions)) => {
                (0..self.count(actions)).try_for_each(|index| self.action(&below(path, index)))
            }
            Some(other) => Err(wrong_kind(path, other, "a list")),
            None => Ok(()),
        }
    }

    /// One action.
    pub(super) fn action(self, path: &[Step]) -> Result<(), Refusal> {
        let action = match self.at(path) {
            Some(action @ Value::Object(_)) => action,
            Some(other) => return Err(wrong_kind(path, other, "an object")),
            None => return Ok(()),
        };
        let example = "Send {\"id\": \"save\", \"label\": \"Save\", \"style\": \"primary\"}.";
        text(path, action, "id", true, example)?;
        text(path, action, "label", false, example)?;
        let styles = words(STYLES, &self.catalog.styles);
        match action.get("style") {
            Some(Value::String(word)) if knows(STYLES, &self.catalog.styles, word) => {}
            Some(other) => return Err(unknown_word(&below(path, "style"), other, &styles)),
            None if action.get("action_type").is_some() => {}
            None => return Err(needed(path, "style", format!("Use one of {styles}."))),
        }
        match action.get("action_type") {
            Some(Value::String(word)) if ACTION_TYPES.contains(&&**word) => {}
            Some(other) => return Err(unknown_word(&below(path, "action_type"), other, &ACTION_TYPES.join(", "))),
            None => {}
        }
        match action.get("handler_type") {
            Some(Value::String(word)) if Op::from_name(word).is_some() => {}
            Some(other) => return Err(unknown_word(&below(path, "handler_type"), other, &Op::names())),
            None => {}
        }
        match action.get("patches") {
            Some(Value::Object(_)) | None => Ok(()),
            Some(Value::Array(patches)) if self.count(patches) == 0 || patches.iter().all(is_patch) => Ok(()),
            Some(other) => {
                let kind =
                    if other.as_array().is_some() { "not a list of patches" } else { "neither a list nor an object" };
                let message = format!("{} is {kind}.", super::show(&below(path, "patches")));
                let solution = "Send {\"state.params.saved\": true} or a list of {\"op\", \"path\", \"value\"}.";
                Err(PatchError::new(Code::InvalidStructure, message, solution))
            }
        }
    }
}

fn is_patch(patch: &Value) -> bool {
    let op = patch.get("op").and_then(Value::as_str).and_then(Op::from_name);
    op.is_some() && patch.get("path").is_none_or(|path| path.as_str().is_some())
}

/// A property that must be a string, and perhaps not an empty one.
pub(super) fn text(path: &[Step], object: &Value, key: &str, filled: bool, example: &str) -> Result<(), Refusal> {
    match object.get(key) {
        Some(Value::String(text)) if !filled || !text.is_empty() => Ok(()),
        Some(Value::String(_)) => {
            let message = format!("{} is empty.", super::show(&below(path, key)));
            Err(PatchError::new(Code::InvalidStructure, message, example))
        }
        Some(other) => Err(wrong_kind(&below(path, key), other, "a string")),
        None => Err(needed(path, key, example)),
    }
}
