//! The limits on input: one table.

use crate::options;
use crate::value::Value;

/// Declares the limits once: the struct, the defaults and the names in options.
macro_rules! limits {
    ($($field:ident = $name:literal, $default:expr, $doc:literal;)*) => {
        /// Limits on input. Input over a limit is refused with `LIMIT_EXCEEDED`, and nothing changes.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Limits {
            $(#[doc = $doc] pub $field: usize,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl Limits {
            /// The limits in the order of `NAMES`.
            fn fields(&mut self) -> [&mut usize; NAMES.len()] {
                [$(&mut self.$field),*]
            }
        }

        /// The names of the limits in options.
        const NAMES: &[&str] = &[$($name),*];
        /// The meaning of each limit, for the types of the npm package.
        pub const DOCS: &[&str] = &[$($doc),*];
    };
}

limits! {
    max_depth = "maxDepth", 128,
        "Lists and objects inside each other in a call, a block, a document. At most 512: a walk uses the stack.";
    max_call_bytes = "maxCallBytes", 8 << 20, "Bytes of UTF-8 of one call.";
    max_block_bytes = "maxBlockBytes", 8 << 20, "Bytes of UTF-8 of one tool block.";
    max_patches = "maxPatches", 10_000, "Patches in one call.";
    max_work = "maxWork", 10_000_000,
        "Steps of a call, a condition or a template: each item and place that it visits, 16 for each value that it copies, and 1 \
         for each 4 bytes of that. Calls that name items by id or index stay far below it.";
    max_document_bytes = "maxDocumentBytes", 64 << 20, "The approximate bytes of UTF-8 of one document's text.";
    max_proposals = "maxProposals", 1_000, "Proposals that wait for approval.";
    max_pending = "maxPending", 1000, "Pending calls of one store.";
    max_history = "maxHistory", 200, "Groups of changes that can be undone, of one instance. 0: no history is kept.";
    max_history_bytes = "maxHistoryBytes", 16 << 20,
        "The approximate bytes of the values that the history of one instance keeps: the oldest groups are dropped.";
    max_calls = "maxCalls", 1_000, "Calls in one message: the first call over the limit is reported, and the rest is text.";
    max_issues = "maxIssues", 100,
        "Errors and warnings reported of one tool block, of one surface, and of lines of a surface stream in a row.";
    max_list_growth = "maxListGrowth", 10_000, "Longest list that an index after its end may make.";
    max_surfaces = "maxSurfaces", 64, "Surfaces that are alive in one stream.";
    max_components = "maxComponents", 20_000, "Components of one surface.";
    max_nodes = "maxNodes", 50_000, "Nodes in the tree of one surface.";
    max_tree_bytes = "maxTreeBytes", 64 << 20,
        "The approximate bytes of the trees of all surfaces of a stream: nodes, their properties, values and texts made for them.";
    max_function_text = "maxFunctionText", 1 << 20, "Characters of a text that `formatString` makes.";
    max_criteria = "maxCriteria", 1_000, "Criteria of one `validate_completion`.";
    max_template_items = "maxTemplateItems", 1_000, "Nodes that a template makes of one list.";
    max_template_depth = "maxTemplateDepth", 8, "Templates inside each other, functions inside each other.";
}

/// The largest depth that `maxDepth` can set: a walk over a value uses the stack.
pub(crate) const DEPTH_CEILING: usize = 512;

impl Limits {
    /// Names and values, as options write them. Takes the limits by value, since `fields` borrows them mutably.
    pub fn entries(mut self) -> Vec<(&'static str, usize)> {
        NAMES.iter().copied().zip(self.fields().map(|limit| *limit)).collect()
    }

    /// The maximum depth in force: `max_depth`, but at most [`DEPTH_CEILING`].
    pub(crate) fn depth(&self) -> usize {
        self.max_depth.min(DEPTH_CEILING)
    }

    /// Parses `{maxDepth?: …, …}`; missing limits have their defaults.
    ///
    /// # Errors
    /// A sentence for the developer.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        let mut limits = Self::default();
        options::read(value, "limit", NAMES, &mut |name_index, value| {
            let Some(number) = value.as_index() else { return Ok("a whole number from 0") };
            if let Some(limit) = limits.fields().get_mut(name_index) {
                **limit = number;
            }
            // No message: the limit is accepted.
            Ok("")
        })?;
        Ok(limits)
    }
}
