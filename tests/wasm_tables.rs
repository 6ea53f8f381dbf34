//! The fixture tables in a real browser.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/block_table.rs"]
mod block_table;
#[path = "support/damaged_table.rs"]
mod damaged_table;
#[path = "support/interop_table.rs"]
mod interop_table;
#[path = "support/message_table.rs"]
mod message_table;
#[path = "support/patch_table.rs"]
mod patch_table;
#[path = "support/policy_table.rs"]
mod policy_table;
#[path = "support/text_table.rs"]
mod text_table;

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn calls() {
    let failures = patch_table::failures();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[wasm_bindgen_test]
fn messages() {
    let failures = message_table::failures();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[wasm_bindgen_test]
fn standard_patches() {
    let failures = interop_table::failures();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[wasm_bindgen_test]
fn streams() {
    let failures = block_table::run(include_str!("fixtures/block/stream.json"));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[wasm_bindgen_test]
fn reports() {
    let failures = block_table::run(include_str!("fixtures/block/validate.json"));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[wasm_bindgen_test]
fn tools() {
    let failures = block_table::run(include_str!("fixtures/block/tools.json"));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[wasm_bindgen_test]
fn damaged_blocks() {
    let failures = damaged_table::failures();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[wasm_bindgen_test]
fn paths() {
    let rows = policy_table::fixtures(include_str!("fixtures/paths.json"));
    policy_table::compare(rows, |row| policy_table::path_row(row["path"].as_str().unwrap(), row.get("policy")));
}

#[wasm_bindgen_test]
fn texts() {
    let failures = text_table::failures();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// JavaScript converts long numbers in a module, the standard library elsewhere: both must agree.
#[wasm_bindgen_test]
fn numbers() {
    use genui_patch::value::{Value, parse};
    for text in [
        "1e+21",
        "1.5e+300",
        "1e-7",
        "5e-324",
        "1.7976931348623157e+308",
        "0.30000000000000004",
        "123456789012345680000",
    ] {
        let number = parse(text, 1).unwrap();
        assert_eq!(number, Value::Number(text.parse().unwrap()));
        assert_eq!(number.to_json(), text);
    }
}
