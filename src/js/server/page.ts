/**
 * `Page`: one page of a room, on the server. It answers the page's messages, and sends those of the log, over a socket or a
 * stream.
 */
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
  /** The length of what was sent and the page has not read yet. */
  unread(): number;
}

/** Codes with which sockets are closed. `connect` gives up after a code from 4000 to 4999, and connects again after others. */
export const CLOSE = {
  /** The page should connect again. */
  again: 1013,
  /** A message was not one of the protocol. */
  message: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  /** There is no such room. */
  room: 4404,
} as const;

/** Ids of pending calls that a `resume` may name. */
const MOST_PENDING = 100_000;
/** Characters in the id of a call. */
const MOST_ID = 200;
/** Characters in the JSON text of a page's presence. */
const MOST_PRESENCE = 2_048;
/** Messages of one page that are handled at the same time. */
const MOST_ANSWERING = 256;
/** Milliseconds between two checks whether a page has read the documents that were sent. */
const READ_CHECK_INTERVAL = 20;
/** The length of documents that are sent to a page that reads snapshots in parts. Before more is sent, it must have read them. */
const MOST_DOCUMENTS_AT_ONCE = 2 ** 20;

/** The parts of the server that a page calls. */
export interface PageHost {
  readonly limits: ServerLimits;
  report(cause: unknown): void;
  /** The page has left. */
  pageLeft(page: Page): void;
  /** The presence of the page has changed. */
  presenceChanged(): void;
}

type Message = { [key: string]: unknown };

/** A message, and the length of its text. */
interface ReceivedMessage {
  message: Message;
  length: number;
}

export class Page {
  /** The presence that the page has reported: where its user is, which field they edit. Its form is the application's own. */
  presence: Json = null;
  /** A `resume` was answered, so that the page has what the log had until then. */
  #hasResumed = false;
  /** The length of the documents that were sent last. The limit of unread messages does not count them. */
  #documentsLength = 0;
  /** The last `resume` that was not answered yet. */
  #resume: Message | undefined;
  #isAnsweringResume = false;
  /** Messages that wait for their turn. */
  #inbox: ReceivedMessage[] = [];
  /** The sum of the lengths of the messages in the inbox. */
  #inboxLength = 0;
  /** `#readInbox` is running. */
  #isReading = false;
  /** The number of messages that are being handled. */
  #answeringCount = 0;
  /** Called when a message has been handled. */
  #afterAnswer: () => void = () => {};
  /** The page has left, or was disconnected. */
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

