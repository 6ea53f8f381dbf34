//! The way of a scalar in the place of another, beside the way of every other set: wherever it is taken, the two come to the
//! same, and wherever it is not, nothing has happened. The same of a push of such a scalar beneath pending calls.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use genui_patch::edit::Edit;
use genui_patch::limits::Limits;
use genui_patch::patch::{PathExpr, Rules};
use genui_patch::store::{Options, Store};
use genui_patch::value::{Step, Value, measure, parse, path_to_json};
use proptest::prelude::*;

/// Short lists are searched, long ones indexed; ids are shared, numbers, keys of objects.
const DOCUMENT: &str = r#"{
    "meta": {"pageKey": "page", "step": {"current": 1, "total": 2}},
    "state": {
        "params": {
            "n": 1, "s": "text", "no": null, "flag": true, "o": {"k": 1, "0": "digit", "id": "own"},
            "short": [{"id": "a", "key": "x", "value": 1}, {"key": "b", "value": 2}, 3, {"id": 4, "n": 1}],
            "long": [{"id": "a", "n": 0}, {"id": "b", "n": 1}, {"id": "a", "n": 2}, {"key": "d", "n": 3}, {"id": 5},
                6, 7, 8, 9, 10, 11, 12, 13, {"id": "z", "list": [{"id": "y", "n": 1}]}]
        },
        "runtime": {"log": ["one", "two"], "x": 0}
    },
    "layout": {"type": "single", "columns": 2},
    "blocks": [
        {"id": "a", "type": "form", "title": "A", "note": 1, "value": 1, "props": {"fields": [
            {"key": "n", "label": "N", "type": "text", "value": ""}]}},
        {"id": "b", "type": "grid", "title": "B", "bind": "state.params", "props": {"fields": []}},
        {"id": "c", "type": "form", "title": "C", "n": {"deep": 1}, "key": "k", "props": {"fields": []}}
    ],
    "actions": [{"id": "go", "label": "Go", "style": "primary"}]
}"#;

const WORDS: [&str; 38] = [
    "state", "params", "runtime", "blocks", "actions", "meta", "layout", "n", "s", "no", "flag", "o", "k", "short",
    "long", "id", "key", "value", "title", "note", "type", "bind", "props", "fields", "label", "style", "list", "log",
    "x", "columns", "deep", "pageKey", "a", "b", "c", "d", "z", "y",
];

/// What the random steps begin with, so that many of them lead somewhere.
const STEMS: [&str; 8] =
    ["", "state.params", "state.params.short", "state.params.long", "state.runtime", "blocks", "state", "/"];

fn path() -> impl Strategy<Value = String> {
    let step = prop_oneof![
        4 => proptest::sample::select(&WORDS[..]).prop_map(|word| format!(".{word}")),
        2 => proptest::sample::select(&WORDS[..]).prop_map(|word| format!("[\"{word}\"]")),
        3 => (0..15_u32).prop_map(|index| format!(".{index}")),
        1 => (0..15_u32).prop_map(|index| format!("-{index}")),
    ];
    (proptest::sample::select(&STEMS[..]), proptest::collection::vec(step, 1..4)).prop_map(|(stem, steps)| {
        let text = format!("{stem}{}", steps.concat());
        if stem == "/" { text.replace(['.', '[', ']', '"'], "/").replace("//", "/") } else { text }
    })
}

fn scalar() -> impl Strategy<Value = Value> {
    let word =
        proptest::sample::select(&["", "a", "b", "z", "grid", "text", "a longer text than those that stand there"][..]);
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        proptest::sample::select(&[0.0, -0.0, 1.0, 2.5, 5.0, f64::INFINITY, 1e300][..]).prop_map(Value::from),
        word.prop_map(Value::from),
        Just(Value::from(vec![Value::from(1.0)])),
    ]
}

fn store(rules: Rules, room: usize) -> Store {
    let document = parse(DOCUMENT, 9).unwrap();
    let limits = Limits { max_document_bytes: measure(&document).bytes + room, max_depth: 9, ..Limits::default() };
    let mut store = Store::new(Options { limits, client_id: "t".into(), ..Options::default() });
    assert!(store.load("page", &document.to_json(), Some(rules)).is_success());
    store
}

/// Moves items of the lists, so that their indexes of ids are off.
const CALLS: [&str; 4] = [
    r#"{"op":"prepend_to_list","path":"state.params.long","value":{"id":"new"}}"#,
    r#"{"op":"remove","path":"state.params.long.0"}"#,
    r#"{"op":"remove","path":"blocks.0"}"#,
    r#"{"op":"add","path":"blocks+","value":{"id":"c2","type":"form","title":"","props":{"fields":[]}}}"#,
];

