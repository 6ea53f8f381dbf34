//! JSON values: parsing and writing, compared with `serde_json` and the rules of `JSON.parse`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use genui_patch::value::{Array, Builder, Container, IdKey, Lexer, Position, Role, Sink, Stop, Value, parse};
use proptest::prelude::*;

fn json(depth: u32) -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        ".*".prop_map(Into::into),
    ];
    leaf.prop_recursive(depth, 64, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Into::into),
            prop::collection::vec((".{0,4}", inner), 0..20)
                .prop_map(|entries| serde_json::Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Texts similar to JSON: tokens in any order.
fn nearly_json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\""),
        Just("\\"),
        Just("\\u12"),
        Just("0"),
        Just("1"),
        Just("-"),
        Just("."),
        Just("e"),
        Just("+"),
        Just("true"),
        Just("null"),
        Just("nul"),
        Just(" "),
        Just("\n"),
        Just("\"a\""),
        Just("\"a\":1"),
        Just("\\ud83d\\ude00"),
        Just("\u{1}"),
        Just("é"),
        Just("/"),
        Just("'"),
        Just("[1]"),
        Just("{}"),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn pieces(text: &str, cuts: &[usize]) -> Option<Value> {
    let mut lexer = Lexer::strict(128);
    let mut builder = Builder::default();
    let mut stop = Stop::Input;
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0_usize;
    for cut in cuts.iter().copied().chain([usize::MAX]) {
        let end = at.saturating_add(cut).min(chars.len());
        let piece: String = chars[at..end].iter().collect();
        let mut rest = &piece[..];
        while !rest.is_empty() {
            let (taken, next) = lexer.feed(rest, &mut builder);
            stop = next;
            if stop == Stop::Fault {
                return None;
            }
            rest = &rest[taken..];
        }
        at = end;
    }
    let _ = stop;
    if lexer.finish(&mut builder) == Stop::Complete { builder.take() } else { None }
}

/// The tokens of a tolerant lexer, with each string in one part.
#[derive(Debug, Default)]
struct Heard {
    tokens: Vec<String>,
    text: String,
}

impl Heard {
    fn of(text: &str, piece: usize) -> String {
        let mut recorded = Self::default();
        let mut lexer = Lexer::tolerant(8);
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(piece) {
            let piece: String = piece.iter().collect();
            let mut rest = &*piece;
            while !rest.is_empty() {
                let (taken, stop) = lexer.feed(rest, &mut recorded);
                // Empty lines after a line belong to the same stop.
                if stop == Stop::Line && recorded.tokens.last().is_none_or(|last| last != "line") {
                    recorded.tokens.push("line".to_owned());
                }
                rest = rest.get(taken..).unwrap();
            }
        }
        lexer.finish(&mut recorded);
        let (fault, misled, lone) = (lexer.fault(), lexer.is_misled(), lexer.lone_surrogate());
        format!("{:?} {:?} {fault:?} {misled} {lone:?} {}", recorded.tokens, recorded.text, lexer.offset())
    }
}

impl Sink for Heard {
    fn open(&mut self, container: Container, offset: usize) {
        self.tokens.push(format!("{container:?} {offset}"));
    }
    fn close(&mut self, container: Container, offset: usize) {
        self.tokens.push(format!("end of {container:?} {offset}"));
    }
    fn begin_string(&mut self, role: Role, offset: usize) {
        self.text.clear();
        self.tokens.push(format!("{role:?} {offset}"));
    }
    fn text(&mut self, run: &str) {
        self.text.push_str(run);
    }
    fn end_string(&mut self, _: Role) {
        self.tokens.push(std::mem::take(&mut self.text));
    }
    fn scalar(&mut self, value: Value, offset: usize) {
        self.tokens.push(format!("{value:?} {offset}"));
    }
}

/// A position, counted character by character.
fn counted(text: &str, byte: usize) -> Position {
    let mut at = Position { offset: 0, line: 1, column: 1 };
    for (_, char) in text.char_indices().take_while(|(place, _)| *place < byte) {
        at.offset += char.len_utf16();
        at.column += char.len_utf16();
        if char == '\n' {
            (at.line, at.column) = (at.line + 1, 1);
        }
    }
    at
}

proptest! {
    #[test]
    fn text_reads_back_as_it_was_written(value in json(5)) {
        let text = value.to_string();
        let own = parse(&text, 128).unwrap();
        prop_assert_eq!(parse(&own.to_json(), 128).unwrap(), own.clone());
        // Another parser reads the same value, numbers included.
        let theirs: serde_json::Value = serde_json::from_str(&own.to_json()).unwrap();
        prop_assert_eq!(parse(&theirs.to_string(), 128).unwrap(), own);
    }

    #[test]
    fn accepts_what_json_accepts_and_nothing_else(text in nearly_json()) {
        // serde_json refuses lone surrogates and numbers beyond a double; JSON.parse takes both.
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        let own = parse(&text, 128);
        let lenient = text.contains("\\ud") || theirs.as_ref().is_err_and(|e| e.to_string().contains("out of range"));
        if !lenient {
            prop_assert_eq!(own.is_ok(), theirs.is_ok(), "{:?} {:?}", own, theirs);
        }
    }

    #[test]
    fn any_split_reads_the_same(text in nearly_json(), cuts in prop::collection::vec(0..4_usize, 0..30)) {
        prop_assert_eq!(parse(&text, 128).ok(), pieces(&text, &cuts));
    }

    #[test]
    fn strings_say_the_same_in_any_pieces_and_runs(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "{\"a\":\"", "\"", "\":\"", "\",\"b", "'", "\\", "\\n", "\\\"", "\\/", "\\d", "\\u00e9", "\\ud83d",
                "\\ude00", "\\u1", "\n", "\t", "\u{1f}", "\u{80}", "text", "a long run of text", "é😀", "}", ",",
            ]),
            0..24,
        ),
    ) {
        let text = pieces.concat();
        let whole = Heard::of(&text, usize::MAX);
        prop_assert_eq!(&Heard::of(&text, 1), &whole);
        prop_assert_eq!(&Heard::of(&text, 3), &whole);
    }

    #[test]
    fn positions_are_counted_in_utf_16(text in "[a-z\né😀→\t]{0,60}", byte in 0_usize..120) {
        prop_assert_eq!(Position::of(&text, byte), counted(&text, byte));
    }

    #[test]
    fn numbers_are_written_as_they_read(bits in any::<u64>()) {
        let number = f64::from_bits(bits);
        prop_assume!(number.is_finite());
        let text = Value::Number(number).to_json();
        prop_assert_eq!(text.parse::<f64>().unwrap(), number);
    }
}

