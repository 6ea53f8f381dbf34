//! Pending calls and messages: the fixture table, and the store compared with a model that clones. The shown document is
//! always the confirmed one with the pending calls applied in order.
//!
//! `SEQUENCES` says how many sequences each of four parts runs: 250, and in the suite `fuzz` 2,500.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/message_table.rs"]
mod message_table;
#[path = "support/model.rs"]
mod model;

use genui_patch::edit::Document;
use genui_patch::store::{Options, Store};
use genui_patch::value::{Value, parse};
use model::{Model, Random, call, load, push};

/// The shown documents as JavaScript has them: computed from the changes in the replies.
type Mirror = Vec<(String, Document)>;

fn follow(mirror: &mut Mirror, reply: &genui_patch::store::Reply) {
    let Ok(outcome) = &reply.outcome else { return };
    let name = reply.instance.as_deref().unwrap_or_default();
    for edit in &outcome.changes {
        let known = mirror.iter().position(|(own, _)| own == name);
        match (edit, known) {
            (genui_patch::edit::Edit::Remove { path }, Some(known)) if path.is_empty() => drop(mirror.remove(known)),
            (genui_patch::edit::Edit::Set { path, value }, None) if path.is_empty() => {
                mirror.push((name.to_owned(), Document::new(value.clone())));
            }
            (edit, Some(known)) => drop(mirror[known].1.apply(edit.clone()).expect("a change that fits")),
            (edit, None) => panic!("a change of what is not there: {edit:?}"),
        }
    }
    if let Some(other) = &outcome.other {
        follow(mirror, other);
    }
}

fn same(store: &Store, model: &Model, mirror: &Mirror, steps_so_far: &str) {
    let names = store.names();
    assert_eq!(names, mirror.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), "{steps_so_far}");
    let mut seen: Vec<_> = model.seen().into_iter().map(|(name, value)| (name, value.to_json())).collect();
    let mut shown: Vec<_> =
        names.iter().map(|name| (name.to_string(), store.document(name).unwrap().to_json())).collect();
    seen.sort();
    shown.sort();
    assert_eq!(shown, seen, "{steps_so_far}");
    for (name, document) in mirror {
        assert_eq!(document.value().to_json(), store.document(name).unwrap().to_json(), "{steps_so_far}");
    }
    for name in ["a", "b", "c"] {
        let confirmed = store.confirmed(name).map(|value| value.to_json());
        assert_eq!(confirmed, model.confirmed(name).map(Value::to_json), "{steps_so_far}");
    }
    let pending: Vec<_> = store.pending(None).into_iter().map(|(_, pending)| &*pending.id).collect();
    let mut expected = model.pending();
    expected.sort_by_key(|id| id[2..].parse::<u32>().unwrap());
    assert_eq!(pending, expected, "{steps_so_far}");
    if pending.is_empty() {
        assert!(!store.save().contains("\"pending\""), "{steps_so_far}");
    }
}

