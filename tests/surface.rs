//! Surface messages: the table of facts, and what must hold for every stream.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/surface_table.rs"]
mod surface_table;

use proptest::prelude::*;
use serde_json::json;

#[test]
fn messages() {
    let failures = surface_table::run(include_str!("fixtures/surface/messages.json"));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Lines that are messages, and lines that are not.
fn line() -> impl Strategy<Value = String> {
    let path = prop::sample::select(vec!["", "/", "a", "a.b", "/a/0", "a[1].c", "/l/-", "l[2]"]);
    let value = prop::sample::select(vec!["1", "null", "\"ü😀\"", "{\"b\":[1,{\"c\":2}]}", "[]", "{}"]);
    prop_oneof![
        4 => (path, value).prop_map(|(path, value)| {
            format!("{{\"dataModelUpdate\":{{\"path\":\"{path}\",\"contents\":{value}}}}}")
        }),
        2 => "[abc]".prop_map(|id| json!({"componentUpdate": {"components": [
            {"id": id, "componentProperties": {"Text": {"text": {"path": "/a"}}}}]}}).to_string()),
        1 => Just("{\"beginRendering\":{\"root\":\"a\"}}".to_owned()),
        1 => "[\\[\\]{}\":,a1 ]{0,12}",
        1 => Just("data: {\"beginRendering\":{\"root\":\"b\"}}".to_owned()),
        1 => Just(String::new()),
    ]
}

proptest! {
    /// However a stream is cut, what comes out is the same.
    #[test]
    fn any_split(lines in prop::collection::vec(line(), 0..12), cut in 1_usize..40, partial: bool) {
        let text = lines.join("\n");
        let options = json!({ "partial": partial });
        let (whole, one) = surface_table::stream(&text, 0, &options);
        let (pieces, other) = surface_table::stream(&text, cut, &options);
        prop_assert_eq!(whole, pieces);
        prop_assert_eq!(one.data_model("main"), other.data_model("main"));
    }

    /// A bad line between others takes nothing with it.
    #[test]
    fn a_bad_line_costs_itself(lines in prop::collection::vec(line(), 1..8), at: prop::sample::Index) {
        let good: Vec<String> = lines.into_iter().filter(|line| line.starts_with("{\"")).collect();
        let mut with = good.clone();
        // Behind the first line, which decides what the stream is.
        with.insert(1.min(good.len()) + at.index(good.len().max(1)).min(good.len().saturating_sub(1)), "{\"beginRendering\": {\"root\":".to_owned());
        let (_, one) = surface_table::stream(&good.join("\n"), 0, &json!({}));
        let (_, other) = surface_table::stream(&with.join("\n"), 0, &json!({}));
        prop_assert_eq!(one.data_model("main"), other.data_model("main"));
        prop_assert_eq!(one.components("main"), other.components("main"));
    }
}
