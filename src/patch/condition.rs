//! Conditions: `path`, `!path`, `path == json` and `!= < <= > >=`, joined by `&&` and `||`, with parentheses.
//!
//! Precedence, from the highest: `!`, comparison, `&&`, `||`. A missing path is `null`.

use std::cmp::Ordering;

use super::error::{Arg, Cause, Code, Refusal};
use super::path::PathExpr;
use super::planner::Planner;
use crate::value::text::{is_space, trim_start};
use crate::value::{Builder, Lexer, Path, Stop, Value, measure};

/// How deep parentheses and negations may nest. The refusal contains this number.
const MAX_DEPTH: usize = 32;

#[derive(Clone, Copy)]
pub(super) struct Comparison {
    /// The orders for which it holds.
    orders: &'static [Ordering],
    /// Whether it only asks for equality, and so compares any two values; others compare two numbers or two strings.
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

const fn equality(orders: &'static [Ordering]) -> Comparison {
    Comparison { orders, is_equality: true }
}

const fn order(orders: &'static [Ordering]) -> Comparison {
    Comparison { orders, is_equality: false }
}

impl Comparison {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        COMPARISONS.iter().find(|(own, _)| *own == name).map(|(_, comparison)| *comparison)
    }

    /// Equality is deep JSON equality. An order is false between values that are not two numbers or two strings.
    pub(super) fn holds(self, left: &Value, right: &Value) -> bool {
        let order = match (left, right) {
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
/// `INVALID_STRUCTURE` for a syntax error, with its place.
pub(super) fn holds(planner: &mut Planner<'_>, text: &str) -> Result<bool, Refusal> {
    let mut reader = ConditionReader { planner, text, at: 0 };
    let result = reader.disjunction(0)?;
    if reader.rest().is_empty() { Ok(result) } else { Err(reader.refuse("the end, && or ||")) }
}

struct ConditionReader<'a, 's> {
    planner: &'a mut Planner<'s>,
    text: &'a str,
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
        let next = self.rest().starts_with(token);
        self.at += if next { token.len() } else { 0 };
        next
    }

    fn refuse(&mut self, expected: &str) -> Refusal {
        let (quote, found) = match self.rest() {
            "" => ("", "its end"),
            rest => ("\"", rest),
        };
        let args = [Arg::Cut(self.text), Arg::Text(quote), Arg::Cut(found), Arg::Text(expected)];
        Cause::ConditionGrammar.refuse(&args)
    }

    /// Both sides are always parsed, so that a syntax error does not depend on the document.
    fn disjunction(&mut self, depth: usize) -> Result<bool, Refusal> {
        let mut result = self.conjunction(depth)?;
        while self.eat("||") {
            result |= self.conjunction(depth)?;
        }
        Ok(result)
    }

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
                // A parenthesis counts its level itself.
                return self.term(depth + usize::from(rest.starts_with('!'))).map(|result| !result);
            }
            let place = self.path()?;
            return Ok(self.value_at(place.as_ref()).is_falsy());
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

    /// The value at a path, or `null`. Borrowed, since it may be the whole document.
    fn value_at(&self, place: Option<&Path>) -> &Value {
        place.and_then(|place| self.planner.document.value().at(place)).unwrap_or(&Value::Null)
    }

    /// Parses a path, and resolves it; `None` if the document does not have it.
    fn path(&mut self) -> Result<Option<Path>, Refusal> {
        let rest = self.rest();
        let (mut quoted, mut escaped) = (false, false);
        let end = rest.find(|char: char| {
            let ends = !quoted && ends_word(char);
            quoted ^= char == '"' && !escaped;
            escaped = char == '\\' && !escaped;
            ends
        });
        let text = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        if text.is_empty() {
            return Err(self.refuse("a path"));
        }
        let checked = PathExpr::parse(text, usize::MAX).and_then(|path| {
            if !self.planner.options.rules.is_open() {
                path.check_page()?;
            }
            Ok(path)
        });
        let path = checked.map_err(|mut refusal| {
            refusal.code = Code::InvalidStructure;
            refusal
        })?;
        if path.operator != super::path::Operator::Plain {
            return Err(self.refuse("a path without an operator"));
        }
        self.at += text.len();
        self.planner.check_cost()?;
        Ok(self.planner.look_up(&path.segments))
    }

    fn json(&mut self) -> Result<Value, Refusal> {
        let rest = self.rest();
        // A parenthesis, whitespace or an operator ends a number or a literal.
        let scalar = rest.find(ends_word).unwrap_or(rest.len());
        let text = if rest.starts_with(['"', '[', '{']) { rest } else { rest.get(..scalar).unwrap_or_default() };
        let mut lexer = Lexer::strict(MAX_DEPTH);
        let mut builder = Builder::default();
        let (taken, mut stop) = lexer.feed(text, &mut builder);
        if stop == Stop::Input {
            stop = lexer.finish(&mut builder);
        }
        match (stop, builder.take()) {
            (Stop::Complete, Some(value)) if !measure(&value).infinite => {
                self.at += taken;
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
