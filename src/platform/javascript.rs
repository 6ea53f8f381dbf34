//! Functions of JavaScript that would need tables of tens of kilobytes in a module: conversion of long numbers, upper and
//! lower case, normalization of accents.

use wasm_bindgen::prelude::*;

// Methods of strings are imported as functions: `call` of the method takes the string as `this`.
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = Number)]
    fn number(text: &str) -> f64;
    #[wasm_bindgen(js_name = String)]
    fn text(number: f64) -> String;
    #[wasm_bindgen(js_namespace = ["String", "prototype", "toUpperCase"], js_name = call)]
    fn to_upper_case(text: &str) -> String;
    #[wasm_bindgen(js_namespace = ["String", "prototype", "toLowerCase"], js_name = call)]
    fn to_lower_case(text: &str) -> String;
    #[wasm_bindgen(js_namespace = ["String", "prototype", "normalize"], js_name = call)]
    fn normalize(text: &str) -> String;
    #[wasm_bindgen(js_namespace = hostChecks, js_name = ask)]
    fn ask(question: &str) -> String;
}

/// Parses a number in the grammar of JSON.
pub(crate) fn parse_decimal(json: &str) -> f64 {
    number(json)
}

/// Appends a finite number as ECMAScript writes it.
pub(crate) fn write_decimal(out: &mut String, value: f64) {
    out.push_str(&text(value));
}

/// A text in upper, then in lower case, normalized: two names with the same result may be one file.
pub(crate) fn fold_case(text: &str) -> String {
    normalize(&to_lower_case(&to_upper_case(text)))
}

/// A text in the normalization form C: a letter and its accents are one character if Unicode has it.
pub(crate) fn compose(text: &str) -> String {
    normalize(text)
}

/// The host's verdict on a value that only the host can check: what is wrong with it, or empty for a value that fits. The
/// question is the JSON text that `src/js/core/host-checks.ts` reads.
pub(crate) fn ask_host(question: &str) -> String {
    ask(question)
}
