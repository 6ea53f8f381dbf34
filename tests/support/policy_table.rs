//! The driver of `fixtures/paths.json`, for the native tests and for those in the browser.

use genui_patch::block::policy::{Policy, check_path};
use genui_patch::value::parse;
use serde_json::{Value, json};

pub(crate) fn policy(option: &Value) -> Result<Policy, String> {
    Policy::from_value(&parse(&option.to_string(), 16).unwrap())
}

pub(crate) fn fixtures(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap()
}

/// The result in a row of `paths.json` for a path.
pub(crate) fn path_row(path: &str, option: Option<&Value>) -> Value {
    let mut row = json!({ "path": path });
    if let Some(option) = option {
        row["policy"] = option.clone();
    }
    match check_path(path, &policy(option.unwrap_or(&Value::Null)).unwrap()) {
        Ok(checked) => {
            row["ok"] = true.into();
            row["result"] = checked.path.into();
            row["warnings"] = checked.warnings.len().into();
        }
        Err(refusal) => {
            assert!(refusal.message.ends_with('.') && !refusal.message.contains("{}"), "{}", refusal.message);
            assert!(refusal.message.len() < 600, "{}", refusal.message);
            row["ok"] = false.into();
            row["reason"] = refusal.reason.into();
        }
    }
    row
}

pub(crate) fn compare(rows: Vec<Value>, actual: impl Fn(&Value) -> Value) {
    let wrong: Vec<String> = rows
        .into_iter()
        .map(|row| (actual(&row), row))
        .filter(|(actual, row)| actual != row)
        .map(|(actual, row)| format!("expected {row}\n  actual {actual}"))
        .collect();
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}
