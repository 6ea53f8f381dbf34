//! Repair without a model.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/damaged_table.rs"]
mod damaged_table;

use genui_patch::block::repair::{FixKind, repair_json};
use genui_patch::block::{Settings, TextEnd, repair_tool_block};

/// The examples of seed 004. All but the second, which has no content, can be repaired.
#[test]
fn examples_of_the_seed() {
    let block = |json: &str| format!("```json\n{json}\n```");
    let rows = [
        ("{\n  \"tool\": \"create_file\",\n  \"path\": \"test.txt\",\n  \"content\": \"hello\"\n}", "write_file"),
        ("{\n  \"tool\": \"write_file\",\n  \"path\": \"test.txt\"\n}", ""),
        (
            "{\n  \"tool\": \"write_file\",\n  \"path\": \"test.txt\",\n  \"content\": \"Line 1\nLine 2\"\n}",
            "write_file",
        ),
        (
            "{\n  \"tool\": \"edit_file\",\n  \"path\": \"App.tsx\",\n  \"old\": \"hello\",\n  \"new\": \"world\"\n}",
            "edit_file",
        ),
    ];
    for (json, tool) in rows {
        let text = block(json);
        let repaired = repair_tool_block(&text, TextEnd::MaybeCut, &Settings::default());
        let calls: Vec<&str> = repaired.report.calls.iter().map(|call| call.tool.name()).collect();
        assert_eq!(calls, if tool.is_empty() { vec![] } else { vec![tool] }, "{text}");
        assert_eq!(repaired.text == text, tool.is_empty());
        assert_eq!(repaired.fixes.is_empty(), tool.is_empty());
    }
    let edit = repair_tool_block(&block(rows[3].0), TextEnd::MaybeCut, &Settings::default());
    assert_eq!(edit.report.calls[0].search_replace(), Some(("hello", "world")));
    let wanted = "{\n  \"tool\": \"edit_file\",\n  \"path\": \"App.tsx\",\n  \"search_replace\": {\n    \"old_string\": \"hello\",\n    \"new_string\": \"world\"\n  }\n}";
    assert_eq!(edit.text, block(wanted));
}

#[test]
fn the_docs_name_every_kind_of_fix() {
    let docs = include_str!("../docs/repair.md");
    for name in FixKind::ALL.iter().map(|kind| kind.name()) {
        assert!(docs.contains(&format!("`{name}`")), "docs/repair.md does not name the fix {name}");
    }
}

#[test]
fn every_kind_of_fix_has_a_damaged_block() {
    let mut made = std::collections::BTreeSet::new();
    for (_, table) in damaged_table::TABLES {
        for row in damaged_table::rows(table) {
            let repair = repair_tool_block(&row.message, TextEnd::Complete, &Settings::default());
            made.extend(repair.fixes.iter().map(|fix| fix.kind.name()));
        }
    }
    // Two more repair JSON outside of blocks.
    for text in ["[1, ...]", "callback({})"] {
        let repair = repair_json(text, TextEnd::Complete, &genui_patch::limits::Limits::default());
        made.extend(repair.fixes.iter().map(|fix| fix.kind.name()));
    }
    let missing: Vec<&str> = FixKind::ALL.iter().map(|kind| kind.name()).filter(|name| !made.contains(name)).collect();
    assert!(missing.is_empty(), "no row of tests/fixtures/damaged is repaired by {}", missing.join(", "));
}

#[test]
fn damaged_blocks() {
    let failures = damaged_table::failures();
    assert!(failures.is_empty(), "{}\n{} failures", failures.join("\n"), failures.len());
}