  /**
   * Sends the message of an entry. Before the first `resume` it is dropped: the answer to that has all that the page has missed.
   */
  deliver(text: string): void {
    if (this.#hasResumed) this.send(text);
  }

  /** Sends a message, or disconnects a page that does not read. */
  send(text: string): void {
    if (this.#isOver) return;
    if (this.transport.unread() > this.host.limits.maxUnread + this.#documentsLength) {
      this.end(CLOSE.again, "the page does not read");
      return;
    }
    this.transport.send(text);
  }

  /** Disconnects the page. */
  end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.leave();
    this.transport.close(code, reason);
  }

  /** To be called when the transport is closed. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#inbox = [];
    this.#inboxLength = 0;
    this.host.pageLeft(this);
  }

  /** Takes a message of the page: text, as the socket passes it on. A page that sends anything else is disconnected. */
  receive(data: unknown): void {
    if (this.#isOver) return;
    const { maxMessage, maxWaiting } = this.host.limits;
    const text = isText(data) ? data : "";
    const message = text.length > maxMessage ? undefined : parseJson(text);
    if (!isObject<unknown>(message) || !isText(message.type)) {
      this.end(CLOSE.message, text.length > maxMessage ? "the message is too long" : "no message of this protocol");
      return;
    }
    // A `resume` waits for no other message. Only the latest one is answered: a page sends another one if no answer arrives.
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
    // Beside one message of the maximum length, others as long as that may wait.
    if (this.#inbox.length > maxWaiting || this.#inboxLength > maxMessage * 2) {
      this.end(CLOSE.again, "too many messages at once");
      return;
    }
    void this.#readInbox();
  }

  /**
   * Begins to handle the messages of the inbox in their order, as many in a second as the limit allows. It does not wait until
   * one is handled before it begins with the next, but for the number of those that are being handled there is a limit.
   */
  async #readInbox(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#inbox.length > 0 && !this.#isOver) {
      const waitingTime = this.#bucket.take();
      if (waitingTime > 0) await pause(waitingTime);
      if (this.#answeringCount >= MOST_ANSWERING)
        await new Promise<void>((resolve) => {
          this.#afterAnswer = resolve;
        });
      const next = this.#inbox.shift();
      if (next === undefined) break;
      this.#inboxLength -= next.length;
      this.#answeringCount += 1;
      void this.#handle(next)
        // Whether it was written is not known. A page that connects again sends all calls without an answer, in their order.
        .catch((cause) => {
          this.host.report(cause);
          this.end(CLOSE.again, "the room could not be written");
        })
        .finally(() => {
          this.#answeringCount -= 1;
          this.#afterAnswer();
        });
    }
    this.#isReading = false;
  }

  async #handle({ message, length }: ReceivedMessage): Promise<void> {
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

  /**
   * Answers the latest `resume`, again and again until none waits. The next answer begins when the page has read the last one.
   */
  async #answerResumes(): Promise<void> {
    if (this.#isAnsweringResume) return;
    this.#isAnsweringResume = true;
    while (this.#resume !== undefined && !this.#isOver) {
      await this.#untilRead();
      // A call that the page has sent before it was reloaded may still be in the queue.
      const namesPendingCalls = isTexts(this.#resume.pending);
      if (namesPendingCalls) await this.room.waitForQueue();
      await this.#answerResume();
    }
    this.#isAnsweringResume = false;
  }

  /** Waits until the page has read the documents that were sent last. */
  async #untilRead(): Promise<void> {
    while (this.#documentsLength > 0 && this.transport.unread() > 0 && !this.#isOver) await pause(READ_CHECK_INTERVAL);
  }

  /** Sends what the page has missed, and the proposals that wait. */
  async #answerResume(): Promise<void> {
    const { revision, session, pending, request, histories, parts } = this.#resume ?? {};
    this.#resume = undefined;
    const point = {
      revision: Number.isSafeInteger(revision) ? Number(revision) : null,
      session: isText(session) ? session : "",
      pending: isTexts(pending) ? pending.slice(0, MOST_PENDING) : [],
      ...(typeof request === "number" && { request }),
      // Only editors can undo. A history has values that were removed, which viewers must not see.
      wantsHistories: histories === true && this.identity.role === "editor",
      readsParts: parts === true,
    };
    this.#documentsLength = 0;
    for (const text of this.room.missed(point, this.identity.user)) {
      // The texts show the documents as they were when `missed` was called. Later entries must be delivered from now on.
      this.#hasResumed = true;
      // Only a page that reads snapshots in parts accepts other messages between the parts, and puts all into their order.
      if (point.readsParts && this.#documentsLength > MOST_DOCUMENTS_AT_ONCE) {
        // Lets the transport begin to send.
        await pause(0);
        await this.#untilRead();
        this.#documentsLength = 0;
      }
      if (this.#isOver) return;
      this.#documentsLength += text.length;
      this.send(text);
    }
    this.send(proposalsMessage(this.room));
  }

  /**
   * Executes a patch call of the page. The message of its entry confirms it. A call that is refused or was executed before is
   * answered.
   */
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

  /** Approves or refuses a proposal. `request`: the page's number of the message, which the answer repeats; absent: no answer. */
  async #decide({ type, proposal, reason, request, ...options }: Message): Promise<void> {
    const { user, role } = this.identity;
    let result: RoomResult;
    if (role !== "editor") result = forbidden(role);
    else if (!isText(proposal)) result = refused("INVALID_ARGUMENT", "The message names no proposal.", "Send its id.");
    else if (type === "refuse")
      result = await this.room.calls.refuse(proposal, isText(reason) ? reason : undefined, user);
    else result = await this.room.calls.approve(proposal, options, user);
    if (isText(request) || typeof request === "number") this.send(JSON.stringify({ type: "answer", request, result }));
  }

  /** Calls a tool for files or nodes in the name of the page's user. An editor's call never waits for an approval. */
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
    // The same value, as the type `Json`: it came in a JSON message.
    this.presence = parseJson(text) ?? null;
    this.host.presenceChanged();
  }
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** The message with the proposals that wait: all of them, whenever one changes. */
export function proposalsMessage(room: RoomCore): string {
  return JSON.stringify({ type: "proposals", proposals: room.proposals.openProposals() });
}

const noCall = () => refused("INVALID_ARGUMENT", "The message has no patch call.", "Send { instance_name, patches }.");

/** The refusal of what a role does not allow. */
export function forbidden(role: Identity["role"]): RoomResult {
  const message = role === "viewer" ? "A viewer changes nothing." : "An agent calls by MCP, and approves nothing.";
  return refused("FORBIDDEN", message, "Sign in as an editor.");
}
