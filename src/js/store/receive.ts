/** `PatchStore.receive`: who has made the change of a message, and the message for the module. */
import { parseJson, toText } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import type { PatchResult } from "../types.js";
import { BY_SERVER, copyOf, isAuthor } from "./authors.js";
import type { Source } from "./history-types.js";
import type { Sender, StoreCore } from "./store-core.js";

export function receive(core: StoreCore, message: unknown, name: string | undefined): PatchResult {
  const { maxDocumentBytes, maxCallBytes } = core.limits;
  const maxBytes = Math.max(maxDocumentBytes, maxCallBytes);
  const call: Sender = (raw, bytes) => (name === undefined ? raw.receive(bytes) : raw.receive_for(bytes));
  const { body, by } = readMessage(core, typeof message === "string" ? message : toText(message, "message"), maxBytes);
  return core.send(body, { what: "message", origin: "receive", call, name, maxBytes, by });
}

/** The message without its author, which the module does not know. */
function readMessage(core: StoreCore, text: string, maxBytes: number): { body: string; by: Source } {
  // A text is parsed only if it can matter who has sent it.
  const isRead = text.length <= maxBytes && (text.includes('"author"') || core.callers.size > 0);
  const read = isRead ? parseJson(text) : undefined;
  if (!isObject(read)) return { body: text, by: BY_SERVER };
  const { author, group, ...others } = read;
  const body = author === undefined && group === undefined ? text : JSON.stringify(others);
  if (isAuthor(author)) return { body, by: { author: copyOf(author), group: isText(group) ? group : undefined } };
  for (const id of [read.patch_id, read.clientCallId]) {
    const caller = isText(id) ? core.callers.get(id) : undefined;
    if (caller !== undefined && isText(id)) {
      // An undo that was pending has made its step already.
      return { body, by: { author: caller.author, group: caller.group, settles: id } };
    }
  }
  return { body, by: BY_SERVER };
}
