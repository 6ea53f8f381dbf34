//! The short way of a `set`: one scalar replaces another, and no rule or other value depends on it. It is by far the most
//! frequent change of a page, so it is made without planning edits, cloning or checking rules.

use super::path::{Operator, PathExpr, Segment};
use super::rules::{Rules, any_scalar_fits};
use super::run::RunOptions;
use crate::edit::Document;
use crate::value::{Value, measure};

/// What a plain set has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain {
    /// Whether the value was another one before.
    pub changed: bool,
    /// The index at which the path's first segment that is an id was found in a list.
    pub item: Option<usize>,
    /// By how many bytes the document has grown.
    pub growth: isize,
}

/// Sets one place, if that comes to no more than a scalar in the place of another; else nothing has happened, and
/// [`super::Work::run`] knows what to do, or why not. The document may grow by `room` bytes.
pub(crate) fn set_plain(
    document: &mut Document,
    path: &PathExpr,
    value: &mut Value,
    room: usize,
    options: RunOptions<'_>,
) -> Option<Plain> {
    let is_open = options.rules == Rules::Open;
    let depth = path.segments.len();
    if depth > options.limits.depth() || path.operator != Operator::Plain || !(is_open || any_scalar_fits(path)) {
        return None;
    }
    let (place, item) = follow(document.unwatched()?, &path.segments, options.rules)?;
    let [bytes, new] = [&*place, &*value].map(scalar_bytes);
    let growth = new?.cast_signed() - bytes?.cast_signed();
    if growth > room.cast_signed() {
        return None;
    }
    let changed = *place != *value;
    if changed {
        std::mem::swap(place, value);
    }
    Some(Plain { changed, item, growth })
}

/// The value at the end of a path whose steps are just as they are spelled, but for one id, and the index of that.
fn follow<'v>(root: &'v mut Value, path: &[Segment], rules: Rules) -> Option<(&'v mut Value, Option<usize>)> {
    let mut value = root;
    let mut item = None;
    let mut ids = 0;
    let mut listed = false;
    let key_at = |place: usize| match path.get(place) {
        Some(Segment::Key(key) | Segment::Id(key)) => Some(&**key),
        Some(Segment::Index(_)) | None => None,
    };
    for (place, segment) in path.iter().enumerate() {
        ids += usize::from(matches!(segment, Segment::Id(_)));
        let was_listed = std::mem::replace(&mut listed, false);
        value = match (value, segment) {
            (Value::Object(object), Segment::Key(key) | Segment::Id(key)) => {
                // A list has to hear of other ids of its items.
                if was_listed {
                    return None;
                }
                object.get_mut(key)?
            }
            (Value::Array(items), segment) => {
                let index = match segment {
                    Segment::Index(index) => *index as usize,
                    Segment::Id(id) if ids == 1 => {
                        let list = place.checked_sub(1).and_then(key_at);
                        let index = items.locate(rules.id_key_of(key_at(0), list), id)?;
                        item = Some(index);
                        index
                    }
                    Segment::Id(_) | Segment::Key(_) => return None,
                };
                if let Some(Segment::Key(key) | Segment::Id(key)) = path.get(place + 1) {
                    listed = place + 2 == path.len() && items.is_indexed(key);
                }
                items.get_mut(index)?
            }
            _ => return None,
        };
    }
    Some((value, item))
}

/// The bytes of a value that is no list and no object, and that JSON can write.
fn scalar_bytes(value: &Value) -> Option<usize> {
    if matches!(value, Value::Array(_) | Value::Object(_)) {
        return None;
    }
    let measure = measure(value);
    (!measure.infinite).then_some(measure.bytes)
}
