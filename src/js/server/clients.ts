/** `Clients`: which calls of which client have been made, so that each is made once, and in its client's order. */
import { isObject, isText } from "../core/kinds.js";

/** How many ranges of call numbers are kept for a client. A gap between two is calls that were refused or never sent. */
const MOST_RANGES = 100;
/** Clients that are remembered. The one that has been silent for longest is forgotten first. */
const MOST_CLIENTS = 100_000;

/** A client, and what is known of its calls. */
interface Client {
  /** The id of the user whose client it is. */
  user: string;
  /** Ranges `[first, last]` of numbers that were made, in order. */
  made: [first: number, last: number][];
}

/** Splits the id of a pending call, `<client>-<number>`. A client numbers its calls 1, 2, 3, … */
export function readCallId(id: string): { client: string; number: number } | undefined {
  const at = id.lastIndexOf("-");
  const number = Number(id.slice(at + 1));
  return at > 0 && Number.isSafeInteger(number) && number > 0 ? { client: id.slice(0, at), number } : undefined;
}

/** `new`: not made yet. `made`: it is in the documents. `late`: a later call of its client was made. `foreign`: the client is another user's. */
export type CallState = "new" | "made" | "late" | "foreign";

export class Clients {
  #clients = new Map<string, Client>();

  stateOf(client: string, number: number, user: string): CallState {
    const known = this.#clients.get(client);
    if (known === undefined) return "new";
    if (known.user !== user) return "foreign";
    for (const [first, last] of known.made) if (number >= first && number <= last) return "made";
    return number > (known.made.at(-1)?.[1] ?? 0) ? "new" : "late";
  }

  /** A call was made. Numbers of a client only go up. */
  made(client: string, number: number, user: string): void {
    const known = this.#clients.get(client) ?? { user, made: [] };
    // Last in order, so that the first is the one that has been silent for longest.
    this.#clients.delete(client);
    this.#clients.set(client, known);
    const last = known.made.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else known.made.push([number, number]);
    if (known.made.length > MOST_RANGES) known.made.shift();
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > MOST_CLIENTS && oldest !== undefined) this.#clients.delete(oldest);
  }

  save(): unknown {
    return [...this.#clients].map(([id, { user, made }]) => [id, user, made.map((range) => [...range])]);
  }

  restore(saved: unknown): void {
    this.#clients = new Map();
    if (!Array.isArray(saved)) return;
    for (const one of saved) {
      const [id, user, ranges]: unknown[] = Array.isArray(one) ? one : [];
      if (!isText(id) || !isText(user) || !Array.isArray(ranges)) continue;
      const made: Client["made"] = ranges.map((range) => [Number(range?.[0]), Number(range?.[1])]);
      this.#clients.set(id, { user, made });
    }
  }
}

/** The revisions of the latest calls that had a key. A call with a known key is not made again. */
export class RecentKeys {
  #keys = new Map<string, number>();

  constructor(private readonly most: number) {}

  get(key: string): number | undefined {
    return this.#keys.get(key);
  }

  add(key: string, revision: number): void {
    this.#keys.set(key, revision);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > this.most && oldest !== undefined) this.#keys.delete(oldest);
  }

  save(): unknown {
    return Object.fromEntries(this.#keys);
  }

  restore(saved: unknown): void {
    this.#keys = new Map();
    if (isObject(saved)) for (const [key, revision] of Object.entries(saved)) this.#keys.set(key, Number(revision));
  }
}
