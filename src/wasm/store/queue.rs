//! Optimistic calls and messages from a server.

use wasm_bindgen::prelude::*;

use super::RawStore;
use crate::value::write_list;
use crate::wasm::io::{respond, with_text};

#[wasm_bindgen]
impl RawStore {
    /// Takes the call in the input, to be confirmed or refused later.
    pub fn apply_optimistic(&mut self, bytes: usize) -> usize {
        self.answer(bytes, |store, _, text| store.apply_optimistic(text))
    }

    /// Confirms the pending call whose id is in the input.
    pub fn confirm(&mut self, bytes: usize) -> usize {
        self.answer(bytes, |store, _, id| store.confirm(id))
    }

    /// Drops the pending call whose id is in the input.
    pub fn reject(&mut self, bytes: usize) -> usize {
        self.answer(bytes, |store, _, id| store.reject(id))
    }

    /// Takes the message in the input, which is about the staged name where it does not say so itself.
    pub fn receive(&mut self, bytes: usize, staged: bool) -> usize {
        if staged {
            self.answer(bytes, |store, name, text| store.receive(text, Some(name)))
        } else {
            self.answer(bytes, |store, _, text| store.receive(text, None))
        }
    }

    /// The pending calls of the staged name, or all.
    #[must_use]
    pub fn pending(&self, staged: bool) -> usize {
        let calls = self.store.pending(staged.then_some(&*self.staged));
        respond(|out| {
            write_list(out, calls, |out, (name, pending)| pending.write_json(name, out));
        })
    }

    /// Marks the pending call whose id is in the input as sent. Whether that is news.
    pub fn sent(&mut self, bytes: usize) -> bool {
        with_text(bytes, |id| self.store.sent(id))
    }

    /// The changes from the document of the staged name to what is confirmed of it; none where nothing is.
    pub fn back(&mut self) -> usize {
        let reply = self.store.back(&self.staged);
        respond(|out| match reply {
            Some(reply) => reply.write_brief(out),
            None => out.push_str("null"),
        })
    }
}
