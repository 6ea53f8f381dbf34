//! JSON Patch (RFC 6902) on a document: all six operations, atomic, as edits with inverses.
//!
//! Under rules `open` this is the RFC whole: any JSON, any key. Under the rules of a page the structure rules hold as
//! they do for patches: its parts stay, fixed places stay, ids are not taken twice. Members that an operation does not
//! know are ignored (RFC 6902, 4).

use super::error::{Code, PatchError, Refusal};
use super::path::{PathExpr, Segment, format_path};
use super::run::{Outcome, Terms, check_count, check_size, internal, make};
use super::site::set as replaced;
use super::trees::check_removable;
use super::words::{article, cut, list_names};
use crate::edit::{Document, Edit};
use crate::value::{Path, Step, Value, measure, pointer};

/// Applies a list of operations, each on the result of the one before.
///
/// # Errors
/// The first operation that fails, by `index`, `op` and `path`; the document is then as it was, byte for byte.
/// `TEST_FAILED` for a `test` that does not hold.
pub fn json_patch(document: &mut Document, operations: Value, terms: Terms<'_>) -> Result<Outcome, Refusal> {
    let Value::Array(operations) = operations else {
        let message = format!("The JSON Patch is {}.", article(&operations));
        let solution = "Send a list of operations such as {\"op\": \"replace\", \"path\": \"/a\", \"value\": 1}.";
        return Err(PatchError::new(Code::InvalidStructure, message, solution));
    };
    check_count(operations.len(), terms.limits)?;
    document.steps = 0;
    let mut run = Run { document, terms, outcome: Outcome::default(), copied: 0 };
    for (index, mut operation) in operations.into_iter().enumerate() {
        if let Err(mut refusal) = run.take(&mut operation) {
            let text = |key: &str| operation.get(key).and_then(Value::as_str).map(Into::into);
            (refusal.index, refusal.op, refusal.path) = (Some(index), text("op"), text("path"));
            run.document.undo(run.outcome.inverses);
            return Err(refusal);
        }
    }
    Ok(run.outcome)
}

struct Run<'d, 't> {
    document: &'d mut Document,
    terms: Terms<'t>,
    outcome: Outcome,
    /// Bytes that `copy` has made so far: a few operations could otherwise double the document again and again.
    copied: usize,
}

/// Where an `add` puts its value.
enum Place {
    /// There is a value, which goes.
    Taken(Path),
    /// A new key, or an item before the one that is there.
    Free(Path),
}

impl Run<'_, '_> {
    fn take(&mut self, operation: &mut Value) -> Result<(), Refusal> {
        let Value::Object(members) = operation else {
            let message = format!("The operation is {}.", article(operation));
            return Err(PatchError::new(Code::InvalidStructure, message, "Send an object with \"op\" and \"path\"."));
        };
        let name = match members.get("op") {
            Some(Value::String(name)) => name.clone(),
            _ => "".into(),
        };
        let path = self.pointer(members.get("path"), "path")?;
        let edits = match &*name {
            "add" => {
                let value = value_of(members.get_mut("value"), &name)?;
                self.add(&path, value)?
            }
            "replace" => {
                let value = value_of(members.get_mut("value"), &name)?;
                replaced(self.root(), self.existing(&path)?, value)
            }
            "remove" => vec![self.remove(&path)?],
            "move" => {
                let from = self.pointer(members.get("from"), "from")?;
                self.relocate(&from, &path)?
            }
            "copy" => {
                let from = self.pointer(members.get("from"), "from")?;
                let value = self.copied(&from)?;
                self.add(&path, value)?
            }
            "test" => {
                self.test(&path, value_of(members.get_mut("value"), &name)?)?;
                Vec::new()
            }
            _ => {
                let message = format!("There is no operation \"{}\" in JSON Patch.", cut(&name));
                return Err(PatchError::new(Code::InvalidOp, message, "Use add, remove, replace, move, copy or test."));
            }
        };
        make(self.document, edits, self.terms, &mut self.outcome)
    }

