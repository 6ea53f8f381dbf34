/**
 * A simulated server inside the page, with its own store. As configured, it answers late, loses requests and refuses some.
 * Its messages arrive in order, as over a WebSocket.
 */
import { type PatchCall, type PatchResult, PatchStore } from "genui-patch";
import { t, type Words } from "../words/words";

export interface Conditions {
  /** Milliseconds of one way. */
  delay: number;
  /** The share of requests that never arrive, and of those that are refused, in per cent. */
  loss: number;
  refusal: number;
  offline: boolean;
}

/** A message to the page. `patch` is a message for the store's `receive`. */
export type Message =
  | { type: "patch"; instance_name: string; patch_id: string; patch?: object[] }
  | { type: "refused"; patch_id: string; reason: Words }
  | { type: "lost"; patch_id: string };

type Taken = { ok: true; name: string } | { ok: false; reason: Words };

export class SimulatedServer {
  conditions: Conditions = { delay: 600, loss: 0, refusal: 0, offline: false };
  readonly store = new PatchStore();
  /** The results of requests by id: a request that is sent again is not executed again. */
  readonly #taken = new Map<string, Taken>();
  readonly #deliver: (message: Message) => void;
  #queue: { at: number; message: Message }[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pushes = 0;
  /** When the last request arrives. */
  #arrival = 0;
  readonly #requests: (() => void)[] = [];

  constructor(deliver: (message: Message) => void) {
    this.#deliver = deliver;
  }

  /** Takes a request of the page, after its way here. As on a socket, no request overtakes an earlier one. */
  request(id: string, call: PatchCall): void {
    const lost = happens(this.conditions.loss);
    this.#arrival = Math.max(this.#arrival, performance.now() + this.#way());
    this.#requests.push(() => {
      if (this.conditions.offline || lost) this.#deliver({ type: "lost", patch_id: id });
      else this.#handle(id, call);
    });
    // Each timer handles the oldest request: timers count whole milliseconds, so two that are due together may fire in either order.
    setTimeout(() => this.#requests.shift()?.(), this.#arrival - performance.now());
  }

  /** Executes a call of another client. The page gets its message in order. */
  applyOther(call: PatchCall): PatchResult {
    const result = this.store.apply(call);
    if (result.status === "success" && call.patches) {
      const patch_id = `other-${++this.#pushes}`;
      this.#send({ type: "patch", instance_name: result.instance_name, patch_id, patch: [...call.patches] });
    }
    return result;
  }

  /** Whether a request has been done: then the documents have it. */
  hasTaken(id: string): boolean {
    return this.#taken.get(id)?.ok === true;
  }

  /** Delivers at once all that is on its way. */
  flush(): void {
    const due = this.#queue;
    this.drop();
    for (const { message } of due) this.#deliver(message);
  }

  /** Forgets what is on its way, as a connection that breaks does. */
  drop(): void {
    this.#queue = [];
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #handle(id: string, call: PatchCall): void {
    const before = this.#taken.get(id);
    const taken = before ?? this.#decide(call);
    this.#taken.set(id, taken);
    if (!taken.ok) this.#send({ type: "refused", patch_id: id, reason: taken.reason });
    else {
      // A request that was sent again is already in the document: a message without patches confirms it.
      const patch = before || call.patches === undefined ? {} : { patch: [...call.patches] };
      this.#send({ type: "patch", instance_name: taken.name, patch_id: id, ...patch });
    }
  }

  #decide(call: PatchCall): Taken {
    if (happens(this.conditions.refusal)) return { ok: false, reason: () => t("the share of refusals that you set") };
    const result = this.store.apply(call);
    if (result.status === "error") {
      const { code, message } = result.error;
      return { ok: false, reason: () => `${code}: ${message}` };
    }
    return { ok: true, name: result.instance_name };
  }

  /** Sends a message after all earlier ones. */
  #send(message: Message): void {
    if (this.conditions.offline) return;
    const before = this.#queue.at(-1)?.at ?? 0;
    this.#queue.push({ at: Math.max(before, performance.now() + this.#way()), message });
    this.#wait();
  }

  #wait(): void {
    const [next] = this.#queue;
    if (this.#timer !== undefined || next === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        const due = this.#queue.shift();
        if (due) this.#deliver(due.message);
        this.#wait();
      },
      Math.max(0, next.at - performance.now()),
    );
  }

  /** The delay, a little more or less each time. */
  #way(): number {
    return this.conditions.delay * (0.75 + Math.random() / 2);
  }
}

const happens = (percent: number) => Math.random() * 100 < percent;
