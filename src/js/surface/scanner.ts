/** Scans a stream's JSON for messages: where they begin and end, and which components are complete before them. */

import type { Limits } from "../types.js";
import { Lexer } from "./lexer.js";
import { componentOf, type FrameEvent, kindOf, MAIN } from "./messages.js";
import { orRefusal, Refusal } from "./refusal.js";
import { readJson } from "./text.js";
import type { SurfaceProtocol } from "./types.js";

/** Levels of a message around what the limit is for: its envelope, and its body. */
export const AROUND = 2;

export interface Receiver {
  readonly partial: boolean;
  readonly limits: Limits;
  readonly line: number;
  message(text: string): void;
  take(said: FrameEvent): void;
}

/** Gathers the messages of one value: a message, or a document with a list of them. */
export class MessageScanner extends Lexer {
  readonly #maxDepth: number;
  /** At which depth messages stand: 0 for a line, 1 in a list, 2 in the list `messages`; nowhere behind that. */
  #base: number;
  #isMessages = false;
  /** The message that is open, or the whole one of a line. */
  #message = "";
  #isOpen = false;
  #bytes = 0;
  /** A key of the first object is one that messages have. */
  hasKnownKey = false;
  /** Something is too deep: the message will not be taken. */
  isTooDeep = false;
  startLine: number;
  /** The components of which protocol are being read, and of which surface. */
  #early: SurfaceProtocol | undefined;
  #surfaceId = "";
  #field = "";
  /** A component that has begun, so far. */
  #component: string | undefined;
  #wasEarly = false;
  #piece = "";
  /** From where of the piece the message goes on. */
  #from = 0;

  /** `mayBeDocument`: the value may be a document with a list `messages`. */
  constructor(
    private readonly to: Receiver,
    isList: boolean,
    private readonly mayBeDocument: boolean,
  ) {
    super();
    this.#base = isList ? 1 : 0;
    this.startLine = to.line;
    // Two levels more: those of a document around its messages.
    this.#maxDepth = to.limits.maxDepth + AROUND + (isList || mayBeDocument ? 2 : 0);
  }

  get isList(): boolean {
    return this.#base > 0;
  }

  get inMessage(): boolean {
    return this.#isOpen && !(this.inWord && this.depth === this.#base);
  }

  get size(): number {
    return this.#isOpen ? this.#bytes : 0;
  }

  override get isOver(): boolean {
    return this.depth > this.#maxDepth;
  }

  override feed(piece: string): number {
    this.#piece = piece;
    this.#from = 0;
    const end = super.feed(piece);
    this.#gather(end);
    return end;
  }

  /** The message that is open will not come. */
  abandon(): void {
    if (this.#wasEarly) this.to.take(["settled"]);
    this.#wasEarly = false;
  }

  protected override begins(at: number, opens: string): void {
    const { depth } = this;
    if (opens && depth >= this.#maxDepth) this.isTooDeep = true;
    if (this.#isMessages && depth === 1 && this.#base === 0 && opens === "[") {
      // A document: nothing of what was taken for a message is one.
      this.#base = 2;
      this.#close();
    } else if (depth === this.#base) {
      this.#isOpen = true;
      this.#from = at;
      this.startLine = this.to.line;
    } else if (
      this.#early &&
      depth === this.#base + 3 &&
      opens === "{" &&
      this.inList &&
      this.#field === "components"
    ) {
      this.#gather(at);
      this.#component = "";
    }
  }

  protected override ends(at: number): void {
    const { depth } = this;
    if (depth < this.#base) {
      this.#base = Number.POSITIVE_INFINITY;
      return;
    }
    if (this.#component !== undefined && this.#early && depth === this.#base + 3) {
      this.#gather(at);
      this.#isEarly(this.#early, this.#component);
      this.#component = undefined;
    }
    if (depth > this.#base || !this.#isOpen) return;
    this.#gather(at);
    this.#early = undefined;
    // That of a line has an end when the line has.
    if (this.#base === 0) this.#isOpen = false;
    else this.complete();
  }

  protected override string(isKey: boolean, raw: string): void {
    const depth = this.depth - this.#base;
    if (depth > 2 || depth < 1) return;
    const text = raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
    if (isKey && depth === 1) {
      this.#isMessages = this.mayBeDocument && this.#base === 0 && text === "messages";
      const kind = kindOf(text);
      this.hasKnownKey ||= kind !== undefined;
      this.#early = this.to.partial && kind?.name === "components" ? kind.protocol : undefined;
      this.#surfaceId = "";
    } else if (isKey) {
      this.#field = text;
    } else if (depth === 2 && this.#field === "surfaceId") {
      this.#surfaceId = text;
    }
  }

  #isEarly(protocol: SurfaceProtocol, text: string): void {
    this.#wasEarly = true;
    const item = readJson(text, this.to.limits.maxDepth);
    const component = typeof item === "symbol" ? undefined : orRefusal(() => componentOf(item, protocol, ""));
    if (!component || component instanceof Refusal) return;
    this.to.take(["early", protocol === "gulf" ? MAIN : this.#surfaceId, component]);
  }

  #gather(end: number): void {
    if (!this.#isOpen || this.#from >= end) return;
    const part = this.#piece.slice(this.#from, end);
    this.#from = end;
    this.#message += part;
    if (this.#component !== undefined) this.#component += part;
    this.#bytes += cutAt(part, Number.POSITIVE_INFINITY)[1];
  }

  #close(): string {
    const text = this.#message;
    this.#message = "";
    this.#isOpen = false;
    this.#bytes = 0;
    return text;
  }

  /** Hands over the message that is complete, if one is. */
  complete(): void {
    const text = this.#close();
    if (text === "") return;
    this.abandon();
    this.to.message(text);
  }
}

/** How much of a text comes to so many bytes of UTF-8, and the bytes that it comes to. Pairs of surrogates stay whole. */
export function cutAt(text: string, bytes: number): [end: number, bytes: number] {
  let sum = 0;
  let at = 0;
  for (; at < text.length && sum < bytes; at++) {
    const unit = text.charCodeAt(at);
    const isPair = unit >= 0xd800 && unit < 0xdc00;
    sum += unit < 0x80 ? 1 : unit < 0x800 ? 2 : isPair ? 4 : 3;
    if (isPair) at += 1;
  }
  return [Math.min(at, text.length), sum];
}
