//! The driver of the edits in `fixtures/text.json`, for the native tests and for those in the browser. Its diffs and merges
//! are run by `tests/js/text.test.mjs`.

use genui_patch::files::{EditFailure, edit};
use serde_json::{Value, json};

/// Runs all rows and says what did not come out as the table says.
pub(crate) fn failures() -> Vec<String> {
    let table: Value = serde_json::from_str(include_str!("../fixtures/text.json")).unwrap();
    let rows = table["edit"].as_array().unwrap();
    assert!(!rows.is_empty());
    let mut failures = Vec::new();
    for row in rows {
        let (actual, expected) = (edited(row), &row["is"]);
        if actual != *expected {
            failures.push(format!("{}\n  expected {expected}\n  actual   {actual}", row["name"]));
        }
    }
    failures
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap()
}

fn edited(row: &Value) -> Value {
    match edit(text(row, "text"), text(row, "old"), text(row, "new")) {
        Ok(made) => made.into(),
        Err(EditFailure::Several(matches, lines)) => json!({ "matches": matches, "lines": lines }),
        Err(EditFailure::NotFound(None)) => json!({ "matches": 0 }),
        Err(EditFailure::NotFound(Some(found))) => {
            json!({ "matches": 0, "nearest": { "line": found.line, "text": found.text } })
        }
    }
}
