//! The driver of `fixtures/surface/messages.json`, for the native tests and for those in the browser.

use genui_patch::limits::Limits;
use genui_patch::surface::SurfaceStream;
use genui_patch::value::parse;
use serde_json::{Value, json};

pub(crate) fn limits(options: &Value) -> Limits {
    match options.get("limits") {
        Some(limits) => Limits::from_value(&parse(&limits.to_string(), 4).unwrap()).unwrap(),
        None => Limits::default(),
    }
}

/// All events of a text in pieces of so many characters, 0 for one piece, and the stream.
pub(crate) fn stream(text: &str, cut: usize, options: &Value) -> (Vec<Value>, SurfaceStream) {
    let mut events = Vec::new();
    let mut take = |event: &genui_patch::surface::Event<'_>| {
        let mut text = String::new();
        event.write_json(&mut text);
        events.push(serde_json::from_str(&text).unwrap());
    };
    let mut stream = SurfaceStream::new(limits(options), options["partial"] == json!(true));
    let chars: Vec<char> = text.chars().collect();
    for piece in chars.chunks(if cut == 0 { chars.len().max(1) } else { cut }) {
        stream.push(&piece.iter().collect::<String>(), &mut take);
    }
    stream.end(&mut take);
    (events, stream)
}

/// Whether an event is what a row says: of objects only the keys that it names.
fn fits(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(wanted, found)| fits(wanted, found))
        }
        (Value::Object(wanted), Value::Object(_)) => wanted.iter().all(|(key, wanted)| fits(wanted, &found[key])),
        (Value::Number(wanted), Value::Number(found)) => wanted.as_f64() == found.as_f64(),
        _ => wanted == found,
    }
}

/// What does not hold.
pub(crate) fn run(table: &str) -> Vec<String> {
    let rows: Vec<Value> = serde_json::from_str(table).unwrap();
    let mut failures = Vec::new();
    for row in &rows {
        let (name, text) = (row["name"].as_str().unwrap(), row["text"].as_str().unwrap());
        let (events, whole) = stream(text, 0, &row["options"]);
        if !row["events"].is_null() && !fits(&row["events"], &json!(events)) {
            failures.push(format!("{name}:\n  wanted {}\n  found  {}", row["events"], json!(events)));
        }
        let codes: Vec<&Value> =
            events.iter().filter(|event| event[0] == "diagnostic").map(|event| &event[2]["code"]).collect();
        if let Some(wanted) = row.get("codes")
            && json!(codes) != *wanted
        {
            failures.push(format!("{name}: wanted {wanted}, found {}", json!(codes)));
        }
        let models: serde_json::Map<String, Value> = whole
            .ids()
            .map(|id| (id.to_owned(), serde_json::from_str(&whole.data_model(id).unwrap().to_json()).unwrap()))
            .collect();
        if let Some(wanted) = row.get("models")
            && (!fits(wanted, &json!(models)) || !fits(&json!(models), wanted))
        {
            failures.push(format!("{name}: wanted {wanted}, found {}", json!(models)));
        }
        for cut in [1, 2, 3, 7, 64] {
            let found = stream(text, cut, &row["options"]).0;
            if found != events {
                failures.push(format!("{name}, {cut} at a time:\n  {}\n  {}", json!(events), json!(found)));
            }
        }
    }
    failures
}
