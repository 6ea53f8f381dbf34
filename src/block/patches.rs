//! The patches of a call that is still arriving: each is reported as soon as its closing brace has arrived.

use super::event::{Event, ToolId};
use crate::value::text::owned;
use crate::value::{Builder, Object, Value};

/// The key under which a call of `patch_ui_state` has its patches.
pub(super) const PATCHES: &str = "patches";

/// The list of patches in the last call, and how many of its entries have been handled.
#[derive(Debug, Default)]
pub(super) struct PatchList {
    /// The depth of the list: how many lists and objects around it are open, itself included. 0 before it opens.
    depth: usize,
    /// The index of the first entry that is not handled yet: entries that are no objects are skipped.
    next_index: usize,
}

/// The call that a patch belongs to, and where the parser is, for the event.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatchOwner<'a> {
    pub(super) tool_id: ToolId,
    /// The index of the call in its block.
    pub(super) index: usize,
    pub(super) tool: &'a str,
    /// The byte offset of the token that was read last.
    pub(super) offset: usize,
}

impl PatchList {
    /// Forgets the list, since another call begins.
    pub(super) const fn restart(&mut self) {
        (self.depth, self.next_index) = (0, 0);
    }

    /// Records that the list of patches opens; `builder` has opened it already. Later lists of the call are ignored.
    pub(super) fn open(&mut self, builder: Option<&Builder>) {
        if self.depth == 0 {
            self.depth = builder.map_or(0, Builder::depth);
        }
    }

    /// Appends an event for each patch that is complete and was not reported, if the call names its instance already.
    pub(super) fn report(&mut self, builder: &Builder, owner: PatchOwner<'_>, events: &mut Vec<Event>) {
        // The list is a member of the call, so the call is one level above it.
        let Some(call) = self.depth.checked_sub(1).and_then(|depth| builder.open_object(depth)) else { return };
        // While something is open inside the list, its last entry is incomplete.
        if builder.depth() > self.depth || !names_instance(call) {
            return;
        }
        let PatchOwner { tool_id, index, tool, offset } = owner;
        while let Some(patch) = entry(builder, self.depth, call, self.next_index) {
            let patch_index = self.next_index;
            self.next_index += 1;
            if matches!(patch, Value::Object(_)) {
                let mut other_members = Object::new();
                for (key, value) in call.iter().filter(|(key, _)| *key != PATCHES) {
                    other_members.set(key, value.clone());
                }
                let (call, patch) = (Value::Object(other_members), patch.clone());
                events.push(Event::Patch { tool_id, index, tool: owned(tool), patch_index, offset, call, patch });
            }
        }
    }
}

/// An entry of the list; `None` if it has not arrived. While the list is open, the builder has it, then the call.
fn entry<'v>(builder: &'v Builder, depth: usize, call: &'v Object, index: usize) -> Option<&'v Value> {
    match builder.open_list(depth) {
        Some(items) => items.get(index),
        None => call.get(PATCHES)?.as_array()?.get(index),
    }
}

/// Whether a call names its instance, under one of two keys. A call that creates an instance must have its new name too; one that
/// deletes it has no patches to show.
fn names_instance(call: &Object) -> bool {
    let text = |keys: [&str; 2]| keys.iter().find_map(|key| call.get(key)?.as_str());
    match text(["instance_name", "instanceId"]) {
        Some("__CREATE__") => text(["new_instance_name", "newInstanceId"]).is_some(),
        Some("__DELETE__") | None => false,
        Some(_) => true,
    }
}
