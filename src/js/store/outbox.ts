/** `Outbox`: messages that go through the option `send` of `connect`, one after another. */

import type { ClientMessage, ConnectOptions } from "./connection-types.js";

export class Outbox {
  #waiting: ClientMessage[] = [];
  #isSending = false;

  /**
   * `timeout` is in milliseconds. `onFailure` gets the message that could not be sent, and those after it: the server must get
   * calls in their order.
   */
  constructor(
    private readonly send: NonNullable<ConnectOptions["send"]>,
    private readonly timeout: number,
    private readonly onFailure: (messages: readonly ClientMessage[], cause: unknown) => void,
  ) {}

  add(message: ClientMessage): void {
    this.#waiting.push(message);
    void this.#sendAll();
  }

  clear(): void {
    this.#waiting = [];
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let [message] = this.#waiting; message !== undefined; [message] = this.#waiting) {
      try {
        await within(this.timeout, this.send(message));
        if (this.#waiting[0] === message) this.#waiting.shift();
      } catch (cause) {
        this.onFailure(this.#waiting.splice(0), cause);
      }
    }
    this.#isSending = false;
  }
}

/** A promise that rejects when it is not settled in time. */
function within(milliseconds: number, answer: unknown): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer")), milliseconds);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
