//! Operations on lists.

use super::condition::Comparison;
use super::cost::comparison_cost;
use super::error::{Arg, Cause, Checked, Refusal};
use super::op::{Arguments, Op};
use super::path::{Operator, PathExpr};
use super::planner::{Location, NO_REST, Planner};
use super::segment::Segment;
use super::words::{AS_JSON, cut, nearest_values};
use crate::edit::Edit;
use crate::value::text::{boxed, owned};
use crate::value::{Array, By, IdKey, Object, Path, Step, Value, below, concat};

/// The lists of a page's document. An insertion creates one that is missing.
const LISTS: [&str; 7] = ["blocks", "actions", "fields", "options", "columns", "tabs", "panels"];
/// For the first so many of [`LISTS`], a list as `value` means several items. In other lists it is one item.
const SPREAD_LIST_COUNT: usize = 4;

/// The index in [`LISTS`] of the list at a path; `None` for another list, or for a path that ends with an index.
pub(super) fn known_list(path: &[Step]) -> Option<usize> {
    let name = path.last()?.as_key()?;
    LISTS.iter().position(|list| *list == name)
}

/// The index at which `add` inserts, if its path ends with an index that means an item; `None` if `add` appends to the list at
/// `location`. With an index, `location` is shortened to the path of the list.
fn insertion_index(planner: &Planner<'_>, location: &mut Location<'_>, path: &PathExpr) -> Option<usize> {
    let Some(Segment::Index(index)) = path.segments.last() else { return None };
    let is_list = matches!(planner.at(&location.path), Value::Array(_));
    let is_item = matches!(location.path.last(), Some(Step::Index(_)));
    match location.rest.split_last() {
        // The path exists. A list, which may be an item of another list, gets the values at its end.
        None if is_list || !is_item => return None,
        // `blocks[0]`: the index of an existing item.
        None => _ = location.path.pop(),
        // The index after the last item.
        Some((_, [])) if is_list => location.rest = NO_REST,
        // The list is missing too: index 0 of a list that is created.
        Some((_, list)) if !list.is_empty() && *index == 0 => location.rest = list,
        Some(_) => return None,
    }
    Some(*index as usize)
}

/// `add`, `append_to_list` and `prepend_to_list`: inserts `value` or `items` into the list at the path, or for `add` at the index
/// with which the path ends. A list that is missing is created under open rules, in the state, and where [`LISTS`] has it.
pub(super) fn insert_items(planner: &mut Planner<'_>, mut sent: Arguments) -> Checked {
    let is_plain_add = planner.op == Op::Add && sent.path.operator == Operator::Plain;
    // `list.-`, as JSON Patch writes the end of a list, appends as `list` does.
    if let Some((Segment::Key(key), list)) = sent.path.segments.split_last()
        && is_plain_add
        && &**key == "-"
        && let Some(list) = planner.look_up(list)
        && let Value::Array(_) = planner.at(&list)
    {
        sent.path.segments.pop();
    }
    let mut location = planner.resolve(&sent.path)?;
    let index = if is_plain_add { insertion_index(planner, &mut location, &sent.path) } else { None };
    let list_path = location.whole_path();
    let list_index = known_list(&list_path);
    let allows_any = planner.allows_any(&location);
    // In the state and under open rules a list may contain lists.
    let is_spread = !allows_any && list_index.is_some_and(|index| index < SPREAD_LIST_COUNT);
    let items = match (sent.items, sent.value) {
        (Some(_), _) if sent.has_value => return Err(Cause::ValueAndItems.refuse(&[])),
        (Some(Value::Array(items)), _) => items,
        (Some(other), _) => return Err(Cause::ItemsKind.refuse(&[Arg::Kind(&other)])),
        (None, Value::Array(items)) if is_spread => items,
        (None, value) => vec![value].into(),
    };
    let is_list_missing = !location.rest.is_empty();
    if is_list_missing {
        let has_parent = location.rest.len() == 1;
        let may_create = allows_any || (list_index.is_some() && has_parent);
        if !may_create {
            return Err(planner.missing_path(&location));
        }
        return planner.set_or_create(location, Value::Array(items));
    }
    let len = list_at(planner, &list_path)?.len();
    let start = index.unwrap_or(if planner.op == Op::PrependToList { 0 } else { len });
    for (offset, value) in items.into_iter().enumerate() {
        planner.insert(below(&list_path, Step::Index(start + offset)), value);
    }
    Ok(())
}

