/** `SnapshotParts`: puts a snapshot together that a server sends in parts, so that neither side has all of it in one text. */
import { isObject } from "../core/kinds.js";
import type { ServerMessage } from "../types.js";

/** The members of a snapshot whose entries are spread over the parts. */
const MAPS = ["instances", "histories", "files"];

export class SnapshotParts {
  /** The `resume` that the parts answer. */
  #request: unknown;
  /** By number: a part may arrive twice. */
  readonly #parts = new Map<unknown, ServerMessage>();
  #last: ServerMessage | undefined;

  /** Adds a `snapshot` or a `snapshot-part`. Returns the snapshot once it is whole. */
  receive(message: ServerMessage): ServerMessage | undefined {
    const { type, request, part, parts, answers } = message;
    if (type === "snapshot" && parts === undefined) return message;
    const about = type === "snapshot" ? answers : request;
    if (about !== this.#request) this.clear();
    this.#request = about;
    if (type === "snapshot") this.#last = message;
    else this.#parts.set(part, message);
    const last = this.#last;
    if (last === undefined || this.#parts.size !== last.parts) return undefined;
    const all = [last, ...this.#parts.values()];
    this.clear();
    const maps = MAPS.filter((name) => all.some((one) => isObject(one[name])));
    return { ...last, ...Object.fromEntries(maps.map((name) => [name, joined(all, name)])) };
  }

  clear(): void {
    this.#parts.clear();
    this.#last = undefined;
  }
}

/** The map of this name with the entries of all messages. It is made of entries, since one may have the key `__proto__`. */
function joined(messages: readonly ServerMessage[], name: string): object {
  return Object.fromEntries(messages.flatMap(({ [name]: map }) => (isObject(map) ? Object.entries(map) : [])));
}
