//! Edits: inverses restore the document, and the index of ids stays valid after any edits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use genui_patch::edit::{Document, Edit};
use genui_patch::value::{IdKey, Path, Step, Value, parse};
use proptest::prelude::*;

/// Small documents with long lists of items with ids, and objects with many keys.
fn document() -> impl Strategy<Value = Value> {
    let scalar =
        prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::Bool), "[a-c]{0,2}".prop_map(Value::from)];
    let item = (0..30_u32, "[a-c]{0,2}")
        .prop_map(|(id, text)| parse(&format!(r#"{{"id":"i{id}","t":"{text}"}}"#), 8).unwrap());
    let leaf = prop_oneof![scalar, prop::collection::vec(item, 0..40).prop_map(Value::from)];
    leaf.prop_recursive(3, 60, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,2}", inner), 0..20)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Picks an existing place by a list of numbers, so that most edits apply.
fn place(value: &Value, picks: &[u8]) -> Path {
    let mut path = Path::new();
    let mut at = value;
    for pick in picks {
        let step = match at {
            Value::Array(items) if !items.is_empty() => Step::Index(usize::from(*pick) % items.len()),
            Value::Object(object) if !object.is_empty() => {
                Step::from(object.keys().nth(usize::from(*pick) % object.len()).unwrap())
            }
            _ => break,
        };
        at = at.step(&step).unwrap();
        path.push(step);
    }
    path
}

fn edit(document: &Value, (kind, picks, more, value): (u8, Vec<u8>, Vec<u8>, Value)) -> Edit {
    let mut path = place(document, &picks);
    let index = more.first().map(|&index| usize::from(index % 8));
    match kind % 5 {
        0 => Edit::Set { path, value },
        1 => Edit::Remove { path },
        2 => {
            path.push(Step::from("new"));
            Edit::Insert { path, index, value }
        }
        3 => Edit::Insert { path, index: None, value },
        _ => Edit::Move { from: path, path: place(document, &more), index },
    }
}

fn steps() -> impl Strategy<Value = Vec<(u8, Vec<u8>, Vec<u8>, Value)>> {
    let picks = || prop::collection::vec(any::<u8>(), 0..4);
    prop::collection::vec((any::<u8>(), picks(), picks(), document()), 0..40)
}

fn lists(value: &Value, path: &mut Path, out: &mut Vec<Path>) {
    match value {
        Value::Array(items) => {
            out.push(path.clone());
            for (index, item) in items.iter().enumerate() {
                path.push(index.into());
                lists(item, path, out);
                path.pop();
            }
        }
        Value::Object(object) => {
            for (key, value) in object.iter() {
                path.push(key.into());
                lists(value, path, out);
                path.pop();
            }
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn the_inverse_restores_byte_for_byte(start in document(), steps in steps()) {
        let mut document = Document::new(start);
        let mut undo = Vec::new();
        let before = document.value().to_json();
        for step in steps {
            let text = document.value().to_json();
            match document.apply(edit(&document.value().clone(), step)) {
                Ok(inverse) => undo.push(inverse),
                Err(_) => prop_assert_eq!(document.value().to_json(), text),
            }
        }
        document.undo(undo);
        prop_assert_eq!(document.value().to_json(), before);
    }

    #[test]
    fn a_watched_document_tells_what_its_edits_come_to(start in document(), steps in steps(), back in 0..40_usize) {
        let mut follower = Document::new(start.clone());
        let mut document = Document::new(start);
        document.watch();
        let mut inverses = Vec::new();
        for step in steps {
            inverses.extend(document.apply(edit(&document.value().clone(), step)));
        }
        // Undoes some of the edits, or all.
        let kept = inverses.len().saturating_sub(back);
        document.undo(inverses.split_off(kept));
        let before = follower.value().to_json();
        let script = document.end_watch();
        prop_assert_eq!(script.is_empty(), before == document.value().to_json(), "{:?}", script);
        for edit in script {
            prop_assert!(follower.apply(edit.clone()).is_ok(), "{:?}", edit);
        }
        prop_assert_eq!(follower.value().to_json(), document.value().to_json());
        prop_assert!(document.end_watch().is_empty());
    }

    #[test]
    fn what_is_undone_can_be_done_again(start in document(), steps in steps()) {
        let mut document = Document::new(start);
        let mut inverses = Vec::new();
        for step in steps {
            inverses.extend(document.apply(edit(&document.value().clone(), step)));
        }
        let text = document.value().to_json();
        let again = document.undo(inverses.clone());
        prop_assert_eq!(&document.undo(again), &inverses);
        prop_assert_eq!(document.value().to_json(), text);
    }

    #[test]
    fn ids_are_found_whatever_was_done_before(start in document(), steps in steps()) {
        let mut document = Document::new(start);
        for step in steps {
            let mut all = Vec::new();
            lists(document.value(), &mut Path::new(), &mut all);
            for path in all {
                for id in ["i0", "i7", "i21", "i39"] {
                    let naive = match document.value().at(&path).unwrap() {
                        Value::Array(items) => items.iter().position(|item| IdKey::Id.of(item).as_deref() == Some(id)),
                        _ => None,
                    };
                    prop_assert_eq!(document.locate(&path, IdKey::Id, id), naive);
                }
            }
            let edit = edit(&document.value().clone(), step);
            let _ = document.apply(edit);
        }
    }
}

#[test]
fn keys_and_ids_of_long_lists_survive_changes_in_the_middle() {
    let items: Vec<String> = (0..500).map(|n| format!(r#"{{"id":"i{n}"}}"#)).collect();
    let keys: Vec<String> = (0..500).map(|n| format!(r#""k{n}":{n}"#)).collect();
    let text = format!(r#"{{"list":[{}],"map":{{{}}}}}"#, items.join(","), keys.join(","));
    let mut document = Document::new(parse(&text, 8).unwrap());
    let list: Path = vec!["list".into()];
    assert_eq!(document.locate(&list, IdKey::Id, "i250"), Some(250));
    for n in (0..500).step_by(2) {
        let at = document.locate(&list, IdKey::Id, &format!("i{n}")).unwrap();
        document.apply(Edit::Remove { path: vec!["list".into(), at.into()] }).unwrap();
        document.apply(Edit::Remove { path: vec!["map".into(), format!("k{n}").as_str().into()] }).unwrap();
    }
    document.apply(Edit::Set { path: vec!["list".into(), 3.into(), "id".into()], value: "renamed".into() }).unwrap();
    for (id, at) in [("i1", Some(0)), ("i499", Some(249)), ("i2", None), ("i7", None), ("renamed", Some(3))] {
        assert_eq!(document.locate(&list, IdKey::Id, id), at, "{id}");
    }
    let map = document.value().get("map").unwrap().as_object().unwrap();
    assert_eq!(map.position("k499"), Some(249));
    assert_eq!(map.get("k499"), Some(&Value::Number(499.0)));
    assert_eq!(map.get("k2"), None);
}
