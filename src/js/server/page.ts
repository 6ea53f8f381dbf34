/** `Page`: one page of a room. Its messages come in, and what is in the log goes out, over whichever transport. */
import { parseJson } from "../core/json.js";
import { isObject, isText, isTexts } from "../core/kinds.js";
import type { Json, PatchCall } from "../types.js";
import { isCall } from "./entry.js";
import { Bucket } from "./rate.js";
import { refused } from "./results.js";
import type { RoomCore } from "./room.js";
import { callTool } from "./room-tools.js";
import type { Identity, RoomResult, ServerLimits } from "./types.js";

/** The connection to a page: a socket or a stream of server-sent events. */
export interface Transport {
  send(text: string): void;
  close(code: number, reason: string): void;
  /** The length of what the page has not read yet. */
  unread(): number;
}

/** Codes with which sockets are closed. `connect` gives up on those from 4000 to 4999. */
export const CLOSE = {
  again: 1013,
  message: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  room: 4404,
} as const;

/** Ids of pending calls that a `resume` may name. */
const MOST_PENDING = 100_000;
const MOST_ID = 200;
const MOST_PRESENCE = 2_048;
/** Milliseconds until a page that has not read the last documents is looked at again. */
const LOOK_AGAIN = 20;
/** The length of documents that are sent before the page has read them. */
const MOST_AT_ONCE = 2 ** 20;

export interface PageHost {
  readonly limits: ServerLimits;
  report(cause: unknown): void;
  /** The page has left. */
  left(page: Page): void;
  /** The presence of the page has changed. */
  presenceChanged(): void;
}

type Message = { [key: string]: unknown };

/** A message, and the length of its text. */
interface Received {
  message: Message;
  length: number;
}

export class Page {
  /** The presence that the page has reported: where its user is, which field they edit. */
  presence: Json = null;
  #hasResumed = false;
  /** The length of the documents that were sent last, which do not count as unread. */
  #documents = 0;
  /** The last `resume` that was not answered yet. */
  #resume: Message | undefined;
  #isAnsweringResume = false;
  #inbox: Received[] = [];
  #inboxLength = 0;
  #isReading = false;
  #answering = 0;
  /** Called when a message has been answered. */
  #answered: () => void = () => {};
  #isOver = false;
  readonly #bucket: Bucket;

  constructor(
    readonly room: RoomCore,
    readonly identity: Identity,
    private readonly transport: Transport,
    private readonly host: PageHost,
  ) {
    this.#bucket = new Bucket(host.limits.perSecond);
  }

  /** A message of the log: until the page has said where it is, the first one that it needs is unknown. */
  deliver(text: string): void {
    if (this.#hasResumed) this.send(text);
  }

  send(text: string): void {
    if (this.#isOver) return;
    if (this.transport.unread() > this.host.limits.maxUnread + this.#documents) {
      this.end(CLOSE.again, "the page does not read");
      return;
    }
    this.transport.send(text);
  }

  end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.leave();
    this.transport.close(code, reason);
  }

  /** The transport is closed. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#inbox = [];
    this.#inboxLength = 0;
    this.host.left(this);
  }

  /** A message of the page, as text. */
  receive(data: unknown): void {
    if (this.#isOver) return;
    const { maxMessage, maxWaiting } = this.host.limits;
    const text = isText(data) ? data : "";
    const message = text.length > maxMessage ? undefined : parseJson(text);
    if (!isObject<unknown>(message) || !isText(message.type)) {
      this.end(CLOSE.message, text.length > maxMessage ? "the message is too long" : "no message of this protocol");
      return;
    }
    // Only the latest `resume` is answered: a page sends another one if no answer arrives.
    if (message.type === "resume") {
      this.#resume = message;
      this.#answerResumes().catch((cause) => {
        this.host.report(cause);
        this.end(CLOSE.again, "the documents could not be sent");
      });
      return;
    }
    this.#inboxLength += text.length;
    this.#inbox.push({ message, length: text.length });
    if (this.#inbox.length > maxWaiting || this.#inboxLength > maxMessage * 2) {
      this.end(CLOSE.again, "too many messages at once");
      return;
    }
    void this.#read();
  }

