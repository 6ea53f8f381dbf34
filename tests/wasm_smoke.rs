//! The module in a real browser.
#![cfg(target_arch = "wasm32")]
#![allow(missing_docs)]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn runs_in_a_browser() {
    assert_eq!(size_of::<usize>(), 4);
}
