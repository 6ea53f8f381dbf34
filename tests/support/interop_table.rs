//! The driver of `fixtures/interop.json`, for the native tests and for those in the browser.

use genui_patch::patch::Rules;
use genui_patch::store::{Options, Store};
use genui_patch::value::{Value, parse};

/// Runs all rows and reports those with another result.
pub(crate) fn failures() -> Vec<String> {
    let table = parse(include_str!("../fixtures/interop.json"), 64).expect("the table is JSON");
    let rows = table.get("rows").and_then(Value::as_array).expect("rows");
    rows.iter().filter_map(|row| run(row).err().map(|why| format!("{}: {why}", text(row, "name")))).collect()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn run(row: &Value) -> Result<(), String> {
    let options = row.get("options").map_or(Ok(Options::default()), Options::from_value)?;
    let mut store = Store::new(options);
    let rules = if text(row, "rules") == "ui" { Rules::Ui } else { Rules::Open };
    let document = row.get("document").expect("a document");
    assert!(store.load("x", &document.to_json(), Some(rules)).is_success(), "{}", text(row, "name"));
    let before = store.save();
    let merges = row.get("merge").is_some() || row.get("merges").is_some();
    let sent = row.get("patch").or_else(|| row.get("merge")).map_or(text(row, "text").to_owned(), Value::to_json);
    let reply = if merges { store.merge_patch("x", &sent) } else { store.json_patch("x", &sent) };
    let mut json = String::new();
    reply.write_json(&mut json);
    let result = parse(&json, 128).map_err(|_| format!("the reply is no JSON: {json}"))?;
    if let Some(code) = row.get("code") {
        let error = result.get("error").ok_or("it was not refused")?;
        let index = row.get("index").is_none_or(|index| error.get("index") == Some(index));
        if error.get("code") != Some(code)
            || !index
            || text(error, "message").is_empty()
            || text(error, "solution").is_empty()
        {
            return Err(format!("refused with {}", error.to_json()));
        }
        return if store.save() == before { Ok(()) } else { Err("the failure left something behind".into()) };
    }
    let found = store.document("x").expect("a document");
    if Some(found) != row.get("expected") {
        return Err(format!("is {}; {json}", found.to_json()));
    }
    for key in ["changes", "applied"] {
        if row.get(key).is_some() && result.get(key) != row.get(key) {
            return Err(format!("{key}: {json}"));
        }
    }
    Ok(())
}
