//! Operations on lists.

use super::condition::Comparison;
use super::cost::comparison_cost;
use super::error::{Arg, Cause, Checked, Refusal};
use super::op::{Arguments, Op};
use super::path::{Operator, PathExpr};
use super::planner::{FoundPath, Planner};
use super::segment::Segment;
use super::words::{cut, nearest_values};
use crate::edit::Edit;
use crate::value::text::{boxed, owned};
use crate::value::{Array, By, IdKey, Object, Path, Step, Value, below, concat};

/// Lists that are created if they are missing.
const LISTS: [&str; 7] = ["blocks", "actions", "fields", "options", "columns", "tabs", "panels"];
/// For the first so many [`LISTS`], a list as `value` means several items.
const SPREAD: usize = 4;

/// The index in [`LISTS`] of the list at a path.
pub(super) fn known_list(path: &[Step]) -> Option<usize> {
    let name = path.last()?.as_key()?;
    LISTS.iter().position(|list| *list == name)
}

/// The index at which `add` inserts, if its path ends with one. `found` is then the list.
fn insertion_index(planner: &Planner<'_>, found: &mut FoundPath<'_>, path: &PathExpr) -> Option<usize> {
    let Some(Segment::Index(index)) = path.segments.last() else { return None };
    let is_list = matches!(planner.at(&found.path), Value::Array(_));
    match found.rest.split_last() {
        // An item that is a list takes the values at its own end.
        None if is_list || !matches!(found.path.last(), Some(Step::Index(_))) => return None,
        None => _ = found.path.pop(),
        Some((_, [])) if is_list => found.rest = &[],
        // A missing list is an empty one.
        Some((_, list)) if !list.is_empty() && *index == 0 => found.rest = list,
        Some(_) => return None,
    }
    Some(*index as usize)
}

pub(super) fn insert_items(planner: &mut Planner<'_>, mut sent: Arguments) -> Checked {
    let is_add = planner.op == Op::Add && sent.path.operator == Operator::Plain;
    if let Some((Segment::Key(end), list)) = sent.path.segments.split_last()
        && is_add
        && &**end == "-"
        && let Some(list) = planner.look_up(list)
        && let Value::Array(_) = planner.at(&list)
    {
        sent.path.segments.pop();
    }
    let mut found = planner.resolve(&sent.path)?;
    let index = if is_add { insertion_index(planner, &mut found, &sent.path) } else { None };
    let resolved = found.resolved();
    let known = known_list(&resolved);
    let is_unruled = planner.is_unruled(&found);
    let items = match (sent.items, sent.value) {
        (Some(_), _) if sent.has_value => return Err(Cause::ValueAndItems.refuse(&[])),
        (Some(Value::Array(items)), _) => items,
        (Some(other), _) => return Err(Cause::ItemsKind.refuse(&[Arg::Kind(&other)])),
        (None, Value::Array(items)) if !is_unruled && known.is_some_and(|list| list < SPREAD) => items,
        (None, value) => vec![value].into(),
    };
    if !found.rest.is_empty() {
        if !is_unruled && (known.is_none() || found.rest.len() > 1) {
            return Err(planner.missing(&found));
        }
        return planner.set_or_create(found, Value::Array(items));
    }
    let len = list_at(planner, &resolved)?.len();
    let start = index.unwrap_or(if planner.op == Op::PrependToList { 0 } else { len });
    for (offset, value) in items.into_iter().enumerate() {
        planner.insert(below(&resolved, Step::Index(start + offset)), value);
    }
    Ok(())
}

/// The list at a path. Refuses a value of another kind.
fn list_at<'s>(planner: &'s Planner<'_>, path: &[Step]) -> Result<&'s Array, Refusal> {
    match planner.at(path) {
        Value::Array(items) => Ok(items),
        other => Err(Cause::NotAList.refuse(&[Arg::Place(path), Arg::Kind(other)])),
    }
}

/// Resolves the path of a list. Refuses a missing place, and a value of another kind.
fn existing_list(planner: &mut Planner<'_>, path: &PathExpr) -> Result<Path, Refusal> {
    let path = planner.resolve_existing(path)?;
    list_at(planner, &path).map(|_| path)
}

