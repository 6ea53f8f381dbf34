/** Drafts: pages that are shown while the calls that change them still arrive. */
import type { Draft, PatchCall, PatchOperation, PendingCall, ToolPatchEvent } from "genui-patch";
import { store } from "../instance/store";
import { isLive } from "../server/backend";
import { conditions } from "../server/link";

/** A draft, and the instance that was shown before it. */
interface Shown {
  draft: Draft;
  before: string | null;
}

/** By block and by place in the block. */
const open = new Map<string, Shown>();

/** Also those that wait for their call to be applied. */
const drawn = new Set<Draft>();

/** Rolls all drafts back, for a call that reads: an agent is to see nothing of its later calls. */
export function hideDrafts(): void {
  for (const draft of drawn) draft.discard();
  drawn.clear();
}

const keyOf = (toolId: string, index: number) => `${toolId} ${index}`;

/** Adds a patch to the draft of its call. The first patch opens the draft and shows its page. */
export function grow({ toolId, index, patchIndex, toolType, call, patch }: ToolPatchEvent, turn: string): void {
  const key = keyOf(toolId, index);
  // The ids of blocks repeat from one answer to the next.
  if (patchIndex === 0) roll(key);
  if (!open.has(key) && patchIndex === 0 && isShown(toolType, call)) begin(key, call as unknown as PatchCall, turn);
  open.get(key)?.draft.add(patch as unknown as PatchOperation);
}

/**
 * While the page is offline, calls of agents do not reach it. With a backend, an edit of an instance that the backend does not have
 * yet would be refused.
 */
const isShown = (tool: string, call: ToolPatchEvent["call"]) =>
  tool === "patch_ui_state" && !conditions.get().offline && !(isLive && call.instance_name === "__CREATE__");

function begin(key: string, call: PatchCall, turn: string): void {
  const before = store.active;
  const draft = store.draft(call, { author: { kind: "agent" }, group: turn });
  if (!draft.isOpen) return;
  open.set(key, { draft, before });
  drawn.add(draft);
  store.active = draft.instance_name;
}

/** Hands a draft over to its call: `settle` discards it and applies the call, in one step for listeners. */
export function takeDraft(toolId: string, index: number): ((apply: () => void) => void) | undefined {
  const key = keyOf(toolId, index);
  const shown = open.get(key);
  open.delete(key);
  return (
    shown &&
    ((apply) =>
      store.batch(() => {
        const edits = store.pending(shown.draft.instance_name);
        shown.draft.discard();
        drawn.delete(shown.draft);
        apply();
        keep(edits);
        if (store.active === null || !store.names().includes(store.active)) show(shown.before);
      }))
  );
}

/** The user's edits in a page that its draft has created went with the draft: they are made again. */
function keep(edits: readonly PendingCall[]): void {
  const kept = new Set(store.pending().map(({ pendingId }) => pendingId));
  for (const { pendingId, call, sent } of edits) if (!sent && !kept.has(pendingId)) store.applyOptimistic(call);
}

/** Rolls back the drafts of a block, or of all blocks. */
export function dropDrafts(toolId?: string): void {
  for (const key of [...open.keys()]) if (toolId === undefined || key.startsWith(`${toolId} `)) roll(key);
}

function roll(key: string): void {
  const shown = open.get(key);
  open.delete(key);
  if (shown === undefined) return;
  drawn.delete(shown.draft);
  store.batch(() => {
    shown.draft.discard();
    if (store.active === null) show(shown.before);
  });
}

const show = (name: string | null) => {
  store.active = name !== null && store.names().includes(name) ? name : (store.names()[0] ?? null);
};