#[test]
fn numbers_read_as_in_ecmascript() {
    for (number, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (1.5e300, "1.5e+300"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.25e-9, "1.25e-9"),
        (123456789012345680000.0, "123456789012345680000"),
        (0.1 + 0.2, "0.30000000000000004"),
        (9007199254740993.0, "9007199254740992"),
        (5e-324, "5e-324"),
        (-1e-7, "-1e-7"),
        (12345.678, "12345.678"),
        (f64::MAX, "1.7976931348623157e+308"),
    ] {
        assert_eq!(Value::Number(number).to_json(), text);
    }
    assert_eq!(parse("-0", 8).unwrap().as_number().unwrap().to_bits(), 0);
    assert_eq!(parse("1e400", 8).unwrap(), Value::Number(f64::INFINITY));
    // A long fraction outweighs a large power.
    let tiny_fraction = format!("0.{}1e1000001", "0".repeat(1_000_000));
    assert_eq!(parse(&tiny_fraction, 8).unwrap(), Value::Number(1.0));
}

#[test]
fn errors_name_the_found_and_the_expected_token() {
    for (text, message, line, column) in [
        ("", "Unexpected end of the text, expected a value", 1, 1),
        ("{\"a\":1,}", "Unexpected `}` after a comma, expected a key in double quotes", 1, 8),
        ("{\"a\":}", "Unexpected `}`, expected a value", 1, 6),
        ("[1,]", "Unexpected `]` after a comma, expected a value", 1, 4),
        ("{\"a\" 1}", "Unexpected `1`, expected a colon", 1, 6),
        ("[1 2]", "Unexpected `2`, expected `,` or `]`", 1, 4),
        ("{\n\"a\": tru}", "Unexpected `tru`, expected a value", 2, 6),
        ("\"a\nb\"", "Unexpected line break inside a string, expected \\n", 1, 3),
        ("\"\\d\"", "Unexpected escape, expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u", 1, 3),
        ("[01]", "Unexpected `01`, expected a JSON number", 1, 2),
        ("[😀]", "Unexpected `😀`, expected a value or `]`", 1, 2),
        ("\"😀", "Unexpected end of the text inside a string, expected \"", 1, 4),
        ("1 2", "Unexpected `2`, expected the end of the text", 1, 3),
        ("[[[[", "Nested deeper than 3 levels", 1, 4),
    ] {
        let error = parse(text, 3).unwrap_err();
        assert_eq!(error.fault.to_string(), message, "{text}");
        assert_eq!((error.position.line, error.position.column), (line, column), "{text}");
    }
    assert!(parse(&"[".repeat(100_000), 128).is_err());
}

#[test]
fn surrogates_pair_up_or_are_replaced() {
    for (text, value) in [
        (r#""\ud83d\ude00""#, "😀"),
        (r#""\ud83d""#, "\u{fffd}"),
        (r#""\ude00x""#, "\u{fffd}x"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (r#""\ud83d\n""#, "\u{fffd}\n"),
        (r#""\ud83dx""#, "\u{fffd}x"),
    ] {
        assert_eq!(parse(text, 8).unwrap().as_str().unwrap(), value, "{text}");
    }
}

#[test]
fn duplicate_keys_keep_the_first_place_and_the_last_value() {
    assert_eq!(parse(r#"{"a":1,"b":2,"a":3}"#, 8).unwrap().to_json(), r#"{"a":3,"b":2}"#);
}

#[test]
fn items_are_found_by_id() {
    let mut items: Array = (0..50).map(|n| parse(&format!(r#"{{"id":"i{n}"}}"#), 8).unwrap()).collect();
    assert_eq!(items.locate(IdKey::Id, "i31"), Some(31));
    assert_eq!(items.locate(IdKey::Id, "i50"), None);
    let mut numbers: Array = vec![parse(r#"{"id":7}"#, 8).unwrap()].into();
    assert_eq!(numbers.locate(IdKey::Id, "7"), Some(0));
}

/// Two comparisons per level would be 2^500 in total.
#[test]
fn deep_values_are_compared_in_one_walk() {
    let deep = |leaf: &str| parse(&format!("{}{leaf}{}", r#"{"a":"#.repeat(500), "}".repeat(500)), 512).unwrap();
    assert_ne!(deep("1"), deep("2"));
    assert_eq!(deep(r#"{"x":1,"y":2}"#), deep(r#"{"y":2,"x":1}"#));
    assert_ne!(parse(r#"{"x":1,"y":2}"#, 8).unwrap(), parse(r#"{"x":1,"z":2}"#, 8).unwrap());
    assert_ne!(parse(r#"{"x":1,"y":2}"#, 8).unwrap(), parse(r#"{"y":1,"x":2}"#, 8).unwrap());
}
