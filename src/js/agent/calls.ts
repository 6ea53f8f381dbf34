/** The calls of an agent: those that run, and those that ran last. */
import { Listeners } from "../core/listeners.js";
import type { AgentCall, AgentResult } from "./types.js";

const KEPT = 100;

export class CallList {
  readonly #calls = new Map<number, AgentCall>();
  readonly #listeners = new Listeners<void>();
  #list: readonly AgentCall[] | undefined;
  #begun = 0;

  begin(tool: string, id: string | undefined): number {
    this.#begun += 1;
    this.#put({ key: this.#begun, ...(id !== undefined && { id }), tool, status: "running" });
    return this.#begun;
  }

  settle(key: number, result: AgentResult): void {
    const call = this.#calls.get(key) as AgentCall;
    const over = [...this.#calls.values()].filter(({ status }) => status !== "running");
    if (over.length >= KEPT) this.#calls.delete((over[0] as AgentCall).key);
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
