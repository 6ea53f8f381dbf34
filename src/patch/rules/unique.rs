//! Checks that no id is taken twice.

use crate::edit::Document;
use crate::patch::error::{Arg, Cause, Checked, Refusal};
use crate::value::names::Names;
use crate::value::{IdKey, Path, Step, Value, below};

/// Properties of `props` that hold groups, each with fields, actions and groups of its own.
const GROUPS: [&str; 2] = ["tabs", "panels"];

pub(super) fn check_all(root: &Value, cost: &mut usize) -> Checked {
    for part in ["blocks", "actions"] {
        list(root, part, &mut Names::default(), &[], IdKey::Id, cost)?;
    }
    let Some(Value::Array(blocks)) = root.get("blocks") else { return Ok(()) };
    let mut path = vec!["blocks".into()];
    for (index, value) in blocks.iter().enumerate() {
        path.push(Step::Index(index));
        block(value, &mut path, cost)?;
        path.pop();
    }
    Ok(())
}

/// Checks the ids around a place that an edit touched, by index where it can. `checked` is the block that was checked
/// whole last, since the edits of one patch are all made already.
pub(in crate::patch) fn check_unique(document: &mut Document, path: &[Step], checked: &mut Option<Path>) -> Checked {
    let mut cost = 0;
    let root = document.value();
    let key = |place: usize| path.get(place).and_then(Step::as_key);
    let result = match (key(0), path.len(), key(2)) {
        (_, 0, _) | (Some("blocks"), 1, _) => check_all(root, &mut cost),
        (Some("actions"), 1, _) => list(root, "actions", &mut Names::default(), &[], IdKey::Id, &mut cost),
        (Some("blocks" | "actions"), 2, _) | (Some("blocks" | "actions"), 3, Some("id")) => {
            item(document, path.get(..2).unwrap_or_default(), IdKey::Id)?;
            if key(0) == Some("blocks") && path.len() == 2 { block_once(document, path, checked) } else { Ok(()) }
        }
        (Some("blocks"), _, Some("props")) => in_props(document, path, checked),
        _ => Ok(()),
    };
    document.cost += cost;
    result
}

fn in_props(document: &mut Document, path: &[Step], checked: &mut Option<Path>) -> Checked {
    let key = |place: usize| path.get(place).and_then(Step::as_key);
    let by = match key(3) {
        Some("fields") => IdKey::Key,
        Some("actions") => IdKey::Id,
        None | Some("tabs" | "panels") => return block_once(document, path, checked),
        Some(_) => return Ok(()),
    };
    let props = document.value().at(path.get(..3).unwrap_or_default());
    // The common case: one item of props.fields or props.actions, or its id.
    if path.len() > 4 && props.is_some_and(|props| GROUPS.iter().all(|name| props.get(name).is_none())) {
        let is_id = path.len() == 5 || (path.len() == 6 && key(5) == Some(by.name()));
        return if is_id { item(document, path.get(..5).unwrap_or_default(), by) } else { Ok(()) };
    }
    block_once(document, path, checked)
}

/// The block that a path leads into, unless it is the one that was checked last.
fn block_once(document: &mut Document, path: &[Step], checked: &mut Option<Path>) -> Checked {
    let path = path.get(..2).unwrap_or_default();
    if checked.as_deref() == Some(path) {
        return Ok(());
    }
    let mut cost = 0;
    let result = document.value().at(path).map_or(Ok(()), |value| block(value, &mut path.to_vec(), &mut cost));
    document.cost += cost;
    *checked = Some(path.to_vec());
    result
}

/// One item against the others of its list.
fn item(document: &mut Document, path: &[Step], by: IdKey) -> Checked {
    let Some((_, list)) = path.split_last() else { return Ok(()) };
    let Some(id) = document.value().at(path).and_then(|item| by.of(item)) else { return Ok(()) };
    let id = id.into_owned();
    if document.is_shared(list, by, &id) { Err(taken(list, by, &id)) } else { Ok(()) }
}

/// The fields' keys and the actions' ids of a block, those in tabs and panels too.
fn block(block: &Value, path: &mut Path, cost: &mut usize) -> Checked {
    let Some(props) = block.get("props") else { return Ok(()) };
    path.push(Step::from("props"));
    for (name, by) in [("fields", IdKey::Key), ("actions", IdKey::Id)] {
        group(props, name, &mut Names::default(), path, by, cost)?;
    }
    path.pop();
    Ok(())
}

/// One kind of list in a group and in the groups in it.
fn group(holder: &Value, name: &str, seen: &mut Names, path: &mut Path, by: IdKey, cost: &mut usize) -> Checked {
    list(holder, name, seen, path, by, cost)?;
    for groups in GROUPS {
        let Some(Value::Array(inners)) = holder.get(groups) else { continue };
        *cost += inners.len();
        for (index, inner) in inners.iter().enumerate() {
            path.push(Step::from(groups));
            path.push(Step::Index(index));
            group(inner, name, seen, path, by, cost)?;
            path.truncate(path.len() - 2);
        }
    }
    Ok(())
}

fn list(holder: &Value, name: &str, seen: &mut Names, path: &[Step], by: IdKey, cost: &mut usize) -> Checked {
    let Some(Value::Array(items)) = holder.get(name) else { return Ok(()) };
    *cost += items.len();
    for item in items {
        if let Some(id) = by.of(item)
            && seen.set(&id, 0).is_some()
        {
            return Err(taken(&below(path, name.into()), by, &id));
        }
    }
    Ok(())
}

/// Visits every field of a block, those in tabs and panels too.
pub(in crate::patch) fn each_field<'v>(block: &'v Value, visit: &mut dyn FnMut(&'v Value)) {
    if let Some(props) = block.get("props") {
        fields_in(props, visit);
    }
}

fn fields_in<'v>(group: &'v Value, visit: &mut dyn FnMut(&'v Value)) {
    for name in ["fields", "tabs", "panels"] {
        let Some(Value::Array(items)) = group.get(name) else { continue };
        for item in items {
            if name == "fields" { visit(item) } else { fields_in(item, visit) }
        }
    }
}

fn taken(list: &[Step], by: IdKey, id: &str) -> Refusal {
    Cause::IdTaken.refuse(&[Arg::Place(list), Arg::Text(by.name()), Arg::Cut(id)])
}