/// The keys of an object that asks for a property.
const MATCH: [&str; 4] = ["key", "value", "updates", "all"];

/// A condition on items: an id, a property or the item itself equals a value.
struct Match {
    by: By,
    wanted: Value,
}

impl Match {
    fn read(value: &Value, id: IdKey) -> Result<Self, Refusal> {
        // {"key": …, "value": …} asks for a property. A whole item may have both keys, and is matched by its id.
        let is_whole = |item: &Object| item.contains(id.name()) && !item.keys().all(|name| MATCH.contains(&name));
        let asks = !value.as_object().is_some_and(is_whole);
        let own_id = value.get(id.name()).or_else(|| value.get("id"));
        let (by, wanted) = match (value.get("key"), own_id, value.get("value")) {
            (Some(Value::String(key)), _, Some(wanted)) if asks => (By::Property(key.clone()), wanted),
            (Some(other), _, Some(_)) if asks => return Err(Cause::MatchKeyKind.refuse(&[Arg::Kind(other)])),
            (_, Some(wanted), _) | (None, None, Some(wanted)) => (By::IdOrItem(id), wanted),
            (Some(wanted), None, _) => (By::Property(boxed("key")), wanted),
            (None, None, None) if value.as_object().is_some() => return Err(Cause::MatchNothing.refuse(&[])),
            (None, None, None) => (By::IdOrItem(id), value),
        };
        Ok(Self { by, wanted: wanted.clone() })
    }

    fn fits(&self, item: &Value) -> bool {
        self.by.value(item) == Some(&self.wanted)
    }

    /// The index of the first matching item. Refuses a condition that no item matches.
    fn find(&self, planner: &mut Planner<'_>, path: &[Step]) -> Result<usize, Refusal> {
        let len = list_at(planner, path)?.len();
        // Building an index costs more than a few walks, and less than many.
        if planner.cost.get() >= MAX_WALKS * len {
            let items = planner.document.list_at(path);
            match items.and_then(|items| items.locate_by(&self.by, &self.wanted, &planner.cost)) {
                Some(None) => return Err(self.unmatched(planner, path)),
                Some(Some(place)) if list_at(planner, path)?.get(place).is_some_and(|item| self.fits(item)) => {
                    return Ok(place);
                }
                // The index compares texts, in which a number may equal a string.
                Some(Some(_)) | None => {}
            }
        }
        let place = list_at(planner, path)?.iter().position(|item| self.fits(item));
        planner.cost.update(|cost| cost + place.unwrap_or(len) * comparison_cost(&self.wanted));
        place.ok_or_else(|| self.unmatched(planner, path))
    }

    /// Refuses a condition that no item matches, with the nearest values of the items.
    fn unmatched(&self, planner: &Planner<'_>, path: &[Step]) -> Refusal {
        let items = planner.at(path).as_array();
        let wanted = self.wanted.to_json();
        let known =
            items.map(|items| nearest_values(&wanted, items, &|item| self.by.value(item), "")).unwrap_or_default();
        let cause = if known.is_empty() { Cause::NothingToMatch } else { Cause::NoMatch };
        let property = if let By::Property(key) = &self.by { concat(&[cut(key), " "]) } else { String::new() };
        cause.refuse(&[Arg::Place(path), Arg::Text(&property), Arg::Cut(&wanted), Arg::Text(&known)])
    }
}

/// How many walks over a list are made before a property of its items is indexed.
const MAX_WALKS: usize = 8;

/// Plans the removal of all items for which `is_removed` holds, the last one first. `is_removed` compares each item with
/// `wanted`, whose size is the cost of a comparison.
fn remove_all(planner: &mut Planner<'_>, path: &[Step], wanted: &Value, is_removed: &dyn Fn(&Value) -> bool) {
    let Value::Array(items) = planner.document.value().at(path).unwrap_or(&Value::Null) else { return };
    planner.cost.update(|cost| cost + items.len() * comparison_cost(wanted));
    let from = planner.edits.len();
    for (place, item) in items.iter().enumerate() {
        if is_removed(item) {
            planner.edits.push(Edit::Remove { path: below(path, Step::Index(place)) });
        }
    }
    if let Some(planned) = planner.edits.get_mut(from..) {
        planned.reverse();
    }
}

