/** `CallList`: the running calls of an agent and its last 100 settled calls, with listeners, for a UI to render. */
import { Listeners } from "../core/listeners.js";
import type { AgentCall, AgentResult } from "./types.js";

/** Settled calls that stay in the list. */
const MAX_SETTLED = 100;

export class CallList {
  /** By key, oldest first. */
  readonly #calls = new Map<number, AgentCall>();
  readonly #listeners = new Listeners<void>();
  /** The result of `all`; `undefined` after a change, until the next `all`. */
  #list: readonly AgentCall[] | undefined;
  /** The number of calls so far, which is the key of the latest. */
  #count = 0;

  /** Adds a running call, and returns its key. `id` is the provider's, if there is one. */
  begin(tool: string, id?: string): number {
    this.#count += 1;
    this.#put({ key: this.#count, ...(id !== undefined && { id }), tool, status: "running" });
    return this.#count;
  }

  /** Records the result of a running call, and drops the oldest settled call if there are too many. */
  settle(key: number, result: AgentResult): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    const settledCalls = [...this.#calls.values()].filter(({ status }) => status !== "running");
    const [oldest] = settledCalls;
    if (oldest !== undefined && settledCalls.length >= MAX_SETTLED) this.#calls.delete(oldest.key);
    this.#put({ ...call, status: result.status, result });
  }

  /** Returns all calls, oldest first: the same array until a call changes, as React requires of a store's snapshot. */
  readonly all = (): readonly AgentCall[] => {
    this.#list ??= Object.freeze([...this.#calls.values()]);
    return this.#list;
  };

  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.subscribe(() => listener());

  /** Notifies the listeners that the proposals of the application's own tools have changed: they are not in this list. */
  readonly changed = (): void => this.#listeners.emit();

  /** Adds or replaces a call. */
  #put(call: AgentCall): void {
    this.#calls.set(call.key, Object.freeze(call));
    this.#list = undefined;
    this.#listeners.emit();
  }
}
