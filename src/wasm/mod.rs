//! Everything that knows JavaScript: it converts, calls the core, converts back.

#![expect(unreachable_pub, reason = "what is exported to JavaScript must be public, and is public to it alone")]

mod block;
pub(crate) mod decimal;
mod facts;
mod io;
mod policy;
mod store;

use wasm_bindgen::prelude::*;

/// Called once, before anything else, with a random number.
#[wasm_bindgen]
pub fn begin(seed: u32) {
    crate::value::names::set_seed(seed);
}
