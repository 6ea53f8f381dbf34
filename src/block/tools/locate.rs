//! Finds the byte offsets of the fields of a call by their paths, in one walk over its JSON.

use crate::value::text::tail;
use crate::value::{Container, Lexer, Role, Sink, Value, write_index};

/// A value of a call to locate, by its path.
pub(in crate::block) struct Place<'a> {
    /// The path of the value in the call: keys and indexes joined by dots.
    pub(in crate::block) path: &'a str,
    /// Set to the byte offset in the text of the value, or of its innermost existing parent if the value is missing.
    pub(in crate::block) offset: &'a mut usize,
}

/// Sets the offsets of `places` in the value that begins at byte `offset` of `text`.
pub(in crate::block) fn locate(text: &str, offset: usize, places: &mut [Place<'_>], max_depth: usize) {
    if places.is_empty() {
        return;
    }
    let matched = vec![(0, 0); places.len()];
    let mut locator = Locator { places, matched, ..Locator::default() };
    let mut lexer = Lexer::strict(max_depth);
    lexer.skip(offset);
    lexer.feed(tail(text, offset), &mut locator);
    lexer.finish(&mut locator);
}

/// The part of a place's path that the walk has found: the number of lists and objects around the value found, and the length of
/// its path in bytes. A tuple, since a list of zeros then costs no code. A greater tuple is a longer part.
type Matched = (usize, usize);

/// Walks over the JSON as the lexer's sink.
#[derive(Default)]
struct Locator<'a, 'p> {
    places: &'a mut [Place<'p>],
    /// For each place, its innermost parent so far, or the place itself.
    matched: Vec<Matched>,
    /// The path of the list or object that is open, or of the value that begins.
    path: String,
    /// The last key.
    key: String,
    in_key: bool,
    /// For each open list or object: the length of its path, and the index of a list's next item (`None` for an object).
    containers: Vec<(usize, Option<usize>)>,
}

impl Locator<'_, '_> {
    /// Enters the value at `offset`: sets `path` to its path, and the offsets of the places that it is or contains.
    fn begin(&mut self, offset: usize) {
        let depth = self.containers.len();
        if let Some((length, index)) = self.containers.last_mut() {
            self.path.truncate(*length);
            // The path of a member of the call itself begins with its key.
            if depth > 1 {
                self.path.push('.');
            }
            match index {
                Some(index) => {
                    write_index(&mut self.path, *index);
                    *index += 1;
                }
                None => self.path.push_str(&self.key),
            }
        }
        let path = &*self.path;
        let here: Matched = (depth, path.len());
        for (place, matched) in self.places.iter_mut().zip(&mut self.matched) {
            let rest = place.path.strip_prefix(path).filter(|_| !path.is_empty());
            // Whether the value is at the place, or is one of its parents; the call itself always is.
            let is_on_the_way = depth == 0 || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            // The last of several duplicates wins, as it does in the value. A key that contains dots cannot be located.
            if is_on_the_way && here >= *matched {
                (*matched, *place.offset) = (here, offset);
            }
        }
    }
}

impl Sink for Locator<'_, '_> {
    fn open(&mut self, container: Container, offset: usize) {
        self.begin(offset);
        let index = match container {
            Container::Array => Some(0),
            Container::Object => None,
        };
        self.containers.push((self.path.len(), index));
    }

    fn close(&mut self, _: Container, _: usize) {
        self.containers.pop();
    }

    fn begin_string(&mut self, role: Role, offset: usize) {
        self.in_key = role == Role::Key;
        match role {
            Role::Key => self.key.clear(),
            Role::Value => self.begin(offset),
        }
    }

    fn text(&mut self, run: &str) {
        if self.in_key {
            self.key.push_str(run);
        }
    }

    fn takes_text(&self) -> bool {
        self.in_key
    }

    fn scalar(&mut self, _: Value, offset: usize) {
        self.begin(offset);
    }
}
