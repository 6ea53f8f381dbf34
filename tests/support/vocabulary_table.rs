//! The driver of `fixtures/vocabulary.json`: warnings for calls, and errors of catalogs.
//!
//! Rows name places of the table's `page` by index, such as `blocks.0.props.fields.9`: do not insert anything into it. A row that
//! needs another field has a document of its own (`on`).

use genui_patch::store::{Options, Store};
use genui_patch::value::{Array, Value, parse};

/// Runs all rows but those that only JavaScript decides, and reports those with another result.
pub(crate) fn failures() -> Vec<String> {
    let table = parse(include_str!("../fixtures/vocabulary.json"), 64).expect("the table is JSON");
    let rows = table.get("rows").and_then(Value::as_array).expect("rows");
    let decided = rows.iter().filter(|row| row.get("javascript").is_none());
    decided.filter_map(|row| run(&table, row).err().map(|why| format!("{}: {why}", text(row, "name")))).collect()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn run(table: &Value, row: &Value) -> Result<(), String> {
    let options = row.get("options").map_or(Ok(Options::default()), Options::from_value)?;
    let mut store = Store::new(options);
    let page = row.get("on").or_else(|| table.get("page")).expect("a document");
    let loaded = store.load("page", &page.to_json(), None);
    if let Some(code) = row.get("load") {
        let found = loaded.error().map(|error| Value::from(error.code.name()));
        return if found.as_ref() == Some(code) { Ok(()) } else { Err(format!("load answers {found:?}")) };
    }
    if let Some(error) = loaded.error() {
        return Err(format!("the start does not load: {error}"));
    }
    let before = store.save();
    let call = match row.get("call") {
        Some(call) => call.to_json(),
        None => {
            let patches = row.get("patches").expect("patches").to_json();
            format!("{{\"instance_name\":\"page\",\"patches\":{patches}}}")
        }
    };
    let reply = store.apply(&call);
    let mut json = String::new();
    reply.write_json(&mut json);
    let result = parse(&json, 128).map_err(|_| format!("the reply is no JSON: {json}"))?;
    if let Some(code) = row.get("code") {
        let error = result.get("error").ok_or_else(|| format!("the call succeeds: {json}"))?;
        let sentence = format!("{} {}", text(error, "message"), text(error, "solution"));
        if error.get("code") != Some(code) || !sentence.contains(text(row, "says")) {
            return Err(format!("refused with {json}, not with {} that says {:?}", code.to_json(), text(row, "says")));
        }
        if row.get("index").is_some() && error.get("index") != row.get("index") {
            return Err(format!("another patch is blamed: {json}"));
        }
        return if store.save() == before { Ok(()) } else { Err("the refused call has changed something".into()) };
    }
    if !reply.is_success() {
        return Err(format!("refused with {json}"));
    }
    let none = Value::from(Vec::<Value>::new());
    let found = result.get("warnings").unwrap_or(&none).as_array().expect("warnings");
    let wanted = row.get("warnings").unwrap_or(&none).as_array().expect("warnings");
    let matches = |found: &Value, wanted: &Value| {
        let sentence = format!("{} {}", text(found, "message"), text(found, "solution"));
        ["index", "path", "code"].iter().all(|key| wanted.get(key).is_none_or(|own| found.get(key) == Some(own)))
            && sentence.contains(text(wanted, "says"))
    };
    if found.len() == wanted.len() && found.iter().zip(wanted.iter()).all(|(found, wanted)| matches(found, wanted)) {
        Ok(())
    } else {
        let lines =
            |warnings: &Array| warnings.iter().map(|own| format!("\n    {}", own.to_json())).collect::<String>();
        Err(format!("the warnings are{}\n  instead of{}", lines(found), lines(wanted)))
    }
}