/// The list at a path. Refuses a value of another kind.
fn list_at<'s>(planner: &'s Planner<'_>, path: &[Step]) -> Result<&'s Array, Refusal> {
    match planner.at(path) {
        Value::Array(items) => Ok(items),
        other => Err(Cause::NotAList.refuse(&[Arg::Path(path), Arg::Kind(other)])),
    }
}

/// Resolves the path of a list. Refuses a missing value, and one of another kind.
fn existing_list(planner: &mut Planner<'_>, path: &PathExpr) -> Result<Path, Refusal> {
    let path = planner.resolve_existing(path)?;
    list_at(planner, &path).map(|_| path)
}

/// The keys of a query by property, such as `{"key": "age", "value": 3}`: see [`Match::read`].
const QUERY_KEYS: [&str; 4] = ["key", "value", "updates", "all"];

/// A condition on items: an id, a property or the item itself equals a value.
struct Match {
    /// The part of each item that is compared.
    part: By,
    /// The value that this part must equal.
    wanted: Value,
}

impl Match {
    /// Reads the `value` of a patch that says which items it is about. `id_key` is the property that is the id in this list.
    fn read(value: &Value, id_key: IdKey) -> Result<Self, Refusal> {
        // A whole item may have the keys `key` and `value` too. It has an id, and other keys than a query.
        let is_item =
            |object: &Object| object.contains(id_key.name()) && !object.keys().all(|name| QUERY_KEYS.contains(&name));
        let is_query = !value.as_object().is_some_and(is_item);
        let item_id = value.get(id_key.name()).or_else(|| value.get("id"));
        let (part, wanted) = match (value.get("key"), item_id, value.get("value")) {
            // `{"key": "age", "value": 3}`: a property.
            (Some(Value::String(key)), _, Some(wanted)) if is_query => (By::Property(key.clone()), wanted),
            (Some(other), _, Some(_)) if is_query => return Err(Cause::MatchKeyKind.refuse(&[Arg::Kind(other)])),
            // An item, or a part of one with its id. `{"value": "old"}` alone is read as "old".
            (_, Some(wanted), _) | (None, None, Some(wanted)) => (By::IdOrItem(id_key), wanted),
            // `{"key": "name"}` alone: the item whose property `key` is "name".
            (Some(wanted), None, _) => (By::Property(boxed("key")), wanted),
            (None, None, None) if value.as_object().is_some() => return Err(Cause::MatchNothing.refuse(&[])),
            // No object: an id, or the item itself.
            (None, None, None) => (By::IdOrItem(id_key), value),
        };
        Ok(Self { part, wanted: wanted.clone() })
    }

    /// Whether an item matches.
    fn fits(&self, item: &Value) -> bool {
        self.part.value(item) == Some(&self.wanted)
    }

    /// The index of the first matching item. Refuses a condition that no item matches.
    fn find(&self, planner: &mut Planner<'_>, path: &[Step]) -> Result<usize, Refusal> {
        let len = list_at(planner, path)?.len();
        // Building an index costs more than a few walks, and less than many. The steps of the call so far tell how many walks it
        // may have made.
        if planner.cost.get() >= MAX_WALKS * len {
            let items = planner.document.list_at(path);
            match items.and_then(|items| items.locate_by(&self.part, &self.wanted, &planner.cost)) {
                // No item has the text of `wanted`, so none equals it.
                Some(None) => return Err(self.unmatched(planner, path)),
                Some(Some(index)) if list_at(planner, path)?.get(index).is_some_and(|item| self.fits(item)) => {
                    return Ok(index);
                }
                // The index finds texts, in which the number 1 equals the string "1", and no lists or objects: walk.
                Some(Some(_)) | None => {}
            }
        }
        let index = list_at(planner, path)?.iter().position(|item| self.fits(item));
        planner.cost.update(|cost| cost + index.unwrap_or(len) * comparison_cost(&self.wanted));
        index.ok_or_else(|| self.unmatched(planner, path))
    }

