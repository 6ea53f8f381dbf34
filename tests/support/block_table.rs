//! The driver of `fixtures/block/*.json`, for the native tests and for those in the browser.

use genui_patch::block::{Event, Settings, TextEnd, ToolBlockStream, validate_tool_block};
use genui_patch::value::parse;
use serde_json::{Value, json};

/// The size of the pieces of a text in characters; `0` for one piece.
pub(crate) const CUTS: [usize; 6] = [0, 1, 2, 3, 7, 64];

pub(crate) fn settings(options: &Value) -> Settings {
    let mut options = options.clone();
    for tool in options.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(fields) = tool.get("fields").and_then(Value::as_object) {
            tool["schema"] = schema(fields);
        }
    }
    Settings::from_value(&parse(&options.to_string(), 16).unwrap()).unwrap()
}

/// The schema that the JavaScript layer generates from fields.
fn schema(fields: &serde_json::Map<String, Value>) -> Value {
    let mut properties = json!({});
    let mut required = Vec::new();
    for (key, field) in fields {
        let mut property = if field.is_string() { json!({ "kind": field }) } else { field.clone() };
        if property["optional"] != true {
            required.push(key);
        }
        let is_format = property["kind"] == "path" || property["kind"] == "pointer";
        if is_format {
            property["format"] = property["kind"].clone();
        }
        property["type"] = if is_format { json!("string") } else { property["kind"].clone() };
        properties[key] = property;
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

pub(crate) fn pieces(text: &str, cut: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    match cut {
        0 => vec![text.to_owned()],
        _ => chars.chunks(cut).map(|piece| piece.iter().collect()).collect(),
    }
}

pub(crate) fn stream(pieces: &[String], options: &Value) -> Vec<Event> {
    let mut events = Vec::new();
    let text_end = if options["complete"] == true { TextEnd::Complete } else { TextEnd::MaybeCut };
    let mut stream = match options["tool"].as_str() {
        Some(tool) => ToolBlockStream::of_call(tool, settings(options)),
        None => ToolBlockStream::new(settings(options)),
    };
    pieces.iter().for_each(|piece| stream.push(piece, &mut events));
    stream.end(text_end, &mut events);
    events
}

/// The events with texts and deltas joined, as JSON.
pub(crate) fn joined(events: &[Event]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for event in events {
        let event: Value = serde_json::from_str(&event.to_json()).unwrap();
        let same = |own: &Value| match event["type"].as_str().unwrap() {
            "text" | "reasoning" => own["type"] == event["type"],
            "json-tool-delta" => ["type", "toolId", "index", "field"].iter().all(|key| own[*key] == event[*key]),
            _ => false,
        };
        match all.last_mut().filter(|own| same(own)) {
            Some(own) => {
                for key in ["text", "delta"] {
                    if let Some(more) = event[key].as_str() {
                        own[key] = Value::from(own[key].as_str().unwrap().to_owned() + more);
                    }
                }
                if !event["length"].is_null() {
                    own["length"] = event["length"].clone();
                }
            }
            None => all.push(event),
        }
    }
    all
}

/// Whether `value` matches a row: of objects only the keys that the row lists are compared; `null` means absent.
pub(crate) fn fits(wanted: &Value, value: &Value) -> bool {
    match (wanted, value) {
        (Value::Object(wanted), Value::Object(_)) => wanted.iter().all(|(key, wanted)| fits(wanted, &value[key])),
        (Value::Array(wanted), Value::Array(values)) => {
            wanted.len() == values.len() && wanted.iter().zip(values).all(|(wanted, value)| fits(wanted, value))
        }
        _ => wanted == value,
    }
}

/// Runs a table of streams or of reports; returns the failing rows, with the difference.
pub(crate) fn run(table: &str) -> Vec<String> {
    let rows: Vec<Value> = serde_json::from_str(table).unwrap();
    assert!(!rows.is_empty());
    rows.iter().filter_map(run_row).collect()
}

pub(crate) fn run_row(row: &Value) -> Option<String> {
    let text = row["text"].as_str().map(|text| text.replace("{{deep}}", &"[".repeat(100_000))).unwrap();
    let name = &row["name"];
    if let Some(wanted) = row.get("report") {
        let report = validate_tool_block(&text, &settings(&row["options"])).to_json();
        let report: Value = serde_json::from_str(&report).unwrap();
        return (!fits(wanted, &report)).then(|| format!("{name}: {report:#}"));
    }
    for cut in CUTS {
        let events = joined(&stream(&pieces(&text, cut), &row["options"]));
        if !fits(&row["events"], &json!(events)) {
            return Some(format!("{name}, in pieces of {cut}: {:#}", json!(events)));
        }
        if row["options"]["tool"].is_null() {
            let given = whole(&events);
            // The tags around reasoning belong to no event.
            if given != text && events.iter().all(|event| event["type"] != "reasoning") {
                return Some(format!("{name}, in pieces of {cut}: {given:?} came out"));
            }
        }
    }
    None
}

/// The input text, rebuilt from the events. A block that was not executed is already part of the text.
pub(crate) fn whole(events: &[Value]) -> String {
    let texts = events.iter().filter(|event| !is_report(event));
    texts.filter_map(|event| event["text"].as_str().or(event["raw"].as_str())).collect()
}

/// Whether a block only reports text that the text events already contain.
pub(crate) fn is_report(event: &Value) -> bool {
    event["issues"].as_array().is_some_and(|issues| issues.iter().any(|issue| issue["code"] == "NOT_A_CALL"))
}
