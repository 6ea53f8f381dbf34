/** `Outbox`: messages that go through the option `send` of `connect`, one after another. */

import type { ClientMessage, ConnectOptions } from "./connection-types.js";

export class Outbox {
  /** The first message stays in the list until it is sent. */
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

  /** Forgets the messages that were not sent. */
  clear(): void {
    this.#waiting = [];
  }

  /** Sends the messages one after another, unless a call of this method does so already. */
  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let [message] = this.#waiting; message !== undefined; [message] = this.#waiting) {
      try {
        await settledWithin(this.timeout, this.send(message));
        // `clear` may have removed it in the meantime.
        if (this.#waiting[0] === message) this.#waiting.shift();
      } catch (cause) {
        this.onFailure(this.#waiting.splice(0), cause);
      }
    }
    this.#isSending = false;
  }
}

/** The result of `answer`, which may be a promise; the promise that is returned rejects if `answer` is not settled in time. */
function settledWithin(milliseconds: number, answer: unknown): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer")), milliseconds);
  });
  return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
}
