//! Operations on lists.

use super::call::Patch;
use super::error::{Code, PatchError, Refusal};
use super::path::{Operator, PathExpr, Segment};
use super::site::{Found, Site, check_operator, in_state, merge, weight};
use super::words::{article, cut, list_values};
use crate::edit::Edit;
use crate::value::{Array, By, IdKey, Object, Path, Step, Value};

/// Lists of the page's structure: a list given as `value` to one of the first four means several items, and one that
/// is missing in its place is made.
const LISTS: [&str; 7] = ["blocks", "actions", "fields", "options", "columns", "tabs", "panels"];

pub(super) fn append(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    insert(site, patch, |len| len)
}

pub(super) fn prepend(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    insert(site, patch, |_| 0)
}

fn insert(site: &mut Site<'_>, patch: Patch, start: fn(usize) -> usize) -> Result<Vec<Edit>, Refusal> {
    let Patch { op, path: Some(path), value, items, .. } = patch else { return Ok(Vec::new()) };
    check_operator(&path, &[Operator::Append], op)?;
    let found = site.find(&path.segments)?;
    let items = several(site, &found, value, items)?;
    if !found.rest.is_empty() {
        let name = found.rest.last().map(Segment::text).unwrap_or_default();
        let known = found.rest.len() == 1 && LISTS.contains(&&*name);
        if !known && !site.rules.is_open() && !in_state(&found.path, found.rest) {
            return Err(site.missing(&found));
        }
        return site.put(found, Value::from(items));
    }
    let start = start(list(site, &found.path)?.len());
    let edits = items.into_iter().enumerate().map(|(offset, value)| {
        let mut path = found.path.clone();
        path.push(Step::Index(start + offset));
        Edit::Insert { path, index: None, value }
    });
    Ok(edits.collect())
}

/// The items of a patch: each of `items`, or `value`, which to some lists may be several.
fn several(
    site: &Site<'_>,
    found: &Found<'_>,
    value: Option<Value>,
    items: Option<Value>,
) -> Result<Vec<Value>, Refusal> {
    let last = found.rest.last().map(Segment::text).or_else(|| found.path.last()?.as_key().map(Into::into));
    let spread = !site.rules.is_open()
        && !in_state(&found.path, found.rest)
        && last.is_some_and(|name| LISTS.get(..4).unwrap_or_default().contains(&&*name));
    match (value, items) {
        (Some(_), Some(_)) => {
            let message = "The patch has both \"value\" and \"items\".";
            Err(PatchError::new(Code::InvalidStructure, message, "Send one item as value, or several as items."))
        }
        (None, Some(Value::Array(items))) => Ok(items.into_iter().collect()),
        (None, Some(other)) => {
            let message = format!("\"items\" is {}.", article(&other));
            Err(PatchError::new(Code::InvalidStructure, message, "Send a list, or one item as value."))
        }
        (Some(Value::Array(items)), None) if spread => Ok(items.into_iter().collect()),
        (value, None) => Ok(value.into_iter().collect()),
    }
}

/// The list at a path that exists.
fn list<'s>(site: &'s Site<'_>, path: &[Step]) -> Result<&'s Array, Refusal> {
    match site.document.value().at(path) {
        Some(Value::Array(items)) => Ok(items),
        Some(other) => {
            let message = format!("{} is {}, not a list.", site.show(path), article(other));
            Err(PatchError::new(Code::InvalidStructure, message, "Use the path of a list, or set it to a list first."))
        }
        None => Err(site.refuse_path(path, "is not there", "Use the path of a list.")),
    }
}

/// The path of the list that a patch works on.
fn target(site: &mut Site<'_>, path: &PathExpr, op: super::Op) -> Result<Path, Refusal> {
    check_operator(path, &[], op)?;
    let path = site.find_existing(&path.segments)?;
    list(site, &path).map(|_| path)
}

/// What an item must be to match.
enum Match {
    /// A property equals a value.
    Property(Box<str>, Value),
    /// Its id, or the item itself, equals a value.
    Id(Value),
}

