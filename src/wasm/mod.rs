//! Everything that knows JavaScript: it converts, calls the core, converts back.

mod io;

use wasm_bindgen::prelude::*;

/// The version of the crate.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
