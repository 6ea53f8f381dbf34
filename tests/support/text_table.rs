//! The driver of the edits in `fixtures/text.json`, for the native tests and for those in the browser. Its diffs and merges
//! are run by `tests/js/text.test.mjs`.

use genui_patch::files::{Difference, EditFailure, Review, edit};
use serde_json::{Value, json};

/// Runs all rows and reports those with another result.
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
    let review = if row["reviewed"] == true { Review::ByUser } else { Review::None };
    match edit(text(row, "text"), text(row, "old"), text(row, "new"), review) {
        Ok(made) if made.fixes.is_empty() => made.text.into(),
        Ok(made) => {
            let fixes = made.fixes.iter().map(|fix| json!([fix.kind.name(), fix.position.line, fix.position.column]));
            json!({ "text": made.text, "fixes": fixes.collect::<Vec<_>>() })
        }
        Err(EditFailure::Several { count, lines }) => json!({ "matches": count, "lines": lines }),
        Err(EditFailure::NotFound { nearest, difference }) => {
            let mut failure = json!({ "matches": 0 });
            if let Some(found) = nearest {
                failure["nearest"] = json!({ "line": found.line, "text": found.text });
            }
            if let Some(Difference { position, found, sent }) = difference {
                let code = |char: Option<char>| char.map(|char| format!("U+{:04X}", u32::from(char)));
                failure["difference"] = json!({
                    "line": position.line, "column": position.column, "found": code(found), "sent": code(sent),
                });
            }
            failure
        }
    }
}
