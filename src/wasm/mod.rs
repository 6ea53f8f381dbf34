//! Everything that knows JavaScript: it converts, calls the core, converts back.

#![expect(unreachable_pub, reason = "what is exported to JavaScript must be public, and is public to it alone")]

mod block;
mod facts;
mod files;
mod io;
#[cfg(target_arch = "wasm32")]
pub(crate) mod platform;
mod policy;
mod store;
mod surface;

use wasm_bindgen::prelude::*;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Called once, before anything else, with a random number.
#[wasm_bindgen]
pub fn begin(seed: u32) {
    crate::value::names::set_seed(seed);
}
