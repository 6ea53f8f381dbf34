//! Checks invariants on mutated input: nothing panics, a refusal leaves no trace, a split changes nothing.
//!
//! Each target starts from the tables of facts and from `fixtures/crashers`, and mutates them from a fixed seed
//! (`FUZZ_SEED`) for `FUZZ_SECONDS`, or, without that, a thousand times. An input that breaks a rule is printed; it
//! becomes a file in `fixtures/crashers` before its cause is fixed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::time::{Duration, Instant};

use genui_patch::block::{Event, Settings, TextEnd, ToolBlockStream, validate_tool_block};
use genui_patch::patch::PathExpr;
use genui_patch::store::{Options, Store};
use serde_json::Value;

/// xorshift64*: small, fast, the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap();
        if bound == 0 { 0 } else { drawn % bound }
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Fragments that are tokens of one of the grammars.
const PIECES: [&str; 40] = [
    "data: ",
    "[DONE]",
    "\n{",
    "\"messages\":[",
    "\"contents\":",
    "\"surfaceId\":\"s\"",
    "/0/a",
    "createSurface",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u",
    "d83d",
    "\n",
    "\r\n",
    "```",
    "```json\n",
    " ",
    "'",
    "//",
    "/*",
    "tool",
    "path",
    "content",
    "write_file",
    "\"tool\":\"write_file\"",
    "blocks",
    "state.params",
    "+",
    "-",
    "0",
    "1e999",
    "😀",
    "\u{0}",
    "null",
];

/// A mutation of one of the seeds.
fn mutate(seeds: &[String], random: &mut Random) -> String {
    let mut chars: Vec<char> = seeds[random.below(seeds.len())].chars().collect();
    for _ in 0..=random.below(6) {
        let at = random.below(chars.len() + 1);
        let end = (at + random.below(12)).min(chars.len());
        match random.below(5) {
            0 => drop(chars.drain(at..end)),
            1 => drop(chars.splice(at..at, PIECES[random.below(PIECES.len())].chars())),
            2 => drop(chars.splice(at..end, PIECES[random.below(PIECES.len())].chars())),
            3 => {
                let copy: Vec<char> = chars[at..end].to_vec();
                let to = random.below(chars.len() + 1);
                drop(chars.splice(to..to, copy));
            }
            _ => {
                let other: Vec<char> = seeds[random.below(seeds.len())].chars().collect();
                let from = random.below(other.len() + 1);
                chars.truncate(at);
                chars.extend(&other[from..]);
            }
        }
    }
    chars.truncate(20_000);
    chars.into_iter().collect()
}

fn fuzz(target: &str, mut seeds: Vec<String>, check: impl Fn(&str)) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/crashers");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with(target) {
            seeds.push(std::fs::read_to_string(path).unwrap());
        }
    }
    assert!(!seeds.is_empty());
    seeds.iter().for_each(|seed| check(seed));
    let mut random = Random(setting("FUZZ_SEED", 0x5eed) | 1);
    let end = Instant::now() + Duration::from_secs(setting("FUZZ_SECONDS", 0));
    let mut inputs = 0_u64;
    while inputs < 1000 || Instant::now() < end {
        let input = mutate(&seeds, &mut random);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&input)));
        assert!(outcome.is_ok(), "{target}: broken by {input:?}");
        inputs += 1;
    }
    println!("{target}: {inputs} inputs");
}

fn patch_rows() -> Vec<Value> {
    let table: Value = serde_json::from_str(include_str!("fixtures/patch.json")).unwrap();
    table["rows"].as_array().unwrap().clone()
}

#[test]
fn path() {
    let rows = patch_rows();
    let patches = rows.iter().filter_map(|row| row["patches"].as_array()).flatten();
    let seeds = patches.filter_map(|patch| patch["path"].as_str().map(str::to_owned)).collect();
    fuzz("path", seeds, |text| {
        let Ok(path) = PathExpr::parse(text, 128) else { return };
        let written = path.to_text().expect("what was read can be written");
        assert_eq!(PathExpr::parse(&written, 128).expect("and read again").segments, path.segments);
    });
}

