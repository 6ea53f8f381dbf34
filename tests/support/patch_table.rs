//! The driver of `fixtures/patch.json`, for the native tests and for those in the browser.

use genui_patch::store::{Options, Store};
use genui_patch::value::{Value, parse, pointer};

/// Runs all rows and reports those with another result.
pub(crate) fn failures() -> Vec<String> {
    let table = parse(include_str!("../fixtures/patch.json"), 64).expect("the table is JSON");
    let rows = table.get("rows").and_then(Value::as_array).expect("rows");
    rows.iter().filter_map(|row| run(&table, row).err().map(|why| format!("{}: {why}", text(row, "name")))).collect()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn run(table: &Value, row: &Value) -> Result<(), String> {
    let options = row.get("options").map_or(Ok(Options::default()), Options::from_value)?;
    let mut store = Store::new(Options { limits: Default::default(), ..options.clone() });
    let start = match row.get("on") {
        Some(Value::String(name)) => table.get("documents").and_then(|all| all.get(name)).expect("a document"),
        Some(document) => document,
        None => table.get("documents").and_then(|all| all.get("page")).expect("a document"),
    };
    let rules = row.get("rules").and_then(Value::as_str).and_then(genui_patch::patch::Rules::from_name);
    let loaded = store.load("page", &start.to_json(), rules);
    if !loaded.is_success() {
        return Err(format!("the start does not load: {:?}", loaded.error()));
    }
    // Limits apply from this point on, so that the start may exceed them.
    let mut store = Store::restore(&store.save(), options).map_err(|error| error.to_string())?;
    let before = store.save();
    let call = match (row.get("text"), row.get("call"), row.get("patches")) {
        (Some(Value::String(text)), ..) => text.to_string(),
        (_, Some(call), _) => call.to_json(),
        (_, _, Some(patches)) => format!("{{\"instance_name\":\"page\",\"patches\":{}}}", patches.to_json()),
        _ => return Err("no call".into()),
    };
    let preview = store.preview(&call);
    if store.save() != before {
        return Err("the preview changed something".into());
    }
    let reply = store.apply(&call);
    if preview != reply {
        return Err(format!("the preview says {preview:?}"));
    }
    let mut json = String::new();
    reply.write_json(&mut json);
    let result = parse(&json, 128).map_err(|_| format!("the reply is no JSON: {json}"))?;
    expect(row, &result, &store, &before)
}

fn expect(row: &Value, result: &Value, store: &Store, before: &str) -> Result<(), String> {
    let error = result.get("error").unwrap_or(&Value::Null);
    let sentences = format!("{} {}", text(error, "message"), text(error, "solution"));
    let same = |what: &str, found: Option<&Value>, wanted: &Value| {
        let found = found.map_or("nothing".to_owned(), Value::to_json);
        let wanted = wanted.to_json();
        if found == wanted { Ok(()) } else { Err(format!("{what} is {found}, not {wanted}; {sentences}")) }
    };
    let status = if row.get("code").is_some() { "error" } else { "success" };
    same("status", result.get("status"), &status.into())?;
    if let Some(code) = row.get("code") {
        same("code", error.get("code"), code)?;
        if text(error, "message").is_empty() || text(error, "solution").is_empty() {
            return Err("an error without a message or a solution".into());
        }
        if row.get("has").is_none() && store.save() != before {
            return Err("the failed call left something behind".into());
        }
    }
    for (key, place) in [("index", "index"), ("position", "position")] {
        if let Some(wanted) = row.get(key) {
            same(key, error.get(place), wanted)?;
        }
    }
    for part in row.get("says").and_then(Value::as_array).into_iter().flatten() {
        let part = part.as_str().unwrap_or_default();
        if !sentences.contains(part) {
            return Err(format!("does not say {part:?}: {sentences}"));
        }
    }
    if let Some(wanted) = row.get("available") {
        same("available_instances", result.get("available_instances"), wanted)?;
    }
    for key in ["applied", "changes"] {
        if let Some(wanted) = row.get(key) {
            same(key, result.get(key), wanted)?;
        }
    }
    if let Some(wanted) = row.get("skipped") {
        let skipped = result.get("skipped").and_then(Value::as_array).into_iter().flatten();
        let reasons: Vec<Value> = skipped.map(|entry| entry.get("reason").cloned().unwrap_or_default()).collect();
        same("skipped", Some(&reasons.into()), wanted)?;
    }
    let name = text(result, "instance_name");
    let document = store.document(name).cloned().unwrap_or_default();
    if let Some(wanted) = row.get("deleted") {
        same("instance", Some(&name.into()), wanted)?;
        return if store.document(name).is_none() { Ok(()) } else { Err("the instance is still there".into()) };
    }
    if let Some(wanted) = row.get("document") {
        same("document", Some(&document), wanted)?;
    }
    for (place, wanted) in row.get("has").and_then(Value::as_object).into_iter().flat_map(|has| has.iter()) {
        same(place, at(&document, place), wanted)?;
    }
    for place in row.get("gone").and_then(Value::as_array).into_iter().flatten() {
        if let Some(found) = at(&document, place.as_str().unwrap_or_default()) {
            return Err(format!("{} is still there: {}", place.to_json(), found.to_json()));
        }
    }
    Ok(())
}

fn at<'v>(document: &'v Value, place: &str) -> Option<&'v Value> {
    pointer(place)?.iter().try_fold(document, |value, token| match value {
        Value::Array(items) => items.get(token.parse().ok()?),
        value => value.get(token),
    })
}
