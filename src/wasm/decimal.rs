//! Numbers with many digits, by JavaScript's own conversions. The one thing that the core asks of this side: it would
//! otherwise bring the standard library's along, with tables of tens of kilobytes.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = Number)]
    fn number(text: &str) -> f64;
    #[wasm_bindgen(js_name = String)]
    fn text(number: f64) -> String;
}

/// Reads a number of the JSON grammar.
pub(crate) fn parse(json: &str) -> f64 {
    number(json)
}

/// Appends a finite number as ECMAScript writes it.
pub(crate) fn write(out: &mut String, value: f64) {
    out.push_str(&text(value));
}
