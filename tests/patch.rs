//! Patch calls: the fixture table, and properties of all calls.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/patch_table.rs"]
mod patch_table;

#[test]
fn the_table_of_calls() {
    let failures = patch_table::failures();
    assert!(failures.is_empty(), "{} rows failed:\n{}", failures.len(), failures.join("\n"));
}

use genui_patch::edit::script_to_json;
use genui_patch::limits::Limits;
use genui_patch::patch::{Code, Op, PathExpr};
use genui_patch::store::{Options, Store};
use genui_patch::value::{Value, parse};
use proptest::prelude::*;

const PAGE: &str = r#"{"meta":{"pageKey":"p"},"state":{"params":{"n":1,"s":"x","l":[1,2,{"id":"a"}],"o":{"k":1}},"runtime":{}},
"layout":{"type":"single"},"blocks":[{"id":"a","type":"form","props":{"fields":[{"key":"n","label":"N","type":"number","value":3}]}},
{"id":"b","type":"tabs"}],"actions":[{"id":"go","label":"Go","style":"primary"}]}"#;

/// Values that are valid only at some places.
fn value() -> impl Strategy<Value = String> {
    let known = [
        "1",
        "\"x\"",
        "null",
        "true",
        "[]",
        "{}",
        "[1,2]",
        r#"{"id":"a"}"#,
        r#"{"k":2}"#,
        r#"{"id":"c","type":"form","props":{"fields":[]}}"#,
        r#"{"key":"m","label":"M","type":"text"}"#,
        r#"{"key":"id","value":"a","updates":{"z":1}}"#,
        r#"{"key":"id","operator":"==","value":"a"}"#,
        r#"{"id":"d","label":"D","style":"default"}"#,
        r#"{"type":"grid","columns":2}"#,
    ];
    prop::sample::select(known.to_vec()).prop_map(str::to_owned)
}

fn path() -> impl Strategy<Value = String> {
    let known = [
        "state",
        "state.params",
        "state.params.n",
        "state.params.s",
        "state.params.l",
        "state.params.l+",
        "state.params.l.0",
        "state.params.l[\"a\"]",
        "state.params.o",
        "state.params.o.k",
        "state.params.new.deep",
        "state.runtime",
        "blocks",
        "blocks+",
        "blocks-0",
        "blocks-\"a\"",
        "blocks[\"a\"]",
        "blocks.0",
        "blocks.1.title",
        "blocks.0.props",
        "blocks.0.props.fields",
        "blocks.0.props.fields+",
        "blocks.0.props.fields.0",
        "blocks[\"a\"].props.fields-\"n\"",
        "blocks.0.id",
        "actions",
        "actions+",
        "actions.0",
        "actions.0.style",
        "layout",
        "layout.type",
        "meta",
        "meta.pageKey",
        "/state/params/l/-",
        "nope",
        "blocks[\"zz\"]",
        "state.params.s.x",
    ];
    prop::sample::select(known.to_vec()).prop_map(str::to_owned)
}