#[test]
fn call() {
    let table: Value = serde_json::from_str(include_str!("fixtures/patch.json")).unwrap();
    let page = table["documents"]["page"].to_string();
    let mut start = Store::new(Options::default());
    assert!(start.load("page", &page, None).is_success());
    let start = start.save();
    let text = |row: &Value| match (&row["text"], &row["call"]) {
        (Value::String(text), _) => text.clone(),
        (_, Value::Null) => serde_json::json!({"instance_name": "page", "patches": row["patches"]}).to_string(),
        (_, call) => call.to_string(),
    };
    fuzz("call", patch_rows().iter().map(text).collect(), |call| {
        let mut store = Store::restore(&start, Options::default()).unwrap();
        let preview = store.preview(call);
        assert_eq!(store.save(), start, "a preview left something behind");
        let reply = store.apply(call);
        assert_eq!(preview, reply, "a preview says something else");
        check_outcome(&store, reply.is_success(), &start);
    });
}

/// A success leaves a store that can be restored; a refusal leaves it unchanged.
fn check_outcome(store: &Store, is_success: bool, start: &str) {
    let after = store.save();
    if is_success {
        Store::restore(&after, Options::default()).expect("a valid store stays valid");
    } else {
        assert_eq!(after, start, "a refusal left something behind");
    }
}

#[test]
fn edits() {
    let table: Value = serde_json::from_str(include_str!("fixtures/patch.json")).unwrap();
    let mut start = Store::new(Options::default());
    assert!(start.load("page", &table["documents"]["page"].to_string(), None).is_success());
    let script = |row: &Value| {
        let call = serde_json::json!({"instance_name": "page", "patches": row["patches"]}).to_string();
        let mut script = String::new();
        genui_patch::edit::script_to_json(&mut script, &start.preview(&call).outcome.ok()?.changes);
        Some(script)
    };
    let seeds = patch_rows().iter().filter_map(script).collect();
    let start = start.save();
    fuzz("edits", seeds, |script| {
        let mut store = Store::restore(&start, Options::default()).unwrap();
        let reply = store.edit("page", script);
        check_outcome(&store, reply.is_success(), &start);
    });
}

#[test]
fn standard() {
    let table: Value = serde_json::from_str(include_str!("fixtures/interop.json")).unwrap();
    let rows = table["rows"].as_array().unwrap();
    let sent = |row: &Value| ["patch", "merge"].iter().find_map(|key| row.get(*key)).map(Value::to_string);
    let mut start = Store::new(Options::default());
    let page = rows.iter().find(|row| row["rules"] == "ui").unwrap()["document"].to_string();
    assert!(start.load("ui", &page, None).is_success());
    assert!(start.load("open", &page, Some(genui_patch::patch::Rules::Open)).is_success());
    let start = start.save();
    fuzz("standard", rows.iter().filter_map(sent).collect(), |text| {
        for name in ["ui", "open"] {
            let mut store = Store::restore(&start, Options::default()).unwrap();
            let merges = !text.starts_with('[');
            let reply = if merges { store.merge_patch(name, text) } else { store.json_patch(name, text) };
            check_outcome(&store, reply.is_success(), &start);
        }
    });
}

/// Texts between NULs: a file, a part of it, and the replacement.
#[test]
fn text() {
    use genui_patch::files::{EditFailure, Review, edit};
    let table: Value = serde_json::from_str(include_str!("fixtures/text.json")).unwrap();
    let texts = |row: &Value| ["text", "old", "new"].map(|key| row[key].as_str().unwrap()).join("\0");
    fuzz("text", table["edit"].as_array().unwrap().iter().map(texts).collect(), |input| {
        let mut parts = input.splitn(3, '\0');
        let [text, old, new] = [(); 3].map(|()| parts.next().unwrap_or_default());
        match edit(text, old, new, Review::ByUser) {
            Ok(edited) => assert!(!old.is_empty() && edited.fixes.iter().all(|fix| fix.position.offset <= text.len())),
            Err(EditFailure::Several { count, lines }) => assert!(count > 1 && !lines.is_empty()),
            Err(EditFailure::NotFound { .. }) => {
                // No file contains half of a CRLF line end.
                assert!(old.is_empty() || !text.contains(old) || text.contains("\r\n"));
            }
        }
    });
}

