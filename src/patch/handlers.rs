//! The function that plans each operation.

use super::error::Checked;
use super::op::{Arguments, Op};
use super::planner::Planner;
use super::{lists, scalars, trees};

/// Plans an operation: adds the edits that it needs to [`Planner::edits`]. The document does not change yet.
/// A function that plans several operations finds the one it plans in [`Planner::op`].
pub(super) type Handler = fn(&mut Planner<'_>, Arguments) -> Checked;

/// The function that plans an operation.
pub(super) const fn handler(op: Op) -> Handler {
    match op {
        Op::Set => trees::set,
        Op::Add | Op::AppendToList | Op::PrependToList => lists::insert_items,
        Op::Replace => trees::replace,
        Op::Remove => trees::remove,
        Op::Move => lists::move_item,
        Op::Clear => trees::clear,
        Op::Create => trees::create,
        Op::Delete => trees::delete,
        Op::Increment | Op::Decrement => scalars::add_number,
        Op::Toggle => scalars::toggle,
        Op::Merge => trees::merge,
        Op::RemoveFromList => lists::remove_from,
        Op::RemoveLast => lists::remove_last,
        Op::UpdateListItem => lists::update_item,
        Op::FilterList => lists::filter_items,
        Op::ClearAllParams => trees::clear_all_params,
    }
}
