//! `PatchStore`: calls come as text, answers go as text; one-place sets cross as numbers.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::edit::Edit;
use crate::patch::{PathExpr, Refusal, Rules, Segment};
use crate::store::{Options, Reply, Store};
use crate::value::{Step, Value, parse, path_to_json};

/// What a typed set came to, beside the length of an answer, which is larger: nothing changed; just the place that its
/// path spells; refused, so that JavaScript sends it as a call and gets the whole error.
const UNCHANGED: usize = 0;
const AS_SPELLED: usize = 1;
const REFUSED: usize = 2;

/// No slot or path is as large as this.
const NONE: u32 = u32::MAX;

/// So many paths are kept; then the typed entries start anew.
const MAX_PATHS: usize = 4096;

/// A store, and the paths that JavaScript has asked for.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RawStore {
    store: Store,
    paths: Vec<PathExpr>,
    staged: Box<str>,
}

#[wasm_bindgen]
impl RawStore {
    /// A store with the options in the input.
    ///
    /// # Errors
    /// `CODE: message`.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: usize) -> Result<Self, String> {
        Ok(Self::over(Store::new(with_text(bytes, read_options)?)))
    }

    /// A store from the saved text in the input, with the options that were staged.
    ///
    /// # Errors
    /// `CODE: message`.
    pub fn restore(options: &str, bytes: usize) -> Result<Self, String> {
        let options = read_options(options)?;
        let store = with_text(bytes, |text| Store::restore(text, options));
        store.map(Self::over).map_err(|refusal| refusal.to_string())
    }

    /// Applies the call in the input.
    pub fn apply(&mut self, bytes: usize) -> usize {
        let reply = with_text(bytes, |text| self.store.apply(text));
        respond(|out| reply.write_brief(out))
    }

    /// Keeps the text in the input as the name for the next call.
    pub fn stage(&mut self, bytes: usize) {
        self.staged = with_text(bytes, |text| text.into());
    }

    /// Loads the document in the input under the staged name. The document itself is not in the answer.
    pub fn load(&mut self, bytes: usize, rules: u32) -> usize {
        let rules = match rules {
            1 => Some(Rules::Ui),
            2 => Some(Rules::Open),
            _ => None,
        };
        let mut reply = with_text(bytes, |text| self.store.load(&self.staged, text, rules));
        if let Ok(outcome) = &mut reply.outcome {
            outcome.changes.clear();
        }
        respond(|out| reply.write_brief(out))
    }

    /// The document under the staged name.
    #[must_use]
    pub fn document(&self) -> usize {
        respond(|out| match self.store.document(&self.staged) {
            Some(value) => value.write_json(out),
            None => out.push_str("null"),
        })
    }

    /// The slot of the staged name.
    #[must_use]
    pub fn slot(&self) -> u32 {
        self.store.slot(&self.staged).and_then(|slot| u32::try_from(slot).ok()).unwrap_or(NONE)
    }

    /// A number for the path in the input, for the typed entries; the largest number for one that is no path.
    pub fn path(&mut self, bytes: usize) -> u32 {
        let depth = self.store.options().limits.max_depth;
        match with_text(bytes, |text| PathExpr::parse(text, depth)) {
            Ok(path) if self.paths.len() < MAX_PATHS => {
                self.paths.push(path);
                u32::try_from(self.paths.len() - 1).unwrap_or(NONE)
            }
            Ok(_) | Err(_) => NONE,
        }
    }

    /// Forgets all numbers for paths.
    pub fn forget_paths(&mut self) {
        self.paths.clear();
    }

    /// How many paths have numbers at most.
    #[must_use]
    pub fn max_paths() -> usize {
        MAX_PATHS
    }

    /// Sets a number.
    pub fn set_number(&mut self, slot: usize, path: usize, number: f64) -> usize {
        self.set(slot, path, Value::Number(number))
    }

    /// Sets a boolean.
    pub fn set_boolean(&mut self, slot: usize, path: usize, flag: bool) -> usize {
        self.set(slot, path, Value::Bool(flag))
    }

    /// Sets the string in the input.
    pub fn set_string(&mut self, slot: usize, path: usize, bytes: usize) -> usize {
        let text = with_text(bytes, |text| Value::from(text));
        self.set(slot, path, text)
    }

    /// Where a path leads in the instance of the staged name: a list of keys and indexes, or `null`.
    pub fn resolve(&mut self, bytes: usize) -> usize {
        let depth = self.store.options().limits.max_depth;
        let path = with_text(bytes, |text| PathExpr::parse(text, depth)).ok();
        let path = path.and_then(|path| self.store.resolve(&self.staged, &path).ok());
        respond(|out| match &path {
            Some(path) => path_to_json(out, path),
            None => out.push_str("null"),
        })
    }

    /// Makes the instance of the staged name the active one, or none.
    ///
    /// # Errors
    /// `CODE: message`.
    pub fn set_active(&mut self, none: bool) -> Result<(), String> {
        let name = if none { None } else { Some(&*self.staged) };
        self.store.set_active(name).map_err(|refusal| refusal.to_string())
    }

    /// The store as text.
    #[must_use]
    pub fn save(&self) -> usize {
        respond(|out| out.push_str(&self.store.save()))
    }

    fn over(store: Store) -> Self {
        Self { store, paths: Vec::new(), staged: Box::default() }
    }

    fn set(&mut self, slot: usize, path: usize, value: Value) -> usize {
        let Some(path) = self.paths.get(path) else { return REFUSED };
        match self.store.set(slot, path, value) {
            Some(Reply { outcome: Ok(outcome), .. }) if outcome.changes.is_empty() => UNCHANGED,
            Some(Reply { outcome: Ok(outcome), .. }) if is_as_spelled(&outcome.changes, path) => AS_SPELLED,
            Some(reply) if reply.is_success() => respond(|out| reply.write_brief(out)),
            Some(_) | None => REFUSED,
        }
    }
}