#[test]
fn tools() {
    let seeds = [
        r#"[{"name":"run","aliases":["go"],"schema":{"properties":{"n":{"type":"integer","aliases":["times"]},"to":{"format":"path"}},"required":["n"]}}]
{"tool":"go","times":1.5,"to":"../a"}"#,
        r#"[{"name":"plan","schema":{"additionalProperties":false,"properties":{"steps":{"type":["array","null"],"items":{"enum":["a",{"b":[1]}],"type":"object","properties":{"c":{"items":{"type":"string"}}}}}}}}]
[{"tool":"plan","steps":[{"c":[1,"\u00e9"]},"a",null],"x":{"y":0}},{"tool":"write_file","path":"a","content":""}]"#,
    ];
    fuzz("tools", seeds.map(str::to_owned).to_vec(), |input| {
        let (definitions, text) = input.split_once('\n').unwrap_or_default();
        let options = format!("{{\"tools\":{definitions},\"limits\":{{\"maxIssues\":5}}}}");
        let Ok(options) = genui_patch::value::parse(&options, 64) else { return };
        let Ok(settings) = Settings::from_value(&options) else { return };
        let report = validate_tool_block(text, &settings);
        assert_eq!(report.is_valid(), !report.calls.is_empty());
        assert!(report.issues.len() <= 5);
        for issue in &report.issues {
            assert!(issue.position.is_none_or(|position| position.offset <= text.encode_utf16().count()));
        }
        let mut stream = ToolBlockStream::new(settings);
        let mut events = Vec::new();
        stream.push(text, &mut events);
        stream.end(TextEnd::MaybeCut, &mut events);
    });
}