  /** One by one, and as many in a second as a page may send. */
  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#inbox.length > 0 && !this.#isOver) {
      const wait = this.#bucket.take();
      if (wait > 0) await pause(wait);
      if (this.#answering >= MOST_ANSWERING)
        await new Promise<void>((resolve) => {
          this.#answered = resolve;
        });
      const next = this.#inbox.shift();
      if (next === undefined) break;
      this.#inboxLength -= next.length;
      this.#answering += 1;
      void this.#hear(next)
        // Whether it was written is not known. A page that connects again sends all calls without an answer, in their order.
        .catch((cause) => {
          this.host.report(cause);
          this.end(CLOSE.again, "the room could not be written");
        })
        .finally(() => {
          this.#answering -= 1;
          this.#answered();
        });
    }
    this.#isReading = false;
  }

  async #hear({ message, length }: Received): Promise<void> {
    switch (message.type) {
      case "call":
        return this.#call(message, length);
      case "approve":
      case "refuse":
        return this.#decide(message);
      case "tool":
        return this.#callTool(message);
      case "presence":
        return this.#setPresence(message);
      default:
        this.end(CLOSE.message, "no message of this protocol");
    }
  }

  /** One answer at a time: another one is sent when the page has read it. */
  async #answerResumes(): Promise<void> {
    if (this.#isAnsweringResume) return;
    this.#isAnsweringResume = true;
    while (this.#resume !== undefined && !this.#isOver) {
      await this.#untilRead();
      // A call that the page has sent before it was reloaded may be on its way to the log.
      if (isTexts(this.#resume.pending)) await this.room.waitForQueue();
      await this.#answerResume();
    }
    this.#isAnsweringResume = false;
  }

  /** Waits until the page has read the documents that were sent last. */
  async #untilRead(): Promise<void> {
    while (this.#documents > 0 && this.transport.unread() > 0 && !this.#isOver) await pause(LOOK_AGAIN);
  }

  async #answerResume(): Promise<void> {
    const { revision, session, pending, request, histories, parts } = this.#resume ?? {};
    this.#resume = undefined;
    const point = {
      revision: Number.isSafeInteger(revision) ? Number(revision) : null,
      session: isText(session) ? session : "",
      pending: isTexts(pending) ? pending.slice(0, MOST_PENDING) : [],
      ...(typeof request === "number" && { request }),
      // Only editors can undo. A history has values that were removed, which viewers must not see.
      histories: histories === true && this.identity.role === "editor",
      parts: parts === true,
    };
    this.#documents = 0;
    for (const text of this.room.missed(point, this.identity.user)) {
      // Later messages follow from here on: while the next text waits, others may be written.
      this.#hasResumed = true;
      // A page that reads parts also puts messages into their order, of which some now arrive between the parts.
      if (point.parts && this.#documents > MOST_AT_ONCE) {
        await pause(0);
        await this.#untilRead();
        this.#documents = 0;
      }
      if (this.#isOver) return;
      this.#documents += text.length;
      this.send(text);
    }
    this.send(proposalsMessage(this.room));
  }

  async #call({ pendingId, call }: Message, length: number): Promise<void> {
    if (!isText(pendingId) || pendingId === "" || pendingId.length > MOST_ID || !isObject(call)) {
      this.end(CLOSE.message, "no message of this protocol");
      return;
    }
    const result = isCall(call) ? await this.#write(pendingId, call, length) : noCall();
    if (result.status === "error")
      this.send(JSON.stringify({ type: "reject", pendingId, reason: `${result.error.code}: ${result.error.message}` }));
    else if (result.again) this.send(JSON.stringify({ type: "confirm", pendingId, at: result.revision }));
  }

  async #write(id: string, call: PatchCall, length: number): Promise<RoomResult> {
    const { user, role } = this.identity;
    if (role !== "editor") return forbidden(role);
    return this.room.calls.write(call, { user, id }, length);
  }

  async #decide({ type, proposal, reason, request, ...parts }: Message): Promise<void> {
    const { user, role } = this.identity;
    let result: RoomResult;
    if (role !== "editor") result = forbidden(role);
    else if (!isText(proposal)) result = refused("INVALID_ARGUMENT", "The message names no proposal.", "Send its id.");
    else if (type === "refuse")
      result = await this.room.calls.refuse(proposal, isText(reason) ? reason : undefined, user);
    else result = await this.room.calls.approve(proposal, parts, user);
    if (isText(request) || typeof request === "number") this.send(JSON.stringify({ type: "answer", request, result }));
  }

  /** A call of the page's user on a file or a node: with a role that may, it is made at once. */
  async #callTool({ tool, arguments: args, request }: Message): Promise<void> {
    const { role } = this.identity;
    const result = role === "agent" ? forbidden(role) : await callTool(this.room, this.identity, String(tool), args);
    this.send(JSON.stringify({ type: "answer", request, result }));
  }

  async #setPresence({ state = null }: Message): Promise<void> {
    const text = JSON.stringify(state);
    if (text.length > MOST_PRESENCE) {
      this.end(CLOSE.message, `the presence of a page has at most ${MOST_PRESENCE} characters`);
      return;
    }
    this.presence = parseJson(text) ?? null;
    this.host.presenceChanged();
  }
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Calls of one page that are being answered. */
const MOST_ANSWERING = 256;

/** The proposals that wait: all of them, whenever one changes. */
export function proposalsMessage(room: RoomCore): string {
  return JSON.stringify({ type: "proposals", proposals: room.proposals.open() });
}

const noCall = () => refused("INVALID_ARGUMENT", "The message has no patch call.", "Send { instance_name, patches }.");

export function forbidden(role: Identity["role"]): RoomResult {
  const message = role === "viewer" ? "A viewer changes nothing." : "An agent calls by MCP, and approves nothing.";
  return refused("FORBIDDEN", message, "Sign in as an editor.");
}
