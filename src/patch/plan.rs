//! From a patch to the edits that make it so, on the document as it stands.

use super::call::Patch;
use super::error::Refusal;
use super::op::Op;
use super::site::Site;
use super::{lists, scalars, trees};
use crate::edit::Edit;

/// Plans a patch.
///
/// # Errors
/// Why the operation cannot be done here.
pub(super) fn plan(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    let plan = match patch.op {
        Op::Set => trees::set,
        Op::Add => lists::append,
        Op::Replace => trees::replace,
        Op::Remove => trees::remove,
        Op::Clear => trees::clear,
        Op::Create => trees::create,
        Op::Delete => trees::delete,
        Op::Increment => scalars::increment,
        Op::Decrement => scalars::decrement,
        Op::Toggle => scalars::toggle,
        Op::Merge => trees::merge,
        Op::AppendToList => lists::append,
        Op::PrependToList => lists::prepend,
        Op::RemoveFromList => lists::remove_from,
        Op::RemoveLast => lists::remove_last,
        Op::UpdateListItem => lists::update_item,
        Op::FilterList => lists::filter,
        Op::ClearAllParams => trees::clear_all_params,
    };
    plan(site, patch)
}
