//! Finds the offsets of fields in the text by their paths, in one walk.

use crate::value::text::tail;
use crate::value::{Container, Lexer, Role, Sink, Value, write_index};

/// A value that is looked for.
pub(in crate::block) struct Place<'a> {
    /// Its path: keys and indexes joined by dots.
    pub(in crate::block) path: &'a str,
    /// The byte offset of the value; of a missing one, the offset of its innermost existing parent.
    pub(in crate::block) offset: &'a mut usize,
}

/// Finds places in the text of a value, which begins at an offset of a text.
pub(in crate::block) fn locate(text: &str, offset: usize, places: &mut [Place<'_>], max_depth: usize) {
    if places.is_empty() {
        return;
    }
    let found = vec![(0, 0); places.len()];
    let mut locator = Locator { places, found, ..Locator::default() };
    let mut lexer = Lexer::strict(max_depth);
    lexer.skip(offset);
    lexer.feed(tail(text, offset), &mut locator);
    lexer.finish(&mut locator);
}

#[derive(Default)]
struct Locator<'a, 'p> {
    places: &'a mut [Place<'p>],
    /// How many lists and objects lead to what is found of them, and how many bytes of their paths that is.
    found: Vec<(usize, usize)>,
    /// The path of the list or object that is open, or of the value that begins.
    path: String,
    key: String,
    in_key: bool,
    /// For each open list or object: the length of its path, and the index of a list's next item.
    holders: Vec<(usize, Option<usize>)>,
}

impl Locator<'_, '_> {
    /// Enters a value: appends its step to the path; returns the previous length.
    fn begin(&mut self, offset: usize) {
        let depth = self.holders.len();
        if let Some((length, index)) = self.holders.last_mut() {
            self.path.truncate(*length);
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
        for (place, found) in self.places.iter_mut().zip(&mut self.found) {
            let rest = place.path.strip_prefix(path).filter(|_| !path.is_empty());
            let is_on_the_way = depth == 0 || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            // The last of several duplicates wins, as it does in the value. A key that contains dots cannot be located.
            if is_on_the_way && (depth, path.len()) >= *found {
                (*found, *place.offset) = ((depth, path.len()), offset);
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
        self.holders.push((self.path.len(), index));
    }

    fn close(&mut self, _: Container, _: usize) {
        self.holders.pop();
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
