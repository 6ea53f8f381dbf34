/** Scans a stream's JSON for messages: where they begin and end, and which components are complete before them. */
import { Lexer } from "./lexer.js";
import { kindOf } from "./messages.js";
import type { SurfaceProtocol } from "./types.js";

export interface ScannerEvents {
  message(text: string): void;
  /** A component of a message that is still arriving. */
  early(protocol: SurfaceProtocol, surfaceId: string, text: string): void;
  /** What was early is over: its message follows, or will not come. */
  settled(): void;
}

/** Gathers the messages of one value: a message, or a document with a list of them. */
export class MessageScanner extends Lexer {
  readonly #events: ScannerEvents;
  readonly #partial: boolean;
  /** At which depth messages stand: 0 for a line, 1 in a list, 2 in the list `messages`. */
  #base: number;
  #inside = false;
  /** The value may be a document with a list `messages`. */
  readonly #watch: boolean;
  #isMessages = false;
  #message: Span | undefined;
  /** A key of the first object is one that messages have. */
  hasKnownKey = false;
  /** The line that is being read, and the one where the message began. */
  line: number;
  startLine: number;
  /** The components of which protocol are being read, and of which surface. */
  #early: SurfaceProtocol | undefined;
  #surfaceId = "";
  /** The last key of the message's body. */
  #field = "";
  #component: Span | undefined;
  #wasEarly = false;
  #piece = "";

  constructor(
    events: ScannerEvents,
    partial: boolean,
    isList: boolean,
    watch: boolean,
    line: number,
    maxDepth: number,
  ) {
    super(maxDepth);
    this.#events = events;
    this.#partial = partial;
    this.#base = isList ? 1 : 0;
    this.#watch = watch;
    this.line = line;
    this.startLine = line;
  }

  get isList(): boolean {
    return this.#base > 0;
  }

  get inMessage(): boolean {
    return this.#open !== undefined && !(this.inWord && this.depth === this.#base);
  }

  /** How long the message that is open is so far, in bytes. */
  get size(): number {
    return this.#open?.bytes ?? 0;
  }

  get #open(): Span | undefined {
    return this.#message?.from === WHOLE ? undefined : this.#message;
  }

  override feed(piece: string): number {
    this.#piece = piece;
    const end = super.feed(piece);
    this.#open?.goOn(piece, end);
    this.#component?.goOn(piece, end);
    return end;
  }

  /** Hands over the message of a line, once it is complete. */
  complete(): void {
    if (this.#base === 0 && this.#message) this.#handOver(this.#message);
  }

  /** The message that is open will not come. */
  abandon(): void {
    if (this.#wasEarly) this.#events.settled();
    this.#wasEarly = false;
  }

  protected override begins(at: number, opens: string): void {
    const { depth } = this;
    if (this.#isMessages && depth === 1 && this.#base === 0 && opens === "[") {
      // A document: nothing of what was taken for a message is one.
      this.#base = 2;
      this.#inside = true;
      this.#message = undefined;
    } else if (depth < this.#base) {
      this.#inside ||= opens !== "" && this.#base === 1;
    } else if (this.#passes && depth === this.#base) {
      this.#message = new Span(at);
      this.startLine = this.line;
    } else if (
      depth === this.#base + 3 &&
      opens === "{" &&
      this.#early &&
      this.#field === "components" &&
      this.inList
    ) {
      this.#component = new Span(at);
    }
  }

  protected override ends(at: number): void {
    const { depth } = this;
    if (depth < this.#base) {
      this.#inside = false;
      return;
    }
    if (this.#component && this.#early && depth === this.#base + 3) {
      this.#component.take(this.#piece, at);
      this.#wasEarly = true;
      this.#events.early(this.#early, this.#surfaceId, this.#component.text);
      this.#component = undefined;
    }
    const message = this.#message;
    if (depth > this.#base || !this.#passes || !message) return;
    message.take(this.#piece, at);
    this.#early = undefined;
    // That of a line has an end when the line has.
    if (this.#base === 0) message.from = WHOLE;
    else this.#handOver(message);
  }

  protected override string(isKey: boolean, raw: string): void {
    const depth = this.depth - this.#base;
    if (!this.#passes || depth > 2 || depth < 1) return;
    const text = raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
    if (isKey && depth === 1) {
      this.#isMessages = this.#watch && this.#base === 0 && text === "messages";
      const kind = kindOf(text);
      this.hasKnownKey ||= kind !== undefined;
      this.#early = this.#partial && kind?.name === "components" ? kind.protocol : undefined;
      this.#surfaceId = "";
    } else if (isKey) {
      this.#field = text;
    } else if (depth === 2 && this.#field === "surfaceId") {
      this.#surfaceId = text;
    }
  }

  get #passes(): boolean {
    return this.#base === 0 || (this.#inside && this.depth >= this.#base);
  }

  #handOver({ text }: Span): void {
    this.#message = undefined;
    this.abandon();
    this.#events.message(text);
  }
}

/** From where nothing more is taken. */
const WHOLE = Number.POSITIVE_INFINITY;

class Span {
  text = "";
  bytes = 0;
  /** From where of the piece it goes on. */
  from: number;

  constructor(from: number) {
    this.from = from;
  }

  take(piece: string, end: number): void {
    if (this.from >= end) return;
    const part = piece.slice(this.from, end);
    this.from = end;
    this.text += part;
    this.bytes += cutAt(part, WHOLE)[1];
  }

  /** Takes the rest of a piece, and the next one from its beginning. */
  goOn(piece: string, end: number): void {
    this.take(piece, end);
    this.from = 0;
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
