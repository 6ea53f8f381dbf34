//! Drafts: calls that grow while their text arrives, under the user's edits in the meantime.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use genui_patch::store::{Options, Store};
use serde_json::{Value, json};

fn open(store: &mut Store, call: &Value) -> String {
    let reply = store.open_draft(&call.to_string());
    reply.outcome.expect("the draft opens").pending.expect("a draft has an id").to_string()
}

fn text(store: &Store, name: &str) -> Option<String> {
    store.document(name).map(genui_patch::value::Value::to_json)
}

fn confirmed(store: &Store, name: &str) -> Option<String> {
    store.confirmed(name).map(|document| document.to_json())
}

fn page() -> Store {
    let mut store = Store::new(Options::default());
    let document = json!({"state": {"params": {"name": "Ann", "count": 1}}, "blocks": [{"id": "a", "type": "form"}]});
    assert!(store.load("page", &document.to_string(), None).is_success());
    store
}

#[test]
fn a_draft_grows_and_ends_without_a_trace() {
    let mut store = page();
    let before = store.save();
    let (shown, before_text) = (text(&store, "page"), before.clone());
    let id = open(&mut store, &json!({"instance_name": "page", "patches": []}));
    let patch = json!({"op": "add", "path": "blocks+", "value": {"id": "b", "type": "tabs"}});
    assert!(store.extend_draft(&id, &patch.to_string()).is_success());
    assert!(text(&store, "page").unwrap().contains("\"tabs\""));
    assert_eq!(confirmed(&store, "page"), shown, "nothing of a draft is confirmed");
    let failing = json!({"op": "set", "path": "blocks[\"x\"].title", "value": 1}).to_string();
    let grown = text(&store, "page");
    assert!(!store.extend_draft(&id, &failing).is_success());
    assert_eq!(text(&store, "page"), grown, "a patch that fails leaves the draft as it was");
    assert!(store.pending(None).is_empty(), "a draft is not sent to the server");
    assert!(store.reject(&id).is_success());
    assert_eq!(text(&store, "page"), shown);
    let again = Store::restore(&before_text, Options::default()).unwrap();
    assert_eq!(text(&again, "page"), text(&store, "page"));
    assert!(!store.extend_draft(&id, &patch.to_string()).is_success(), "a draft that ended cannot grow");
}

#[test]
fn edits_of_the_user_stay_on_top_of_a_draft() {
    let mut store = page();
    let id = open(&mut store, &json!({"instance_name": "page", "patches": []}));
    let user =
        json!({"instance_name": "page", "patches": [{"op": "set", "path": "state.params.name", "value": "Bea"}]});
    assert!(store.apply_optimistic(&user.to_string()).is_success());
    let patch = json!({"op": "set", "path": "state.params.name", "value": "from the agent"});
    let reply = store.extend_draft(&id, &patch.to_string());
    assert!(reply.is_success());
    assert!(text(&store, "page").unwrap().contains("Bea"), "the user's edit is replayed over the draft");
    assert_eq!(store.pending(None).len(), 1);
    assert!(store.reject(&id).is_success());
    assert!(text(&store, "page").unwrap().contains("Bea"));
    assert!(confirmed(&store, "page").unwrap().contains("Ann"));
}

#[test]
fn a_draft_grows_under_a_pending_deletion_without_changes() {
    let mut store = page();
    let id = open(&mut store, &json!({"instance_name": "page", "patches": []}));
    let deletion = json!({"instance_name": "__DELETE__", "target_instance_name": "page"});
    assert!(store.apply_optimistic(&deletion.to_string()).is_success());
    let reply = store.extend_draft(&id, &json!({"op": "set", "path": "state.params.count", "value": 2}).to_string());
    assert_eq!(reply.outcome.expect("the patch applies").changes, [], "the page was already deleted");
}

#[test]
fn a_set_of_the_user_does_not_become_part_of_a_draft() {
    let mut store = page();
    let id = open(&mut store, &json!({"instance_name": "page", "patches": []}));
    let patch = json!({"op": "set", "path": "state.params.name", "value": "agent"});
    assert!(store.extend_draft(&id, &patch.to_string()).is_success());
    let user =
        json!({"instance_name": "page", "patches": [{"op": "set", "path": "state.params.name", "value": "Bea"}]});
    assert!(store.apply_optimistic(&user.to_string()).is_success());
    assert!(store.reject(&id).is_success());
    assert_eq!(store.pending(None).len(), 1);
    assert!(text(&store, "page").unwrap().contains("Bea"));
}

#[test]
fn a_call_takes_the_place_of_its_draft_under_the_edits_of_the_user() {
    let mut store = page();
    let create =
        |patches: Value| json!({"instance_name": "__CREATE__", "new_instance_name": "trip", "patches": patches});
    let block = json!({"op": "add", "path": "blocks+", "value": {"id": "b", "type": "form"}});
    let id = open(&mut store, &create(json!([])));
    assert!(store.extend_draft(&id, &block.to_string()).is_success());
    let title = json!({"op": "set", "path": "blocks[\"b\"].title", "value": "Mine"});
    let user = json!({"instance_name": "trip", "patches": [title]}).to_string();
    let edit = store.apply_optimistic(&user).outcome.unwrap().pending.unwrap();
    let shown = text(&store, "trip");
    let refused = store.commit_draft(&id, &create(json!([{"op": "remove", "path": "blocks[\"x\"]"}])).to_string());
    assert!(!refused.is_success());
    assert_eq!(text(&store, "trip"), shown, "a call that is refused leaves the draft");
    let reply = store.commit_draft(&id, &create(json!([block])).to_string());
    let outcome = reply.outcome.expect("the call is applied");
    assert_eq!((outcome.changes.len(), outcome.conflicts.len()), (0, 0), "the draft has shown everything");
    assert_eq!(text(&store, "trip"), shown);
    assert!(!confirmed(&store, "trip").unwrap().contains("Mine"));
    assert_eq!(store.pending(None).iter().map(|(_, pending)| &*pending.id).collect::<Vec<_>>(), [&*edit]);
    assert!(!store.reject(&id).is_success(), "the draft has ended");
}

#[test]
fn a_saved_store_has_no_draft_and_restores() {
    let mut store = page();
    let id = open(&mut store, &json!({"instance_name": "page", "patches": []}));
    let patch = json!({"op": "add", "path": "blocks+", "value": {"id": "b", "type": "tabs"}});
    assert!(store.extend_draft(&id, &patch.to_string()).is_success());
    for path in ["blocks[\"b\"].title", "blocks[\"a\"].title"] {
        let user = json!({"instance_name": "page", "patches": [{"op": "set", "path": path, "value": "mine"}]});
        assert!(store.apply_optimistic(&user.to_string()).is_success());
    }
    let created = open(&mut store, &json!({"instance_name": "__CREATE__", "new_instance_name": "new", "patches": []}));
    assert!(store.set_active(Some("new")).is_ok());
    let user = json!({"instance_name": "new", "patches": [{"op": "set", "path": "state.params.x", "value": 1}]});
    assert!(store.apply_optimistic(&user.to_string()).is_success());
    let restored = Store::restore(&store.save(), Options::default()).expect("what was saved is restored");
    assert_eq!(restored.names(), ["page"]);
    assert_eq!(restored.active(), None);
    let document = text(&restored, "page").unwrap();
    assert!(document.contains("mine") && !document.contains("tabs"), "{document}");
    assert!(store.reject(&created).is_success());
    assert_eq!(store.names(), ["page"]);
}
