//! Keys of objects.

use std::sync::{Arc, OnceLock};

/// Whether this is `blocks.wasm`. It reads calls and edits no document, so its values are short-lived and share no keys.
const IS_BLOCKS_MODULE: bool = cfg!(all(feature = "blocks", not(feature = "store")));

/// A key of an object. Objects and paths that have the same key can share its text.
pub type Key = Arc<str>;

/// Keys that most documents and calls have, sorted: all values share one allocation of each.
#[rustfmt::skip]
const COMMON: [&str; 57] = [
    "action_type", "actions", "all", "bind", "blocks", "child", "children", "columns", "component",
    "componentProperties", "componentUpdate", "components", "condition", "content", "contents", "count", "current",
    "dataModelUpdate", "description", "fields", "id", "index", "instanceId", "instance_name", "items", "key",
    "label", "layout", "meta", "name", "new_string", "old_string", "op", "operator", "options", "pageKey",
    "page_key", "panels", "params", "patches", "path", "props", "runtime", "schemaVersion", "search_replace",
    "state", "status", "step", "style", "tabs", "title", "tool", "total", "type", "updates", "value", "version",
];

/// The text as a key. Keys of [`COMMON`] are shared, which halves the time of reading a text that is full of them. Not inline,
/// since it has several callers.
#[inline(never)]
pub(crate) fn key(text: &str) -> Key {
    if IS_BLOCKS_MODULE {
        return text.into();
    }
    // The shared key of each row of `COMMON`, made at its first use.
    static KEYS: [OnceLock<Key>; COMMON.len()] = [const { OnceLock::new() }; COMMON.len()];
    let shared_key = COMMON.binary_search(&text).ok().and_then(|index| KEYS.get(index));
    shared_key.map_or_else(|| text.into(), |key| key.get_or_init(|| text.into()).clone())
}

#[cfg(test)]
#[path = "../../tests/unit/key.rs"]
mod tests;
