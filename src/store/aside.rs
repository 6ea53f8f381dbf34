//! A push that is aside from all that is pending: a value of the state, beneath plain sets of other places. It goes in as it
//! is, with nothing taken off and put on again.

use super::coalesce::plain_set;
use super::instance::Instance;
use super::pending::{Pending, Undo};
use super::task::Task;
use super::{Options, Outcome};
use crate::edit::Edit;
use crate::patch::{PathExpr, Segment, Work};
use crate::value::{Path, Step};

impl Instance {
    /// Does a task beneath the pending calls without touching them; nothing where it might meet one of them.
    pub(super) fn slip_beneath(&mut self, task: &Task<'_>, settles: &[&str], options: &Options) -> Option<Outcome> {
        if self.queue.iter().any(|pending| settles.contains(&&*pending.id)) {
            return None;
        }
        let read;
        let (path, value) = match task {
            Task::Set(path, value) => (*path, value),
            Task::Work(Work::Patches(patches)) if options.limits.max_patches > 0 => {
                let [patch] = &**patches else { return None };
                read = plain_set(patch)?;
                (&read.0, read.1)
            }
            _ => return None,
        };
        let place = in_state(path)?;
        // Beneath some of the pending calls the document may be larger than with all of them.
        let less: usize = self.queue.iter().map(|pending| shrinks(pending, &place)).sum::<Option<usize>>()?;
        let room = options.limits.max_document_bytes.checked_sub(self.held.bytes.saturating_add(less))?;
        let plain = self.put_plain(path, &mut value.clone(), room, options)?;
        let mut outcome = Outcome { applied: 1, queued: true, left: self.queue.len(), ..Outcome::default() };
        if plain.changed {
            outcome.changes = vec![Edit::Set { path: place, value: value.clone() }];
            outcome.rebased = self.queue.iter().map(|pending| pending.id.clone()).collect();
        }
        outcome.revision = self.revision;
        Some(outcome)
    }
}

/// The place of a value in the state that keys alone lead to.
fn in_state(path: &PathExpr) -> Option<Path> {
    let step = |segment: &Segment| match segment {
        Segment::Key(key) => Some(Step::Key(key.clone())),
        Segment::Index(_) | Segment::Id(_) => None,
    };
    let place = path.segments.iter().map(step).collect::<Option<Path>>()?;
    (place.len() > 2 && place.first().and_then(Step::as_key) == Some("state")).then_some(place)
}

/// By how many bytes a pending call makes the document smaller, if it is one plain set apart from a place.
fn shrinks(pending: &Pending, place: &[Step]) -> Option<usize> {
    let (Some(_), Undo::Edits(inverses, growth)) = (&pending.place, &pending.undo) else { return None };
    let [Edit::Set { path, .. } | Edit::Remove { path }] = &**inverses else { return None };
    let is_apart = path.iter().zip(place).any(|(one, other)| one != other);
    is_apart.then_some(growth.min(&0).unsigned_abs())
}