/// However a block is cut off, it never yields another call than the intended one. If a fence follows all the same, or the
/// caller says that the text is complete, missing brackets are added: then a string may seem complete where it was cut off,
/// after an unescaped quote, after the first of three quotes, or before a `+`.
#[test]
fn no_beginning_of_a_block_is_another_call() {
    let mut wrong = Vec::new();
    for (table, text) in damaged_table::TABLES {
        if table == "large" || table == "refusals" {
            continue;
        }
        for row in damaged_table::rows(text) {
            for (end, _) in row.message.char_indices() {
                let beginning = row.message.get(..end).unwrap();
                let mut readings = vec![(beginning.to_owned(), TextEnd::MaybeCut)];
                if !row.kinds.iter().any(|kind| matches!(&**kind, "inner-quotes" | "concatenation" | "triple-quotes")) {
                    readings.push((beginning.to_owned(), TextEnd::Complete));
                    readings.push((format!("{beginning}\n```"), TextEnd::MaybeCut));
                }
                for (message, text_end) in readings {
                    let calls = damaged_table::streamed(&message, 0, text_end);
                    // Some of several calls may be complete.
                    let want = row.want.get(..calls.len()).unwrap_or_default();
                    let same = |call, want| damaged_table::is_meant(call, &without_args(want));
                    if !calls.iter().zip(want).all(|(call, want)| same(call, want)) || want.len() < calls.len() {
                        wrong.push(format!("{table}: {}, {text_end:?}: {message:?}", row.name));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{} wrong calls", wrong.get(..30.min(wrong.len())).unwrap().join("\n"), wrong.len());
}

/// Optional fields may be cut off.
fn without_args(call: &serde_json::Value) -> serde_json::Value {
    let mut call = call.clone();
    call.as_object_mut().unwrap().remove("args");
    call
}

mod json {
    //! Compares with `serde_json`.

    use genui_patch::block::TextEnd;
    use genui_patch::block::repair::{parse_partial_json, repair_json};
    use genui_patch::counted;
    use genui_patch::limits::Limits;
    use proptest::prelude::*;
    use serde_json::Value;

    fn limits() -> Limits {
        Limits::default()
    }

    #[test]
    fn the_value_after_a_fence() {
        let json = "{\"a\": \"```\"}";
        for fence in ["```", "~~~", "````"] {
            for before in
                ["", " ", "\t", "\u{feff}", "\u{feff} \r\n", "json ", "Here it is: ", "It's \"a\":\n", "One.\n\n  "]
            {
                for info in ["json", "", "JSON5 title=\"a b\"", " json"] {
                    for (line, after) in [("\n", ""), ("\r\n", "\r\n"), ("\n", "\nDone {x}.")] {
                        let text = format!("{before}{fence}{info}{line}{json}{line}{fence}{after}");
                        let repaired = repair_json(&text, TextEnd::MaybeCut, &limits());
                        assert_eq!((repaired.text.trim(), repaired.ok), (json, true), "{text:?}");
                    }
                }
            }
        }
        for text in ["```json {\"a\": \"```\"}```", "x ```{\"a\": \"```\"}\n```", "\u{feff}```json\n{\"a\": \"```\"}"] {
            assert_eq!(repair_json(text, TextEnd::MaybeCut, &limits()).text.trim(), json, "{text:?}");
        }
        for text in ["{\"a\": \"x\n```json\n{}\n```\n\"}", "\"a ```json\n{}\n```\"", "['```', 1,]"] {
            let repaired = repair_json(text, TextEnd::MaybeCut, &limits());
            assert!(repaired.ok && repaired.text.contains("```"), "{text:?}");
        }
    }

    #[test]
    fn quotes_that_belong_to_a_text_stay_as_they_are() {
        for (text, wanted) in [
            ("{“a”: “he said “hi” to me”}", r#"{"a": "he said “hi” to me"}"#),
            ("['it's', ‘l’été’, `a \"b\" c`]", r#"["it's", "l’été", "a \"b\" c"]"#),
            ("“”””””””””””", "\"””””””””””\""),
            (r#"["it\'s", 'it\'s \d']"#, r#"["it's", "it's \\d"]"#),
            ("{\"size\": \"24\" wide\"}", r#"{"size": "24\" wide"}"#),
        ] {
            assert_eq!(repair_json(text, TextEnd::Complete, &limits()).text, wanted);
        }
        // A quote is missing: the text after it does not become part of the string.
        for text in [
            r#"{"a": "b, "c": "d"}"#,
            r#"{"a": "b", c": "d", "e: "f"}"#,
            r#"["a, "b"]"#,
            "{'a': 'it's, 'c': 'd'}",
            "{“a”: “b, “c”: “d”}",
            // A surplus quote looks like the end of a string.
            r#"{"a": "b"}, "c": "d"}"#,
            r#"{"a": 1, b "c": "d"}"#,
            r#"{"a": "b", c "d": "e"}"#,
            r#"{"a": ["b"], ["c"], "d": "e"}"#,
            // No separator of JSON's relatives; in a text, a quote before `;` is as likely as not.
            r#"{"a": "b";"c": "d"}"#,
            r#"[\"a\, \"b\"]"#,
        ] {
            let repaired = repair_json(text, TextEnd::Complete, &limits());
            assert!(!repaired.ok, "two readings, so it must be refused: {text}, but was read as {}", repaired.text);
        }
    }

    #[test]
    fn only_json_is_complete() {
        let sound = ["0", "-0", "1E400", "1.0", "12345678901234567890", "\"\\ud83d\"", "[]", " {\"a\": 1, \"a\": 2} "];
        for text in sound {
            assert!(parse_partial_json(text, &limits()).complete, "{text}");
            for (before, after) in
                [("\u{feff}", ""), ("// x\n", ""), ("```json\n", "\n```"), ("x ", ""), ("", ";"), ("", ","), ("", "]")]
            {
                let text = format!("{before}{text}{after}");
                assert!(!parse_partial_json(&text, &limits()).complete, "{text}");
            }
        }
        for text in [
            "{'a': 1}",
            "{a: 1}",
            "[1,]",
            "[1 2]",
            "{\"a\": \"x\ny\"}",
            "[01]",
            "[.5]",
            "[True]",
            "\"\\d\"",
            "{\"a\": \"b\" + \"c\"}",
        ] {
            let partial = parse_partial_json(text, &limits());
            assert!(!partial.complete && !partial.text.is_empty(), "{text}");
        }
    }

    #[test]
    fn halves_of_pairs_are_replaced() {
        for (text, wanted) in [
            (r#""a\\ud83d \ud83d b""#, "\"a\\\\ud83d \u{fffd} b\""),
            (r#""\ud83d\ude00\ude00""#, "\"\\ud83d\\ude00\u{fffd}\""),
            (r#"["\uD83D\n", "\uDE00"#, "[\"\u{fffd}\\n\", \"\u{fffd}\"]"),
            (r#"{"\ud83d": "x"#, "{\"\u{fffd}\": \"x\"}"),
            (r#"["x\ud83d"#, "[\"x\"]"),
            (r#"["x\ud83d\"#, "[\"x\"]"),
            (r#"["x\ud83d\ude0"#, "[\"x\"]"),
            (r#"["x\n\ude0"#, "[\"x\\n\"]"),
        ] {
            assert_eq!(parse_partial_json(text, &limits()).text, wanted);
        }
    }

    /// Random sequences of tokens of JSON and of common faults.
    fn texts() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "'",
            "`",
            "“",
            "”",
            "\\",
            "\\n",
            "\\d",
            "\\u00e9",
            "\\ud83d",
            "\\u12",
            "\n",
            "\t",
            " ",
            "\u{a0}",
            "\u{feff}",
            "\u{1}",
            "0",
            "-1.5",
            ".5",
            "007",
            "true",
            "nul",
            "None",
            "abc",
            "é😀",
            "//",
            "/*",
            "*/",
            "#",
            "+",
            "...",
            "(",
            ")",
            ";",
            "```",
            "```json\n",
            "\"a\":",
            "\"a\"",
            "{\"a\":\"b\"",
            "a:",
            "\",\"",
            "\"}",
        ]);
        prop::collection::vec(pieces, 0..14).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn sound_json_stays_and_what_is_repaired_is_json(text in texts(), complete: bool) {
            let text_end = if complete { TextEnd::Complete } else { TextEnd::MaybeCut };
            let truth = serde_json::from_str::<Value>(&text);
            let repaired = repair_json(&text, text_end, &limits());
            // serde_json refuses lone surrogates, which JSON.parse accepts.
            if !text.contains("\\ud") {
                prop_assert_eq!(repaired.ok && repaired.fixes.is_empty(), truth.is_ok());
                prop_assert!(!repaired.ok || serde_json::from_str::<Value>(&repaired.text).is_ok(), "{}", repaired.text);
            }
            if truth.is_ok() || !repaired.ok {
                prop_assert_eq!(&repaired.text, &text);
                prop_assert!(repaired.fixes.is_empty());
            }
            if repaired.ok {
                let again = repair_json(&repaired.text, text_end, &limits());
                prop_assert!(again.ok && again.fixes.is_empty());
            }
        }

        #[test]
        fn a_partial_text_becomes_json_or_nothing(text in texts()) {
            let partial = parse_partial_json(&text, &limits());
            let is_json = text.contains("\\ud") || serde_json::from_str::<Value>(&partial.text).is_ok();
            prop_assert!(partial.text.is_empty() || is_json, "{}", partial.text);
            if !text.contains("\\ud") {
                prop_assert_eq!(partial.complete, serde_json::from_str::<Value>(&text).is_ok());
            }
        }
    }

    /// Repair is linear: eight times the text takes about eight times as many steps. A search over the text for each quote
    /// would take 64 times as many.
    #[test]
    fn no_text_takes_longer_than_it_is_long() {
        let units = [
            "\"",
            "'",
            "\",\"",
            "\",\"a\":",
            "\"}",
            "\"}{\"",
            "\"// ",
            "\"/*",
            "\"\n",
            "\\\"",
            "{\"",
            ",",
            "\"+\"",
            "`",
            "“",
            "x ",
            "{a:",
            "[\"",
        ];
        let strings = units.map(|unit| ("{\"tool\":\"write_file\",\"content\":\"", unit));
        let fences = ["```\n", "~~~\n", "```json\n", "\n\n"].map(|line| ("", line));
        let keys = ["\"path\" \"x\" ", "\"path\":\"x\","].map(|key| ("{\"tool\":\"write_file\",", key));
        let edits =
            ["\"old_string\":\"x\",", "\"} \"path\" "].map(|key| ("{\"tool\":\"edit_file\",\"search_replace\":{", key));
        let mut all = 0;
        for (start, unit) in strings.into_iter().chain(fences).chain(keys).chain(edits) {
            let looked = |length: usize| {
                let text = [start, &unit.repeat(length / unit.len())].concat();
                let before = counted::steps();
                let _ = repair_json(&text, TextEnd::Complete, &limits());
                let _ = super::repair_tool_block(&text, TextEnd::Complete, &super::Settings::default());
                counted::steps() - before
            };
            let (short, long) = (looked(1 << 13), looked(1 << 16));
            assert!(long < 12 * short, "{unit:?}: eight times the text takes {long} steps, {short} before");
            all += short;
        }
        assert!(all > 26 << 13, "{all} steps: not all that is looked at is counted");
    }
}
