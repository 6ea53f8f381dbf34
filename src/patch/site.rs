//! Where a patch works: the document and its rules, and the way from a path to a place.

use super::declared::Declared;
use super::error::{Code, PatchError, Refusal};
use super::path::{Operator, PathExpr, Segment, format_path, show};
use super::rules::Rules;
use super::words::{article, cut, list_names, list_values};
use crate::edit::{Document, Edit};
use crate::limits::Limits;
use crate::value::{Object, Path, Step, Value, measure};

/// The document that a patch works on.
#[derive(Debug)]
pub(super) struct Site<'a> {
    /// The document as it stands.
    pub(super) document: &'a mut Document,
    /// The rules it is under.
    pub(super) rules: Rules,
    /// Whether this is the first patch of a call that makes the instance.
    pub(super) founding: bool,
    /// What fields declare, once it was asked for.
    pub(super) declared: &'a mut Option<Declared>,
    /// The limits of the call.
    pub(super) limits: &'a Limits,
}

/// How far a path leads.
#[derive(Debug)]
pub(super) struct Found<'p> {
    /// The part that exists.
    pub(super) path: Path,
    /// The part that does not. Its first segment would stand in an object, or at the end of a list.
    pub(super) rest: &'p [Segment],
}

impl Site<'_> {
    /// Follows segments as far as the document goes.
    ///
    /// # Errors
    /// `PATH_NOT_FOUND` where nothing could ever stand: below a scalar, beyond the end of a list, at an id or a key
    /// that a list does not have.
    pub(super) fn find<'p>(&mut self, segments: &'p [Segment]) -> Result<Found<'p>, Refusal> {
        self.follow(segments).map_err(|(path, segment)| {
            let rest = segments.get(path.len() + 1..).unwrap_or_default();
            self.lost(&path, segment, rest)
        })
    }

    /// Where segments lead, if that is there.
    pub(super) fn look_up(&mut self, segments: &[Segment]) -> Option<Path> {
        self.follow(segments).ok().filter(|found| found.rest.is_empty()).map(|found| found.path)
    }

    /// Follows segments, or says at which place which of them leads to nothing that could ever stand there.
    fn follow<'p>(&mut self, segments: &'p [Segment]) -> Result<Found<'p>, (Path, &'p Segment)> {
        let mut path = Path::with_capacity(segments.len());
        let mut value = self.document.value();
        for (place, segment) in segments.iter().enumerate() {
            let rest = segments.get(place..).unwrap_or_default();
            let (step, next) = match (value, segment) {
                (Value::Object(object), segment) => {
                    let key = segment.key();
                    let Some(next) = object.get(&key) else { return Ok(Found { path, rest }) };
                    (Step::Key(key), next)
                }
                (Value::Array(items), Segment::Index(index)) => {
                    let index = *index as usize;
                    match items.get(index) {
                        Some(next) => (Step::Index(index), next),
                        None if index == items.len() => return Ok(Found { path, rest }),
                        None => return Err((path, segment)),
                    }
                }
                (Value::Array(_), Segment::Id(id)) => {
                    // Looking up an id may make the list's index, so the way to here is gone again.
                    let by = self.rules.id_key(&path);
                    let step = self.document.locate(&path, by, id).map(Step::Index);
                    let list = self.document.value().at(&path);
                    match step.and_then(|step| list?.step(&step).map(|next| (step, next))) {
                        Some(found) => found,
                        None => return Err((path, segment)),
                    }
                }
                _ => return Err((path, segment)),
            };
            path.push(step);
            value = next;
        }
        Ok(Found { path, rest: &[] })
    }

    #[cold]
    fn lost(&self, path: &[Step], segment: &Segment, rest: &[Segment]) -> Refusal {
        match (self.document.value().at(path).unwrap_or(&Value::Null), segment) {
            (Value::Array(items), Segment::Index(index)) => self.beyond(path, items.len(), *index as usize),
            (Value::Array(_), Segment::Id(id)) => self.no_item(path, id),
            (Value::Array(_), Segment::Key(key)) => self.key_on_list(path, key, rest),
            (scalar, _) => {
                let message = format!("{} is {}, so nothing stands below it.", self.show(path), article(scalar));
                // In the structure no object may stand there.
                let is_free = self.rules.is_open() || in_state(path, &[]);
                let solution = if is_free { "Set it to an object first." } else { "Use that place itself." };
                PatchError::new(Code::PathNotFound, message, solution)
            }
        }
    }

    /// Refuses a call that looks at more than it may.
    pub(super) fn check_steps(&self) -> Result<(), Refusal> {
        check_steps(self.document, self.limits)
    }

    /// The edits that set a value at a path.
    pub(super) fn set(&mut self, path: &PathExpr, value: Value) -> Result<Vec<Edit>, Refusal> {
        check_operator(path, &[Operator::ItemAt], super::Op::Set)?;
        let found = self.find(&path.segments)?;
        self.put(found, value)
    }

    /// Follows a path that must exist.
    pub(super) fn find_existing(&mut self, segments: &[Segment]) -> Result<Path, Refusal> {
        let found = self.find(segments)?;
        if found.rest.is_empty() { Ok(found.path) } else { Err(self.missing(&found)) }
    }

    /// The edit that gives a place its value, where the document may have such a place; nothing where it has that
    /// value already. Missing parents are made in state, as objects.
    pub(super) fn put(&mut self, found: Found<'_>, value: Value) -> Result<Vec<Edit>, Refusal> {
        let Some((first, deeper)) = found.rest.split_first() else {
            return Ok(set(self.document.value(), found.path, value));
        };
        let free = self.rules.is_open() || in_state(&found.path, found.rest);
        let in_list = matches!(self.document.value().at(&found.path), Some(Value::Array(_)));
        if !free && (in_list || !deeper.is_empty()) {
            return Err(self.missing(&found));
        }
        let nested = deeper.iter().rev().fold(value, |inner, segment| {
            let mut object = Object::new();
            object.set(&segment.text(), inner);
            Value::Object(object)
        });
        let mut path = found.path;
        path.push(match first {
            Segment::Index(index) if in_list => Step::Index(*index as usize),
            segment => Step::Key(segment.key()),
        });
        Ok(vec![Edit::Insert { path, index: None, value: nested }])
    }

    /// Refuses a path that the document does not have, with what it has instead.
    #[cold]
    pub(super) fn missing(&self, found: &Found<'_>) -> Refusal {
        let wanted = found.rest.first().map(Segment::text).unwrap_or_default();
        let place = self.show(&found.path);
        match self.document.value().at(&found.path) {
            Some(Value::Array(items)) => self.beyond(&found.path, items.len(), items.len()),
            Some(Value::Object(object)) => {
                let known = list_names(&wanted, object.keys());
                let solution = match known.as_str() {
                    "" => "It has no keys yet: set it whole.".to_owned(),
                    known => format!("It has {known}."),
                };
                PatchError::new(Code::PathNotFound, format!("{place} has no \"{}\".", cut(&wanted)), solution)
            }
            _ => PatchError::new(Code::PathNotFound, format!("{place} has no \"{}\".", cut(&wanted)), "Set it first."),
        }
    }

    #[cold]
    fn beyond(&self, path: &[Step], len: usize, index: usize) -> Refusal {
        let list = self.show(path);
        let items = if len == 1 { "item" } else { "items" };
        let message = format!("{list} has {len} {items}, so there is none at index {index}.");
        // No path names the document itself.
        let append = if path.is_empty() { String::new() } else { format!(", or append with op add, path {list}") };
        let solution = match len {
            0 if path.is_empty() => "It is empty.".to_owned(),
            0 => format!("Append with op add, path {list}."),
            1 => format!("Use index 0{append}."),
            len => format!("Use an index from 0 to {}{append}.", len - 1),
        };
        PatchError::new(Code::PathNotFound, message, solution)
    }

    /// Refuses an id that a list does not have, with those that it has.
    #[cold]
    pub(super) fn no_item(&self, path: &[Step], id: &str) -> Refusal {
        let list = self.show(path);
        let by = self.rules.id_key(path);
        let known = match self.document.value().at(path) {
            Some(Value::Array(items)) => list_values(id, items, |item| by.value(item), "\""),
            _ => String::new(),
        };
        let message = format!("{list} has no item with {} \"{}\".", by.name(), cut(id));
        let solution = match known {
            known if known.is_empty() => "None of its items has one: use an index.".to_owned(),
            known => format!("Use one of {known}."),
        };
        PatchError::new(Code::PathNotFound, message, solution)
    }

    #[cold]
    fn key_on_list(&self, path: &[Step], key: &str, rest: &[Segment]) -> Refusal {
        let message = format!("{} is a list, and \"{}\" is a key.", self.show(path), cut(key));
        let id = [Segment::Id(key.into())];
        let segments: Vec<_> = path.iter().map(Segment::from).chain(id).chain(rest.iter().cloned()).collect();
        let solution = match format_path(&segments, false) {
            Ok(path) => format!("Use {path} for the item with that id, or the item's index."),
            Err(_) => "Use the item's index.".to_owned(),
        };
        PatchError::new(Code::PathNotFound, message, solution)
    }

    /// A resolved path as a caller would write it.
    pub(super) fn show(&self, path: &[Step]) -> String {
        show(path)
    }

    /// Refuses a path that the operation does not work on.
    #[cold]
    pub(super) fn refuse_path(&self, path: &[Step], message: &str, solution: impl Into<String>) -> Refusal {
        let place = self.show(path);
        PatchError::new(Code::InvalidPath, format!("{place} {message}."), solution)
    }
}

