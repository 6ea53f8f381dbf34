//! JSON Merge Patch (RFC 7396) on a document, as edits with inverses.

use super::error::Refusal;
use super::path::{Operator, PathExpr, Segment, format_path};
use super::run::{Outcome, Terms, make};
use super::trees::check_removable;
use crate::edit::{Document, Edit};
use crate::value::{Object, Path, Step, Value};

/// Merges a patch into a document: objects merge, `null` removes a key, anything else replaces.
///
/// # Errors
/// What the rules of a page refuse, and limits; the document is then as it was.
pub fn merge_patch(document: &mut Document, patch: Value, terms: Terms<'_>) -> Result<Outcome, Refusal> {
    document.steps = 0;
    let mut edits = Vec::new();
    plan(document.value(), &mut Path::new(), patch, &mut edits);
    if !terms.rules.is_open() {
        edits.iter().try_for_each(|edit| check_place(edit, terms))?;
    }
    let mut outcome = Outcome::default();
    make(document, edits, terms, &mut outcome)?;
    Ok(outcome)
}

/// Whether an edit may stand where it does in a page's document. Its values and ids are checked once it is made.
fn check_place(edit: &Edit, terms: Terms<'_>) -> Result<(), Refusal> {
    if let Edit::Remove { path } = edit {
        check_removable(path, terms.rules)?;
    }
    let keys = edit.path().iter().filter_map(Step::as_key).map(|key| Segment::Key(key.into()));
    let path = PathExpr { segments: keys.collect(), operator: Operator::Plain };
    if path.segments.is_empty() {
        return Ok(());
    }
    format_path(&path.segments, false)?;
    path.check_page()
}

fn plan(value: &Value, path: &mut Path, patch: Value, edits: &mut Vec<Edit>) {
    let (own, entries) = match (value, patch) {
        (Value::Object(own), Value::Object(entries)) => (own, entries),
        (value, patch) => {
            let patch = merged(patch);
            if *value != patch {
                edits.push(Edit::Set { path: path.clone(), value: patch });
            }
            return;
        }
    };
    for (key, entry) in entries {
        path.push(Step::from(&*key));
        match (own.get(&key), entry) {
            (Some(_), Value::Null) => edits.push(Edit::Remove { path: path.clone() }),
            (None, Value::Null) => {}
            (None, entry) => edits.push(Edit::Insert { path: path.clone(), index: None, value: merged(entry) }),
            (Some(known), entry) => plan(known, path, entry, edits),
        }
        path.pop();
    }
}

/// What a patch makes of nothing: itself, without the keys that it would remove.
fn merged(patch: Value) -> Value {
    match patch {
        Value::Object(entries) => {
            let kept = entries.into_iter().filter(|(_, entry)| *entry != Value::Null);
            Value::Object(kept.map(|(key, entry)| (key, merged(entry))).collect::<Object>())
        }
        other => other,
    }
}
