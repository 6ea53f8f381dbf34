//! Conditions: `path`, `!path`, `path == json` and `!= < <= > >=`, joined by `&&` and `||`, with parentheses.
//!
//! Precedence, from the highest: `!`, comparison, `&&`, `||`. The value at a missing path is `null`. A path alone holds unless
//! its value is false, null, 0 or "".

use std::cmp::Ordering;

use super::error::{Arg, Cause, Code, Refusal};
use super::path::PathExpr;
use super::planner::Planner;
use crate::value::text::{is_space, trim_start};
use crate::value::{Builder, Lexer, Path, Stop, Value, measure};

/// How deep parentheses and negations may nest, and the lists and objects of a JSON value: each level takes stack. The refusal
/// contains this number.
const MAX_DEPTH: usize = 32;

/// The meaning of a comparison operator.
#[derive(Clone, Copy)]
pub(super) struct Comparison {
    /// The comparison holds if the left value is in one of these orders to the right one.
    orders: &'static [Ordering],
    /// Whether any two values can be compared, by equality. Other operators compare two numbers or two strings.
    is_equality: bool,
}

/// The operators. `<=` and `>=` are listed before their prefixes `<` and `>`, since the first match counts.
const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", equality(&[Ordering::Equal])),
    ("!=", equality(&[Ordering::Less, Ordering::Greater])),
    ("<=", order(&[Ordering::Less, Ordering::Equal])),
    (">=", order(&[Ordering::Greater, Ordering::Equal])),
    ("<", order(&[Ordering::Less])),
    (">", order(&[Ordering::Greater])),
];

/// An operator that compares any two values.
const fn equality(orders: &'static [Ordering]) -> Comparison {
    Comparison { orders, is_equality: true }
}

/// An operator that compares two numbers or two strings.
const fn order(orders: &'static [Ordering]) -> Comparison {
    Comparison { orders, is_equality: false }
}

impl Comparison {
    /// The comparison of an operator; `None` for another text.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        COMPARISONS.iter().find(|(operator, _)| *operator == name).map(|(_, comparison)| *comparison)
    }

    /// Equality is deep JSON equality. An order is false between values that are not two numbers or two strings.
    pub(super) fn holds(self, left: &Value, right: &Value) -> bool {
        let order = match (left, right) {
            // `Less` stands for unequal.
            _ if self.is_equality => Some(if left == right { Ordering::Equal } else { Ordering::Less }),
            (Value::Number(left), Value::Number(right)) => left.partial_cmp(right),
            (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
            _ => None,
        };
        order.is_some_and(|order| self.orders.contains(&order))
    }
}

/// Whether a condition holds for the document.
///
/// # Errors
/// `INVALID_STRUCTURE` for a syntax error; the message quotes the text from the error on.
pub(super) fn holds(planner: &mut Planner<'_>, text: &str) -> Result<bool, Refusal> {
    let mut reader = ConditionReader { planner, text, at: 0 };
    let depth = 0;
    let result = reader.disjunction(depth)?;
    if reader.rest().is_empty() { Ok(result) } else { Err(reader.refuse("the end, && or ||")) }
}

/// Parses and evaluates a condition in one walk.
struct ConditionReader<'a, 's> {
    planner: &'a mut Planner<'s>,
    text: &'a str,
    /// The offset in the text (bytes) of what is not parsed yet.
    at: usize,
}