/// Whether a set changed one place, and that place is what the path spells: JavaScript then knows the change.
fn is_as_spelled(changes: &[Edit], path: &PathExpr) -> bool {
    let [Edit::Set { path: place, .. }] = changes else { return false };
    place.len() == path.segments.len()
        && place.iter().zip(&path.segments).all(|pair| match pair {
            (Step::Key(key), Segment::Key(own)) => key == own,
            (Step::Index(index), Segment::Index(own)) => *index == *own as usize,
            _ => false,
        })
}

fn read_options(text: &str) -> Result<Options, String> {
    let misuse = |message: String| format!("INVALID_ARGUMENT: {message}");
    let value = parse(text, 8).map_err(|_| misuse("The options are nested too deeply.".to_owned()))?;
    Options::from_value(&value).map_err(misuse)
}

/// Reads the path in the input: `{"ok":true,"segments":[…]}` or `{"ok":false,"error":…}`.
#[wasm_bindgen]
#[must_use]
pub fn parse_path(bytes: usize, open: bool) -> usize {
    let path = with_text(bytes, |text| {
        let path = PathExpr::parse(text, crate::limits::DEEPEST)?;
        if open { Ok(path) } else { path.check_page().map(|()| path) }
    });
    respond(|out| match path {
        Ok(path) => path.write_json(out),
        Err(refusal) => refused(out, &refusal),
    })
}

/// Writes the segments in the input as a path: `{"ok":true,"text":…}` or `{"ok":false,"error":…}`.
#[wasm_bindgen]
#[must_use]
pub fn format_path(bytes: usize) -> usize {
    let text = with_text(bytes, |text| parse(text, 4).ok()).and_then(|list| PathExpr::from_json(&list));
    let text = text.map(|path| path.to_text());
    respond(|out| match text {
        Some(Ok(text)) => {
            out.push_str("{\"ok\":true,\"text\":");
            crate::value::write_string(out, &text);
            out.push('}');
        }
        Some(Err(refusal)) => refused(out, &refusal),
        None => out.push_str("{\"ok\":false}"),
    })
}

fn refused(out: &mut String, refusal: &Refusal) {
    out.push_str("{\"ok\":false,\"error\":");
    refusal.write_json(out);
    out.push('}');
}
