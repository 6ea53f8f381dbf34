//! Proposals: what a call would change, and the edits that a person agreed to.

use wasm_bindgen::prelude::*;

use super::super::io::{respond, with_text};
use super::RawStore;

#[wasm_bindgen]
impl RawStore {
    /// What applying the call in the input would answer if nothing were pending.
    #[must_use]
    pub fn preview(&self, bytes: usize) -> usize {
        let reply = with_text(bytes, |text| self.store.preview(text));
        respond(|out| reply.write_brief(out))
    }

    /// Makes the edits in the input on the instance of the staged name.
    pub fn edit(&mut self, bytes: usize) -> usize {
        let reply = with_text(bytes, |text| self.store.edit(&self.staged, text));
        respond(|out| reply.write_brief(out))
    }
}
