//! The patches of a call that is still arriving: each is reported as soon as its closing brace has arrived.

use super::event::{Event, ToolId};
use crate::value::text::owned;
use crate::value::{Builder, Object, Value};

/// The key under which a call of `patch_ui_state` has its patches.
pub(super) const PATCHES: &str = "patches";

/// The position of the list of patches of the last call, and the number of its entries that were reported.
#[derive(Debug, Default)]
pub(super) struct PatchList {
    /// The number of open lists and objects inside the list, including itself; 0 before it opens.
    depth: usize,
    reported: usize,
}

/// The call that a patch belongs to, for its event.
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
        (self.depth, self.reported) = (0, 0);
    }

    /// Records that the list of patches opens; `builder` has opened it already. Later lists of the call are ignored.
    pub(super) fn open(&mut self, builder: Option<&Builder>) {
        if self.depth == 0 {
            self.depth = builder.map_or(0, Builder::depth);
        }
    }

    /// Appends an event for each patch that is complete and was not reported, if the call names its instance already.
    pub(super) fn report(&mut self, builder: &Builder, owner: PatchOwner<'_>, events: &mut Vec<Event>) {
        let Some(call) = self.depth.checked_sub(1).and_then(|depth| builder.open_object(depth)) else { return };
        // While something is open inside the list, its last entry is incomplete.
        if builder.depth() > self.depth || !names_instance(call) {
            return;
        }
        let PatchOwner { tool_id, index, tool, offset } = owner;
        while let Some(patch) = entry(builder, self.depth, call, self.reported) {
            let patch_index = self.reported;
            self.reported += 1;
            if matches!(patch, Value::Object(_)) {
                let mut others = Object::new();
                for (key, value) in call.iter().filter(|(key, _)| *key != PATCHES) {
                    others.set(key, value.clone());
                }
                let (call, patch) = (Value::Object(others), patch.clone());
                events.push(Event::Patch { tool_id, index, tool: owned(tool), patch_index, offset, call, patch });
            }
        }
    }
}

/// An entry of the list. The builder has the list while it is open; then the call has it.
fn entry<'v>(builder: &'v Builder, depth: usize, call: &'v Object, index: usize) -> Option<&'v Value> {
    match builder.open_list(depth) {
        Some(items) => items.get(index),
        None => call.get(PATCHES)?.as_array()?.get(index),
    }
}

/// Whether a call names its instance. A call that creates an instance must have its new name too.
fn names_instance(call: &Object) -> bool {
    let text = |keys: [&str; 2]| keys.iter().find_map(|key| call.get(key)?.as_str());
    match text(["instance_name", "instanceId"]) {
        Some("__CREATE__") => text(["new_instance_name", "newInstanceId"]).is_some(),
        Some("__DELETE__") | None => false,
        Some(_) => true,
    }
}
