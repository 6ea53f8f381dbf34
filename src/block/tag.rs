//! The tags and marks that may begin a line, by the construct that each begins, and the result of looking for one.

/// The grammar of a call that is not written in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    Xml,
    Python,
}

/// The construct that a tag begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    /// JSON that is a call. The tag is a wrapper tag, such as `<tool_call>`.
    Wrapper,
    /// The model's reasoning, e.g. after `<think>`.
    Reasoning,
    /// JSON that is the arguments of a tool: the start and the end of the tool's name, and the start of the JSON, as byte
    /// offsets in the text that was compared.
    Arguments { name: (usize, usize), json: usize },
    /// A call in a grammar other than JSON, which begins with the tag.
    Call(Grammar),
    /// Nothing: marks such as `<|end|>`, which are dropped.
    Marks,
}

/// The result of comparing the beginning of a line with the tags.
#[derive(Clone, Copy, Debug)]
pub(super) enum TagMatch {
    /// The text is this tag.
    Tag(Tag),
    /// More text may complete a tag.
    Maybe,
    /// The text is no tag, and cannot become one.
    No,
}
