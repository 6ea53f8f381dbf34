//! Standard patch formats and conditions, on the instance of the staged name.

use wasm_bindgen::prelude::*;

use super::RawStore;
use crate::wasm::io::{respond, with_text};

#[wasm_bindgen]
impl RawStore {
    /// Applies the JSON Patch in the input.
    pub fn json_patch(&mut self, bytes: usize) -> usize {
        self.answer(bytes, |store, name, text| store.json_patch(name, text))
    }

    /// Applies the JSON Merge Patch in the input.
    pub fn merge_patch(&mut self, bytes: usize) -> usize {
        self.answer(bytes, |store, name, text| store.merge_patch(name, text))
    }

    /// Whether the condition in the input holds: `true`, `false`, or the error.
    pub fn holds(&mut self, bytes: usize) -> usize {
        let holds = with_text(bytes, |text| self.store.holds(&self.staged, text));
        respond(|out| match holds {
            Ok(true) => out.push_str("true"),
            Ok(false) => out.push_str("false"),
            Err(refusal) => refusal.write_json(out),
        })
    }
}
