/** Open pages: their calls come up, and what is in the log goes down. */
import { setTimeout as wait } from "node:timers/promises";
import { WebSocketServer } from "ws";
import { isObject } from "./desk.mjs";

/** Messages of one page in a second, more of them at once, and calls that are being made: beyond them it is not read from. */
const PER_SECOND = 200;
const AT_ONCE = 400;
const MOST_UNANSWERED = 32;
/** Bytes that a page has not read yet. Beyond them it is dropped; it connects again, and gets what it missed. */
const MOST_UNREAD = 16 * 2 ** 20;
const MOST_PAGES = 1_000;
const BEAT = 15_000;

export class Pages {
  #documents;
  #sockets;
  #timer;

  constructor(documents, { maxMessage }) {
    this.#documents = documents;
    this.#sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessage, perMessageDeflate: false });
    documents.onMessage = (text) => this.#tell(text);
    this.#timer = setInterval(() => this.#beat(), BEAT).unref();
  }

  get full() {
    return this.#sockets.clients.size >= MOST_PAGES;
  }

  accept(request, socket, head) {
    const client = new URL(request.url, "http://localhost").searchParams.get("client") ?? "";
    this.#sockets.handleUpgrade(request, socket, head, (page) => new Page(page, this.#documents, client));
  }

  #tell(text) {
    const bytes = Buffer.from(text);
    for (const page of this.#sockets.clients) {
      if (page.bufferedAmount > MOST_UNREAD + (page.snapshotBytes ?? 0)) page.terminate();
      // Until the page has sent its revision, the first message for it is unknown.
      else if (page.hasResumed && page.readyState === page.OPEN) page.send(bytes, { binary: false });
    }
  }

  /** Disconnects pages that do not answer, and sends the others the current revision. */
  #beat() {
    const { revision, session } = this.#documents;
    for (const page of this.#sockets.clients) {
      if (page.isSilent) {
        page.terminate();
        continue;
      }
      page.isSilent = true;
      page.ping();
      if (page.hasResumed) page.send(JSON.stringify({ type: "resumed", revision, session }));
    }
  }

  close() {
    clearInterval(this.#timer);
    for (const page of this.#sockets.clients) page.close(1001, "the server ends");
  }
}

class Page {
  #socket;
  #documents;
  #client;
  #inbox = [];
  #isReading = false;
  #credit = AT_ONCE;
  #earned = performance.now();
  #unanswered = new Set();

  constructor(socket, documents, client) {
    this.#socket = socket;
    this.#documents = documents;
    this.#client = client;
    socket.on("message", (data, isBinary) => {
      socket.isSilent = false;
      this.#inbox.push(isBinary ? "" : data.toString());
      void this.#read();
    });
    socket.on("pong", () => {
      socket.isSilent = false;
    });
    // The socket closes after an error, for example with the code for a message that is too long or not text.
    socket.on("error", () => {});
  }

  /** Handles messages one by one. A page that sends too many is paused: its messages wait on its own side. */
  async #read() {
    if (this.#isReading) return;
    this.#isReading = true;
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) {
      const after = this.#spend();
      if (after > 0 || this.#unanswered.size >= MOST_UNANSWERED) {
        this.#socket.pause();
        await Promise.race(this.#unanswered.size >= MOST_UNANSWERED ? this.#unanswered : [wait(after)]);
      }
      if (this.#socket.readyState !== this.#socket.OPEN) break;
      this.#hear(next);
    }
    this.#socket.resume();
    this.#isReading = false;
  }

  /** Milliseconds until one more message is allowed. */
  #spend() {
    const now = performance.now();
    this.#credit = Math.min(AT_ONCE, this.#credit + ((now - this.#earned) / 1000) * PER_SECOND) - 1;
    this.#earned = now;
    return (-this.#credit / PER_SECOND) * 1000;
  }

  #hear(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      // Handled like a message that is not an object.
    }
    if (message?.type === "resume") this.#resume(message);
    else if (message?.type === "call" && isId(message.pendingId) && isObject(message.call)) {
      const answer = this.#call(message).finally(() => this.#unanswered.delete(answer));
      this.#unanswered.add(answer);
    } else this.#socket.close(1008, "no message of this protocol");
  }

  #resume(message) {
    const texts = this.#documents.missed(message, this.#client);
    this.#socket.snapshotBytes = texts.reduce((sum, text) => sum + text.length * 3, 0);
    this.#socket.hasResumed = true;
    for (const text of texts) this.#socket.send(text);
  }

  async #call({ pendingId, call }) {
    try {
      const result = await this.#documents.write(call, { id: pendingId, by: "page" });
      if (result.status === "error")
        this.#send({ type: "reject", pendingId, reason: `${result.error.code}: ${result.error.message}` });
      else if (result.again) this.#send({ type: "confirm", pendingId });
    } catch (error) {
      // No answer: the page sends it again. Whether it was written is not known.
      console.error(`A call was not written: ${error.message}`);
    }
  }

  #send(message) {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

const isId = (value) => typeof value === "string" && value.length > 0 && value.length <= 200;
