//! Builds a value from what the lexer reads; `parse`.

use super::key::{Key, key};
use super::lexer::read_whole;
use super::{Array, Container, Fault, Object, Position, Role, Sink, Value, concat, decimal};

/// A text that is not JSON: what is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What is wrong, what was expected.
    pub fault: Fault,
    /// Where it stands.
    pub position: Position,
}

impl ParseError {
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

/// Reads a JSON text (RFC 8259). Of duplicate keys the last value counts, in the place of the first.
///
/// # Errors
/// The first fault: not JSON, or nested deeper than `max_depth` lists and objects. What walks a value, and what drops it,
/// uses the stack: a few hundred are safe everywhere.
pub fn parse(text: &str, max_depth: usize) -> Result<Value, ParseError> {
    let open = Vec::with_capacity(8);
    let mut builder = Builder { open, shrinks: text.len() > SHORT, ..Builder::default() };
    match read_whole(text, max_depth, &mut builder) {
        Some(fault) => Err(ParseError { position: Position::of(text, fault.offset), fault }),
        None => Ok(builder.take().unwrap_or_default()),
    }
}

/// Of a shorter text nothing is given back that lists and objects have too much: it is less than what that would take.
const SHORT: usize = 1 << 14;

/// Builds a value from what a [`super::Lexer`] reads.
#[derive(Debug, Default)]
pub struct Builder {
    open: Vec<Open>,
    text: String,
    done: Option<Value>,
    has_replaced: bool,
    /// Whether lists and objects keep no more room than they need.
    shrinks: bool,
}

#[derive(Debug)]
enum Open {
    Array(Vec<Value>),
    Object(Object, Key),
}

impl Builder {
    /// The value, once it is complete. The builder is then empty again.
    pub const fn take(&mut self) -> Option<Value> {
        self.done.take()
    }

    /// Whether a key stood twice in an object, of which the later entry is kept.
    pub const fn has_replaced(&self) -> bool {
        self.has_replaced
    }

    /// How many lists and objects are open.
    pub(crate) const fn depth(&self) -> usize {
        self.open.len()
    }

    /// The object that is open at a depth, as far as it has arrived.
    pub(crate) fn open_object(&self, depth: usize) -> Option<&Object> {
        if let Some(Open::Object(object, _)) = self.open.get(depth.checked_sub(1)?) { Some(object) } else { None }
    }

    /// The items of the list that is open at a depth, as far as they have arrived.
    pub(crate) fn open_list(&self, depth: usize) -> Option<&[Value]> {
        if let Some(Open::Array(items)) = self.open.get(depth.checked_sub(1)?) { Some(items) } else { None }
    }

    fn put(&mut self, value: Value) {
        match self.open.last_mut() {
            None => self.done = Some(value),
            Some(Open::Array(items)) => items.push(value),
            Some(Open::Object(object, key)) => {
                let key = std::mem::take(key);
                match object.get_mut(&key) {
                    Some(own) => {
                        *own = value;
                        self.has_replaced = true;
                    }
                    None => object.insert(object.len(), key, value),
                }
            }
        }
    }
}

impl Sink for Builder {
    fn open(&mut self, container: Container, _: usize) {
        self.open.push(match container {
            Container::Array => Open::Array(Vec::new()),
            Container::Object => Open::Object(Object::new(), Key::default()),
        });
    }

    fn close(&mut self, _: Container, _: usize) {
        match self.open.pop() {
            Some(Open::Array(mut items)) => {
                if self.shrinks {
                    items.shrink_to_fit();
                }
                self.put(Value::Array(Array::of(items)));
            }
            Some(Open::Object(mut object, _)) => {
                if self.shrinks {
                    object.shrink();
                }
                self.put(Value::Object(object));
            }
            None => {}
        }
    }

    fn begin_string(&mut self, _: Role, _: usize) {
        self.text.clear();
    }

    fn text(&mut self, run: &str) {
        self.text.push_str(run);
    }

    fn end_string(&mut self, role: Role) {
        let text = std::mem::take(&mut self.text);
        self.string(role, &text, 0);
        self.text = text;
    }

    fn string(&mut self, role: Role, text: &str, _: usize) {
        match (role, self.open.last_mut()) {
            (Role::Key, Some(Open::Object(_, own))) => *own = key(text),
            _ => self.put(Value::String(text.into())),
        }
    }

    fn scalar(&mut self, value: Value, _: usize) {
        self.put(value);
    }
}
