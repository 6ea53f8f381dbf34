//! The codes of what can be wrong with a tool block, in one table, and an issue.

use crate::codes::codes;
use crate::value::Position;
use crate::value::text::tail;

codes! {
    /// The kind of an issue: the code on which programs can branch.
    Code;
    NoBlock "NO_BLOCK" "The text has no JSON block.",
    EmptyBlock "EMPTY_BLOCK" "Nothing stands between the fences.",
    JsonSyntax "JSON_SYNTAX" "Not JSON.",
    MissingTool "MISSING_TOOL" "No `tool`.",
    UnknownTool "UNKNOWN_TOOL" "`tool` is none of the known ones.",
    MissingPath "MISSING_PATH" "No `path`, or one that is not a string.",
    UnsafePath "UNSAFE_PATH" "The path policy refuses the path; as a warning: the path was normalised.",
    MissingContent "MISSING_CONTENT" "No `content`.",
    InvalidContent "INVALID_CONTENT" "`content` is not a string.",
    MissingSearchReplace "MISSING_SEARCH_REPLACE" "No `search_replace`.",
    InvalidSearchReplace "INVALID_SEARCH_REPLACE" "`search_replace` lacks one of its strings.",
    EmptyOldString "EMPTY_OLD_STRING" "There is nothing to search for.",
    NoChange "NO_CHANGE" "The replacement equals the text that it replaces.",
    MissingField "MISSING_FIELD" "A field that the host's tool requires is missing.",
    InvalidField "INVALID_FIELD" "A field does not fit the definition of the host's tool.",
    DuplicateField "DUPLICATE_FIELD" "The call has a field twice.",
    NotACall "NOT_A_CALL" "JSON names a known tool but is not executed.",
    ElidedContent "ELIDED_CONTENT" "The text of a file leaves a part out, such as `// rest of the code unchanged`.",
    Truncated "TRUNCATED" "The text ended inside the block.",
    TrailingText "TRAILING_TEXT" "Text after the JSON inside the fence.",
    MissingFence "MISSING_FENCE" "Only the closing fence is missing.",
    LoneSurrogate "LONE_SURROGATE" "An escape of half a surrogate pair.",
    LimitExceeded "LIMIT_EXCEEDED" "Larger or deeper than the limits allow.",
}

codes! {
    /// Whether a finding makes the block invalid.
    Severity;
    Error "error" "It does.",
    Warning "warning" "It does not.",
}

/// One finding about a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The kind of the problem: programs can branch on it.
    pub code: Code,
    /// One sentence for people. Those of errors do not change: UIs may match on them.
    pub message: String,
    /// The field at fault: `"search_replace.old_string"`, `"1.path"` among several calls, `""` for the block.
    pub path: String,
    /// The position of the fault, counted from the first character of the JSON; `None` if the issue has no place there.
    pub position: Option<Position>,
    /// Whether the issue makes the block invalid.
    pub severity: Severity,
}

/// Whether no finding makes a block invalid.
pub(super) fn is_valid(issues: &[Issue]) -> bool {
    !issues.iter().any(|issue| issue.severity == Severity::Error)
}

/// Fills in lines, columns and UTF-16 offsets of positions that hold only byte offsets so far, in one walk over the text.
/// Issues are found nearly in the order of the text, so inserting their positions in order costs little, and is less code than
/// sorting.
pub(super) fn fill_positions(text: &str, positions: &mut dyn Iterator<Item = &mut Position>) {
    let mut order: Vec<&mut Position> = Vec::new();
    for position in positions {
        order.insert(order.partition_point(|earlier| earlier.offset <= position.offset), position);
    }
    // `current` is the position of byte `current_byte`; that of the next offset is counted from there.
    let (mut current_byte, mut current) = (0, Position { offset: 0, line: 1, column: 1 });
    for position in order {
        let offset = position.offset;
        current = current.after(Position::of(tail(text, current_byte), offset.saturating_sub(current_byte)));
        current_byte = offset.min(text.len());
        *position = current;
    }
}