/// The index at which the first id of a path was found in a list.
fn item(path: &PathExpr, place: &[Step]) -> Option<usize> {
    path.segments.iter().zip(place).find_map(|(segment, step)| match (segment, step) {
        (genui_patch::patch::Segment::Id(_), Step::Index(index)) => Some(*index),
        _ => None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn both_ways_come_to_the_same(
        open in any::<bool>(),
        room in proptest::sample::select(&[0_usize, 20, 1000][..]),
        steps in proptest::collection::vec((path(), scalar(), proptest::option::weighted(0.1, 0..CALLS.len())), 1..30),
    ) {
        let rules = if open { Rules::Open } else { Rules::Ui };
        let [mut one, mut other] = [store(rules, room), store(rules, room)];
        let slot = one.slot("page").unwrap();
        for (path, value, call) in steps {
            if let Some(call) = call.and_then(|call| CALLS.get(call)) {
                let call = format!(r#"{{"instance_name":"page","patches":[{call}]}}"#);
                prop_assert_eq!(one.apply(&call), other.apply(&call));
            }
            let Ok(path) = PathExpr::parse(&path, 9) else { continue };
            let mut given = value.clone();
            let plain = one.set_plain(slot, &path, &mut given);
            let before = other.document("page").cloned();
            let reply = other.set(slot, &path, value.clone()).unwrap();
            match plain {
                None => {
                    prop_assert_eq!(&given, &value);
                    prop_assert_eq!(one.document("page"), before.as_ref());
                    prop_assert_eq!(one.set(slot, &path, value).unwrap(), reply);
                }
                Some(plain) => {
                    prop_assert!(reply.is_success(), "{:?}", reply);
                    let changes = reply.outcome.unwrap().changes;
                    prop_assert_eq!(plain.changed, !changes.is_empty());
                    if let [Edit::Set { path: place, value: set }] = &*changes {
                        prop_assert_eq!(set, &value);
                        prop_assert_eq!(plain.item, item(&path, place));
                        prop_assert_eq!(before.as_ref().unwrap().at(place), Some(&given));
                        let mut text = String::new();
                        path_to_json(&mut text, place);
                        prop_assert_eq!(place.len(), path.segments.len(), "{}", text);
                    } else {
                        prop_assert!(changes.is_empty(), "{:?}", changes);
                    }
                }
            }
            prop_assert_eq!(one.save(), other.save());
        }
    }
}

#[test]
fn it_is_the_way_of_what_pages_set_most() {
    for (rules, texts) in [
        (
            Rules::Ui,
            &["state.params.n", "/state/params/s", "state.params.long[\"z\"].list.0.n", "blocks[\"b\"].title"][..],
        ),
        (Rules::Open, &["meta.pageKey", "blocks[\"b\"].type", "state.params.long.1.n"][..]),
    ] {
        let mut store = store(rules, 1000);
        let slot = store.slot("page").unwrap();
        for text in texts {
            let path = PathExpr::parse(text, 9).unwrap();
            assert!(store.set_plain(slot, &path, &mut Value::from("new")).is_some_and(|plain| plain.changed), "{text}");
        }
        // Beneath what is pending another document counts.
        let pending = r#"{"instance_name":"page","patches":[{"op":"toggle","path":"state.params.flag"}]}"#;
        assert!(store.apply_optimistic(pending).is_success());
        let path = PathExpr::parse(texts[0], 9).unwrap();
        assert!(store.set_plain(slot, &path, &mut Value::from("newer")).is_none());
    }
}

/// Calls of which some are plain sets, and the others what a push beneath them has to make again.
const PENDING: [&str; 10] = [
    r#"{"op":"set","path":"state.params.n","value":VALUE}"#,
    r#"{"op":"set","path":"state.params.s","value":VALUE}"#,
    r#"{"op":"set","path":"state.params.new","value":VALUE}"#,
    r#"{"op":"set","path":"state.params.deep.er","value":VALUE}"#,
    r#"{"op":"set","path":"state.params.o","value":VALUE}"#,
    r#"{"op":"set","path":"state.runtime.log.0","value":VALUE}"#,
    r#"{"op":"set","path":"blocks[\"b\"].title","value":VALUE}"#,
    r#"{"op":"set","path":"blocks.2.n.deep","value":VALUE}"#,
    r#"{"op":"increment","path":"state.params.n"}"#,
    r#"{"op":"set","path":"state.params.flag","value":VALUE,"condition":"state.params.n > 1"}"#,
];

const PUSHED: [&str; 9] = [
    "state.params.n",
    "state.params.s",
    "/state/params/o/k",
    "state.params.o",
    "state.params.new",
    "state.params.deep.er",
    "state.params.flag",
    "blocks.1.title",
    "state.runtime.x",
];

const TEXTS: [&str; 7] =
    ["1", "2", "null", "\"text\"", "\"a longer text than those that stand there\"", "\"\"", "{\"k\":1}"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn a_push_beneath_pending_calls_comes_to_the_same(
        open in any::<bool>(),
        room in proptest::sample::select(&[0_usize, 20, 50, 1000][..]),
        steps in proptest::collection::vec((0..10_usize, proptest::sample::select(&PENDING[..]),
            proptest::sample::select(&PUSHED[..]), proptest::sample::select(&TEXTS[..]), any::<proptest::sample::Index>()), 1..25),
    ) {
        let rules = if open { Rules::Open } else { Rules::Ui };
        let [mut one, mut other] = [store(rules, room), store(rules, room)];
        for (kind, patch, path, value, index) in steps {
            let ids: Vec<String> = one.pending(None).iter().map(|(_, pending)| pending.id.to_string()).collect();
            let id = if ids.is_empty() { "none" } else { index.get(&ids).as_str() };
            match kind {
                0..=3 => {
                    let call = format!(r#"{{"instance_name":"page","patches":[{}]}}"#, patch.replace("VALUE", value));
                    prop_assert_eq!(one.apply_optimistic(&call), other.apply_optimistic(&call));
                }
                4 => prop_assert_eq!(one.confirm(id), other.confirm(id)),
                5 => prop_assert_eq!(one.reject(id), other.reject(id)),
                _ => {
                    let settles = if kind == 6 { format!(r#""patch_id":"{id}","#) } else { String::new() };
                    // Whatever stands beside the value makes it a patch for the long way.
                    let push = |more: &str| format!(
                        r#"{{{settles}"instance_name":"page","patches":[{{"op":"set","path":"{path}","value":{value}{more}}}]}}"#
                    );
                    prop_assert_eq!(one.receive(&push(""), None), other.receive(&push(r#","condition":null"#), None));
                }
            }
            prop_assert_eq!(one.save(), other.save());
            prop_assert_eq!(one.document("page"), other.document("page"));
        }
    }
}
