//! Standard patch formats and conditions, on the instance of the staged name.

use wasm_bindgen::prelude::*;

use super::RawStore;
use crate::wasm::io::{respond, with_text};

#[wasm_bindgen]
impl RawStore {
    /// Applies the JSON Patch in the input.
    pub fn json_patch(&mut self, bytes: usize) -> usize {
        let reply = with_text(bytes, |text| self.store.json_patch(&self.staged, text));
        respond(|out| reply.write_brief(out))
    }

    /// Applies the JSON Merge Patch in the input.
    pub fn merge_patch(&mut self, bytes: usize) -> usize {
        let reply = with_text(bytes, |text| self.store.merge_patch(&self.staged, text));
        respond(|out| reply.write_brief(out))
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
