/**
 * `SnapshotParts`: joins a snapshot that a server sends in parts, so that neither side has all of it in one text. The parts are
 * any number of messages `snapshot-part`, and a `snapshot`, whose `parts` is that number.
 */
import { isObject } from "../core/kinds.js";
import type { ServerMessage } from "../types.js";

/** The members of a snapshot whose entries are spread over the parts: maps by name of an instance or by path of a file. */
const MAPS = ["instances", "histories", "files"];

export class SnapshotParts {
  /** The number of the `resume` that the parts answer. */
  #request: unknown;
  /** The revision of the documents in the parts; undefined if the parts so far do not say it. */
  #revision: unknown;
  /** The messages `snapshot-part` by their number: a part may arrive twice. */
  readonly #parts = new Map<unknown, ServerMessage>();
  /** The message `snapshot`, if it has arrived. */
  #snapshot: ServerMessage | undefined;

  /** Adds a `snapshot` or a `snapshot-part`. Returns the snapshot once all its parts have arrived, else `undefined`. */
  receive(message: ServerMessage): ServerMessage | undefined {
    const { type, part, parts, revision } = message;
    if (type === "snapshot" && parts === undefined) return message;
    const request = type === "snapshot" ? message.answers : message.request;
    // A `resume` that is delivered twice has two answers, perhaps with documents of different revisions.
    const isSameRevision = revision === undefined || this.#revision === undefined || revision === this.#revision;
    if (request !== this.#request || !isSameRevision) this.clear();
    this.#request = request;
    this.#revision = revision ?? this.#revision;
    if (type === "snapshot") this.#snapshot = message;
    else this.#parts.set(part, message);
    const snapshot = this.#snapshot;
    if (snapshot === undefined || this.#parts.size !== snapshot.parts) return undefined;
    const messages = [snapshot, ...this.#parts.values()];
    this.clear();
    const mapNames = MAPS.filter((name) => messages.some(({ [name]: map }) => isObject(map)));
    return { ...snapshot, ...Object.fromEntries(mapNames.map((name) => [name, joinMap(messages, name)])) };
  }

  clear(): void {
    this.#parts.clear();
    this.#snapshot = undefined;
    this.#revision = undefined;
  }
}

/** The map of this name with the entries of all messages. `fromEntries` also makes a member of the key `__proto__`. */
function joinMap(messages: readonly ServerMessage[], name: string): object {
  return Object.fromEntries(messages.flatMap(({ [name]: map }) => (isObject(map) ? Object.entries(map) : [])));
}
