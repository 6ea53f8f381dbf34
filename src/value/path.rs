//! Paths in a value: steps of keys and indexes, and JSON Pointers.

use super::{Key, key};

/// One step down: into an object by key, into a list by index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A key of an object.
    Key(Key),
    /// An index of a list.
    Index(usize),
}

/// The steps from the root of a document to a value in it.
pub type Path = Vec<Step>;

impl Step {
    /// The key, if the step is one.
    pub fn as_key(&self) -> Option<&str> {
        match self {
            Self::Key(key) => Some(key),
            Self::Index(_) => None,
        }
    }
}

impl From<&str> for Step {
    fn from(name: &str) -> Self {
        Self::Key(key(name))
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// The path one step below a value whose path is `parent`.
pub(crate) fn below(parent: &[Step], step: Step) -> Path {
    let mut path = Path::with_capacity(parent.len() + 1);
    path.extend_from_slice(parent);
    path.push(step);
    path
}

/// The unescaped tokens of a JSON Pointer (RFC 6901), e.g. `a/b` and `0` for `/a~1b/0`, and none for the empty pointer, the root.
/// `None` for an invalid pointer.
pub fn pointer(text: &str) -> Option<Vec<String>> {
    let mut tokens: Vec<String> = Vec::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, tokens.last_mut()) {
            ('/', _) => tokens.push(String::new()),
            (_, None) => return None,
            ('~', Some(token)) => token.push(match chars.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            }),
            (char, Some(token)) => token.push(char),
        }
    }
    Some(tokens)
}
