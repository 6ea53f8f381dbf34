use std::sync::Arc;

use super::{COMMON, key};

#[test]
fn common_keys_are_sorted_and_shared() {
    assert!(COMMON.is_sorted());
    for word in COMMON {
        assert_eq!(*key(word), *word);
        assert!(Arc::ptr_eq(&key(word), &key(word)), "{word}");
    }
    assert!(!Arc::ptr_eq(&key("another"), &key("another")));
}