/// A store with calls that are pending on a page.
fn waiting() -> String {
    let table: Value = serde_json::from_str(include_str!("fixtures/patch.json")).unwrap();
    let mut store = Store::new(Options { client_id: "t".into(), ..Options::default() });
    assert!(store.load("page", &table["documents"]["page"].to_string(), None).is_success());
    store.set_active(Some("page")).unwrap();
    for patch in [
        r#"{"op":"increment","path":"state.params.count"}"#,
        r#"{"op":"set","path":"state.params.10","value":[1]}"#,
        r#"{"op":"add","path":"blocks+","value":{"id":"pending","type":"tabs"}}"#,
        r#"{"op":"set","path":"blocks[\"pending\"].title","value":"T"}"#,
    ] {
        let reply = store.apply_optimistic(&format!(r#"{{"instance_name":"page","patches":[{patch}]}}"#));
        assert!(reply.is_success(), "{reply:?}");
    }
    store.sent("t-1");
    store.confirm("t-2");
    store.save()
}

#[test]
fn message() {
    let start = waiting();
    let rows = patch_rows();
    let text = |row: &Value| {
        serde_json::json!({"instance_name": "page", "clientCallId": "t-3", "patches": row["patches"]}).to_string()
    };
    let mut seeds: Vec<_> = rows.iter().filter(|row| row["patches"].is_array()).map(text).collect();
    let known: Value = serde_json::from_str(include_str!("fixtures/messages.json")).unwrap();
    seeds.extend(known["rows"].as_array().unwrap().iter().map(|row| match &row["message"] {
        Value::String(text) => text.clone(),
        message => message.to_string(),
    }));
    fuzz("message", seeds, |message| {
        let mut store = Store::restore(&start, Options::default()).unwrap();
        let reply = store.receive(message, None);
        let after = store.save();
        if reply.is_success() {
            let again = Store::restore(&after, Options::default()).expect("a valid store stays valid");
            assert_eq!(again.save(), after);
        } else {
            assert_eq!(after, start, "a refusal left something behind");
        }
        // Undoing all pending calls leaves no trace of them.
        for id in ["t-4", "t-3", "t-2", "t-1"] {
            store.reject(id);
        }
        let confirmed = store.confirmed("page");
        assert_eq!(confirmed.as_ref(), store.document("page"));
    });
}

#[test]
fn saved() {
    fuzz("saved", vec![waiting()], |text| {
        if let Ok(store) = Store::restore(text, Options::default()) {
            let saved = store.save();
            assert_eq!(Store::restore(&saved, Options::default()).expect("what was saved is restored").save(), saved);
        }
    });
}

#[test]
fn stream() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("fixtures/block/stream.json")).unwrap();
    let seeds = rows.iter().filter_map(|row| row["text"].as_str().map(str::to_owned)).collect();
    let settings =
        || Settings::from_value(&genui_patch::value::parse(r#"{"contentDeltas":true}"#, 4).unwrap()).unwrap();
    let read = |pieces: &[String]| {
        let mut stream = ToolBlockStream::new(settings());
        let mut events = Vec::new();
        pieces.iter().for_each(|piece| stream.push(piece, &mut events));
        stream.end(TextEnd::MaybeCut, &mut events);
        events
    };
    fuzz("stream", seeds, |text| {
        let whole = read(&[text.to_owned()]);
        let chars: Vec<char> = text.chars().collect();
        let pieces: Vec<String> = chars.chunks(1 + text.len() % 5).map(|piece| piece.iter().collect()).collect();
        assert_eq!(blocks(&read(&pieces)), blocks(&whole), "a split changed what was read");
        // The reported texts add up to the input.
        let texts = whole.iter().filter(|event| !matches!(event, Event::Block(block) if block.in_text));
        let all: String = texts.map(|event| part(event, "text") + &part(event, "raw")).collect();
        // The tags around reasoning belong to no event.
        let reasons = whole.iter().any(|event| matches!(event, Event::Reasoning(_)));
        assert!(reasons || all == text, "something was lost: {all:?} of {text:?}");
    });
}

#[test]
fn repair() {
    use genui_patch::block::repair::{parse_partial_json, repair_json};
    use genui_patch::block::repair_tool_block;
    use genui_patch::limits::Limits;
    let tables = ["syntax", "strings", "fences", "fields", "combined"];
    let rows = tables.iter().flat_map(|table| {
        let path = format!("{}/tests/fixtures/damaged/{table}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str::<Vec<Value>>(&std::fs::read_to_string(path).unwrap()).unwrap()
    });
    let seeds = rows.filter_map(|row| row["text"].as_str().map(|text| format!("```json\n{text}\n```"))).collect();
    let limits = Limits::default();
    fuzz("repair", seeds, |text| {
        let settings = Settings::default();
        let repaired =
            repair_tool_block(text, if text.len() % 2 == 0 { TextEnd::Complete } else { TextEnd::MaybeCut }, &settings);
        assert_eq!(repaired.report, genui_patch::block::validate_tool_block(&repaired.text, &settings));
        assert_eq!(repaired.fixes.is_empty(), repaired.text == text, "every change is listed");
        let json = repair_json(text, TextEnd::Complete, &limits);
        assert!(!json.ok || genui_patch::value::parse(&json.text, 128).is_ok(), "what is repaired is JSON");
        let partial = parse_partial_json(text, &limits).text;
        assert!(partial.is_empty() || genui_patch::value::parse(&partial, 128).is_ok(), "what is there is JSON");
    });
}

fn part(event: &Event, name: &str) -> String {
    // serde_json refuses numbers such as 1e999, which arguments may contain.
    let event = genui_patch::value::parse(&event.to_json(), 1000).unwrap();
    event.get(name).and_then(|text| text.as_str()).unwrap_or_default().to_owned()
}

fn blocks(events: &[Event]) -> Vec<String> {
    events.iter().map(Event::to_json).filter(|event| event.contains("\"json-tool-block\"")).collect()
}
