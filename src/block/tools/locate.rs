//! Finds the offsets of fields in the text by their paths, in one walk.

use crate::value::{Container, Lexer, Literal, Role, Runs, Sink, write_index};

/// Where the values at these paths begin in the text of a value, in bytes; for what is not there, where the innermost
/// holder begins. Paths are keys and indexes joined by dots.
pub(in crate::block) fn locate(json: &str, paths: &[&str], max_depth: usize) -> Vec<usize> {
    if paths.is_empty() {
        return Vec::new();
    }
    let mut locator =
        Locator { found: Vec::new(), path: String::new(), key: String::new(), in_key: false, holders: Vec::new() };
    for path in paths {
        locator.found.push((path, 0, 0));
    }
    Lexer::strict(max_depth).feed(json, &mut locator);
    let mut offsets = Vec::new();
    for (_, _, offset) in locator.found {
        offsets.push(offset);
    }
    offsets
}

struct Locator<'a> {
    /// Paths, how many bytes of each are found, and where.
    found: Vec<(&'a str, usize, usize)>,
    /// The path of the list or object that is open, or of the value that begins.
    path: String,
    key: String,
    in_key: bool,
    /// Of each open list or object: the length of its path, and the index of the next item of a list.
    holders: Vec<(usize, Option<usize>)>,
}

impl Locator<'_> {
    /// A value begins: its path stands then behind that of its holder, whose length is returned.
    fn begin(&mut self, offset: usize) {
        if let Some((length, index)) = self.holders.last_mut() {
            self.path.truncate(*length);
            if !self.path.is_empty() {
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
        for (wanted, length, place) in &mut self.found {
            let rest = wanted.strip_prefix(path);
            let is_on_the_way = path.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            // Of duplicates the last counts, as it does in the value.
            if is_on_the_way && path.len() >= *length {
                (*length, *place) = (path.len(), offset);
            }
        }
    }
}

impl Sink for Locator<'_> {
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

    fn runs(&mut self) -> Runs<'_> {
        if self.in_key { Runs::Text(&mut self.key) } else { Runs::Nowhere }
    }

    fn end_string(&mut self, _: Role) {}

    fn number(&mut self, _: f64, offset: usize) {
        self.begin(offset);
    }

    fn literal(&mut self, _: Literal, offset: usize) {
        self.begin(offset);
    }
}
