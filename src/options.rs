//! Reads options from JSON: objects with known keys.

use crate::value::{Value, concat, join};

/// What comes of one option: nothing but its effect, or what its value must be instead.
pub(crate) type Taken = Result<&'static str, String>;

/// Reads an object of options. `take` is given the place of each name among the known ones, and its value.
///
/// # Errors
/// A sentence that says what is wrong: here, or inside of an option.
pub(crate) fn read(
    value: &Value,
    what: &str,
    names: &[&'static str],
    take: &mut dyn FnMut(usize, &Value) -> Taken,
) -> Result<(), String> {
    let Value::Object(entries) = value else { return Err(concat(&["The ", what, "s must be an object."])) };
    for (name, value) in entries.iter() {
        let Some(place) = names.iter().position(|own| *own == name) else {
            return Err(concat(&["There is no ", what, " \"", name, "\"; there are ", &join(names, ", "), "."]));
        };
        let wanted = take(place, value)?;
        if !wanted.is_empty() {
            return Err(concat(&["The ", what, " \"", name, "\" must be ", wanted, "."]));
        }
    }
    Ok(())
}