/// Plans the removal of the first item that `value` asks for, or of all of them.
pub(super) fn remove_matching(planner: &mut Planner<'_>, path: &[Step], value: &Value, all: bool) -> Checked {
    let wanted = Match::read(value, planner.options.rules.id_key(path))?;
    let first = wanted.find(planner, path)?;
    if all || value.get("all") == Some(&Value::Bool(true)) {
        remove_all(planner, path, &wanted.wanted, &|item| wanted.fits(item));
    } else {
        planner.remove(below(path, Step::Index(first)));
    }
    Ok(())
}

pub(super) fn remove_from(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let path = existing_list(planner, &sent.path)?;
    remove_matching(planner, &path, &sent.value, sent.all)
}

pub(super) fn remove_last(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let path = existing_list(planner, &sent.path)?;
    let Some(last) = list_at(planner, &path)?.len().checked_sub(1) else {
        return Err(Cause::ListEmpty.refuse(&[Arg::Place(&path)]));
    };
    planner.remove(below(&path, Step::Index(last)));
    Ok(())
}

/// Moves an item to an index of its list, or next to another item of it.
pub(super) fn move_item(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let from = planner.resolve_existing(&sent.path)?;
    let Some((Step::Index(index), list)) = from.split_last() else {
        return Err(Cause::NoItemToMove.refuse(&[Arg::Place(&from)]));
    };
    let target = target_index(planner, list, *index, &sent.to.unwrap_or_default())?;
    if target != *index {
        let path = below(list, Step::Index(target));
        planner.edits.push(Edit::Move { from, path, index: None });
    }
    Ok(())
}

/// The index that an item gets by `to`, counted without the item.
fn target_index(planner: &mut Planner<'_>, list: &[Step], from: usize, to: &Value) -> Result<usize, Refusal> {
    if let Some(index) = to.as_index() {
        let len = list_at(planner, list)?.len();
        if index < len {
            return Ok(index);
        }
        let args = [Arg::Place(list), Arg::Count(len), Arg::Count(index), Arg::Count(len.saturating_sub(1))];
        return Err(Cause::MoveBeyond.refuse(&args));
    }
    let side = to.as_object().filter(|object| object.len() == 1).and_then(|object| object.at(0));
    let (is_after, id) = match side.map(|(side, id)| (&**side, id)) {
        Some((side @ ("before" | "after"), id @ (Value::String(_) | Value::Number(_)))) => (side == "after", id),
        _ => return Err(Cause::MoveTo.refuse(&[Arg::Json(to)])),
    };
    let id = id.as_str().map_or_else(|| id.to_json(), owned);
    let Some(place) = planner.find_item(list, &id) else {
        let mut refusal = planner.no_item(list, &id);
        refusal.solution.push_str(" An item moves within its list; op remove and op add take it to another one.");
        return Err(refusal);
    };
    let is_itself = place == from;
    Ok(place - usize::from(place > from) + usize::from(is_after && !is_itself))
}

pub(super) fn update_item(planner: &mut Planner<'_>, Arguments { path, value, index, .. }: Arguments) -> Checked {
    let mut path = existing_list(planner, &path)?;
    let (place, updates) = match &index {
        Some(index) => (item_index(list_at(planner, &path)?.len(), &path, index)?, value),
        None => {
            let Some(updates) = value.get("updates") else { return Err(Cause::NoUpdates.refuse(&[])) };
            (Match::read(&value, planner.options.rules.id_key(&path))?.find(planner, &path)?, updates.clone())
        }
    };
    let Value::Object(updates) = updates else { return Err(Cause::UpdatesKind.refuse(&[Arg::Kind(&updates)])) };
    path.push(Step::Index(place));
    planner.merge(path, updates, Cause::ItemKind)
}

fn item_index(len: usize, path: &[Step], index: &Value) -> Result<usize, Refusal> {
    match index.as_index() {
        Some(index) if index < len => Ok(index),
        Some(index) => Err(Cause::IndexBeyond.refuse(&[Arg::Place(path), Arg::Count(len), Arg::Count(index)])),
        None => Err(Cause::IndexKind.refuse(&[Arg::Json(index)])),
    }
}

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