impl Match {
    fn read(value: Value) -> Result<Self, Refusal> {
        let Value::Object(object) = value else { return Ok(Self::Id(value)) };
        match (object.get("key"), object.get("id"), object.get("value")) {
            (Some(Value::String(key)), _, Some(wanted)) => Ok(Self::Property(key.clone(), wanted.clone())),
            (Some(other), _, Some(_)) => {
                let message = format!("\"key\" is {}.", article(other));
                Err(PatchError::new(Code::InvalidStructure, message, "Send the name of a property as key."))
            }
            // {"id": …}, which may be an item whole, or {"key": …} for a field.
            (Some(wanted), _, None) => Ok(Self::Property("key".into(), wanted.clone())),
            (None, Some(wanted), _) | (None, None, Some(wanted)) => Ok(Self::Id(wanted.clone())),
            (None, None, None) => {
                let message = "The value does not say which item.";
                Err(PatchError::new(Code::MissingValue, message, "Send {\"key\": …, \"value\": …}, or the item's id."))
            }
        }
    }

    /// What an item has where this looks, if it has anything there.
    fn of<'v>(&self, item: &'v Value, by: IdKey) -> Option<&'v Value> {
        match (self, item) {
            (Self::Property(key, _), item) => item.get(key),
            (Self::Id(_), Value::Object(_)) => by.value(item),
            (Self::Id(_), item) => Some(item),
        }
    }

    fn value(&self) -> &Value {
        let (Self::Property(_, wanted) | Self::Id(wanted)) = self;
        wanted
    }

    /// Where this looks, for an index.
    fn place(&self, by: IdKey) -> By {
        match self {
            Self::Property(key, _) => By::Property(key.clone()),
            Self::Id(_) => By::IdOrItem(by),
        }
    }

    fn fits(&self, item: &Value, by: IdKey) -> bool {
        self.of(item, by) == Some(self.value())
    }

    fn show(&self) -> String {
        match self {
            Self::Property(key, wanted) => format!("{} {}", cut(key), cut(&wanted.to_json())),
            Self::Id(wanted) => cut(&wanted.to_json()).to_owned(),
        }
    }
}

/// The index of the first item that matches; refused if there is none.
fn matching(site: &mut Site<'_>, path: &[Step], wanted: &Match) -> Result<usize, Refusal> {
    let by = site.rules.id_key(path);
    let items = list(site, path)?;
    let len = items.len();
    // An index costs more than a few walks, and less than many.
    if site.document.steps >= WALKS * len
        && let Some(place) = site.document.locate_match(path, &wanted.place(by), wanted.value())
    {
        match place {
            None => return Err(unmatched(site, path, wanted)),
            Some(place) if list(site, path)?.get(place).is_some_and(|item| wanted.fits(item, by)) => return Ok(place),
            // It is found by its text, and a number may be written as a string is.
            Some(_) => {}
        }
    }
    let place = list(site, path)?.iter().position(|item| wanted.fits(item, by));
    site.document.steps += place.unwrap_or(len) * weight(wanted.value());
    place.ok_or_else(|| unmatched(site, path, wanted))
}

/// So many walks over a list are made before one of its properties is indexed.
const WALKS: usize = 8;

/// Refuses what no item matches, with what the items have in that place.
#[cold]
fn unmatched(site: &Site<'_>, path: &[Step], wanted: &Match) -> Refusal {
    let by = site.rules.id_key(path);
    let known = match list(site, path) {
        Ok(items) => list_values(&wanted.value().to_json(), items, |item| wanted.of(item, by), ""),
        Err(refusal) => return refusal,
    };
    let list = site.show(path);
    let solution = if known.is_empty() {
        format!("None of its items has one: append with op add, path {list}.")
    } else {
        format!("Use one of {known}.")
    };
    PatchError::new(Code::PathNotFound, format!("{list} has no item that matches {}.", wanted.show()), solution)
}

fn removal(path: &[Step], place: usize) -> Edit {
    let mut path = path.to_vec();
    path.push(Step::Index(place));
    Edit::Remove { path }
}

/// The removals of all items that are to go, the last one first.
fn removals(path: &[Step], items: &Array, goes: &dyn Fn(&Value) -> bool) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (place, item) in items.iter().enumerate() {
        if goes(item) {
            edits.push(removal(path, place));
        }
    }
    edits.reverse();
    edits
}

/// Removes the first match, or with `all` every one.
pub(super) fn remove_matching(
    site: &mut Site<'_>,
    path: &[Step],
    value: Value,
    all: bool,
) -> Result<Vec<Edit>, Refusal> {
    let all = all || value.get("all") == Some(&Value::Bool(true));
    let wanted = Match::read(value)?;
    let first = matching(site, path, &wanted)?;
    if !all {
        return Ok(vec![removal(path, first)]);
    }
    let by = site.rules.id_key(path);
    let items = list(site, path)?;
    let steps = items.len() * weight(wanted.value());
    let edits = removals(path, items, &|item| wanted.fits(item, by));
    site.document.steps += steps;
    Ok(edits)
}

