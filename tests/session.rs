//! The calls of a session: the crate and the server produce the same documents, byte for byte. `tests/server/session.test.mjs`
//! runs the same table on the server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use genui_patch::store::{Options, Store};
use serde_json::Value;

#[test]
fn the_documents_of_a_session() {
    let table: Value = serde_json::from_str(include_str!("fixtures/session.json")).unwrap();
    let mut store = Store::new(Options::default());
    for row in table["calls"].as_array().unwrap() {
        let call = row["call"].to_string();
        let reply = store.apply(&call);
        assert_eq!(reply.outcome.is_ok(), row["ok"].as_bool().unwrap(), "{call}");
    }
    let documents = table["documents"].as_object().unwrap();
    assert_eq!(store.names().len(), documents.len());
    for (name, text) in documents {
        assert_eq!(store.document(name).unwrap().to_json(), text.as_str().unwrap(), "{name}");
    }
}
