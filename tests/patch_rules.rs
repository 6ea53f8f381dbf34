//! Warnings, values against their fields, and catalogs with schemas: the table of facts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/vocabulary_table.rs"]
mod vocabulary_table;

#[test]
fn the_table_of_warnings() {
    let failures = vocabulary_table::failures();
    assert!(failures.is_empty(), "{} rows failed:\n{}", failures.len(), failures.join("\n"));
}
