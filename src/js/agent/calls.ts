/** `CallList`: the running calls of an agent, and the last settled ones. */
import { Listeners } from "../core/listeners.js";
import type { AgentCall, AgentResult } from "./types.js";

const MAX_SETTLED = 100;

export class CallList {
  readonly #calls = new Map<number, AgentCall>();
  readonly #listeners = new Listeners<void>();
  #list: readonly AgentCall[] | undefined;
  #count = 0;

  begin(tool: string, id: string | undefined): number {
    this.#count += 1;
    this.#put({ key: this.#count, ...(id !== undefined && { id }), tool, status: "running" });
    return this.#count;
  }

  settle(key: number, result: AgentResult): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    const settled = [...this.#calls.values()].filter(({ status }) => status !== "running");
    const [oldest] = settled;
    if (oldest !== undefined && settled.length >= MAX_SETTLED) this.#calls.delete(oldest.key);
    this.#put({ ...call, status: result.status, result });
  }

  /** The same list until it changes. */
  readonly all = (): readonly AgentCall[] => {
    this.#list ??= Object.freeze([...this.#calls.values()]);
    return this.#list;
  };

  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.subscribe(() => listener());

  #put(call: AgentCall): void {
    this.#calls.set(call.key, Object.freeze(call));
    this.#list = undefined;
    this.#listeners.emit();
  }
}
