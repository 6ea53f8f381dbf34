//! Conversions between values of the crate and of `serde_json` keep the JSON.
#![cfg(feature = "serde")]

use genui_patch::value::{Object, Value, parse};
use proptest::prelude::*;

/// A JSON text, and its values in both libraries.
const TEXTS: [&str; 12] = [
    "null",
    "true",
    "0",
    "-1",
    "1.5",
    "9007199254740991",
    "1e21",
    "\"a\\u00e9\\n\"",
    "[]",
    "{}",
    "[1,[2,{\"b\":3}]]",
    "{\"z\":1,\"a\":{\"__proto__\":2},\"\":null}",
];

#[test]
fn a_text_read_by_either_is_the_same_value() {
    for text in TEXTS {
        let own = parse(text, 128).unwrap();
        let theirs: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), own, "{text}");
        assert_eq!(Value::from(theirs.clone()), own, "{text}");
        // serde_json distinguishes 1.0 from 1; this crate does not.
        assert_eq!(Value::from(serde_json::Value::from(own.clone())), own, "{text}");
        assert_eq!(serde_json::to_string(&own).unwrap(), serde_json::to_string(&theirs).unwrap(), "{text}");
    }
}

#[test]
fn numbers_are_those_of_javascript() {
    assert_eq!(Value::from(serde_json::json!(-0.0)).to_json(), "0");
    assert_eq!(Value::from(serde_json::json!(u64::MAX)).to_json(), "18446744073709552000");
    assert_eq!(serde_json::to_string(&Value::Number(2.0)).unwrap(), "2");
    assert_eq!(serde_json::to_string(&parse("1e400", 8).unwrap()).unwrap(), "null");
    assert_eq!(serde_json::Value::from(parse("1e400", 8).unwrap()), serde_json::Value::Null);
}

#[test]
fn the_order_of_keys_is_kept_and_the_last_of_two_counts() {
    let object: Object = serde_json::from_str("{\"b\":1,\"a\":2,\"b\":3}").unwrap();
    assert_eq!(Value::Object(object).to_json(), "{\"b\":3,\"a\":2}");
}

#[test]
fn a_list_in_place_of_an_object_is_an_error_with_its_kind() {
    let error = serde_json::from_str::<Object>("[1]").unwrap_err().to_string();
    assert!(error.starts_with("expected an object, found array"), "{error}");
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        (-(1_i64 << 53) + 1..1 << 53).prop_map(serde_json::Value::from),
        ".{0,8}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::from),
            prop::collection::vec((".{0,4}", inner), 0..6)
                .prop_map(|entries| serde_json::Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn there_and_back_is_the_same(json in any_json()) {
        let own = Value::from(json.clone());
        prop_assert_eq!(&serde_json::Value::from(own.clone()), &json);
        let text = serde_json::to_string(&own).unwrap();
        prop_assert_eq!(text, own.to_json());
        prop_assert_eq!(serde_json::from_value::<Value>(json).unwrap(), own);
    }
}