    /// Refuses a condition that no item matches, with the nearest values of the items.
    fn unmatched(&self, planner: &Planner<'_>, path: &[Step]) -> Refusal {
        let items = planner.at(path).as_array();
        let wanted = self.wanted.to_json();
        let nearest = items.map(|items| nearest_values(&wanted, items, &|item| self.part.value(item), AS_JSON));
        let nearest = nearest.unwrap_or_default();
        let cause = if nearest.is_empty() { Cause::NothingToMatch } else { Cause::NoMatch };
        let property = if let By::Property(key) = &self.part { concat(&[cut(key), " "]) } else { String::new() };
        cause.refuse(&[Arg::Path(path), Arg::Text(&property), Arg::Cut(&wanted), Arg::Text(&nearest)])
    }
}

/// The number of walks over a list after which a property of its items is indexed.
const MAX_WALKS: usize = 8;

/// Plans the removal of all items for which `is_removed` holds, from the last one to the first, so that no removal shifts the
/// index of another. `is_removed` compares each item with `wanted`, whose size is the cost of a comparison.
fn remove_all(planner: &mut Planner<'_>, path: &[Step], wanted: &Value, is_removed: &dyn Fn(&Value) -> bool) {
    let Value::Array(items) = planner.document.value().at(path).unwrap_or(&Value::Null) else { return };
    planner.cost.update(|cost| cost + items.len() * comparison_cost(wanted));
    let first_removal = planner.edits.len();
    for (index, item) in items.iter().enumerate() {
        if is_removed(item) {
            planner.edits.push(Edit::Remove { path: below(path, Step::Index(index)) });
        }
    }
    if let Some(removals) = planner.edits.get_mut(first_removal..) {
        removals.reverse();
    }
}

/// Plans the removal of the first item that `value` asks for, or of all of them: a patch may have `all` itself or in its `value`.
pub(super) fn remove_matching(planner: &mut Planner<'_>, path: &[Step], value: &Value, all: bool) -> Checked {
    let condition = Match::read(value, planner.options.rules.id_key(path))?;
    // Also with `all`: if no item matches, the patch is refused.
    let index = condition.find(planner, path)?;
    if all || value.get("all") == Some(&Value::Bool(true)) {
        remove_all(planner, path, &condition.wanted, &|item| condition.fits(item));
    } else {
        planner.remove(below(path, Step::Index(index)));
    }
    Ok(())
}

/// Removes the items of a list that `value` asks for: the first, or all.
pub(super) fn remove_from(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let path = existing_list(planner, &sent.path)?;
    remove_matching(planner, &path, &sent.value, sent.all)
}

/// Removes the last item of a list.
pub(super) fn remove_last(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let path = existing_list(planner, &sent.path)?;
    let Some(last) = list_at(planner, &path)?.len().checked_sub(1) else {
        return Err(Cause::ListEmpty.refuse(&[Arg::Path(&path)]));
    };
    planner.remove(below(&path, Step::Index(last)));
    Ok(())
}

/// Moves an item to an index of its list, or next to another item of it.
pub(super) fn move_item(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let from = planner.resolve_existing(&sent.path)?;
    let Some((Step::Index(index), list)) = from.split_last() else {
        return Err(Cause::NoItemToMove.refuse(&[Arg::Path(&from)]));
    };
    let target = target_index(planner, list, *index, &sent.to.unwrap_or_default())?;
    if target != *index {
        let path = below(list, Step::Index(target));
        planner.edits.push(Edit::Move { from, path, index: None });
    }
    Ok(())
}

