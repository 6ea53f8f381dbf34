//! The limits of what is taken from outside: one table.

use crate::options;
use crate::value::Value;

/// Declares the limits once: the struct, the defaults and the names in options.
macro_rules! limits {
    ($($(#[doc = $doc:literal])* $field:ident = $name:literal, $default:expr;)*) => {
        /// Limits on what comes from outside. Over one of them the answer is `LIMIT_EXCEEDED`, and nothing has changed.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Limits {
            $($(#[doc = $doc])* pub $field: usize,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl Limits {
            /// The limits in the order of their names.
            fn fields(&mut self) -> [&mut usize; NAMES.len()] {
                [$(&mut self.$field),*]
            }
        }

        const NAMES: &[&str] = &[$($name),*];
        /// What each limit counts, for the types of the npm package.
        pub const DOCS: &[&str] = &[$(concat!($($doc),*)),*];
    };
}

limits! {
    /// Lists and objects inside each other: in a call, a block, a document. Of more than 512 no more count: what walks a
    /// value uses the stack.
    max_depth = "maxDepth", 128;
    /// Bytes of UTF-8 of one call.
    max_call_bytes = "maxCallBytes", 8 << 20;
    /// Bytes of UTF-8 of one tool block.
    max_block_bytes = "maxBlockBytes", 8 << 20;
    /// Patches in one call.
    max_patches = "maxPatches", 10_000;
    /// Steps of one call or one condition: items and places that are looked at. No call needs as many that says what it means
    /// by ids and indexes.
    max_work = "maxWork", 10_000_000;
    /// About the bytes of UTF-8 of one document's text.
    max_document_bytes = "maxDocumentBytes", 64 << 20;
    /// Proposals that wait for a yes.
    max_proposals = "maxProposals", 1_000;
    /// Pending calls of one store.
    max_pending = "maxPending", 1000;
    /// Errors and warnings reported of one tool block.
    max_issues = "maxIssues", 100;
    /// Items that a list may have when an index behind its end makes it grow.
    max_list_growth = "maxListGrowth", 10_000;
    /// Surfaces that are alive in one stream.
    max_surfaces = "maxSurfaces", 64;
    /// Components of one surface.
    max_components = "maxComponents", 20_000;
    /// Nodes in the tree of one surface.
    max_nodes = "maxNodes", 50_000;
    /// Nodes that a template makes of one list.
    max_template_items = "maxTemplateItems", 1_000;
    /// Templates inside each other, functions inside each other.
    max_template_depth = "maxTemplateDepth", 8;
}

/// The largest depth that counts.
pub(crate) const DEEPEST: usize = 512;

impl Limits {
    /// Names and values, as options write them.
    pub fn entries(mut self) -> Vec<(&'static str, usize)> {
        NAMES.iter().copied().zip(self.fields().map(|limit| *limit)).collect()
    }

    pub(crate) fn depth(&self) -> usize {
        self.max_depth.min(DEEPEST)
    }

    /// Reads `{maxDepth?: …, …}` over the defaults.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        let mut limits = Self::default();
        options::read(value, "limit", NAMES, &mut |place, value| {
            let Some(number) = value.as_index() else { return Ok("a whole number from 0") };
            if let Some(limit) = limits.fields().get_mut(place) {
                **limit = number;
            }
            Ok("")
        })?;
        Ok(limits)
    }
}