    fn root(&self) -> &Value {
        self.document.value()
    }

    /// Reads a JSON Pointer. Under the rules of a page it must lead into one, as a path of a patch must.
    fn pointer(&self, sent: Option<&Value>, member: &str) -> Result<Vec<String>, Refusal> {
        let solution = "Send a JSON Pointer (RFC 6901) such as /state/params/count; ~0 stands for ~, ~1 for /.";
        let Some(Value::String(text)) = sent else {
            let found = sent.map_or_else(|| "absent".to_owned(), article);
            let code = if sent.is_some() { Code::InvalidPath } else { Code::MissingValue };
            return Err(PatchError::new(code, format!("\"{member}\" is {found}."), solution));
        };
        let tokens = pointer(text).ok_or_else(|| {
            PatchError::new(Code::InvalidPath, format!("\"{}\" is no JSON Pointer.", cut(text)), solution)
        })?;
        if tokens.len() > self.terms.limits.depth() {
            let message = format!("\"{member}\" has {} segments.", tokens.len());
            return Err(PatchError::new(Code::LimitExceeded, message, "Send a shorter pointer."));
        }
        if !self.terms.rules.is_open() && !tokens.is_empty() {
            let segments = tokens.iter().map(|token| Segment::Key(token.as_str().into())).collect();
            let path = PathExpr { segments, operator: super::Operator::Plain };
            format_path(&path.segments, false)?;
            path.check_page()?;
        }
        Ok(tokens)
    }

    /// The place of tokens, whose last one may lead to nothing yet.
    fn find(&self, tokens: &[String]) -> Result<(Path, Option<&Value>), Refusal> {
        let mut path = Path::with_capacity(tokens.len());
        let mut value = Some(self.root());
        for (depth, token) in tokens.iter().enumerate() {
            let step = match value {
                Some(Value::Object(_)) => Step::from(&**token),
                Some(Value::Array(items)) => {
                    let index = if token == "-" { Some(items.len()) } else { index(token) };
                    Step::Index(
                        index.filter(|index| *index <= items.len()).ok_or_else(|| missing(value, tokens, depth))?,
                    )
                }
                _ => return Err(missing(value, tokens, depth)),
            };
            let next = value.and_then(|value| value.step(&step));
            if next.is_none() && depth + 1 < tokens.len() {
                return Err(missing(value, tokens, depth));
            }
            path.push(step);
            value = next;
        }
        Ok((path, value))
    }

    fn existing(&self, tokens: &[String]) -> Result<Path, Refusal> {
        let (mut path, value) = self.find(tokens)?;
        if value.is_some() {
            return Ok(path);
        }
        path.pop();
        Err(missing(self.root().at(&path), tokens, path.len()))
    }

    /// Where an `add` goes: a list makes room, a key or the whole document is replaced.
    fn place(&self, tokens: &[String]) -> Result<Place, Refusal> {
        let (path, value) = self.find(tokens)?;
        Ok(match path.last() {
            Some(Step::Key(_)) | None if value.is_some() => Place::Taken(path),
            _ => Place::Free(path),
        })
    }

    fn add(&self, tokens: &[String], value: Value) -> Result<Vec<Edit>, Refusal> {
        Ok(match self.place(tokens)? {
            Place::Taken(path) => replaced(self.root(), path, value),
            Place::Free(path) => vec![Edit::Insert { path, index: None, value }],
        })
    }

    fn remove(&self, tokens: &[String]) -> Result<Edit, Refusal> {
        let path = self.existing(tokens)?;
        check_removable(&path, self.terms.rules)?;
        Ok(Edit::Remove { path })
    }