pub(super) fn remove_from(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    let Patch { op, path: Some(path), value: Some(value), all, .. } = patch else { return Ok(Vec::new()) };
    let path = target(site, &path, op)?;
    remove_matching(site, &path, value, all)
}

pub(super) fn remove_last(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    let Patch { op, path: Some(path), .. } = patch else { return Ok(Vec::new()) };
    let path = target(site, &path, op)?;
    match list(site, &path)?.len().checked_sub(1) {
        Some(last) => Ok(vec![removal(&path, last)]),
        None => {
            let message = format!("{} is empty.", site.show(&path));
            Err(PatchError::new(Code::PathNotFound, message, "There is nothing to remove; leave the patch out."))
        }
    }
}

pub(super) fn update_item(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    let Patch { op, path: Some(path), value: Some(value), index, .. } = patch else { return Ok(Vec::new()) };
    let mut path = target(site, &path, op)?;
    let (place, updates) = match index {
        Some(index) => (item_index(site, &path, &index)?, value),
        None => {
            let updates = value.get("updates").cloned().ok_or_else(|| {
                let solution = "Send {\"key\": …, \"value\": …, \"updates\": {…}}, or index and the updates as value.";
                PatchError::new(Code::MissingValue, "The value has no \"updates\".", solution)
            })?;
            (matching(site, &path, &Match::read(value)?)?, updates)
        }
    };
    let Value::Object(updates) = updates else {
        let message = format!("The updates are {}.", article(&updates));
        return Err(PatchError::new(Code::InvalidStructure, message, "Send an object of the keys to set."));
    };
    path.push(Step::Index(place));
    match site.document.value().at(&path) {
        Some(Value::Object(_)) => Ok(merge(site.document.value(), &path, updates)),
        item => {
            let kind = article(item.unwrap_or(&Value::Null));
            let message = format!("{} is {kind}, so it has no keys to set.", site.show(&path));
            Err(PatchError::new(Code::InvalidStructure, message, format!("Use op set, path {}.", site.show(&path))))
        }
    }
}

fn item_index(site: &Site<'_>, path: &[Step], index: &Value) -> Result<usize, Refusal> {
    let len = list(site, path)?.len();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be an index below 2^32")]
    match index.as_number() {
        Some(number) if number.fract() == 0.0 && (0.0..4_294_967_295.0).contains(&number) => {
            if (number as usize) < len {
                return Ok(number as usize);
            }
            let message =
                format!("{} has {len} items, so there is none at index {}.", site.show(path), number as usize);
            Err(PatchError::new(Code::PathNotFound, message, "Use an index below its length."))
        }
        _ => {
            let message = format!("\"index\" is {}.", cut(&index.to_json()));
            Err(PatchError::new(Code::InvalidStructure, message, "Send a whole number from 0."))
        }
    }
}

pub(super) fn filter(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    let Patch { op, path: Some(path), value: Some(value), .. } = patch else { return Ok(Vec::new()) };
    let path = target(site, &path, op)?;
    let missing = |what: &str| {
        let solution = "Send {\"key\": …, \"operator\": \"==\", \"value\": …}.";
        PatchError::new(Code::MissingValue, format!("The filter has no \"{what}\"."), solution)
    };
    let filter: &Object = value.as_object().ok_or_else(|| {
        let message = format!("The filter is {}.", article(&value));
        PatchError::new(Code::InvalidStructure, message, "Send {\"key\": …, \"operator\": \"==\", \"value\": …}.")
    })?;
    let key = filter.get("key").ok_or_else(|| missing("key"))?;
    let name = filter.get("operator").ok_or_else(|| missing("operator"))?;
    let wanted = filter.get("value").ok_or_else(|| missing("value"))?;
    let comparison = name.as_str().and_then(super::condition::Comparison::from_name);
    let (Some(comparison), Some(key)) = (comparison, key.as_str()) else {
        let message = format!("The filter compares {} by {}.", cut(&key.to_json()), cut(&name.to_json()));
        return Err(PatchError::new(Code::InvalidStructure, message, "Use a key and one of == != < <= > >=."));
    };
    let items = list(site, &path)?;
    let edits = removals(&path, items, &|item| !comparison.holds(item.get(key).unwrap_or(&Value::Null), wanted));
    let steps = items.len() * weight(wanted);
    site.document.steps += steps;
    Ok(edits)
}