/// The index that `to` gives the item at the index `from`, in the list without that item: an index, or the side of another item.
/// An item that moves next to itself stays.
fn target_index(planner: &mut Planner<'_>, list: &[Step], from: usize, to: &Value) -> Result<usize, Refusal> {
    if let Some(index) = to.as_index() {
        let len = list_at(planner, list)?.len();
        if index < len {
            return Ok(index);
        }
        let args = [Arg::Path(list), Arg::Count(len), Arg::Count(index), Arg::Count(len.saturating_sub(1))];
        return Err(Cause::MoveBeyond.refuse(&args));
    }
    let side = to.as_object().filter(|object| object.len() == 1).and_then(|object| object.at(0));
    let (is_after, id) = match side.map(|(side, id)| (&**side, id)) {
        Some((side @ ("before" | "after"), id @ (Value::String(_) | Value::Number(_)))) => (side == "after", id),
        _ => return Err(Cause::MoveTo.refuse(&[Arg::Json(to)])),
    };
    let id = id.as_str().map_or_else(|| id.to_json(), owned);
    let Some(neighbor) = planner.find_item(list, &id) else {
        let mut refusal = planner.no_item(list, &id);
        refusal.solution.push_str(" An item moves within its list; op remove and op add take it to another one.");
        return Err(refusal);
    };
    let is_itself = neighbor == from;
    let neighbor_without_item = if neighbor > from { neighbor - 1 } else { neighbor };
    Ok(neighbor_without_item + usize::from(is_after && !is_itself))
}

/// Merges keys into one item. With `index`, `value` has the keys; else `value` is a query for the item ([`Match::read`]) with the
/// keys in `updates`.
pub(super) fn update_item(planner: &mut Planner<'_>, Arguments { path, value, index, .. }: Arguments) -> Checked {
    let mut path = existing_list(planner, &path)?;
    let (item, updates) = match &index {
        Some(index) => (item_index(list_at(planner, &path)?.len(), &path, index)?, value),
        None => {
            let Some(updates) = value.get("updates") else { return Err(Cause::NoUpdates.refuse(&[])) };
            (Match::read(&value, planner.options.rules.id_key(&path))?.find(planner, &path)?, updates.clone())
        }
    };
    let Value::Object(updates) = updates else { return Err(Cause::UpdatesKind.refuse(&[Arg::Kind(&updates)])) };
    path.push(Step::Index(item));
    planner.merge(path, updates, Cause::ItemKind)
}

/// Reads the index of an item of the list at `path`, which has `len` items. Refuses any other value.
fn item_index(len: usize, path: &[Step], index: &Value) -> Result<usize, Refusal> {
    match index.as_index() {
        Some(index) if index < len => Ok(index),
        Some(index) => Err(Cause::IndexBeyond.refuse(&[Arg::Path(path), Arg::Count(len), Arg::Count(index)])),
        None => Err(Cause::IndexKind.refuse(&[Arg::Json(index)])),
    }
}

/// Keeps the items of which a property compares with a value as `{"key": …, "operator": …, "value": …}` says, and plans the
/// removal of the others. A missing property is null.
pub(super) fn filter_items(planner: &mut Planner<'_>, Arguments { path, value, .. }: Arguments) -> Checked {
    let path = existing_list(planner, &path)?;
    let Value::Object(filter) = &value else { return Err(Cause::FilterKind.refuse(&[Arg::Kind(&value)])) };
    let part = |name| filter.get(name).ok_or_else(|| Cause::FilterLacks.refuse(&[Arg::Text(name)]));
    let (key, operator, wanted) = (part("key")?, part("operator")?, part("value")?);
    let comparison = operator.as_str().and_then(Comparison::from_name);
    let (Some(comparison), Some(key)) = (comparison, key.as_str()) else {
        return Err(Cause::FilterWords.refuse(&[Arg::Json(key), Arg::Json(operator)]));
    };
    remove_all(planner, &path, wanted, &|item| !comparison.holds(item.get(key).unwrap_or(&Value::Null), wanted));
    Ok(())
}