    fn relocate(&mut self, from: &[String], tokens: &[String]) -> Result<Vec<Edit>, Refusal> {
        if tokens.len() > from.len() && tokens.starts_with(from) {
            let message = format!("{} would move into itself.", shown(from));
            return Err(PatchError::new(Code::InvalidPath, message, "Send a path that is not below from, or op copy."));
        }
        if tokens == from {
            return self.existing(from).map(|_| Vec::new());
        }
        let remove = self.remove(from)?;
        let from = remove.path().to_vec();
        // The target is a place in the document without what moves: look it up there.
        let inverse = self.document.apply(remove.clone()).map_err(internal)?;
        let place = self.place(tokens);
        self.document.undo(vec![inverse]);
        Ok(match place? {
            // The end of the list that it is at the end of.
            Place::Free(path) if path == from => Vec::new(),
            Place::Free(path) => {
                if path.len() > from.len() {
                    check_size(&path, self.root().at(&from).unwrap_or(&Value::Null), self.terms.limits)?;
                }
                vec![Edit::Move { from, path, index: None }]
            }
            Place::Taken(path) => {
                let value = self.root().at(&from).cloned().unwrap_or_default();
                // What moves to where its own parent stands goes with it.
                vec![remove, Edit::Set { path, value }]
            }
        })
    }

    fn copied(&mut self, from: &[String]) -> Result<Value, Refusal> {
        let path = self.existing(from)?;
        let value = self.root().at(&path).unwrap_or(&Value::Null);
        let copied = self.copied + measure(value).bytes;
        let max = self.terms.limits.max_document_bytes;
        if copied > max {
            let message = format!("The operations copy about {copied} bytes; the limit is {max}.");
            return Err(PatchError::new(Code::LimitExceeded, message, "Copy less at once."));
        }
        let value = value.clone();
        self.copied = copied;
        Ok(value)
    }

    fn test(&self, tokens: &[String], wanted: Value) -> Result<(), Refusal> {
        let found = self.existing(tokens).ok().and_then(|path| self.root().at(&path));
        if found == Some(&wanted) {
            return Ok(());
        }
        let found = found.map_or_else(|| "not there".to_owned(), Value::to_json);
        let message = format!("{} is {}, not {}.", shown(tokens), cut(&found), cut(&wanted.to_json()));
        Err(PatchError::new(Code::TestFailed, message, "Read the document again and patch what it is now."))
    }
}

fn value_of(value: Option<&mut Value>, op: &str) -> Result<Value, Refusal> {
    value.map(std::mem::take).ok_or_else(|| {
        PatchError::new(Code::MissingValue, format!("{op} has no \"value\"."), "Send one; null is a value.")
    })
}

/// An index as RFC 6901 writes it: `0`, or digits without a leading zero.
fn index(token: &str) -> Option<usize> {
    let plain = token == "0" || (token.bytes().all(|byte| byte.is_ascii_digit()) && !token.starts_with('0'));
    if plain { token.parse().ok() } else { None }
}

/// Refuses the token at a depth, with what its holder has.
#[cold]
fn missing(holder: Option<&Value>, tokens: &[String], depth: usize) -> Refusal {
    let token = tokens.get(depth).map_or("", |token| token);
    let place = shown(tokens.get(..depth).unwrap_or_default());
    let (message, solution) = match holder {
        Some(Value::Object(object)) => {
            let known = list_names(token, object.keys());
            let known = if known.is_empty() { "no keys".to_owned() } else { known };
            (format!("{place} has no \"{}\".", cut(token)), format!("It has {known}."))
        }
        Some(Value::Array(items)) => (
            format!("{place} is a list of {} items, and \"{}\" is no index of it.", items.len(), cut(token)),
            "Use an index without leading zeros, or - to add at the end.".to_owned(),
        ),
        other => (
            format!("{place} is {}, so nothing stands below it.", article(other.unwrap_or(&Value::Null))),
            format!("Replace {place} with an object first."),
        ),
    };
    PatchError::new(Code::PathNotFound, message, solution)
}

/// Tokens as a JSON Pointer, for a message.
fn shown(tokens: &[String]) -> String {
    if tokens.is_empty() {
        return "The document".to_owned();
    }
    tokens.iter().fold(String::new(), |text, token| text + "/" + &token.replace('~', "~0").replace('/', "~1"))
}
