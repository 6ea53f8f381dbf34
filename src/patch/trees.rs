//! Operations on any value: set, replace, remove, merge, clear; and create and delete, which belong to calls that create or
//! delete an instance.

use super::call::Dialect;
use super::error::{Arg, Cause, Checked};
use super::lists;
use super::merge::{MergeMode, merge as merge_into};
use super::op::Arguments;
use super::planner::{NO_REST, Planner, in_state, is_state_part};
use super::rules::Rules;
use crate::edit::Edit;
use crate::value::text::owned;
use crate::value::{Array, Object, Path, Step, Value, below, parse, put, write_string};

/// Sets a value; in the state, missing parents are created.
pub(super) fn set(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let location = planner.resolve(&sent.path)?;
    planner.set_or_create(location, sent.value)
}

/// Sets a value where there is one.
pub(super) fn replace(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let path = planner.resolve_existing(&sent.path)?;
    planner.set(path, sent.value);
    Ok(())
}

/// Sets the keys of an object to those of `value`. A missing object is created.
pub(super) fn merge(planner: &mut Planner<'_>, Arguments { path, value, .. }: Arguments) -> Checked {
    // Before the value, so that a wrong operator of the path is reported first.
    planner.check_operator(&path)?;
    let Value::Object(entries) = value else { return Err(Cause::MergeOf.refuse(&[Arg::Kind(&value)])) };
    let location = planner.resolve(&path)?;
    if !location.rest.is_empty() {
        return planner.set_or_create(location, Value::Object(entries));
    }
    planner.merge(location.path, entries, Cause::MergeInto)
}

/// Removes a value; with `value` and the path of a list, the matching item of that list.
pub(super) fn remove(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let path = planner.resolve_existing(&sent.path)?;
    if let Value::Array(_) = planner.at(&path) {
        if sent.has_value {
            return lists::remove_matching(planner, &path, &sent.value, sent.all);
        }
        // Without a value the patch would remove the list itself. A page needs its own lists, so an item was meant.
        let is_page_list = lists::known_list(&path).is_some() && !in_state(&path, NO_REST);
        if !planner.options.rules.is_open() && is_page_list {
            let id = planner.options.rules.id_key(&path).name();
            return Err(Cause::WhichItem.refuse(&[Arg::Path(&path), Arg::Text(id)]));
        }
    }
    check_removable(&path, planner.options.rules)?;
    planner.remove(path);
    Ok(())
}

