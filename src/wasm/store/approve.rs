//! Proposals: what a call would change, and the edits that a person agreed to.

use wasm_bindgen::prelude::*;

use super::RawStore;

#[wasm_bindgen]
impl RawStore {
    /// What applying the call in the input would answer if nothing were pending.
    pub fn preview(&mut self, bytes: usize) -> usize {
        self.answer(bytes, |store, _, text| store.preview(text))
    }

    /// Makes the edits in the input on the instance of the staged name.
    pub fn edit(&mut self, bytes: usize) -> usize {
        self.answer(bytes, |store, name, text| store.edit(name, text))
    }
}