impl<'a> ConditionReader<'a, '_> {
    /// The text from the next token on: skips whitespace.
    fn rest(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let trimmed = trim_start(rest);
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// Skips a token if it is the next one. Returns whether it was.
    fn eat(&mut self, token: &str) -> bool {
        let is_next = self.rest().starts_with(token);
        self.at += if is_next { token.len() } else { 0 };
        is_next
    }

    /// The refusal of the rest of the text, where `expected` should be.
    fn refuse(&mut self, expected: &str) -> Refusal {
        let (quote, rest) = match self.rest() {
            "" => ("", "its end"),
            rest => ("\"", rest),
        };
        let args = [Arg::Cut(self.text), Arg::Text(quote), Arg::Cut(rest), Arg::Text(expected)];
        Cause::ConditionGrammar.refuse(&args)
    }

    /// Conjunctions joined by `||`. `depth` is the number of parentheses and negations around them. Both sides of an operator
    /// are always parsed, so that a syntax error does not depend on the document.
    fn disjunction(&mut self, depth: usize) -> Result<bool, Refusal> {
        let mut result = self.conjunction(depth)?;
        while self.eat("||") {
            result |= self.conjunction(depth)?;
        }
        Ok(result)
    }

    /// Terms joined by `&&`.
    fn conjunction(&mut self, depth: usize) -> Result<bool, Refusal> {
        let mut result = self.term(depth)?;
        while self.eat("&&") {
            result &= self.term(depth)?;
        }
        Ok(result)
    }

    /// A negation, a parenthesis, a comparison or a path.
    fn term(&mut self, depth: usize) -> Result<bool, Refusal> {
        if depth > MAX_DEPTH {
            return Err(self.refuse("at most 32 levels of nesting"));
        }
        if self.eat("!") {
            let rest = self.rest();
            if rest.starts_with(['!', '(']) {
                // A second negation is one level deeper. A parenthesis counts its level itself.
                return self.term(depth + usize::from(rest.starts_with('!'))).map(|result| !result);
            }
            // A path alone: no comparison may follow, e.g. in `!a == 1`.
            let path = self.path()?;
            return Ok(self.value_at(path.as_ref()).is_falsy());
        }
        if self.eat("(") {
            let result = self.disjunction(depth + 1)?;
            return if self.eat(")") { Ok(result) } else { Err(self.refuse(")")) };
        }
        let left = self.path()?;
        match COMPARISONS.into_iter().find(|(name, _)| self.eat(name)) {
            None => Ok(!self.value_at(left.as_ref()).is_falsy()),
            Some((_, comparison)) => {
                let right = self.json()?;
                Ok(comparison.holds(self.value_at(left.as_ref()), &right))
            }
        }
    }

    /// The value at a path, as [`Self::path`] returned it, or `null`.
    fn value_at(&self, path: Option<&Path>) -> &Value {
        path.and_then(|path| self.planner.document.value().at(path)).unwrap_or(&Value::Null)
    }

    /// Parses a path, and resolves it; `None` if the document does not have it.
    fn path(&mut self) -> Result<Option<Path>, Refusal> {
        let rest = self.rest();
        // The path ends before the first whitespace, operator or parenthesis outside of quotes.
        let (mut is_quoted, mut is_escaped) = (false, false);
        let end = rest.find(|char: char| {
            let ends_path = !is_quoted && ends_word(char);
            is_quoted ^= char == '"' && !is_escaped;
            is_escaped = char == '\\' && !is_escaped;
            ends_path
        });
        let text = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        if text.is_empty() {
            return Err(self.refuse("a path"));
        }
        // Of any length: the path is only looked up, and creates nothing.
        let max_depth = usize::MAX;
        let result = PathExpr::parse(text, max_depth).and_then(|path| {
            if !self.planner.options.rules.is_open() {
                path.check_page()?;
            }
            Ok(path)
        });
        // Every error in a condition has this code: `INVALID_PATH` is about the path of the patch.
        let path = result.map_err(|mut refusal| {
            refusal.code = Code::InvalidStructure;
            refusal
        })?;
        if path.operator != super::path::Operator::Plain {
            return Err(self.refuse("a path without an operator"));
        }
        self.at += text.len();
        // A condition may look up many paths, each of which may walk over a list.
        self.planner.check_cost()?;
        Ok(self.planner.look_up(&path.segments))
    }

    /// Parses the JSON value at the beginning of the rest.
    fn json(&mut self) -> Result<Value, Refusal> {
        let rest = self.rest();
        // The lexer knows where a string, a list or an object ends. After a number, `true`, `false` or `null` the text must end.
        let scalar_len = rest.find(ends_word).unwrap_or(rest.len());
        let ends_itself = rest.starts_with(['"', '[', '{']);
        let text = if ends_itself { rest } else { rest.get(..scalar_len).unwrap_or_default() };
        let mut lexer = Lexer::strict(MAX_DEPTH);
        let mut builder = Builder::default();
        let (read_len, mut stop) = lexer.feed(text, &mut builder);
        // The lexer may still expect digits of a number, but the text ends here.
        if stop == Stop::Input {
            stop = lexer.finish(&mut builder);
        }
        match (stop, builder.take()) {
            (Stop::Complete, Some(value)) if !measure(&value).infinite => {
                self.at += read_len;
                Ok(value)
            }
            _ => Err(self.refuse("a JSON value")),
        }
    }
}

/// Whether a character ends a number, a literal or a path outside of quotes.
fn ends_word(char: char) -> bool {
    is_space(char) || matches!(char, '=' | '!' | '<' | '>' | '&' | '|' | '(' | ')')
}