fn patch() -> impl Strategy<Value = String> {
    let op = prop::sample::select(Op::ALL.to_vec());
    let condition =
        prop_oneof![9 => Just(String::new()), 1 => Just(r#","condition":"state.params.n == 1""#.to_owned())];
    (op, path(), value(), condition, prop::bool::weighted(0.8)).prop_map(|(op, path, value, condition, with)| {
        let to = if op == Op::Move && with { r#","to":1"# } else { "" };
        let value = if with { format!(",\"value\":{value}{to}") } else { String::new() };
        format!("{{\"op\":\"{}\",\"path\":{}{value}{condition}}}", op.name(), Value::from(path).to_json())
    })
}

fn page(options: Options) -> Store {
    let mut store = Store::new(options);
    assert!(store.load("p", PAGE, None).is_success());
    store
}

fn call(patches: &[String]) -> String {
    format!("{{\"instance_name\":\"p\",\"patches\":[{}]}}", patches.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_failed_call_leaves_nothing_behind(patches in prop::collection::vec(patch(), 1..8)) {
        let mut store = page(Options::default());
        let before = store.save();
        let reply = store.apply(&call(&patches));
        if !reply.is_success() {
            prop_assert_eq!(store.save(), before);
        }
    }

    #[test]
    fn a_valid_document_stays_valid(patches in prop::collection::vec(patch(), 1..8)) {
        let mut store = page(Options { on_error: genui_patch::patch::OnError::Skip, ..Options::default() });
        store.apply(&call(&patches));
        let text = store.document("p").unwrap().to_json();
        let again = Store::new(Options::default()).load("p", &text, None);
        prop_assert!(again.is_success(), "{:?} after {}", again.error(), patches.join(" "));
    }

    #[test]
    fn the_changes_are_the_difference(patches in prop::collection::vec(patch(), 1..8)) {
        let mut store = page(Options { on_error: genui_patch::patch::OnError::Skip, ..Options::default() });
        let mut mirror = genui_patch::edit::Document::new(store.document("p").unwrap().clone());
        let mut other = page(Options::default());
        let reply = store.apply(&call(&patches));
        let changes = reply.outcome.unwrap().changes;
        let mut script = String::new();
        script_to_json(&mut script, &changes);
        prop_assert!(other.edit("p", &script).is_success(), "{script}");
        prop_assert_eq!(other.document("p").unwrap().to_json(), store.document("p").unwrap().to_json());
        for edit in changes {
            mirror.apply(edit).unwrap();
        }
        prop_assert_eq!(mirror.value().to_json(), store.document("p").unwrap().to_json());
    }

    #[test]
    fn a_failing_last_patch_undoes_every_operation(op in prop::sample::select(Op::ALL.to_vec()), path in path(), value in value()) {
        let patch = format!("{{\"op\":\"{}\",\"path\":{},\"value\":{value}}}", op.name(), Value::from(path).to_json());
        let mut store = page(Options::default());
        let before = store.save();
        let reply = store.apply(&call(&[patch, r#"{"op":"set","path":"nope","value":1}"#.to_owned()]));
        prop_assert!(!reply.is_success());
        prop_assert_eq!(store.save(), before);
    }

    #[test]
    fn saving_and_restoring_gives_the_same_store(patches in prop::collection::vec(patch(), 1..8)) {
        let mut store = page(Options::default());
        store.apply(&call(&patches));
        store.set_active(Some("p")).unwrap();
        let saved = store.save();
        prop_assert_eq!(Store::restore(&saved, Options::default()).unwrap().save(), saved);
    }

    #[test]
    fn any_text_is_answered(text in "[\\[\\]{}\":,a-z0-9 ._+-]{0,60}") {
        let mut store = page(Options::default());
        let before = store.save();
        prop_assert!(!store.apply(&text).is_success());
        prop_assert_eq!(store.save(), before);
    }

    #[test]
    fn paths_are_read_or_refused_and_written_back(text in "[a-z0-9.\\[\\]\"+/~ -]{0,24}") {
        if let Ok(path) = PathExpr::parse(&text, 128) {
            let written = path.to_text().unwrap();
            let again = PathExpr::parse(&written, 128).unwrap();
            prop_assert_eq!(&again.segments, &path.segments, "{} as {}", text, written);
        }
    }

    #[test]
    fn every_list_of_segments_can_be_written(keys in prop::collection::vec((0..3_u8, ".{1,6}", any::<u32>()), 1..6), end in any::<bool>()) {
        use genui_patch::patch::{Operator, Segment};
        let segments: Vec<Segment> = keys.into_iter().map(|(kind, text, index)| match kind {
            0 => Segment::Key(text.into()),
            1 => Segment::Id(text.into()),
            _ => Segment::Index(index),
        }).collect();
        let operator = if end { Operator::Append } else { Operator::Plain };
        let path = PathExpr { segments, operator };
        if let Ok(text) = path.to_text() {
            prop_assert_eq!(PathExpr::parse(&text, 128).unwrap(), path, "{}", text);
        }
    }
}

#[test]
fn every_code_has_a_case() {
    let table = include_str!("fixtures/patch.json");
    let messages = include_str!("fixtures/messages.json");
    // Codes that neither calls nor messages get are tested with the JavaScript API.
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/js")).unwrap();
    let api: String = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    let docs = include_str!("../docs/operations.md");
    for code in Code::ALL {
        let name = code.name();
        let quoted = format!("\"{name}\"");
        let known = [table, messages, &api].iter().any(|text| text.contains(&quoted));
        assert!(known, "no case causes {name}: add one to tests/fixtures/patch.json or messages.json");
        assert!(docs.contains(&format!("`{name}`")), "docs/operations.md does not name the code {name}");
    }
    for op in Op::ALL.iter().map(|op| op.name()) {
        assert!(
            table.contains(&format!("\"op\": \"{op}\"")),
            "no row of tests/fixtures/patch.json has the operation {op}"
        );
        assert!(docs.contains(&format!("`{op}`")), "docs/operations.md does not name the operation {op}");
    }
}

#[test]
fn an_edit_script_is_atomic_and_keeps_the_rules() {
    let mut store = page(Options::default());
    let before = store.save();
    let set = r#"{"kind": "set", "path": ["state", "params", "n"], "value": 9}"#;
    for (second, code) in [
        ("3", "INVALID_STRUCTURE"),
        (r#"{"kind": "set", "path": [1.5], "value": 1}"#, "INVALID_STRUCTURE"),
        (r#"{"kind": "set", "path": ["state"]}"#, "INVALID_STRUCTURE"),
        (r#"{"kind": "replace", "path": ["state"], "value": {}}"#, "INVALID_STRUCTURE"),
        (r#"{"kind": "set", "path": ["layout"], "value": {"type": "nonsense"}}"#, "INVALID_STRUCTURE"),
        (r#"{"kind": "remove", "path": ["nope"]}"#, "PATH_NOT_FOUND"),
        (r#"{"kind": "remove", "path": []}"#, "PATH_NOT_FOUND"),
        (r#"{"kind": "move", "from": ["state"], "path": ["nope", "x"]}"#, "PATH_NOT_FOUND"),
        (r#"{"kind": "insert", "path": ["state", "runtime", "x"], "index": -1, "value": 1}"#, "INVALID_STRUCTURE"),
    ] {
        let reply = store.edit("p", &format!("[{set}, {second}]"));
        assert_eq!(reply.error().map(|error| error.code.name()), Some(code), "{second}");
        assert_eq!(store.save(), before, "{second}");
    }
    assert_eq!(store.edit("q", "[]").error().map(|error| error.code.name()), Some("INVALID_INSTANCE"));
    assert_eq!(store.edit("p", "{").error().map(|error| error.code.name()), Some("INVALID_JSON"));
    assert!(store.edit("p", &format!("[{set}]")).is_success());
}

#[test]
fn a_damaged_save_is_an_error() {
    let saved = page(Options::default()).save();
    for text in ["", "{}", "[]", &saved[..saved.len() - 1], &saved.replace("\"rules\":\"ui\"", "\"rules\":\"no\"")] {
        assert!(Store::restore(text, Options::default()).is_err(), "{text}");
    }
    assert!(Store::restore(&saved.replace("\"type\":\"form\"", "\"type\":\"nope\""), Options::default()).is_err());
}

#[test]
fn a_huge_nesting_is_an_error() {
    for max_depth in [Limits::default().max_depth, usize::MAX] {
        let mut store = page(Options { limits: Limits { max_depth, ..Limits::default() }, ..Options::default() });
        for text in ["[".repeat(100_000), format!("{{\"instance_name\":\"p\",\"patches\":{}", "[".repeat(100_000))] {
            assert_eq!(store.apply(&text).error().unwrap().code, Code::LimitExceeded);
            assert_eq!(store.receive(&text, None).error().unwrap().code, Code::LimitExceeded);
        }
        let path = "state.params".to_owned() + &".a".repeat(100_000);
        let deep = call(&[format!("{{\"op\":\"set\",\"path\":\"{path}\",\"value\":1}}")]);
        assert_eq!(store.apply(&deep).error().unwrap().code, Code::LimitExceeded);
        assert!(parse(&store.save(), 128).is_ok());
    }
}
