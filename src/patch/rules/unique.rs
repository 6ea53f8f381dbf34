//! Ids that must not be taken twice.

use super::blocks::each_in;
use super::{below, show};
use crate::edit::Document;
use crate::patch::error::{Code, PatchError, Refusal};
use crate::patch::words::cut;
use crate::value::names::Names;
use crate::value::{IdKey, Path, Step, Value};

/// Checks all ids of a document.
pub(super) fn check_all(root: &Value, steps: &mut usize) -> Result<(), Refusal> {
    list(root, &["blocks".into()], IdKey::Id, steps)?;
    list(root, &["actions".into()], IdKey::Id, steps)?;
    let blocks = root.get("blocks").and_then(Value::as_array).map_or(0, crate::value::Array::len);
    (0..blocks).try_for_each(|index| block(root, &["blocks".into(), index.into()], steps))
}

/// Checks the ids around a place that an edit touched. Looks up by index what it can, so that one item more in a long
/// list does not cost a walk over it. `checked` is the block that was checked whole last: the edits of one patch are all made
/// already.
pub(in crate::patch) fn check_unique(
    document: &mut Document,
    path: &[Step],
    checked: &mut Option<Path>,
) -> Result<(), Refusal> {
    let mut steps = 0;
    let walked = match path {
        [] => Some(check_all(document.value(), &mut steps)),
        [Step::Key(part)] if &**part == "blocks" => Some(check_all(document.value(), &mut steps)),
        [Step::Key(part)] if &**part == "actions" => Some(list(document.value(), path, IdKey::Id, &mut steps)),
        _ => None,
    };
    document.steps += steps;
    if let Some(result) = walked {
        return result;
    }
    let Some((Step::Key(part), rest)) = path.split_first() else { return Ok(()) };
    match (&**part, rest) {
        ("actions", [_]) => item(document, path, IdKey::Id),
        ("actions", [_, Step::Key(key)]) if &**key == "id" => {
            item(document, path.get(..2).unwrap_or_default(), IdKey::Id)
        }
        ("blocks", [_]) => {
            item(document, path, IdKey::Id)?;
            block_once(document, path, checked)
        }
        ("blocks", [_, Step::Key(key)]) if &**key == "id" => {
            item(document, path.get(..2).unwrap_or_default(), IdKey::Id)
        }
        ("blocks", [_, Step::Key(props), inner @ ..]) if &**props == "props" => {
            in_props(document, path, inner, checked)
        }
        _ => Ok(()),
    }
}

fn in_props(document: &mut Document, path: &[Step], inner: &[Step], checked: &mut Option<Path>) -> Result<(), Refusal> {
    let whole: &[Step] = path.get(..2).unwrap_or_default();
    let listed: &[Step] = path.get(..5).unwrap_or_default();
    let props = document.value().at(path.get(..3).unwrap_or_default());
    let flat = props.is_some_and(|props| props.get("tabs").is_none() && props.get("panels").is_none());
    match inner {
        // The common case: one item of props.fields or props.actions, or its id.
        [Step::Key(name), Step::Index(_), rest @ ..] if flat && matches!(&**name, "fields" | "actions") => {
            let by = if &**name == "fields" { IdKey::Key } else { IdKey::Id };
            match rest {
                [] => item(document, listed, by),
                [Step::Key(key)] if &**key == by.name() => item(document, listed, by),
                _ => Ok(()),
            }
        }
        [Step::Key(name), ..] if matches!(&**name, "fields" | "actions" | "tabs" | "panels") => {
            block_once(document, whole, checked)
        }
        [] => block_once(document, whole, checked),
        _ => Ok(()),
    }
}

/// A block, unless it is the one that was checked last.
fn block_once(document: &mut Document, path: &[Step], checked: &mut Option<Path>) -> Result<(), Refusal> {
    if checked.as_deref() == Some(path) {
        return Ok(());
    }
    let mut steps = 0;
    let result = block(document.value(), path, &mut steps);
    document.steps += steps;
    *checked = Some(path.to_vec());
    result
}

/// One item against the others of its list.
fn item(document: &mut Document, path: &[Step], by: IdKey) -> Result<(), Refusal> {
    let Some((_, list)) = path.split_last() else { return Ok(()) };
    let id = document.value().at(path).and_then(|item| by.of(item)).map(std::borrow::Cow::into_owned);
    match id {
        Some(id) if document.is_shared(list, by, &id) => Err(taken(list, by, &id)),
        Some(_) | None => Ok(()),
    }
}

/// A list's ids.
fn list(root: &Value, path: &[Step], by: IdKey, steps: &mut usize) -> Result<(), Refusal> {
    let mut seen = Names::default();
    let items = root.at(path).and_then(Value::as_array);
    *steps += items.map_or(0, crate::value::Array::len);
    for id in items.into_iter().flatten().filter_map(|item| by.of(item)) {
        if seen.set(&id, 0).is_some() {
            return Err(taken(path, by, &id));
        }
    }
    Ok(())
}

/// The fields' keys and the actions' ids of a block, those in tabs and panels too.
fn block(root: &Value, path: &[Step], steps: &mut usize) -> Result<(), Refusal> {
    let props = below(path, "props");
    let Some(group) = root.at(&props) else { return Ok(()) };
    for (name, by) in [("fields", IdKey::Key), ("actions", IdKey::Id)] {
        let mut seen = Names::default();
        let mut twice: Option<(Path, String)> = None;
        each_in(group, &props, name, &mut |place, item| {
            *steps += 1;
            if let Some(id) = by.of(item)
                && seen.set(&id, 0).is_some()
            {
                twice.get_or_insert((place, id.into_owned()));
            }
        });
        if let Some((place, id)) = twice {
            return Err(taken(place.split_last().map(|(_, list)| list).unwrap_or_default(), by, &id));
        }
    }
    Ok(())
}

#[cold]
fn taken(list: &[Step], by: IdKey, id: &str) -> Refusal {
    let message = format!("{} already has an item with {} \"{}\".", show(list), by.name(), cut(id));
    PatchError::new(Code::DuplicateId, message, format!("Use another {}, or set the item that is there.", by.name()))
}
