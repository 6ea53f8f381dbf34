//! The driver of `fixtures/damaged/*.json`, for the native tests and for those in the browser.
//!
//! A row is `{name, kinds, text, want}`. `text` is the JSON of a block, which is put between fences; `raw` is a whole message
//! instead. `kinds` groups rows in `npm run repair:report`: use the words of the rows beside yours; a new word makes a new line
//! of the report. `want` is the intended call, a list of calls, or `null` if the block must be refused. `fill` abbreviates a long
//! text: `{{fill}}` is replaced by `times` copies of `fill.text`, and in the wanted content by copies of `fill.want`.
//!
//! A new row proves something only if it fails without your change: take the change out once.

use genui_patch::block::repair_tool_block;
use genui_patch::block::{BlockStatus, Event, Settings, TextEnd, ToolBlockStream, ToolCall};
use serde_json::{Value, json};

/// The tables, by name.
pub(crate) const TABLES: [(&str, &str); 7] = [
    ("syntax", include_str!("../fixtures/damaged/syntax.json")),
    ("strings", include_str!("../fixtures/damaged/strings.json")),
    ("fences", include_str!("../fixtures/damaged/fences.json")),
    ("fields", include_str!("../fixtures/damaged/fields.json")),
    ("combined", include_str!("../fixtures/damaged/combined.json")),
    ("refusals", include_str!("../fixtures/damaged/refusals.json")),
    ("large", include_str!("../fixtures/damaged/large.json")),
];

/// A row with its long text expanded.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) kinds: Vec<String>,
    /// The whole message.
    pub(crate) message: String,
    /// The intended calls; empty if the block must be refused.
    pub(crate) want: Vec<Value>,
}

pub(crate) fn rows(table: &str) -> Vec<Row> {
    let rows: Vec<Value> = serde_json::from_str(table).unwrap();
    rows.iter().map(row).collect()
}

fn row(row: &Value) -> Row {
    let times = row["fill"]["times"].as_u64().unwrap_or_default() as usize;
    let long = |key: &str| row["fill"][key].as_str().unwrap_or_default().repeat(times);
    let text = match row["raw"].as_str() {
        Some(raw) => raw.to_owned(),
        None => format!("```json\n{}\n```", row["text"].as_str().unwrap()),
    };
    let mut want = match &row["want"] {
        Value::Null => Vec::new(),
        Value::Array(calls) => calls.clone(),
        call => vec![call.clone()],
    };
    for call in &mut want {
        if call["content"] == "{{fill}}" {
            call["content"] = json!(long("want"));
        }
    }
    let kinds = row["kinds"].as_array().unwrap().iter().map(|kind| kind.as_str().unwrap().to_owned()).collect();
    Row {
        kinds,
        name: row["name"].as_str().unwrap().to_owned(),
        message: text.replace("{{fill}}", &long("text")),
        want,
    }
}

/// Whether a call is the intended one: its tool, path and texts, and those of its other arguments that the row lists.
pub(crate) fn is_meant(call: &ToolCall, want: &Value) -> bool {
    let texts = call.search_replace().map(|(old, new)| json!({ "old_string": old, "new_string": new }));
    let args: Value = serde_json::from_str(&genui_patch::value::Value::from(call.args.clone()).to_json()).unwrap();
    let others = want["args"].as_object().into_iter().flatten();
    call.tool.name() == want["tool"]
        && call.path == want["path"]
        && call.content() == want["content"].as_str()
        && texts.unwrap_or_default() == want["search_replace"]
        && others.into_iter().all(|(key, value)| args[key] == *value)
}

pub(crate) fn are_meant(calls: &[ToolCall], want: &[Value]) -> bool {
    calls.len() == want.len() && calls.iter().zip(want).all(|(call, want)| is_meant(call, want))
}

/// The calls of all blocks of a message that arrives in pieces of `cut` characters; `0` for one piece.
pub(crate) fn streamed(message: &str, cut: usize, text_end: TextEnd) -> Vec<ToolCall> {
    let mut stream = ToolBlockStream::new(Settings::default());
    let mut events = Vec::new();
    if cut == 0 {
        stream.push(message, &mut events);
    } else {
        let chars: Vec<char> = message.chars().collect();
        chars.chunks(cut).for_each(|piece| stream.push(&piece.iter().collect::<String>(), &mut events));
    }
    stream.end(text_end, &mut events);
    let blocks = events.into_iter().filter_map(|event| match event {
        Event::Block(block) => Some(block),
        _ => None,
    });
    blocks
        .flat_map(|block| {
            assert!(block.calls.is_empty() || block.status == BlockStatus::Complete);
            block.calls
        })
        .collect()
}

/// Runs the tables and returns the failing rows.
pub(crate) fn failures() -> Vec<String> {
    let mut failures = Vec::new();
    for (table, text) in TABLES {
        for Row { name, message, want, .. } in rows(text) {
            let mut check = |how: &str, calls: &[ToolCall]| {
                if !are_meant(calls, &want) {
                    let args = |call: &ToolCall| genui_patch::value::Value::from(call.args.clone()).to_json();
                    let shown: String =
                        calls.iter().map(args).collect::<Vec<_>>().join(", ").chars().take(600).collect();
                    let wanted = if want.is_empty() { "a refusal".to_owned() } else { json!(want).to_string() };
                    failures.push(format!("{table}: {name}, {how}: read as [{shown}] instead of {wanted}"));
                }
            };
            check("whole", &repair_tool_block(&message, TextEnd::MaybeCut, &Settings::default()).report.calls);
            check("streamed", &streamed(&message, 0, TextEnd::MaybeCut));
            if message.len() < 10_000 {
                check("in pieces", &streamed(&message, 3, TextEnd::MaybeCut));
            }
        }
    }
    failures
}
