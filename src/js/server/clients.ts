/**
 * `Clients`: which calls of which client have been executed, so that each is executed once, and in its client's order. A client
 * is the connection of a page, which keeps its name when it connects again.
 */
import { isObject, isText } from "../core/kinds.js";

/**
 * How many ranges of call numbers are kept for a client. The numbers between two ranges are calls that were refused or never
 * sent.
 */
const MOST_RANGES = 100;
/** Clients that are remembered. The one that has been silent for longest is forgotten first. */
const MOST_CLIENTS = 100_000;

/** A client, and what is known of its calls. */
interface Client {
  /** The id of the user who has sent its first call. */
  user: string;
  /** Ranges of the numbers of executed calls, ascending. */
  executedRanges: [first: number, last: number][];
}

/**
 * Splits the id of a pending call, `<client>-<number>`; `undefined` for an id of another form. A client numbers its calls 1, 2,
 * 3, …
 */
export function readCallId(id: string): { client: string; number: number } | undefined {
  const dash = id.lastIndexOf("-");
  const number = Number(id.slice(dash + 1));
  return dash > 0 && Number.isSafeInteger(number) && number > 0 ? { client: id.slice(0, dash), number } : undefined;
}

/**
 * `executed`: the documents have its effect. `late`: it is not known to have been executed, and a later call of its client was.
 * `foreign`: the client is another user's. `new`: none of these.
 */
export type CallState = "new" | "executed" | "late" | "foreign";

export class Clients {
  /** By name. The one that has been silent for longest comes first. */
  #clients = new Map<string, Client>();

  /** The state of a call, by the name of its client, its number, and the id of the user who sends it. */
  stateOf(name: string, number: number, user: string): CallState {
    const client = this.#clients.get(name);
    if (client === undefined) return "new";
    if (client.user !== user) return "foreign";
    for (const [first, last] of client.executedRanges) if (number >= first && number <= last) return "executed";
    const [, lastExecuted] = client.executedRanges.at(-1) ?? [0, 0];
    return number > lastExecuted ? "new" : "late";
  }

  /** Records that a call was executed. Its state must have been `new`, so that the numbers of a client ascend. */
  add(name: string, number: number, user: string): void {
    const client = this.#clients.get(name) ?? { user, executedRanges: [] };
    // Moves the client to the end of the map.
    this.#clients.delete(name);
    this.#clients.set(name, client);
    const last = client.executedRanges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else client.executedRanges.push([number, number]);
    if (client.executedRanges.length > MOST_RANGES) client.executedRanges.shift();
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > MOST_CLIENTS && oldest !== undefined) this.#clients.delete(oldest);
  }

  /** A copy for a snapshot: `[name, user, ranges]` of each client. */
  save(): unknown {
    return [...this.#clients].map(([name, { user, executedRanges }]) => [
      name,
      user,
      executedRanges.map((range) => [...range]),
    ]);
  }

  restore(saved: unknown): void {
    this.#clients = new Map();
    if (!Array.isArray(saved)) return;
    for (const row of saved) {
      const [name, user, ranges]: unknown[] = Array.isArray(row) ? row : [];
      if (!isText(name) || !isText(user) || !Array.isArray(ranges)) continue;
      const executedRanges: Client["executedRanges"] = ranges.map((range) => [Number(range?.[0]), Number(range?.[1])]);
      this.#clients.set(name, { user, executedRanges });
    }
  }
}

/** The revisions of the latest calls that had a key, by key. A call with a known key is not executed again. */
export class RecentKeys {
  /** In the order in which the keys were first added. */
  #keys = new Map<string, number>();

  /** @param limit the number of keys that are remembered. */
  constructor(private readonly limit: number) {}

  /** The revision of the call with a key; `undefined` if there was none, or it is forgotten. */
  get(key: string): number | undefined {
    return this.#keys.get(key);
  }

  add(key: string, revision: number): void {
    this.#keys.set(key, revision);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > this.limit && oldest !== undefined) this.#keys.delete(oldest);
  }

  /** A copy for a snapshot: pairs of key and revision. An object would put keys that are numbers first. */
  save(): unknown {
    return [...this.#keys];
  }

  /** Restores what `save` has returned, or the object that earlier versions saved. */
  restore(saved: unknown): void {
    this.#keys = new Map();
    const pairs: unknown[] = Array.isArray(saved) ? saved : Object.entries(isObject(saved) ? saved : {});
    for (const pair of pairs) {
      const [key, revision]: unknown[] = Array.isArray(pair) ? pair : [];
      if (isText(key)) this.#keys.set(key, Number(revision));
    }
  }
}
