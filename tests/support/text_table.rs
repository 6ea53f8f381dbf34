//! The driver of `fixtures/text.json`, for the native tests and for those in the browser.

use genui_patch::diff::{TextOptions, apply_hunks, merge, text_diff, write_hunks};
use genui_patch::files::{EditFailure, edit};
use serde_json::{Value, json};

/// Runs all rows and says what did not come out as the table says.
pub(crate) fn failures() -> Vec<String> {
    let table: Value = serde_json::from_str(include_str!("../fixtures/text.json")).unwrap();
    let tables = [("diff", diff as fn(&Value) -> Value), ("merge", merged), ("edit", edited)];
    let mut failures = Vec::new();
    for (name, run) in tables {
        let rows = table[name].as_array().unwrap();
        assert!(!rows.is_empty());
        for row in rows {
            let (actual, expected) = (run(row), &row["is"]);
            if actual != *expected {
                failures.push(format!("{}\n  expected {expected}\n  actual   {actual}", row["name"]));
            }
        }
    }
    failures
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap()
}

fn diff(row: &Value) -> Value {
    let (before, after) = (text(row, "before"), text(row, "after"));
    let mut options = TextOptions::default();
    if let Some(context) = row["context"].as_u64() {
        options.context = usize::try_from(context).unwrap();
    }
    options.words = row["by"] != "line";
    let mut json = String::new();
    let hunks = text_diff(before, after, options);
    write_hunks(&hunks, &mut json);
    if let Some(chosen) = row["hunks"].as_array() {
        let chosen: Vec<usize> = chosen.iter().map(|index| usize::try_from(index.as_u64().unwrap()).unwrap()).collect();
        return apply_hunks(before, after, options, &chosen).into();
    }
    serde_json::from_str(&json).unwrap()
}

fn merged(row: &Value) -> Value {
    json!(merge(text(row, "base"), text(row, "one"), text(row, "other")))
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
