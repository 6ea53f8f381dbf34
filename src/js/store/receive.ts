/** `PatchStore.receive`: finds out who has made the change of a message, and sends the message to the module. */
import { parseJson, toText } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import type { PatchResult } from "../types.js";
import { BY_SERVER, copyAuthor, isAuthor } from "./authors.js";
import type { Source } from "./history-types.js";
import type { Sender, StoreCore } from "./store-core.js";

/** Applies a message, which is an object or its JSON text. `name`: the instance of a message that names none. */
export function receive(core: StoreCore, message: unknown, name: string | undefined): PatchResult {
  const { maxDocumentBytes, maxCallBytes } = core.limits;
  const maxBytes = Math.max(maxDocumentBytes, maxCallBytes);
  const sender: Sender = (raw, bytes) => (name === undefined ? raw.receive(bytes) : raw.receive_for(bytes));
  const { body, by } = readMessage(core, typeof message === "string" ? message : toText(message, "message"), maxBytes);
  return core.send(body, { argument: "message", origin: "receive", sender, name, maxBytes, by });
}

/**
 * Splits a message into `body`, which is JSON text without `author` and `group` for the module, and its source: the author that
 * it names, or else that of the pending call that it settles, or else the server.
 */
function readMessage(core: StoreCore, text: string, maxBytes: number): { body: string; by: Source } {
  // To save time, a message is parsed only if it may name an author or settle a call.
  const mayHaveSource = text.length <= maxBytes && (text.includes('"author"') || !core.pendingCalls.isEmpty);
  const message = mayHaveSource ? parseJson(text) : undefined;
  if (!isObject(message)) return { body: text, by: BY_SERVER };
  const { author, group, ...others } = message;
  const body = author === undefined && group === undefined ? text : JSON.stringify(others);
  if (isAuthor(author)) return { body, by: { author: copyAuthor(author), group: isText(group) ? group : undefined } };
  for (const id of [message.patch_id, message.clientCallId].filter(isText)) {
    const caller = core.pendingCalls.callerOf(id);
    if (caller === undefined) continue;
    // The other members, e.g. `reverts` of a pending undo, are in the history since the call was applied.
    return { body, by: { author: caller.author, group: caller.group, settles: id } };
  }
  return { body, by: BY_SERVER };
}