/// Refuses a call that looks at more than it may.
pub(super) fn check_steps(document: &Document, limits: &Limits) -> Result<(), Refusal> {
    let max = limits.max_work;
    if document.steps <= max {
        return Ok(());
    }
    let message = format!("The call looks at more than {max} items and places.");
    let solution = "Send fewer patches at once, name items by id, or set the list or object whole.";
    Err(PatchError::new(Code::LimitExceeded, message, solution))
}

/// How many steps it is to compare or to copy a value.
pub(super) fn weight(value: &Value) -> usize {
    measure(value).bytes / 64 + 1
}

/// Whether a place lies in `state.params` or `state.runtime`, or is one of them.
pub(super) fn in_state(path: &[Step], rest: &[Segment]) -> bool {
    let first = path.first().and_then(Step::as_key).map(Into::into).or_else(|| rest.first().map(Segment::text));
    first.as_deref() == Some("state") && path.len() + rest.len() > 1
}

/// The edit that gives an existing place another value; nothing if it has that value already.
pub(super) fn set(root: &Value, path: Path, value: Value) -> Vec<Edit> {
    if root.at(&path) == Some(&value) { Vec::new() } else { vec![Edit::Set { path, value }] }
}

/// The edits by which an object at a path comes to have these entries: a shallow merge.
pub(super) fn merge(root: &Value, path: &[Step], entries: Object) -> Vec<Edit> {
    let own = root.at(path).and_then(Value::as_object);
    let mut edits = Vec::new();
    for (key, value) in entries {
        let mut path = path.to_vec();
        let known = own.and_then(|own| own.get(&key));
        path.push(Step::from(&*key));
        match known {
            Some(known) if *known == value => {}
            Some(_) => edits.push(Edit::Set { path, value }),
            None => edits.push(Edit::Insert { path, index: None, value }),
        }
    }
    edits
}

/// Refuses an operator that an operation does not take.
pub(super) fn check_operator(path: &PathExpr, allowed: &[Operator], op: super::Op) -> Result<(), Refusal> {
    if path.operator == Operator::Plain || allowed.contains(&path.operator) {
        return Ok(());
    }
    let place = format_path(&path.segments, false)?;
    let list = format_path(path.segments.get(..path.segments.len().saturating_sub(1)).unwrap_or_default(), false);
    let id = path.segments.last().map(Segment::text).unwrap_or_default();
    let (found, solution) = match path.operator {
        Operator::Append => ("appends", format!("Use op add to append, or {place} for the list itself.")),
        Operator::ItemById => ("removes an item by id", format!("Use {place}.")),
        Operator::ItemAt if op == super::Op::Remove => {
            let list = list.unwrap_or_default();
            ("sets an item", format!("Use {list}-\"{id}\" for an id, {place} for an index."))
        }
        Operator::ItemAt | Operator::Plain => ("sets an item", format!("Use {place}.")),
    };
    let message = format!("{} does not work on a path that {found}.", op.name());
    Err(PatchError::new(Code::InvalidPath, message, solution))
}
