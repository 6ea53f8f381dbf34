//! What a tag before a call begins, and the result of looking for one.

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
    /// JSON that is the arguments of a tool: where the tool's name begins and ends, and where the JSON begins.
    Arguments {
        name: (usize, usize),
        json: usize,
    },
    /// A call in another grammar.
    Call(Grammar),
    /// Marks that belong to no event.
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
