//! Edits of texts: the fixture table, and what holds for all texts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/text_table.rs"]
mod text_table;

use genui_patch::counted::steps;
use genui_patch::files::{EditFailure, edit, nearest};
use proptest::prelude::*;

#[test]
fn texts() {
    let failures = text_table::failures();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Texts of a few different lines, so that many are alike.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "c", "", "  d", "é ☃", "one two  three", "one 2 three", "x.y(z);"]),
        1 => Just("😀 a"),
    ];
    let end = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r")];
    let lines = prop::collection::vec((line, end).prop_map(|(line, end)| format!("{line}{end}")), 0..14);
    (lines, prop::sample::select(vec!["", "", "a", "last"])).prop_map(|(lines, rest)| lines.concat() + rest)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn an_edit_replaces_the_only_place(
        head in text(), piece in "[a-c \n]{1,6}", tail in text(), new in "[a-z$&\\\\\n]{0,6}",
    ) {
        let text = format!("{head}{piece}{tail}").replace('\r', "");
        let count = (0..text.len()).filter(|at| text.is_char_boundary(*at) && text[*at..].starts_with(&piece)).count();
        match edit(&text, &piece, &new) {
            Ok(made) => {
                prop_assert_eq!(count, 1);
                prop_assert_eq!(&made, &text.replacen(&piece, &new, 1));
                // The same file with the other line ends is edited alike, and keeps them.
                let windows = text.replace('\n', "\r\n");
                if text.contains('\n') {
                    prop_assert_eq!(edit(&windows, &piece, &new), Ok(made.replace('\n', "\r\n")));
                }
            }
            Err(EditFailure::Several(found, _)) => prop_assert_eq!(found, count),
            Err(EditFailure::NotFound(_)) => prop_assert_eq!(count, 0),
        }
    }

    #[test]
    fn the_nearest_text_is_in_the_text(text in text(), piece in text()) {
        if let Some(found) = nearest(&text, &piece) {
            let line = text.lines().nth(found.line - 1).unwrap();
            prop_assert!(text.contains(found.text) && found.text.starts_with(line));
        }
    }
}

#[test]
fn the_work_grows_as_the_texts_do() {
    let text = "a".repeat(1 << 20);
    let lines = ("a b\r\n".repeat(1 << 18), "a c\n".repeat(1 << 18));
    let before = steps();
    assert_eq!(edit(&text, &"a".repeat(1 << 19), ""), Err(EditFailure::Several((1 << 19) + 1, vec![1; 10])));
    assert!(matches!(edit(&text, &("a".repeat(1 << 19) + "b"), ""), Err(EditFailure::NotFound(_))));
    assert!(nearest(&lines.0, &lines.1).is_some());
    let taken = steps() - before;
    assert!(taken < 8 * (2 * text.len() + (2 << 19) + lines.0.len() + lines.1.len()), "{taken} steps");
    assert!(cfg!(not(debug_assertions)) || taken > 2 * text.len() + lines.0.len(), "{taken} steps are not all");
}
