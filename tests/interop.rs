//! JSON Patch and JSON Merge Patch: the fixture table, and properties of all documents and operations.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/interop_table.rs"]
mod interop_table;

use genui_patch::edit::Document;
use genui_patch::limits::Limits;
use genui_patch::patch::{Catalog, OnError, PatchOutcome, Refusal, Rules, RunOptions, Values, Work, check_document};
use genui_patch::value::{Value, parse};
use proptest::prelude::*;

#[test]
fn the_table_of_standard_patches() {
    let failures = interop_table::failures();
    assert!(failures.is_empty(), "{} rows failed:\n{}", failures.len(), failures.join("\n"));
}

fn run(document: &mut Document, work: Work, rules: Rules) -> Result<PatchOutcome, Refusal> {
    let (catalog, limits) = (Catalog::default(), Limits::default());
    let options = RunOptions {
        rules,
        catalog: &catalog,
        limits: &limits,
        on_error: OnError::Rollback,
        values: Values::default(),
        creates_instance: false,
    };
    work.run(document, options)
}

fn json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![Just(Value::Null), Just(Value::Bool(true)), (0..3_u32).prop_map(|n| f64::from(n).into())];
    scalar.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-c0-2]", inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn pointer() -> impl Strategy<Value = String> {
    prop::collection::vec(prop_oneof!["[a-c]", "[0-3]", Just("-".to_owned())], 0..4)
        .prop_map(|tokens| tokens.iter().fold(String::new(), |text, token| text + "/" + token))
}

fn operations() -> impl Strategy<Value = Value> {
    let op = prop::sample::select(vec!["add", "remove", "replace", "move", "copy", "add", "move"]);
    let operation = (op, pointer(), pointer(), json()).prop_map(|(op, path, from, value)| {
        let members = [("op", Value::from(op)), ("path", path.into()), ("from", from.into()), ("value", value)];
        Value::Object(members.into_iter().collect())
    });
    prop::collection::vec(operation, 1..8).prop_map(Value::from)
}

/// The algorithm of RFC 7396, section 2.
fn merged(target: Option<&Value>, patch: &Value) -> Value {
    let Value::Object(entries) = patch else { return patch.clone() };
    let own = target.and_then(Value::as_object);
    let kept = own.into_iter().flat_map(|own| own.iter()).filter(|(key, _)| !entries.contains(key));
    let mut all: Vec<(String, Value)> = kept.map(|(key, value)| (key.to_owned(), value.clone())).collect();
    for (key, entry) in entries.iter().filter(|(_, entry)| **entry != Value::Null) {
        all.push((key.to_owned(), merged(own.and_then(|own| own.get(key)), entry)));
    }
    Value::Object(all.into_iter().collect())
}

/// A page with every part that the rules check.
const PAGE: &str = r#"{"page_key":"p","meta":{"pageKey":"p"},"state":{"params":{"a":1},"runtime":{}},"layout":{"type":"single"},
"blocks":[{"id":"a","type":"form","props":{"fields":[{"key":"n","label":"N","type":"text"},{"key":"m","label":"M","type":"text"}]}},
{"id":"b","type":"form"}],"actions":[{"id":"go","label":"Go","style":"primary"}]}"#;

const PLACES: [&str; 24] = [
    "",
    "/page_key",
    "/meta",
    "/meta/pageKey",
    "/state",
    "/state/params",
    "/state/params/a",
    "/state/params/b",
    "/state/x",
    "/layout",
    "/layout/type",
    "/blocks",
    "/blocks/-",
    "/blocks/0",
    "/blocks/1",
    "/blocks/0/id",
    "/blocks/1/id",
    "/blocks/0/props",
    "/blocks/0/props/fields",
    "/blocks/0/props/fields/0",
    "/blocks/0/props/fields/1/key",
    "/blocks/1/props",
    "/actions/0",
    "/actions/0/label",
];

proptest! {
    #[test]
    fn inverses_restore_and_failures_leave_no_trace(start in json(), operations in operations()) {
        let before = start.to_json();
        let mut document = Document::new(start);
        if let Ok(outcome) = run(&mut document, Work::JsonPatch(operations), Rules::Open) {
            let after = document.value().to_json();
            let mut copy = Document::new(parse(&before, 64).unwrap());
            for edit in outcome.changes {
                copy.apply(edit).unwrap();
            }
            prop_assert_eq!(copy.value().to_json(), after);
            document.undo(outcome.inverses);
        }
        prop_assert_eq!(document.value().to_json(), before);
    }

    #[test]
    fn a_merge_is_what_the_rfc_says(start in json(), patch in json()) {
        let wanted = merged(Some(&start), &patch);
        let before = start.to_json();
        let mut document = Document::new(start);
        let outcome = run(&mut document, Work::MergePatch(patch), Rules::Open).unwrap();
        prop_assert_eq!(document.value(), &wanted);
        document.undo(outcome.inverses);
        prop_assert_eq!(document.value().to_json(), before);
    }

    #[test]
    fn a_page_stays_valid(
        moves in prop::collection::vec((0..5_usize, 0..PLACES.len(), 0..PLACES.len(), 0..PLACES.len()), 1..6),
    ) {
        let page = parse(PAGE, 64).unwrap();
        let mut document = Document::new(page.clone());
        for (op, path, from, value) in moves {
            let op = ["add", "remove", "replace", "move", "copy"][op];
            let pointed = genui_patch::value::pointer(PLACES[value]).unwrap();
            let value = pointed.iter().try_fold(&page, |value, token| match value {
                Value::Array(items) => items.get(token.parse().ok()?),
                other => other.get(token),
            });
            let members = [("op", Value::from(op)), ("path", PLACES[path].into()), ("from", PLACES[from].into())];
            let members = members.into_iter().chain([("value", value.cloned().unwrap_or_default())]);
            let operations = Value::from(vec![Value::Object(members.collect())]);
            let before = document.value().to_json();
            match run(&mut document, Work::JsonPatch(operations.clone()), Rules::Ui) {
                Ok(_) => {}
                Err(_) => prop_assert_eq!(document.value().to_json(), before.as_str()),
            }
            let checked = check_document(document.value(), Rules::Ui, &Catalog::default());
            prop_assert!(checked.is_ok(), "{} made {}: {:?}", operations.to_json(), document.value().to_json(), checked);
            prop_assert_eq!(document.value().get("page_key"), page.get("page_key"));
        }
    }
}
