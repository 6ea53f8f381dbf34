//! Keys of objects.

use std::sync::{Arc, OnceLock};

/// A key of an object, which paths share.
pub type Key = Arc<str>;

#[rustfmt::skip]
const WORDS: [&str; 57] = [
    "action_type", "actions", "all", "bind", "blocks", "child", "children", "columns", "component",
    "componentProperties", "componentUpdate", "components", "condition", "content", "contents", "count", "current",
    "dataModelUpdate", "description", "fields", "id", "index", "instanceId", "instance_name", "items", "key",
    "label", "layout", "meta", "name", "new_string", "old_string", "op", "operator", "options", "pageKey",
    "page_key", "panels", "params", "patches", "path", "props", "runtime", "schemaVersion", "search_replace",
    "state", "status", "step", "style", "tabs", "title", "tool", "total", "type", "updates", "value", "version",
];

/// At the [`slot`] of each known word, its number and one; elsewhere 0.
const PLACES: [u8; 256] = {
    let mut places = [0; 256];
    let mut number = 0;
    while number < WORDS.len() {
        let slot = slot(WORDS[number].as_bytes());
        assert!(places[slot] == 0, "two words share a slot: choose other factors");
        number += 1;
        places[slot] = number as u8;
    }
    places
};

/// A number for a text, below 256. The factors keep the known words apart.
const fn slot(text: &[u8]) -> usize {
    let [first, .., last] = text else { return 0 };
    (text.len() * 41 + *first as usize * 58 + text[text.len() / 2] as usize * 3 + *last as usize) % 256
}

/// The text as a key. Of a known word there is one, which all share: a text that is full of them is read in half the time.
#[inline(never)]
pub(crate) fn key(text: &str) -> Key {
    static KEYS: [OnceLock<Key>; WORDS.len()] = [const { OnceLock::new() }; WORDS.len()];
    let place = PLACES.get(slot(text.as_bytes())).copied().unwrap_or_default();
    let number = usize::from(place).wrapping_sub(1);
    let shared = KEYS.get(number).filter(|_| WORDS.get(number) == Some(&text));
    shared.map_or_else(|| text.into(), |key| key.get_or_init(|| text.into()).clone())
}
