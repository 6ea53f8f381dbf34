//! Checks that ids are unique: those of blocks and of actions in the document, field keys and action ids in each block.

use std::cell::Cell;

use crate::edit::Document;
use crate::patch::error::{Arg, Cause, Checked, Refusal};
use crate::value::names::Names;
use crate::value::{Array, IdKey, Path, Step, Value};

/// The properties of a block's `props` that list groups, i.e. tabs or panels. A group has fields and actions, and these two
/// properties too.
pub(super) const GROUPS: [&str; 2] = ["tabs", "panels"];

/// The number of a name in [`Names`] of which only the presence matters.
pub(super) const NO_NUMBER: usize = 0;

/// Checks all ids of a document.
pub(super) fn check_all(root: &Value, cost: &Cell<usize>) -> Checked {
    for part in ["blocks", "actions"] {
        check_part(root, part, cost)?;
    }
    let Some(Value::Array(blocks)) = root.get("blocks") else { return Ok(()) };
    let mut path = vec!["blocks".into()];
    for (index, value) in blocks.iter().enumerate() {
        path.push(Step::Index(index));
        check_block(value, &mut path, cost)?;
        path.pop();
    }
    Ok(())
}

/// Checks the ids that an edit at `path` may have changed; `cost` counts the visited items. A changed id is looked up in the
/// index of its list. A block is checked whole if it is new, or if the edit touches more than one item of `props.fields` or
/// `props.actions`, or if it has groups: the ids of all lists in a block must be unique together.
///
/// `checked_block` is the path of the block that was checked whole last: another edit of the same patch in that block needs no
/// second check, since all edits of the patch have been applied.
pub(in crate::patch) fn check_unique(
    document: &mut Document,
    path: &[Step],
    checked_block: &mut Option<Path>,
    cost: &Cell<usize>,
) -> Checked {
    let key = |position: usize| path.get(position).and_then(Step::as_key);
    let is_in_blocks = key(0) == Some("blocks");
    // `key(2)` is the property of a block or an action, e.g. `props` in `blocks[0].props.fields`.
    match (key(0), path.len(), key(2)) {
        // The document, all blocks, all actions.
        (_, 0, _) | (Some("blocks"), 1, _) => return check_all(document.value(), cost),
        (Some("actions"), 1, _) => return check_part(document.value(), "actions", cost),
        // One block or action, or its id.
        (Some("blocks" | "actions"), 2, _) | (Some("blocks" | "actions"), 3, Some("id")) => {
            check_item(document, path.get(..2).unwrap_or_default(), IdKey::Id, cost)?;
            let is_whole_block = is_in_blocks && path.len() == 2;
            if !is_whole_block {
                return Ok(());
            }
        }
        // The `props` of a block, or something in them.
        (Some("blocks"), _, Some("props")) => {
            let id_key = match key(3) {
                Some("fields") => Some(IdKey::Key),
                Some("actions") => Some(IdKey::Id),
                // All of `props`, or something in a group.
                None | Some("tabs" | "panels") => None,
                // Other properties contain no ids.
                Some(_) => return Ok(()),
            };
            let props = document.value().at(path.get(..3).unwrap_or_default());
            // The common case: one item of props.fields or props.actions, or something in it. `blocks[0].props.fields[1]` has
            // five steps.
            if let Some(id_key) = id_key.filter(|_| path.len() > 4)
                && props.is_some_and(|props| GROUPS.iter().all(|name| props.get(name).is_none()))
            {
                let may_change_id = path.len() == 5 || (path.len() == 6 && key(5) == Some(id_key.name()));
                return if may_change_id {
                    check_item(document, path.get(..5).unwrap_or_default(), id_key, cost)
                } else {
                    Ok(())
                };
            }
        }
        // Other parts of the document and of a block contain no ids.
        _ => return Ok(()),
    }
    // The block that the path leads into.
    let block = path.get(..2).unwrap_or_default();
    if checked_block.as_deref() == Some(block) {
        return Ok(());
    }
    *checked_block = Some(block.to_vec());
    document.value().at(block).map_or(Ok(()), |value| check_block(value, &mut block.to_vec(), cost))
}

/// Checks that no other item of its list has the id of the item at `path`.
fn check_item(document: &mut Document, path: &[Step], id_key: IdKey, cost: &Cell<usize>) -> Checked {
    let Some((_, list)) = path.split_last() else { return Ok(()) };
    let Some(id) = document.value().at(path).and_then(|item| id_key.of(item)) else { return Ok(()) };
    let id = id.into_owned();
    let is_shared = document.list_at(list).is_some_and(|items| items.is_shared(id_key, &id, cost));
    if is_shared { Err(id_taken(list, id_key, &id)) } else { Ok(()) }
}

/// Checks the ids of the items in `blocks` or `actions` of the document.
fn check_part(root: &Value, part: &str, cost: &Cell<usize>) -> Checked {
    let Some(Value::Array(items)) = root.get(part) else { return Ok(()) };
    cost.update(|cost| cost + items.len());
    check_list(items, &[part.into()], &mut Names::default(), IdKey::Id)
}

/// Checks the fields' keys and the actions' ids of a block, including those in tabs and panels. `path` is that of the block.
fn check_block(block: &Value, path: &mut Path, cost: &Cell<usize>) -> Checked {
    let Some(props) = block.get("props") else { return Ok(()) };
    path.push("props".into());
    for (name, id_key) in [("fields", IdKey::Key), ("actions", IdKey::Id)] {
        let mut known_ids = Names::default();
        each_list(props, name, path, cost, &mut |items, path| check_list(items, path, &mut known_ids, id_key))?;
    }
    path.pop();
    Ok(())
}

/// Visits the lists called `name` (`fields` or `actions`) in a group and in the groups inside of it, with their paths.
fn each_list(
    group: &Value,
    name: &str,
    path: &mut Path,
    cost: &Cell<usize>,
    visit: &mut dyn FnMut(&Array, &[Step]) -> Checked,
) -> Checked {
    for list in [name].into_iter().chain(GROUPS) {
        let Some(Value::Array(items)) = group.get(list) else { continue };
        cost.update(|cost| cost + items.len());
        path.push(Step::from(list));
        if list == name {
            visit(items, path)?;
        } else {
            for (index, inner) in items.iter().enumerate() {
                path.push(Step::Index(index));
                each_list(inner, name, path, cost, visit)?;
                path.pop();
            }
        }
        path.pop();
    }
    Ok(())
}

/// Checks that no item of a list has the id of another one, or one of `known_ids`, to which it adds the list's ids. `path` is
/// that of the list.
fn check_list(items: &Array, path: &[Step], known_ids: &mut Names, id_key: IdKey) -> Checked {
    for item in items {
        if let Some(id) = id_key.of(item)
            && known_ids.set(&id, NO_NUMBER).is_some()
        {
            return Err(id_taken(path, id_key, &id));
        }
    }
    Ok(())
}

/// The refusal of an id that an item of the list, or of another one in the same block, has already.
fn id_taken(list: &[Step], id_key: IdKey, id: &str) -> Refusal {
    Cause::IdTaken.refuse(&[Arg::Path(list), Arg::Text(id_key.name()), Arg::Cut(id)])
}
