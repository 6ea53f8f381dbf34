//! `parse`, and the builder of values from the tokens of the lexer.

use super::key::{Key, key};
use super::lexer::read_whole;
use super::{Array, Container, Fault, Object, Position, Role, Sink, Value, concat, decimal};

/// Why a text is not JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The error.
    pub fault: Fault,
    /// Where the error is.
    pub position: Position,
}

impl ParseError {
    /// The message, e.g. "Unexpected `}` after a comma, expected a key in double quotes at line 1 column 8".
    pub(crate) fn sentence(&self) -> String {
        let [line, column] = [self.position.line, self.position.column].map(decimal);
        concat(&[&self.fault.sentence(), " at line ", &line, " column ", &column])
    }
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.sentence())
    }
}

impl std::error::Error for ParseError {}

/// Parses a JSON text (RFC 8259). A duplicate key replaces the value of the first one.
///
/// # Errors
/// The first error: not JSON, or nested deeper than `max_depth` lists and objects. Walking and dropping a value use the
/// stack; a depth of a few hundred is safe everywhere.
pub fn parse(text: &str, max_depth: usize) -> Result<Value, ParseError> {
    // Room for the usual depth of nesting.
    let stack = Vec::with_capacity(8);
    let mut builder = Builder { stack, shrinks: text.len() > MAX_UNSHRUNK, ..Builder::default() };
    match read_whole(text, max_depth, &mut builder) {
        Some(fault) => Err(ParseError { position: Position::of(text, fault.offset), fault }),
        None => Ok(builder.take().unwrap_or_default()),
    }
}

/// Lists and objects of texts up to this length (bytes) keep their spare capacity: shrinking them would cost more time than the
/// memory is worth.
const MAX_UNSHRUNK: usize = 1 << 14;

/// Builds a value from the tokens of a [`super::Lexer`].
#[derive(Debug, Default)]
pub struct Builder {
    /// The lists and objects that have begun and not ended, the outermost first.
    stack: Vec<OpenContainer>,
    /// The text so far of a string that arrives in several runs.
    text: String,
    /// The outermost value, once it is complete.
    root: Option<Value>,
    /// See [`Builder::has_replaced`].
    has_replaced: bool,
    /// Whether complete lists and objects are shrunk to their size.
    shrinks: bool,
}

/// A list or object that has begun and not ended.
#[derive(Debug)]
enum OpenContainer {
    Array(Vec<Value>),
    /// The object, and the key whose value has not arrived yet, or an empty key.
    Object(Object, Key),
}

impl Builder {
    /// Takes the value out of the builder, which is then empty; `None` if no value is complete.
    pub const fn take(&mut self) -> Option<Value> {
        self.root.take()
    }

    /// Whether an object had a duplicate key, whose value has replaced the earlier one.
    pub const fn has_replaced(&self) -> bool {
        self.has_replaced
    }

    /// How many lists and objects are open.
    pub(crate) const fn depth(&self) -> usize {
        self.stack.len()
    }

    /// The object that is open at a depth, as far as it has arrived; `None` if a list or nothing is open there. The outermost
    /// list or object has the depth 1.
    pub(crate) fn open_object(&self, depth: usize) -> Option<&Object> {
        if let Some(OpenContainer::Object(object, _)) = self.stack.get(depth.checked_sub(1)?) {
            Some(object)
        } else {
            None
        }
    }

    /// The items of the list that is open at a depth, as far as they have arrived; `None` if an object or nothing is open there.
    pub(crate) fn open_list(&self, depth: usize) -> Option<&[Value]> {
        if let Some(OpenContainer::Array(items)) = self.stack.get(depth.checked_sub(1)?) { Some(items) } else { None }
    }

    /// Puts a complete value into the innermost open list or object; without one it is the outermost value.
    fn put(&mut self, value: Value) {
        match self.stack.last_mut() {
            None => self.root = Some(value),
            Some(OpenContainer::Array(items)) => items.push(value),
            Some(OpenContainer::Object(object, key)) => {
                let key = std::mem::take(key);
                match object.get_mut(&key) {
                    Some(earlier) => {
                        *earlier = value;
                        self.has_replaced = true;
                    }
                    None => object.insert(object.len(), key, value),
                }
            }
        }
    }
}

impl Sink for Builder {
    fn open(&mut self, container: Container, _offset: usize) {
        self.stack.push(match container {
            Container::Array => OpenContainer::Array(Vec::new()),
            Container::Object => OpenContainer::Object(Object::new(), Key::default()),
        });
    }

    fn close(&mut self, _container: Container, _offset: usize) {
        match self.stack.pop() {
            Some(OpenContainer::Array(mut items)) => {
                if self.shrinks {
                    items.shrink_to_fit();
                }
                self.put(Value::Array(Array::of(items)));
            }
            Some(OpenContainer::Object(mut object, _)) => {
                if self.shrinks {
                    object.shrink();
                }
                self.put(Value::Object(object));
            }
            None => {}
        }
    }

    fn begin_string(&mut self, _role: Role, _offset: usize) {
        self.text.clear();
    }

    fn text(&mut self, run: &str) {
        self.text.push_str(run);
    }

    fn end_string(&mut self, role: Role) {
        let text = std::mem::take(&mut self.text);
        let unused_offset = 0;
        self.string(role, &text, unused_offset);
        // Put back for its capacity: `begin_string` clears it.
        self.text = text;
    }

    fn string(&mut self, role: Role, text: &str, _offset: usize) {
        match (role, self.stack.last_mut()) {
            (Role::Key, Some(OpenContainer::Object(_, pending_key))) => *pending_key = key(text),
            _ => self.put(Value::String(text.into())),
        }
    }

    fn scalar(&mut self, value: Value, _offset: usize) {
        self.put(value);
    }
}
