//! Typed sets: one place, one value, no text.

use wasm_bindgen::prelude::*;

use super::super::io::{respond, with_text};
use super::{NONE, RawStore};
use crate::edit::Edit;
use crate::patch::{PathExpr, Segment};
use crate::value::{Step, Value};

/// What a typed set came to, beside the length of an answer, which is larger: nothing changed; just the place that its
/// path spells; refused, so that JavaScript sends it as a call and gets the whole error.
const UNCHANGED: usize = 0;
const AS_SPELLED: usize = 1;
const REFUSED: usize = 2;
/// As `AS_SPELLED`, with the path's first id found at the index that is added. An answer has fewer bytes.
const AT_ID: usize = 1 << 31;

/// So many paths are kept; then the typed entries start anew.
const MAX_PATHS: usize = 4096;

#[wasm_bindgen]
impl RawStore {
    /// A number for the path in the input, for the typed entries; the largest number for one that is no path.
    pub fn path(&mut self, bytes: usize) -> u32 {
        let depth = self.store.options().limits.depth();
        match with_text(bytes, |text| PathExpr::parse(text, depth)) {
            Ok(path) if self.paths.len() < MAX_PATHS => {
                self.paths.push(path);
                u32::try_from(self.paths.len() - 1).unwrap_or(NONE)
            }
            Ok(_) | Err(_) => NONE,
        }
    }

    pub fn forget_paths(&mut self) {
        self.paths.clear();
    }

    pub fn max_paths() -> usize {
        MAX_PATHS
    }

    pub fn set_number(&mut self, slot: usize, path: usize, number: f64) -> usize {
        self.set(slot, path, Value::Number(number))
    }

    pub fn set_boolean(&mut self, slot: usize, path: usize, flag: bool) -> usize {
        self.set(slot, path, Value::Bool(flag))
    }

    /// Sets the string in the input, unless it alone is more than a call may have.
    pub fn set_string(&mut self, slot: usize, path: usize, bytes: usize) -> usize {
        let max = self.store.options().limits.max_call_bytes;
        match with_text(bytes, |text| (text.len() <= max).then(|| Value::from(text))) {
            Some(text) => self.set(slot, path, text),
            None => REFUSED,
        }
    }

    fn set(&mut self, slot: usize, path: usize, mut value: Value) -> usize {
        let Some(path) = self.paths.get(path) else { return REFUSED };
        if let Some(plain) = self.store.set_plain(slot, path, &mut value) {
            return if plain.changed { plain.item.map_or(AS_SPELLED, |index| AT_ID + index) } else { UNCHANGED };
        }
        let Some(reply) = self.store.set(slot, path, value) else { return REFUSED };
        let Ok(done) = &reply.outcome else { return REFUSED };
        // With something pending on top the change may be another one.
        if done.changes.is_empty() && !done.has_pending {
            return UNCHANGED;
        }
        let place = if done.has_pending { None } else { spelled(&done.changes, path) };
        place.unwrap_or_else(|| respond(|out| reply.write_brief(out)))
    }
}

/// Whether a set changed one place, and that place is what the path spells: JavaScript then knows the change.
fn spelled(changes: &[Edit], path: &PathExpr) -> Option<usize> {
    let [Edit::Set { path: place, .. }] = changes else { return None };
    if place.len() != path.segments.len() {
        return None;
    }
    let mut answer = AS_SPELLED;
    let mut ids = 0;
    for (step, segment) in place.iter().zip(&path.segments) {
        ids += usize::from(matches!(segment, Segment::Id(_)));
        match (step, segment) {
            (Step::Key(key), Segment::Key(own) | Segment::Id(own)) if key == own => {}
            (Step::Index(index), Segment::Index(own)) if *index == *own as usize => {}
            // JavaScript knows where the first id stands, and no other.
            (Step::Index(index), Segment::Id(_)) if ids == 1 && *index < AT_ID => answer = AT_ID + index,
            _ => return None,
        }
    }
    Some(answer)
}
