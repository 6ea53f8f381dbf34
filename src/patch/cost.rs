//! The cost of copies and comparisons, in steps as `maxWork` limits them, and the limits of values.

use super::error::{Arg, Cause, Refusal};
use crate::limits::Limits;
use crate::value::{Measure, Step, Value, measure};

/// The steps of a copy: 16 for each value and 1 for each 4 bytes, since a copy takes memory in the module, in the changes and in
/// the page's snapshot.
pub(super) fn copy_cost(value: &Value) -> usize {
    let measure = measure(value);
    measure.values * 16 + measure.bytes / 4
}

/// The steps of comparing a value: 1, and 1 for each 64 bytes.
pub(super) fn comparison_cost(value: &Value) -> usize {
    measure(value).bytes / 64 + 1
}

/// Refuses a value that would make the document too deep, or has a number that is too large for a double. Returns the size of
/// the value.
pub(crate) fn check_size(path: &[Step], value: &Value, limits: &Limits) -> Result<Measure, Refusal> {
    let measure = measure(value);
    let depth = path.len() + measure.depth;
    if depth > limits.depth() {
        Err(Cause::TooDeep.refuse(&[Arg::Count(depth), Arg::Count(limits.depth())]))
    } else if measure.infinite {
        Err(Cause::Infinite.refuse(&[]))
    } else {
        Ok(measure)
    }
}
