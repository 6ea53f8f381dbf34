//! Operations on any place: set, replace, remove, merge, clear, and create and delete, which belong to sentinel calls.

use super::call::Dialect;
use super::error::{Arg, Cause, Checked};
use super::lists;
use super::merge::merge as merge_into;
use super::op::Arguments;
use super::planner::{FoundPath, Planner, in_state};
use super::rules::Rules;
use crate::edit::Edit;
use crate::value::text::owned;
use crate::value::{Array, Object, Path, Step, Value, below, parse, put, write_string};

pub(super) fn set(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let found = planner.resolve(&sent.path)?;
    planner.set_or_create(found, sent.value)
}

pub(super) fn replace(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let path = planner.resolve_existing(&sent.path)?;
    planner.set(path, sent.value);
    Ok(())
}

pub(super) fn merge(planner: &mut Planner<'_>, Arguments { path, value, .. }: Arguments) -> Checked {
    planner.check_operator(&path)?;
    let Value::Object(entries) = value else { return Err(Cause::MergeOf.refuse(&[Arg::Kind(&value)])) };
    let found = planner.resolve(&path)?;
    if !found.rest.is_empty() {
        return planner.set_or_create(found, Value::Object(entries));
    }
    planner.merge(found.path, entries, Cause::MergeInto)
}

pub(super) fn remove(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let path = planner.resolve_existing(&sent.path)?;
    if let Value::Array(_) = planner.at(&path) {
        if sent.has_value {
            return lists::remove_matching(planner, &path, &sent.value, sent.all);
        }
        if !planner.options.rules.is_open() && lists::known_list(&path).is_some() && !in_state(&path, &[]) {
            let id = planner.options.rules.id_key(&path).name();
            return Err(Cause::WhichItem.refuse(&[Arg::Place(&path), Arg::Text(id)]));
        }
    }
    check_removable(&path, planner.options.rules)?;
    planner.remove(path);
    Ok(())
}

/// Refuses the removal of a required part of a page's document.
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

pub(super) fn clear(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let found = planner.resolve(&sent.path)?;
    clear_found(planner, found)
}

fn clear_found(planner: &mut Planner<'_>, found: FoundPath<'_>) -> Checked {
    let is_page = !planner.options.rules.is_open();
    if !found.rest.is_empty() {
        let place = found.resolved();
        let value = match planner.declared().at(&place, &planner.cost) {
            Some(value) => value,
            // Missing params or runtime of a page are created.
            None if is_page && place.len() == 2 && in_state(&place, &[]) => {
                Value::Object(planner.declared().below(&place, &planner.cost))
            }
            None => return Err(planner.missing(&found)),
        };
        return planner.set_or_create(found, value);
    }
    if is_page && matches!(&*found.path, [Step::Key(key)] if &**key == "state") {
        for part in ["params", "runtime"] {
            clear_place(planner, below(&found.path, part.into()))?;
        }
        return Ok(());
    }
    clear_place(planner, found.path)
}

/// Resets a place to the value that fields declare for it, or empties it.
fn clear_place(planner: &mut Planner<'_>, mut path: Path) -> Checked {
    let is_unruled = planner.options.rules.is_open() || in_state(&path, &[]);
    let Some(present) = planner.document.value().at(&path) else {
        let value = Value::Object(planner.declared().below(&path, &planner.cost));
        planner.insert(path, value);
        return Ok(());
    };
    if is_unruled && let Some(value) = planner.declared().at(&path, &planner.cost) {
        planner.set(path, value);
        return Ok(());
    }
    match present {
        Value::Array(_) => planner.set(path, Value::Array(Array::default())),
        Value::Object(own) if is_unruled => {
            planner.cost.update(|cost| cost + own.len());
            let entries = planner.declared().below(&path, &planner.cost);
            let from = planner.edits.len();
            for key in own.keys() {
                if !entries.contains(key) {
                    planner.edits.push(Edit::Remove { path: below(&path, key.into()) });
                }
            }
            if let Some(removals) = planner.edits.get_mut(from..) {
                removals.reverse();
            }
            merge_into(own, &mut path, entries, false, &mut planner.edits);
        }
        _ => {
            let cause = if is_unruled { Cause::NothingDeclared } else { Cause::NotClearable };
            return Err(cause.refuse(&[Arg::Place(&path)]));
        }
    }
    Ok(())
}

pub(super) fn clear_all_params(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let params = below(&["state".into()], "params".into());
    if !sent.path.segments.is_empty() {
        let place = planner.resolve(&sent.path)?.resolved();
        if place != params {
            return Err(Cause::NotParams.refuse(&[Arg::Place(&place)]));
        }
    }
    if let Some(Value::Object(own)) = planner.document.value().at(&params) {
        planner.cost.update(|cost| cost + own.len());
        let mut cleared = Object::new();
        let mut path = params.clone();
        for (key, value) in own.iter() {
            path.push(Step::from(key));
            let value = planner.declared().at(&path, &planner.cost).unwrap_or_else(|| match value {
                Value::Null => Value::Null,
                Value::Bool(_) => Value::Bool(false),
                Value::Number(_) => Value::Number(0.0),
                Value::String(_) => Value::from(""),
                Value::Array(_) => Value::Array(Array::default()),
                Value::Object(_) => Value::Object(planner.declared().below(&path, &planner.cost)),
            });
            path.pop();
            cleared.set(key, value);
        }
        merge_into(own, &mut path, cleared, false, &mut planner.edits);
    }
    Ok(())
}

/// Sets the first document of a new instance. Parts that it lacks keep the values of a new instance.
pub(super) fn create(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    match sent.value {
        _ if !planner.options.creating || planner.patch_index > 0 => Err(Cause::CreateElsewhere.refuse(&[])),
        _ if !sent.has_value => Ok(()),
        Value::Object(document) => {
            let whole = complete(document, planner.document.value(), planner.options.rules);
            planner.set(Path::new(), Value::Object(whole));
            Ok(())
        }
        other => Err(Cause::FirstDocumentKind.refuse(&[Arg::Kind(&other)])),
    }
}

pub(super) fn delete(_: &mut Planner<'_>, _: Arguments) -> Checked {
    Err(Cause::DeleteElsewhere.refuse(&[]))
}

/// The empty document of a new instance, before the patches of its call. The page key is in the dialect of the call.
pub fn start_document(name: &str, dialect: Dialect) -> Value {
    let (before, after) = match dialect {
        Dialect::Snake => ("{\"page_key\":", ""),
        Dialect::Camel => ("{\"meta\":{\"pageKey\":", ",\"step\":{\"current\":1,\"total\":1},\"status\":\"idle\"}"),
    };
    let mut text = owned(before);
    write_string(&mut text, name);
    let parts =
        ",\"state\":{\"params\":{},\"runtime\":{}},\"layout\":{\"type\":\"single\"},\"blocks\":[],\"actions\":[]}";
    put(put(&mut text, after), parts);
    parse(&text, 4).unwrap_or_default()
}

/// Adds the parts of a page that a first document lacks. Either spelling of the page key is enough.
fn complete(mut document: Object, started: &Value, rules: Rules) -> Object {
    let has_page_key = document.contains("page_key") || document.contains("meta");
    if let (Rules::Ui, Value::Object(started)) = (rules, started) {
        for (part, value) in started.iter() {
            let is_other_spelling = has_page_key && matches!(part, "page_key" | "meta");
            if !is_other_spelling && !document.contains(part) {
                document.set(part, value.clone());
            }
        }
    }
    document
}
