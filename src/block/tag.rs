//! The tags that may precede a call, by the construct that each begins, and the result of looking for one.

/// The grammar of a call that is not written in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    Xml,
    Python,
}

/// The construct that a tag begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    /// JSON that is a call.
    Wrapper,
    Reasoning,
    /// JSON that is the arguments of a tool: the byte range of the tool's name, and the byte offset of the JSON.
    Arguments {
        name: (usize, usize),
        json: usize,
    },
    /// A call in another grammar.
    Call(Grammar),
    /// Marks that are dropped, such as `<|end|>`.
    Marks,
}

/// The result of comparing the beginning of a line with the tags.
#[derive(Clone, Copy, Debug)]
pub(super) enum TagMatch {
    Tag(Tag),
    /// More text may complete a tag.
    Maybe,
    No,
}
