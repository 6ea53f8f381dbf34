//! Operations on any place: set, replace, remove, merge, clear, and the two that belong to sentinel calls.

use super::call::{CREATE, DELETE, Patch};
use super::declared::Declared;
use super::error::{Code, PatchError, Refusal};
use super::path::{Operator, show};
use super::rules::Rules;
use super::site::{Found, Site, check_operator, in_state, merge as merged, set as replaced};
use super::words::article;
use super::{lists, start};
use crate::edit::Edit;
use crate::value::{Array, Object, Path, Step, Value};

pub(super) fn set(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    let Patch { path: Some(path), value: Some(value), .. } = patch else { return Ok(Vec::new()) };
    site.set(&path, value)
}

pub(super) fn replace(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    let Patch { op, path: Some(path), value: Some(value), .. } = patch else { return Ok(Vec::new()) };
    check_operator(&path, &[Operator::ItemAt], op)?;
    let path = site.find_existing(&path.segments)?;
    Ok(replaced(site.document.value(), path, value))
}

pub(super) fn merge(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    let Patch { op, path: Some(path), value: Some(value), .. } = patch else { return Ok(Vec::new()) };
    check_operator(&path, &[Operator::ItemAt], op)?;
    let Value::Object(entries) = value else {
        let message = format!("merge of {}.", article(&value));
        return Err(PatchError::new(Code::InvalidStructure, message, "Send an object of the keys to set as value."));
    };
    let found = site.find(&path.segments)?;
    match site.document.value().at(&found.path) {
        _ if !found.rest.is_empty() => site.put(found, Value::Object(entries)),
        Some(Value::Object(_)) => Ok(merged(site.document.value(), &found.path, entries)),
        other => {
            let kind = article(other.unwrap_or(&Value::Null));
            let message = format!("{} is {kind}, not an object.", site.show(&found.path));
            Err(PatchError::new(Code::InvalidStructure, message, "Use op set to give it another kind."))
        }
    }
}

pub(super) fn remove(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    let Patch { op, path: Some(path), value, all, .. } = patch else { return Ok(Vec::new()) };
    check_operator(&path, &[Operator::ItemById], op)?;
    let path = site.find_existing(&path.segments)?;
    let is_list = matches!(site.document.value().at(&path), Some(Value::Array(_)));
    match value {
        Some(value) if is_list => return lists::remove_matching(site, &path, value, all),
        None if is_list && !site.rules.is_open() && !in_state(&path, &[]) => {
            let list = site.show(&path);
            let message = format!("remove of {list} does not say which item.");
            let id = site.rules.id_key(&path).name();
            let solution =
                format!("Send value {{\"{id}\": …}}, or name the item in the path; op clear empties the list.");
            return Err(PatchError::new(Code::MissingValue, message, solution));
        }
        Some(_) | None => {}
    }
    check_removable(&path, site.rules)?;
    Ok(vec![Edit::Remove { path }])
}

pub(super) fn clear(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    let Patch { op, path: Some(path), .. } = patch else { return Ok(Vec::new()) };
    check_operator(&path, &[], op)?;
    let found = site.find(&path.segments)?;
    with_declared(site, |site, declared, steps| clear_found(site, found, declared, steps))
}

/// Does something with what fields declare, which is gathered once for the patches of a call.
fn with_declared<T>(site: &mut Site<'_>, run: impl FnOnce(&mut Site<'_>, &Declared, &mut usize) -> T) -> T {
    let mut steps = 0;
    let declared = site.declared.take().unwrap_or_else(|| Declared::of(site.document.value(), &mut steps));
    let result = run(site, &declared, &mut steps);
    *site.declared = Some(declared);
    site.document.steps += steps;
    result
}

fn clear_found(
    site: &mut Site<'_>,
    found: Found<'_>,
    declared: &Declared,
    steps: &mut usize,
) -> Result<Vec<Edit>, Refusal> {
    if !found.rest.is_empty() {
        let place = resolved(&found);
        // A page without its params or runtime has them again.
        let part = !site.rules.is_open() && place.len() == 2 && in_state(&place, &[]);
        let value = declared.at(&place, steps).or_else(|| part.then(|| Value::Object(declared.below(&place, steps))));
        return match value {
            Some(value) => site.put(found, value),
            None => Err(site.missing(&found)),
        };
    }
    if found.path == [Step::from("state")] && !site.rules.is_open() {
        let mut edits = clear_place(site, &below(&found.path, "params"), declared, steps)?;
        edits.extend(clear_place(site, &below(&found.path, "runtime"), declared, steps)?);
        return Ok(edits);
    }
    clear_place(site, &found.path, declared, steps)
}

/// The path of a place whose parents may be missing.
fn resolved(found: &Found<'_>) -> Path {
    found.path.iter().cloned().chain(found.rest.iter().map(|segment| Step::Key(segment.key()))).collect()
}

fn below(path: &[Step], key: &str) -> Path {
    path.iter().cloned().chain([Step::from(key)]).collect()
}

