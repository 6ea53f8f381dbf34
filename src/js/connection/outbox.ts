/** `Outbox`: messages that go through the option `send` of `connect`, one after another. */

import type { ClientMessage, ConnectOptions } from "./types.js";

export class Outbox {
  /** The messages to send. The first one stays in the list until it is sent. */
  #messages: ClientMessage[] = [];
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
    this.#messages.push(message);
    void this.#sendAll();
  }

  /** Forgets the messages that were not sent. */
  clear(): void {
    this.#messages = [];
  }

  /** Sends the messages one after another, unless a call of this method does so already. */
  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let [message] = this.#messages; message !== undefined; [message] = this.#messages) {
      try {
        await withTimeout(this.timeout, this.send(message));
        // `clear` may have removed the message in the meantime.
        if (this.#messages[0] === message) this.#messages.shift();
      } catch (cause) {
        this.onFailure(this.#messages.splice(0), cause);
      }
    }
    this.#isSending = false;
  }
}

/** Resolves as `answer` does, which may be a value or a promise; rejects if it is not settled in time. */
function withTimeout(milliseconds: number, answer: unknown): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer")), milliseconds);
  });
  return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
}
