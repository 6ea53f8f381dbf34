//! The options of a store.

use crate::limits::Limits;
use crate::options;
use crate::patch::{Catalog, OnError, Rules, Values};
use crate::value::Value;
use crate::value::text::boxed;

/// How a store behaves.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rules of instances that are loaded or created without others.
    pub rules: Rules,
    /// The host's own block types, field types and other words.
    pub catalog: Catalog,
    /// How a value is treated that its field does not take.
    pub values: Values,
    /// How a call goes on when one of its patches fails.
    pub on_error: OnError,
    /// Limits.
    pub limits: Limits,
    /// The beginning of the ids of pending calls, unique to each store.
    pub client_id: Box<str>,
}

impl Options {
    /// Reads `{rules?, catalog?, values?, onError?, clientId?, limits?}`.
    ///
    /// # Errors
    /// A sentence for the developer.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        let mut options = Self::default();
        let names = ["rules", "onError", "clientId", "catalog", "values", "limits"];
        options::read(value, "option", &names, &mut |place, value| {
            match (place, value.as_str()) {
                (0, text) => match text.and_then(Rules::from_name) {
                    Some(rules) => options.rules = rules,
                    None => return Ok("\"ui\" or \"open\""),
                },
                (1, text) => match text.and_then(OnError::from_name) {
                    Some(mode) => options.on_error = mode,
                    None => return Ok("\"rollback\", \"stop\" or \"skip\""),
                },
                (2, Some(id)) => options.client_id = boxed(id),
                (2, None) => return Ok("a string"),
                (3, _) => options.catalog = Catalog::from_value(value)?,
                (4, text) => match text.and_then(Values::from_name) {
                    Some(values) => options.values = values,
                    None => return Ok("\"warn\", \"strict\" or \"off\""),
                },
                _ => options.limits = Limits::from_value(value)?,
            }
            Ok("")
        })?;
        Ok(options)
    }
}
