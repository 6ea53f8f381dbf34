//! What can be done to a document: the patches of a call, one of the standard formats, or
//! edits.

use super::{Outcome, Refusal, Terms, edits, json_patch, merge_patch, run};
use crate::edit::Document;
use crate::value::Value;

/// A piece of work on one document, as it was sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// The patches of a call.
    Patches(Vec<Value>),
    /// The operations of a JSON Patch (RFC 6902).
    JsonPatch(Value),
    /// A JSON Merge Patch (RFC 7396).
    MergePatch(Value),
    /// An edit script.
    Edits(Value),
}

impl Work {
    /// Does the work.
    ///
    /// # Errors
    /// Why it cannot be done; the document is then as it was.
    pub fn run(self, document: &mut Document, terms: Terms<'_>) -> Result<Outcome, Refusal> {
        match self {
            Self::Patches(patches) => run(document, patches, terms),
            Self::JsonPatch(operations) => json_patch(document, operations, terms),
            Self::MergePatch(patch) => merge_patch(document, patch, terms),
            Self::Edits(script) => edits(document, &script, terms),
        }
    }
}
