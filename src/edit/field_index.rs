//! `FieldIndex`: what a document caches for the checks of the values in its state.

use crate::value::Step;
use crate::value::names::Names;

/// The fields of a page by the paths of their values in the state. Of several fields with one path the first counts. It has
/// places, no values, so that most edits leave it valid.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldIndex {
    /// The fields, each as the index of its block and its index among the fields of that block.
    pub(crate) places: Vec<(usize, usize)>,
    /// By path: the index in `places`, or [`INNER`]. A path is written as its keys, each followed by `\0`, which no path can
    /// have. If the path of a field also leads to the values of other fields, its own index counts.
    pub(crate) numbers: Names,
}

/// The number of a path at which no field has its value, but below which some have. No page has so many fields.
pub(crate) const INNER: usize = u32::MAX as usize;

impl FieldIndex {
    /// Whether an edit at `path` may change the index: an edit in the blocks that sets, inserts or removes a list or an object
    /// (`involves_container`), a `bind` or a `key`.
    pub(super) fn depends_on(path: &[Step], involves_container: bool) -> bool {
        match path.first().and_then(Step::as_key) {
            None => true,
            Some("blocks") => involves_container || matches!(path.last().and_then(Step::as_key), Some("bind" | "key")),
            Some(_) => false,
        }
    }
}
