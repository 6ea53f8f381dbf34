//! Operations on any place: set, replace, remove, merge, clear, and the two that belong to sentinel calls.

use super::declared::Declared;
use super::error::{Arg, Cause, Checked};
use super::path::PathExpr;
use super::rules::Rules;
use super::site::{Found, Site, in_state, merge as merge_into};
use super::{lists, start};
use crate::edit::Edit;
use crate::value::{Array, Object, Path, Step, Value, below};

pub(super) fn set(site: &mut Site<'_>, path: &PathExpr, value: Value) -> Checked {
    let found = site.reach(path)?;
    site.put(found, value)
}

pub(super) fn replace(site: &mut Site<'_>, path: &PathExpr, value: Value) -> Checked {
    let path = site.reach_existing(path)?;
    site.set(path, value);
    Ok(())
}

pub(super) fn merge(site: &mut Site<'_>, path: &PathExpr, value: Value) -> Checked {
    site.check_operator(path)?;
    let Value::Object(entries) = value else { return Err(Cause::MergeOf.refuse(&[Arg::Kind(&value)])) };
    let found = site.reach(path)?;
    if !found.rest.is_empty() {
        return site.put(found, Value::Object(entries));
    }
    let mut path = found.path;
    match site.document.value().at(&path).unwrap_or(&Value::Null) {
        Value::Object(own) => {
            merge_into(own, &mut path, entries, false, &mut site.edits);
            Ok(())
        }
        other => Err(Cause::MergeInto.refuse(&[Arg::Place(&path), Arg::Kind(other)])),
    }
}

pub(super) fn remove(site: &mut Site<'_>, path: &PathExpr, value: Option<Value>) -> Checked {
    let path = site.reach_existing(path)?;
    if let Value::Array(_) = site.at(&path) {
        if let Some(value) = value {
            return lists::remove_matching(site, &path, &value, site.all);
        }
        if !site.rules.is_open() && !in_state(&path, &[]) {
            let id = site.rules.id_key(&path).name();
            return Err(Cause::WhichItem.refuse(&[Arg::Place(&path), Arg::Text(id)]));
        }
    }
    check_removable(&path, site.rules)?;
    site.remove(path);
    Ok(())
}

/// Whether the rules let a place go: the parts of a page's document stay, what is in them can go.
pub(super) fn check_removable(path: &[Step], rules: Rules) -> Checked {
    let is_part = path.len() < 2 || (path.len() == 2 && in_state(path, &[]));
    if !path.is_empty() && (rules.is_open() || !is_part) {
        return Ok(());
    }
    let solution = match path.first().and_then(Step::as_key) {
        Some("page_key") => "Leave it as it is.",
        Some("meta") => "Change what is in it, such as meta.status.",
        Some("layout") => "Set it to another one, such as {\"type\": \"single\"}.",
        Some("blocks" | "actions") => "Set it to [] to empty it.",
        Some("state") if path.len() == 1 => "Set it to {\"params\": {}, \"runtime\": {}} to empty it.",
        Some(_) => "Set it to {} to empty it.",
        None => "Set it to another value.",
    };
    Err(Cause::NotRemovable.refuse(&[Arg::Place(path), Arg::Text(solution)]))
}

pub(super) fn clear(site: &mut Site<'_>, path: &PathExpr, _: Option<Value>) -> Checked {
    let found = site.reach(path)?;
    let mut steps = 0;
    let declared = declared(site, &mut steps);
    let result = clear_found(site, found, &declared, &mut steps);
    *site.declared = Some(declared);
    site.document.steps += steps;
    result
}

/// What fields declare, which is gathered once for the patches of a call.
fn declared(site: &mut Site<'_>, steps: &mut usize) -> Declared {
    site.declared.take().unwrap_or_else(|| Declared::of(site.document.value(), steps))
}

