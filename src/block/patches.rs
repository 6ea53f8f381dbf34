//! The patches of a call that is still arriving: each is reported as soon as its closing brace has arrived.

use super::event::{Event, ToolId};
use crate::value::text::owned;
use crate::value::{Builder, Object, Value};

/// Where the list of patches of the last call stands, and how many of its entries were reported.
#[derive(Debug, Default)]
pub(super) struct PatchList {
    /// How many lists and objects are open inside the list, itself included; 0 before it opens.
    depth: usize,
    reported: usize,
}

/// The call that a patch belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatchOwner<'a> {
    pub(super) tool_id: ToolId,
    pub(super) index: usize,
    pub(super) tool: &'a str,
    /// The byte offset of what was read last.
    pub(super) offset: usize,
}

impl PatchList {
    /// Another call begins.
    pub(super) fn restart(&mut self) {
        *self = Self::default();
    }

    /// The list of patches opens.
    pub(super) fn open(&mut self, builder: Option<&Builder>) {
        if self.depth == 0 {
            self.depth = builder.map_or(0, Builder::depth);
        }
    }

    /// Appends an event for each patch that is whole and was not reported, if the call names its instance already.
    pub(super) fn report(&mut self, builder: &Builder, of: PatchOwner<'_>, events: &mut Vec<Event>) {
        let Some(call) = self.depth.checked_sub(1).and_then(|depth| builder.open_object(depth)) else { return };
        // An entry is whole where nothing inside of the list is open.
        if builder.depth() > self.depth || !names_instance(call) {
            return;
        }
        let closed =
            || call.get("patches").and_then(Value::as_array).map(|list| list.iter().cloned().collect::<Vec<_>>());
        let items = match builder.open_list(self.depth) {
            Some(items) => items.get(self.reported..).unwrap_or_default().to_vec(),
            None => closed().map(|mut items| items.split_off(self.reported.min(items.len()))).unwrap_or_default(),
        };
        if items.is_empty() {
            return;
        }
        let mut others = call.clone();
        others.remove("patches");
        for patch in items {
            let patch_index = self.reported;
            self.reported += 1;
            if matches!(patch, Value::Object(_)) {
                let call = Value::Object(others.clone());
                let PatchOwner { tool_id, index, tool, offset } = of;
                events.push(Event::Patch { tool_id, index, tool: owned(tool), patch_index, offset, call, patch });
            }
        }
    }
}

/// Whether a call says which instance it is about. One that creates an instance has to say its new name too.
fn names_instance(call: &Object) -> bool {
    let text = |keys: [&str; 2]| keys.iter().find_map(|key| call.get(key)?.as_str());
    match text(["instance_name", "instanceId"]) {
        Some("__CREATE__") => text(["new_instance_name", "newInstanceId"]).is_some(),
        Some("__DELETE__") | None => false,
        Some(_) => true,
    }
}