/// One part of the sequences; the parts run side by side.
fn check(part: u64) {
    let sequences: u64 = std::env::var("SEQUENCES").ok().and_then(|text| text.parse().ok()).unwrap_or(250);
    let mut met = [0_u32; 4];
    for seed in part * 1_000_000 + 1..=part * 1_000_000 + sequences {
        let mut random = Random::new(seed);
        let mut store = Store::new(Options { client_id: "t".into(), ..Options::default() });
        let mut model = Model::default();
        let mut mirror = Mirror::new();
        for name in ["a", "b"] {
            let document = load(&mut random);
            follow(&mut mirror, &store.load(name, &document, None));
            model.load(name, parse(&document, 64).unwrap(), &[]).unwrap();
        }
        let steps = 4 + random.below(12);
        let mut steps_so_far = format!("seed {seed}");
        for _ in 0..steps {
            let ids: Vec<String> = model.pending();
            let id = if ids.is_empty() { "t-0".to_owned() } else { ids[random.below(ids.len())].clone() };
            let before = (store.save(), store.names().join());
            let shown = |store: &Store, name: &str| store.document(name).map(Value::to_json);
            let seen = ["a", "b", "c"].map(|name| (name, shown(&store, name), store.revision(name)));
            let (reply, expected) = match random.below(12) {
                0..=4 => {
                    let call = call(&mut random);
                    steps_so_far += &format!("\noptimistic {call}");
                    let reply = store.apply_optimistic(&call);
                    let id = reply.outcome.as_ref().ok().and_then(|outcome| outcome.pending.clone());
                    (reply, model.optimistic(&call, id.as_deref()))
                }
                5 => {
                    steps_so_far += &format!("\nconfirm {id}");
                    (store.confirm(&id), model.confirm(&id))
                }
                6 => {
                    steps_so_far += &format!("\nreject {id}");
                    (store.reject(&id), model.reject(&id))
                }
                7 => {
                    let call = call(&mut random);
                    steps_so_far += &format!("\napply {call}");
                    (store.apply(&call), model.apply(&call, None))
                }
                8 => {
                    let document = load(&mut random);
                    let name = ["a", "b", "c"][random.below(3)];
                    let settles: Vec<&str> = ids.iter().map(String::as_str).filter(|_| random.below(3) == 0).collect();
                    steps_so_far += &format!("\nload {name} {document} {settles:?}");
                    let reply = store.load_settling(name, &document, None, &settles);
                    (reply, model.load(name, parse(&document, 64).unwrap(), &settles))
                }
                9 => {
                    steps_so_far += &format!("\nsent {id}");
                    assert_eq!(store.sent(&id), model.sent(&id), "{steps_so_far}");
                    continue;
                }
                _ => {
                    let settles = random.below(2) == 0 && !ids.is_empty();
                    let message = push(&mut random, settles.then_some(&id));
                    steps_so_far += &format!("\nreceive {message}");
                    (store.receive(&message, None), model.receive(&message, settles.then_some(&id)))
                }
            };
            follow(&mut mirror, &reply);
            assert_eq!(reply.is_success(), expected.is_ok(), "{steps_so_far}\n{reply:?}");
            if !reply.is_success() {
                assert_eq!((store.save(), store.names().join()), before, "{steps_so_far}");
                met[0] += 1;
            }
            let (outcome, expected) = (reply.outcome.clone().unwrap_or_default(), expected.unwrap_or_default());
            let conflicts: Vec<_> = outcome.conflicts.iter().map(|(id, error)| (id.to_string(), error.code)).collect();
            assert_eq!(conflicts, expected, "{steps_so_far}");
            met[1] += u32::from(!conflicts.is_empty());
            met[2] += u32::from(!outcome.rebased.is_empty());
            same(&store, &model, &mirror, &steps_so_far);
            // Changes that cancel out are not reported.
            for (name, document, revision) in seen {
                let is_same = shown(&store, name) == document;
                assert_eq!(is_same, store.revision(name) == revision, "{steps_so_far}");
                if is_same && reply.instance.as_deref() == Some(name) {
                    assert!(outcome.changes.is_empty(), "{steps_so_far}");
                }
            }
            if random.below(8) == 0 {
                steps_so_far += "\nrestore";
                let restored = Store::restore(&store.save(), Options { client_id: "t".into(), ..Options::default() });
                let restored = restored.expect(&steps_so_far);
                assert_eq!(restored.save(), store.save(), "{steps_so_far}");
                store = restored;
                mirror.sort_by_key(|(name, _)| store.names().iter().position(|own| own == name));
                same(&store, &model, &mirror, &steps_so_far);
                met[3] += 1;
            }
        }
    }
    assert!(met.iter().all(|count| u64::from(*count) > sequences / 40), "{met:?}");
}

#[test]
fn the_table_of_messages() {
    let failures = message_table::failures();
    assert!(failures.is_empty(), "{} rows failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_shown_document_is_the_confirmed_one_with_the_pending_calls() {
    check(0);
}

#[test]
fn second_part() {
    check(1);
}

#[test]
fn third_part() {
    check(2);
}

#[test]
fn fourth_part() {
    check(3);
}

/// Joins names, to compare them.
trait Join {
    fn join(self) -> String;
}

impl Join for Vec<&str> {
    fn join(self) -> String {
        self[..].join(",")
    }
}