fn clear_found(site: &mut Site<'_>, found: Found<'_>, declared: &Declared, steps: &mut usize) -> Checked {
    let is_page = !site.rules.is_open();
    if !found.rest.is_empty() {
        let place = found.resolved();
        let value = match declared.at(&place, steps) {
            Some(value) => value,
            // A page without its params or runtime has them again.
            None if is_page && place.len() == 2 && in_state(&place, &[]) => {
                Value::Object(declared.below(&place, steps))
            }
            None => return Err(site.missing(&found)),
        };
        return site.put(found, value);
    }
    if is_page && matches!(&*found.path, [Step::Key(key)] if &**key == "state") {
        for part in ["params", "runtime"] {
            clear_place(site, below(&found.path, part.into()), declared, steps)?;
        }
        return Ok(());
    }
    clear_place(site, found.path, declared, steps)
}

/// Back to what the fields declare for a place, or to nothing.
fn clear_place(site: &mut Site<'_>, mut path: Path, declared: &Declared, steps: &mut usize) -> Checked {
    let free = site.rules.is_open() || in_state(&path, &[]);
    let Some(present) = site.document.value().at(&path) else {
        let value = Value::Object(declared.below(&path, steps));
        site.insert(path, value);
        return Ok(());
    };
    if free && let Some(value) = declared.at(&path, steps) {
        site.set(path, value);
        return Ok(());
    }
    match present {
        Value::Array(_) => site.set(path, Value::Array(Array::default())),
        Value::Object(own) if free => {
            *steps += own.len();
            let entries = declared.below(&path, steps);
            let from = site.edits.len();
            for key in own.keys() {
                if !entries.contains(key) {
                    site.edits.push(Edit::Remove { path: below(&path, key.into()) });
                }
            }
            if let Some(gone) = site.edits.get_mut(from..) {
                gone.reverse();
            }
            merge_into(own, &mut path, entries, false, &mut site.edits);
        }
        _ => {
            let cause = if free { Cause::NothingDeclared } else { Cause::NotClearable };
            return Err(cause.refuse(&[Arg::Place(&path)]));
        }
    }
    Ok(())
}

pub(super) fn clear_all_params(site: &mut Site<'_>, path: Option<&PathExpr>, _: Option<Value>) -> Checked {
    let params = below(&["state".into()], "params".into());
    if let Some(path) = path {
        let place = site.reach(path)?.resolved();
        if place != params {
            return Err(Cause::NotParams.refuse(&[Arg::Place(&place)]));
        }
    }
    let mut steps = 0;
    let declared = declared(site, &mut steps);
    if let Some(Value::Object(own)) = site.document.value().at(&params) {
        steps += own.len();
        let mut cleared = Object::new();
        let mut path = params.clone();
        for (key, value) in own.iter() {
            path.push(Step::from(key));
            let value = declared.at(&path, &mut steps).unwrap_or_else(|| match value {
                Value::Null => Value::Null,
                Value::Bool(_) => Value::Bool(false),
                Value::Number(_) => Value::Number(0.0),
                Value::String(_) => Value::from(""),
                Value::Array(_) => Value::Array(Array::default()),
                Value::Object(_) => Value::Object(declared.below(&path, &mut steps)),
            });
            path.pop();
            cleared.set(key, value);
        }
        merge_into(own, &mut path, cleared, false, &mut site.edits);
    }
    *site.declared = Some(declared);
    site.document.steps += steps;
    Ok(())
}

/// The first document of a new instance: what it leaves out stays as a new instance has it.
pub(super) fn create(site: &mut Site<'_>, _: Option<&PathExpr>, document: Option<Value>) -> Checked {
    match document {
        _ if !site.founding => Err(Cause::CreateElsewhere.refuse(&[])),
        None => Ok(()),
        Some(Value::Object(document)) => {
            let whole = start::complete(document, site.document.value(), site.rules);
            site.set(Path::new(), Value::Object(whole));
            Ok(())
        }
        Some(other) => Err(Cause::FirstDocumentKind.refuse(&[Arg::Kind(&other)])),
    }
}

pub(super) fn delete(_: &mut Site<'_>, _: Option<&PathExpr>, _: Option<Value>) -> Checked {
    Err(Cause::DeleteElsewhere.refuse(&[]))
}
