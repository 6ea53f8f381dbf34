//! Repair without a model.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use genui_patch::block::Settings;
use genui_patch::block::repair::repair_tool_block;

/// The examples of seed 004: all but the second, which has no content, say what was meant.
#[test]
fn examples_of_the_seed() {
    let block = |json: &str| format!("```json\n{json}\n```");
    let rows = [
        ("{\n  \"tool\": \"create_file\",\n  \"path\": \"test.txt\",\n  \"content\": \"hello\"\n}", "write_file"),
        ("{\n  \"tool\": \"write_file\",\n  \"path\": \"test.txt\"\n}", ""),
        (
            "{\n  \"tool\": \"write_file\",\n  \"path\": \"test.txt\",\n  \"content\": \"Line 1\nLine 2\"\n}",
            "write_file",
        ),
        (
            "{\n  \"tool\": \"edit_file\",\n  \"path\": \"App.tsx\",\n  \"old\": \"hello\",\n  \"new\": \"world\"\n}",
            "edit_file",
        ),
    ];
    for (json, tool) in rows {
        let text = block(json);
        let repaired = repair_tool_block(&text, false, &Settings::default());
        let calls: Vec<&str> = repaired.report.calls.iter().map(|call| call.tool.name()).collect();
        assert_eq!(calls, if tool.is_empty() { vec![] } else { vec![tool] }, "{text}");
        assert_eq!(repaired.text == text, tool.is_empty());
        assert_eq!(repaired.fixes.is_empty(), tool.is_empty());
    }
    let edit = repair_tool_block(&block(rows[3].0), false, &Settings::default());
    assert_eq!(edit.report.calls[0].search_replace(), Some(("hello", "world")));
    let wanted = "{\n  \"tool\": \"edit_file\",\n  \"path\": \"App.tsx\",\n  \"search_replace\": {\n    \"old_string\": \"hello\",\n    \"new_string\": \"world\"\n  }\n}";
    assert_eq!(edit.text, block(wanted));
}
