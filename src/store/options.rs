//! The options of a store.

use crate::limits::Limits;
use crate::options;
use crate::patch::{Catalog, OnError, Rules, Values};
use crate::value::Value;
use crate::value::text::boxed;

/// How a store behaves.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rules of instances for which `load` or a creation names none.
    pub rules: Rules,
    /// The block types, field types and other vocabulary that the host adds.
    pub catalog: Catalog,
    /// The treatment of a value in the state that is not of the kind that its field takes.
    pub values: Values,
    /// How a call goes on when one of its patches fails. Pending calls are atomic in any case.
    pub on_error: OnError,
    /// The limits on sizes, depths and counts.
    pub limits: Limits,
    /// The prefix of the ids of pending calls, e.g. `c1` in `c1-7`. It must differ between stores.
    pub client_id: Box<str>,
}

impl Options {
    /// Parses `{rules?, catalog?, values?, onError?, clientId?, limits?}`.
    ///
    /// # Errors
    /// What is wrong with the options, as a sentence for developers.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        const RULES: usize = 0;
        const ON_ERROR: usize = 1;
        const CLIENT_ID: usize = 2;
        const CATALOG: usize = 3;
        const VALUES: usize = 4;
        const LIMITS: usize = 5;
        let names = ["rules", "onError", "clientId", "catalog", "values", "limits"];
        let mut options = Self::default();
        // A returned text says what the value must be; empty: it is accepted.
        options::read(value, "option", &names, &mut |name_index, value| {
            match (name_index, value.as_str()) {
                (RULES, text) => match text.and_then(Rules::from_name) {
                    Some(rules) => options.rules = rules,
                    None => return Ok("\"ui\" or \"open\""),
                },
                (ON_ERROR, text) => match text.and_then(OnError::from_name) {
                    Some(mode) => options.on_error = mode,
                    None => return Ok("\"rollback\", \"stop\" or \"skip\""),
                },
                (CLIENT_ID, Some(id)) => options.client_id = boxed(id),
                (CLIENT_ID, None) => return Ok("a string"),
                (CATALOG, _) => options.catalog = Catalog::from_value(value)?,
                (VALUES, text) => match text.and_then(Values::from_name) {
                    Some(values) => options.values = values,
                    None => return Ok("\"warn\", \"strict\" or \"off\""),
                },
                (LIMITS.., _) => options.limits = Limits::from_value(value)?,
            }
            Ok("")
        })?;
        Ok(options)
    }
}
