//! Keys of objects.

use crate::value::text::owned;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A key. Known words are borrowed: they cost no memory, and a text that is full of them is read in half the time.
pub type Key = Cow<'static, str>;

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
        #[expect(clippy::cast_possible_truncation, reason = "there are fewer words than slots")]
        let place = number as u8;
        places[slot] = place;
    }
    places
};

/// A number for a text, below 256. The factors keep the known words apart.
const fn slot(text: &[u8]) -> usize {
    let [first, .., last] = text else { return 0 };
    (text.len() * 41 + *first as usize * 58 + text[text.len() / 2] as usize * 3 + *last as usize) % 256
}

/// The number of a known word, and the word.
fn known(text: &str) -> Option<(usize, &'static str)> {
    let place = PLACES.get(slot(text.as_bytes())).copied().unwrap_or_default();
    let number = usize::from(place).wrapping_sub(1);
    WORDS.get(number).filter(|word| **word == text).map(|word| (number, *word))
}

pub(crate) fn key(text: &str) -> Key {
    known(text).map_or_else(|| Cow::Owned(owned(text)), |(_, word)| Cow::Borrowed(word))
}

/// The text as a step of a path. Of a known word there is one, which all paths share.
#[inline(never)]
pub(crate) fn name(text: &str) -> Arc<str> {
    static NAMES: [OnceLock<Arc<str>>; WORDS.len()] = [const { OnceLock::new() }; WORDS.len()];
    let shared = known(text).and_then(|(number, _)| NAMES.get(number));
    shared.map_or_else(|| text.into(), |name| name.get_or_init(|| text.into()).clone())
}