/// Refuses the removal of the whole document, and of a required part of a page's document.
pub(super) fn check_removable(path: &[Step], rules: Rules) -> Checked {
    let is_required = !rules.is_open() && (path.len() == 1 || is_state_part(path));
    if !path.is_empty() && !is_required {
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
    Err(Cause::NotRemovable.refuse(&[Arg::Path(path), Arg::Text(solution)]))
}

/// Resets a value to the one that fields declare for its path, or empties it. A missing value is created if one is declared; the
/// `state` of a page is cleared part by part.
pub(super) fn clear(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let location = planner.resolve(&sent.path)?;
    let is_page = !planner.options.rules.is_open();
    if !location.rest.is_empty() {
        let path = location.whole_path();
        let value = match planner.declared_values().at(&path, &planner.cost) {
            Some(value) => value,
            // Missing params or runtime of a page are created.
            None if is_page && is_state_part(&path) => {
                Value::Object(planner.declared_values().below(&path, &planner.cost))
            }
            None => return Err(planner.missing_path(&location)),
        };
        return planner.set_or_create(location, value);
    }
    if is_page && matches!(&*location.path, [Step::Key(key)] if &**key == "state") {
        for part in ["params", "runtime"] {
            clear_at(planner, below(&location.path, part.into()))?;
        }
        return Ok(());
    }
    clear_at(planner, location.path)
}

/// Resets the value at a path to the one that fields declare for it, or empties it: a list anywhere, an object only under open
/// rules and in the state. Keys of the object for which fields declare values get these, and the others are removed.
fn clear_at(planner: &mut Planner<'_>, mut path: Path) -> Checked {
    let allows_any = planner.options.rules.is_open() || in_state(&path, NO_REST);
    // Only `state.params` or `state.runtime` can be missing, if the patch clears `state`.
    let Some(old_value) = planner.document.value().at(&path) else {
        let value = Value::Object(planner.declared_values().below(&path, &planner.cost));
        planner.insert(path, value);
        return Ok(());
    };
    if allows_any && let Some(value) = planner.declared_values().at(&path, &planner.cost) {
        planner.set(path, value);
        return Ok(());
    }
    match old_value {
        Value::Array(_) => planner.set(path, Value::Array(Array::default())),
        Value::Object(object) if allows_any => {
            planner.cost.update(|cost| cost + object.len());
            let entries = planner.declared_values().below(&path, &planner.cost);
            let first_removal = planner.edits.len();
            for key in object.keys() {
                if !entries.contains(key) {
                    planner.edits.push(Edit::Remove { path: below(&path, key.into()) });
                }
            }
            // The last key first, so that no removal shifts the others in the order of keys.
            if let Some(removals) = planner.edits.get_mut(first_removal..) {
                removals.reverse();
            }
            merge_into(object, &mut path, entries, MergeMode::Shallow, &mut planner.edits);
        }
        _ => {
            let cause = if allows_any { Cause::NothingDeclared } else { Cause::NotClearable };
            return Err(cause.refuse(&[Arg::Path(&path)]));
        }
    }
    Ok(())
}

/// Resets each key of `state.params` to its declared value, or to the empty value of its kind. No key is removed, which is the
/// difference from `clear`. The path may be left out.
pub(super) fn clear_all_params(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let mut path = below(&["state".into()], "params".into());
    if !sent.path.segments.is_empty() {
        let sent_path = planner.resolve(&sent.path)?.whole_path();
        if sent_path != path {
            return Err(Cause::NotParams.refuse(&[Arg::Path(&sent_path)]));
        }
    }
    if let Some(Value::Object(params)) = planner.document.value().at(&path) {
        planner.cost.update(|cost| cost + params.len());
        let mut entries = Object::new();
        for (key, value) in params.iter() {
            path.push(Step::from(key));
            let value = planner.declared_values().at(&path, &planner.cost).unwrap_or_else(|| match value {
                Value::Null => Value::Null,
                Value::Bool(_) => Value::Bool(false),
                Value::Number(_) => Value::Number(0.0),
                Value::String(_) => Value::from(""),
                Value::Array(_) => Value::Array(Array::default()),
                Value::Object(_) => Value::Object(planner.declared_values().below(&path, &planner.cost)),
            });
            path.pop();
            entries.set(key, value);
        }
        merge_into(params, &mut path, entries, MergeMode::Shallow, &mut planner.edits);
    }
    Ok(())
}

/// Sets the first document of a new instance. Parts that it lacks keep the values of a new instance.
pub(super) fn create(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    match sent.value {
        _ if !planner.options.creates_instance || planner.patch_index > 0 => Err(Cause::CreateElsewhere.refuse(&[])),
        _ if !sent.has_value => Ok(()),
        Value::Object(document) => {
            let document = complete(document, planner.document.value(), planner.options.rules);
            planner.set(Path::new(), Value::Object(document));
            Ok(())
        }
        other => Err(Cause::FirstDocumentKind.refuse(&[Arg::Kind(&other)])),
    }
}

/// Always refuses: in a call that deletes an instance, no patch is run.
pub(super) fn delete(_: &mut Planner<'_>, _: Arguments) -> Checked {
    Err(Cause::DeleteElsewhere.refuse(&[]))
}

/// The document of a new instance before the patches of its call: a page without blocks and actions. Its page key is `name`, in
/// the dialect of the call.
pub fn start_document(name: &str, dialect: Dialect) -> Value {
    let (before_name, after_name) = match dialect {
        Dialect::Snake => ("{\"page_key\":", ""),
        Dialect::Camel => ("{\"meta\":{\"pageKey\":", ",\"step\":{\"current\":1,\"total\":1},\"status\":\"idle\"}"),
    };
    let mut text = owned(before_name);
    write_string(&mut text, name);
    let parts =
        ",\"state\":{\"params\":{},\"runtime\":{}},\"layout\":{\"type\":\"single\"},\"blocks\":[],\"actions\":[]}";
    put(put(&mut text, after_name), parts);
    // Always JSON that is less deep.
    let max_depth = 4;
    parse(&text, max_depth).unwrap_or_default()
}

/// Adds the parts of a page that a first document lacks, from `start`, the [`start_document`]. A document that has `page_key`
/// or `meta` gets neither of them: each dialect has the page key in one of the two.
fn complete(mut document: Object, start: &Value, rules: Rules) -> Object {
    let has_page_key = document.contains("page_key") || document.contains("meta");
    if let (Rules::Ui, Value::Object(start)) = (rules, start) {
        for (part, value) in start.iter() {
            let is_second_page_key = has_page_key && matches!(part, "page_key" | "meta");
            if !is_second_page_key && !document.contains(part) {
                document.set(part, value.clone());
            }
        }
    }
    document
}
