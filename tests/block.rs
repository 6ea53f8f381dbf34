//! Tool blocks: the fixture tables, and properties that hold however a text is split.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/block_table.rs"]
mod block_table;

use block_table::{CUTS, is_report, joined, pieces, run, settings, stream, whole};
use genui_patch::block::{
    Code, Event, FORMATS, Settings, TextEnd, ToolBlockStream, Tools, envelope_keys, validate_tool_block,
};
use genui_patch::value::{Position, parse};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn streams() {
    let failures = run(include_str!("fixtures/block/stream.json"));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn reports() {
    let failures = run(include_str!("fixtures/block/validate.json"));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn tools() {
    let failures = run(include_str!("fixtures/block/tools.json"));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn an_invalid_definition_is_refused() {
    let refused = |tools: Value| Tools::from_value(&parse(&tools.to_string(), 64).unwrap()).unwrap_err();
    let good = json!({ "name": "a", "aliases": ["b"], "schema": { "properties": { "x": { "type": "string" } } } });
    for bad in [
        json!(1),
        json!({}),
        json!({ "name": "b" }),
        json!({ "name": "b", "schema": {} }),
        json!({ "name": "edit_file", "schema": {} }),
        json!({ "name": "c", "aliases": ["a"], "schema": {} }),
        json!({ "name": "c", "aliases": [1], "schema": {} }),
        json!({ "name": "c", "schema": { "properties": [] } }),
        json!({ "name": "c", "schema": { "properties": { "tool": {} } } }),
        json!({ "name": "c", "schema": { "properties": { "x": { "type": "text" } } } }),
        json!({ "name": "c", "schema": { "properties": { "x": { "items": 1 } } } }),
        json!({ "name": "c", "schema": { "required": "x" } }),
        json!({ "name": "c", "schema": { "required": ["x"] } }),
    ] {
        assert_eq!(refused(json!([good, bad])), "tools[1] is no definition of a new tool.", "{bad}");
    }
    assert_eq!(refused(json!("x")), "tools[0] is no definition of a new tool.");
}

#[test]
fn every_code_has_a_row() {
    let tables = [
        include_str!("fixtures/block/stream.json"),
        include_str!("fixtures/block/tools.json"),
        include_str!("fixtures/block/validate.json"),
    ];
    let tables = tables.concat();
    for code in Code::ALL.iter().map(|code| code.name()) {
        assert!(tables.contains(&format!("\"{code}\"")), "no row of tests/fixtures/block has the code {code}");
    }
}

#[test]
fn the_docs_name_every_code_format_and_key_of_an_envelope() {
    let docs = include_str!("../docs/tools.md");
    let named: Vec<&str> = docs.split('`').collect();
    for name in Code::ALL.iter().map(|code| code.name()).chain(FORMATS.iter().map(|(name, _)| *name)) {
        assert!(named.contains(&name), "docs/tools.md does not name {name}");
    }
    let plain: Vec<String> = named.iter().map(|name| name.replace('_', "")).collect();
    for key in envelope_keys().into_iter().flat_map(|(_, keys)| keys) {
        assert!(
            key.len() >= "args".len(),
            "{key}: `may_hold` in src/block/envelope.rs skips keys that are shorter than `args`"
        );
        assert!(plain.iter().any(|name| name == key), "docs/tools.md does not name the key {key} of envelopes");
    }
}

/// A README that quotes a block and fences of its own, as the content of a file.
fn readme_block() -> (String, String) {
    let readme = "# Title\n\n```json\n{\"tool\": \"delete_file\", \"path\": \"b.txt\"}\n```\n\n````md\n```\n````\n\\d \"q\" 😀é\r\n";
    let block = format!(
        "Here.\n\n```json\n{{\n  \"tool\": \"write_file\",\n  \"path\": \"README.md\",\n  \"content\": {}\n}}\n```\nDone.\n",
        serde_json::to_string(readme).unwrap()
    );
    (block, readme.to_owned())
}

#[test]
fn fences_in_strings_close_nothing() {
    let (text, readme) = readme_block();
    for cut in CUTS {
        let events = joined(&stream(&pieces(&text, cut), &json!({ "contentDeltas": true })));
        let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
        let wanted = ["text", "json-tool-status", "json-tool-status", "json-tool-delta", "json-tool-block", "text"];
        assert_eq!(kinds, wanted, "in pieces of {cut}");
        assert_eq!(events[3]["delta"], readme);
        assert_eq!(events[3]["length"], readme.encode_utf16().count());
        assert_eq!(events[4]["call"]["content"], readme);
        assert_eq!(events[4]["start"], "Here.\n\n".len());
    }
}

#[test]
fn a_cut_block_is_never_a_call() {
    let (text, _) = readme_block();
    let value_ends = text.find("}\n```\nDone").unwrap() + 1;
    for (end, _) in text.char_indices() {
        for event in stream(&[text[..end].to_owned()], &json!({})) {
            if let Event::Block(block) = event {
                assert_eq!(!block.calls.is_empty(), end >= value_ends, "{end}");
            }
        }
    }
}

#[test]
fn text_over_the_limit_is_not_kept() {
    let options = json!({ "limits": { "maxBlockBytes": 200 } });
    let quoted = "\\n```json\\n{\\\"tool\\\": \\\"delete_file\\\", \\\"path\\\": \\\"b\\\"}\\n```\\n";
    let long = format!(
        "```json\n{{\"tool\":\"write_file\",\"path\":\"a\",\"content\":\"{}\",\"n\":[1,2,{{}}]}}\n```\n",
        quoted.repeat(50)
    );
    let text = format!("{long}```json\n{{\"tool\":\"delete_file\",\"path\":\"c\"}}\n```");
    for cut in CUTS {
        let events = joined(&stream(&pieces(&text, cut), &options));
        assert_eq!(whole(&events), text);
        let blocks: Vec<&Value> = events.iter().filter(|event| event["type"] == "json-tool-block").collect();
        assert_eq!(blocks.len(), 2, "{blocks:#?}");
        assert_eq!(blocks[0]["issues"][0]["code"], "LIMIT_EXCEEDED");
        assert_eq!(blocks[0]["raw"].as_str().unwrap().len(), 200);
        assert_eq!(blocks[1]["call"]["path"], "c");
    }
}

#[test]
fn issues_are_limited_and_errors_are_not_lost() {
    let calls = [r#"{"tool":"write_file","path":"a/./b"}"#; 50].join(",");
    let report = validate_tool_block(&format!("[{calls}]"), &settings(&json!({ "limits": { "maxIssues": 5 } })));
    assert_eq!(report.issues.len(), 5);
    assert!(!report.is_valid());
    let last = format!("[{}]", [r#"{"tool":"delete_file","path":"a/./b"}"#; 9].join(",") + ",{}");
    let report = validate_tool_block(&last, &settings(&json!({ "limits": { "maxIssues": 5 } })));
    assert!(!report.is_valid() && report.issues.len() == 5);
}

/// The tokens that decide where a block starts and ends, in random order.
fn adversarial() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("```"),
        Just("```json"),
        Just("\n```json\n"),
        Just("\n```\n"),
        Just("````"),
        Just("~~~"),
        Just("``` JSON5 a=b\r\n"),
        Just("```ts\n"),
        Just("\n"),
        Just("\r\n"),
        Just(" "),
        Just("    "),
        Just("`"),
        Just("\""),
        Just("'"),
        Just("\\"),
        Just("\\u00e9"),
        Just("\\ud83d"),
        Just("\\n"),
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("1"),
        Just("nul"),
        Just("x"),
        Just("é"),
        Just("😀"),
        Just("//"),
        Just(r#""tool":"write_file""#),
        Just(r#""path":"a/./b""#),
        Just(r#""content":"x``` \n"#),
        Just(r#""search_replace":{"old_string":"a","new_string":""#),
        Just(r#"{"tool":"delete_file","path":"a"}"#),
        Just(r#"{"tool":"write_file","path":"a","content":"é😀"}"#),
        Just(r#"{"name":"p","version":1}"#),
        Just("\n```json\n{\"tool\":\"write_file\",\"path\":\"a\",\"content\":\""),
        Just("\"}\n```\n"),
        Just(r#"{"tool":"create_file","file":"a","text":"x"}"#),
        Just(r#"{"tool":"run","n":1}"#),
        Just(r#"{"tool":"run","times":"#),
        Just(r#","filePath":"a/./b","old":"#),
        Just(r#"{"content":"#),
        Just(r#"{"tool": "#),
    ];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn events_do_not_depend_on_cuts(text in adversarial(), cuts in prop::collection::vec(1..6_usize, 1..8), deltas: bool, small: bool, tools: bool) {
        let mut options = json!({ "contentDeltas": deltas });
        if tools {
            options["tools"] = json!([{ "name": "run", "fields": { "n": { "kind": "integer", "aliases": ["times"] } } }]);
        }
        if small {
            options["limits"] = json!({ "maxBlockBytes": 60, "maxDepth": 3 });
        }
        let chars: Vec<char> = text.chars().collect();
        let mut pieces = Vec::new();
        let mut rest = &chars[..];
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, more) = rest.split_at((*cut).min(rest.len()));
            pieces.push(piece.iter().collect::<String>());
            rest = more;
        }
        let once = joined(&stream(std::slice::from_ref(&text), &options));
        prop_assert_eq!(&joined(&stream(&pieces, &options)), &once);
        prop_assert_eq!(whole(&once), text.clone());
        // A delta is a part of the block's text; a call needs a block without errors.
        let mut start = 0;
        for event in &once {
            if is_report(event) {
                let length = event["raw"].as_str().unwrap().encode_utf16().count() as u64;
                prop_assert!(event["start"].as_u64().unwrap() + length <= start);
                prop_assert!(event["call"].is_null() && event["calls"].is_null());
                continue;
            }
            if event["type"] == "json-tool-block" {
                prop_assert_eq!(event["start"].as_u64().unwrap(), start);
                prop_assert_eq!(event["validationPassed"] == true, event["errors"] == json!([]));
                let has_call = !event["call"].is_null() || !event["calls"].is_null();
                let is_valid = event["validationPassed"] == true || event["corrected"] == true;
                prop_assert_eq!(has_call, is_valid && event["status"] == "complete");
                prop_assert!(event["validationPassed"] == false || event["corrected"] == false);
                prop_assert_eq!(event["fixes"] == json!([]), event["corrected"] == false);
            }
            let text = event["text"].as_str().or(event["raw"].as_str()).unwrap_or_default();
            start += text.encode_utf16().count() as u64;
        }
    }

    #[test]
    fn deltas_change_nothing_else(text in adversarial()) {
        let with = joined(&stream(std::slice::from_ref(&text), &json!({ "contentDeltas": true })));
        let without = joined(&stream(&[text], &json!({})));
        let rest: Vec<Value> = with.into_iter().filter(|event| event["type"] != "json-tool-delta").collect();
        prop_assert_eq!(rest, without);
    }

    #[test]
    fn events_of_arguments_do_not_depend_on_cuts(text in adversarial(), cut in 1..5_usize) {
        let options = json!({ "tool": "write_file", "contentDeltas": true });
        prop_assert_eq!(joined(&stream(&pieces(&text, cut), &options)), joined(&stream(&[text], &options)));
    }

    #[test]
    fn blocks_parse_json_like_the_parser(text in adversarial()) {
        // A fence may stand right after the value.
        if text.contains("\\ud") || text.trim_end().ends_with('`') {
            return Ok(());
        }
        let text = text.replace('\n', " ");
        let report = validate_tool_block(&format!("```json\n{text}\n```"), &Settings::default());
        // Several values are allowed in a block, but are not a JSON text.
        if report.issues.iter().any(|issue| issue.code.name() == "TRAILING_TEXT") {
            return Ok(());
        }
        if let Ok(value) = parse(&text, 128) {
            prop_assert_eq!(report.parsed, Some(value));
        } else if let Some(parsed) = report.parsed {
            prop_assert!(parsed.as_array().is_some_and(|values| values.iter().count() > 1), "{:?}", parsed);
        }
    }

    #[test]
    fn validating_and_streaming_agree(text in adversarial()) {
        let text = format!("```json\n{text}");
        let report = validate_tool_block(&text, &Settings::default());
        let events = stream(std::slice::from_ref(&text), &json!({}));
        if let Some(Event::Block(block)) = events.iter().find(|event| matches!(event, Event::Block(_)))
            && block.start == 0
            && text.starts_with(&block.raw)
            && block.raw.starts_with("```json")
        {
            prop_assert_eq!(&block.issues, &report.issues);
            prop_assert!(block.repaired.is_some() || block.calls == report.calls);
        } else if !matches!(events.first(), Some(Event::Block(_))) {
            let at_start = report.json_start <= "```json\n".len() + 40;
            prop_assert!(report.calls.is_empty() || !at_start || !text.starts_with("```json\n"), "{:?}", report);
        }
    }

    #[test]
    fn positions_match_a_walk_over_the_text(text in adversarial()) {
        let text = format!("```json\n{text}\n```");
        let report = validate_tool_block(&text, &Settings::default());
        let units: Vec<u16> = text.encode_utf16().collect();
        let json = String::from_utf16_lossy(&units[report.json_start..]);
        for issue in report.issues {
            let Some(position) = issue.position else { continue };
            let before = String::from_utf16_lossy(&json.encode_utf16().take(position.offset).collect::<Vec<_>>());
            prop_assert_eq!(position, Position::of(&json, before.len()));
        }
    }
}

/// The steps of reading a quoted fence and a line with this number of blanks after it.
fn steps_of_quoted_blanks(blanks: usize) -> usize {
    let before = genui_patch::counted::steps();
    let mut stream = ToolBlockStream::new(Settings::default());
    let mut events: Vec<Event> = Vec::new();
    stream.push(&format!("> ```json\n{}", " ".repeat(blanks)), &mut events);
    stream.end(TextEnd::MaybeCut, &mut events);
    genui_patch::counted::steps() - before
}

#[test]
fn blanks_in_a_quotation_are_read_in_linear_time() {
    let (few, many) = (steps_of_quoted_blanks(1000), steps_of_quoted_blanks(8000));
    assert!(many < 9 * few, "{few} steps for 1000 blanks, {many} for 8000");
}

/// The steps of reading a text with all formats enabled.
fn steps_with_formats(text: &str) -> usize {
    let names: Vec<&str> = FORMATS.iter().map(|(name, _)| *name).collect();
    let before = genui_patch::counted::steps();
    stream(&[text.to_owned()], &json!({ "formats": names }));
    genui_patch::counted::steps() - before
}

#[test]
fn calls_in_other_grammars_are_read_in_linear_time() {
    for (start, repeated, end) in [
        ("[write_file(path=\"a\", content=", "]", ")]\n"),
        ("[write_file(path=\"a\", content=", "[],", "\"b\")]\n"),
        ("[write_file(path=\"a\", content=\"", "],", "\")]\n"),
        ("[", "delete_file(path=\"a\"), ", "delete_file(path=\"b\")]\n"),
        ("<function=write_file>", "\n<parameter=a>b</parameter>", "\n</function>\n"),
        ("<function=write_file>\n<parameter=a>", "\n<parameters", "</parameter>\n</function>\n"),
    ] {
        let steps = |count: usize| steps_with_formats(&format!("{start}{}{end}", repeated.repeat(count)));
        let (few, many) = (steps(500), steps(4000));
        assert!(many < 9 * few, "{start}{repeated}: {few} steps for 500, {many} for 4000");
    }
}

#[test]
fn a_quoted_line_ends_at_the_limit() {
    let options = json!({ "limits": { "maxBlockBytes": 200 } });
    let text = format!("> ```json\n> {{\"tool\": \"write_file\", \"content\": \"{}", "x".repeat(1000));
    for cut in CUTS {
        let pieces = pieces(&text, cut);
        let mut stream = ToolBlockStream::new(settings(&options));
        let mut events: Vec<Event> = Vec::new();
        pieces.iter().for_each(|piece| stream.push(piece, &mut events));
        // The text has not ended, and no line feed has arrived.
        let received = whole(&joined(&events)).len();
        assert!(received > 900, "{received} of {}", text.len());
    }
}
