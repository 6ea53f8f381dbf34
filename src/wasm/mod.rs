//! The boundary to JavaScript: converts arguments, calls the core, converts answers. A refused argument is answered
//! with `CODE: message`. The features `store` and `blocks` select what a module exports; the linker leaves out the rest.

#![expect(unreachable_pub, reason = "what is exported to JavaScript must be public, and is public to it alone")]

#[cfg(feature = "blocks")]
mod block;
#[cfg(any(feature = "blocks", feature = "store"))]
mod io;
#[cfg(feature = "blocks")]
mod policy;
#[cfg(feature = "store")]
mod store;

use wasm_bindgen::prelude::*;

// A third of the size of the default allocator, and faster for small pieces.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Seeds the hash of names with a random number, since a module has no source of randomness. JavaScript calls it once,
/// before anything else.
#[wasm_bindgen]
pub fn begin(seed: u32) {
    crate::value::names::set_seed(seed);
}