/// Whether the rules let a place go: the parts of a page's document stay, what is in them can go.
pub(super) fn check_removable(path: &[Step], rules: Rules) -> Result<(), Refusal> {
    let part = path.len() < 2 || (path.len() == 2 && in_state(path, &[]));
    if !path.is_empty() && (rules.is_open() || !part) {
        return Ok(());
    }
    let place = if path.is_empty() { "The document".to_owned() } else { show(path) };
    let solution = match path.first().and_then(Step::as_key) {
        Some("page_key") => "Leave it as it is.",
        Some("meta") => "Change what is in it, such as meta.status.",
        Some("layout") => "Set it to another one, such as {\"type\": \"single\"}.",
        Some("blocks" | "actions") => "Set it to [] to empty it.",
        Some("state") if path.len() == 1 => "Set it to {\"params\": {}, \"runtime\": {}} to empty it.",
        Some(_) => "Set it to {} to empty it.",
        None => "Set it to another value.",
    };
    Err(PatchError::new(Code::InvalidPath, format!("{place} cannot be removed."), solution))
}

/// Back to what the fields declare for a place, or to nothing.
fn clear_place(site: &Site<'_>, path: &[Step], declared: &Declared, steps: &mut usize) -> Result<Vec<Edit>, Refusal> {
    let root = site.document.value();
    let free = site.rules.is_open() || in_state(path, &[]);
    if free && let (Some(_), Some(value)) = (root.at(path), declared.at(path, steps)) {
        return Ok(replaced(root, path.to_vec(), value));
    }
    match root.at(path) {
        Some(Value::Array(_)) => Ok(replaced(root, path.to_vec(), Value::Array(Array::default()))),
        Some(Value::Object(own)) if free => {
            *steps += own.len();
            Ok(reshape(path, own, declared.below(path, steps)))
        }
        Some(_) if free => {
            let message = format!("No field declares a value for {}.", site.show(path));
            Err(PatchError::new(Code::PathNotFound, message, "Use op set with the value that it should have."))
        }
        Some(_) => {
            let solution =
                "Use op clear on state.params, state.runtime, blocks, actions, or a list or object in state.";
            Err(site.refuse_path(path, "cannot be cleared", solution))
        }
        None => Ok(vec![Edit::Insert {
            path: path.to_vec(),
            index: None,
            value: Value::Object(declared.below(path, steps)),
        }]),
    }
}

/// The edits by which an object comes to have just these entries; what is equal stays what it is.
fn reshape(path: &[Step], own: &Object, entries: Object) -> Vec<Edit> {
    let gone = own.keys().filter(|key| !entries.contains(key));
    let mut edits: Vec<Edit> = gone.map(|key| Edit::Remove { path: below(path, key) }).collect();
    edits.reverse();
    for (key, value) in entries {
        let place = below(path, &key);
        match own.get(&key) {
            Some(known) if *known == value => {}
            Some(_) => edits.push(Edit::Set { path: place, value }),
            None => edits.push(Edit::Insert { path: place, index: None, value }),
        }
    }
    edits
}

pub(super) fn clear_all_params(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    let params: Path = vec!["state".into(), "params".into()];
    if let Some(path) = &patch.path {
        check_operator(path, &[], patch.op)?;
        let found = site.find(&path.segments)?;
        if resolved(&found) != params {
            let solution = "Leave the path out, or use op clear for another place.";
            return Err(site.refuse_path(&resolved(&found), "is not state.params", solution));
        }
    }
    with_declared(site, |site, declared, steps| {
        let Some(Value::Object(own)) = site.document.value().at(&params) else { return Ok(Vec::new()) };
        *steps += own.len();
        let edits = own.iter().flat_map(|(key, value)| {
            let path = below(&params, key);
            let cleared = declared.at(&path, steps).unwrap_or_else(|| match value {
                Value::Null => Value::Null,
                Value::Bool(_) => Value::Bool(false),
                Value::Number(_) => Value::Number(0.0),
                Value::String(_) => Value::from(""),
                Value::Array(_) => Value::Array(Array::default()),
                Value::Object(_) => Value::Object(declared.below(&path, steps)),
            });
            replaced(site.document.value(), path, cleared)
        });
        Ok(edits.collect())
    })
}

/// The first document of a new instance: what it leaves out stays as a new instance has it.
pub(super) fn create(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    if !site.founding {
        let message = "create works only as the first patch of a call that makes an instance.";
        let solution = format!("Send a call with instance_name {CREATE} and new_instance_name.");
        return Err(PatchError::new(Code::InvalidOp, message, solution));
    }
    match patch.value {
        None => Ok(Vec::new()),
        Some(Value::Object(document)) => {
            let root = site.document.value();
            let whole = start::complete(document, root, site.rules);
            Ok(replaced(root, Path::new(), Value::Object(whole)))
        }
        Some(other) => {
            let message = format!("The first document is {}.", article(&other));
            Err(PatchError::new(Code::InvalidStructure, message, "Send it as an object."))
        }
    }
}

pub(super) fn delete(_: &mut Site<'_>, _: Patch) -> Result<Vec<Edit>, Refusal> {
    let message = "delete works only in a call that removes an instance.";
    let solution =
        format!("Send a call with instance_name {DELETE} and target_instance_name; op remove takes an item away.");
    Err(PatchError::new(Code::InvalidOp, message, solution))
}
