/** `ValueReader`: finds the messages in one JSON value that arrives in pieces, and the components that are complete in them. */
import type { Limits } from "../types.js";
import { formOf, MAIN } from "./messages.js";
import { Nesting } from "./nesting.js";
import { orRefusal, Refusal } from "./refusal.js";
import { componentOf } from "./requests.js";
import { readJson } from "./text.js";
import type { SurfaceComponent, SurfaceProtocol } from "./types.js";

/** Levels of a message that the depth limit does not count: its envelope and its body. */
export const ENVELOPE_DEPTH = 2;

export interface ValueHandler {
  readonly limits: Limits;
  /** Whether components are read before their message is complete. */
  readonly partial: boolean;
  readonly line: number;
  /** The text of a message of a document, and the line where it begins. */
  messageText(text: string, line: number): void;
  /** Between two messages of a document the comma is missing. */
  missingComma(): void;
  provisional(surfaceId: string, component: SurfaceComponent): void;
  /** The message of the provisional components is complete, or will not come. */
  dropProvisional(): void;
}

export class ValueReader {
  #nesting = new Nesting();
  /** The depth at which messages stand: 0 without a document, 1 in a list, 2 in the list `messages`, infinite after these. */
  #base = 0;
  /** The message that is arriving, or the text between two messages. */
  text = "";
  #bytes = 0;
  startLine: number;
  /** One of the keys of the value itself is a key of messages. */
  hasKnownKey = false;
  /** The protocol of the provisional components that are being read, and their surface. */
  #provisionalProtocol: SurfaceProtocol | undefined;
  #surfaceId = "";
  /** The text so far of a provisional component. */
  #component: string | undefined;
  #hasProvisional = false;

  /** `mayBeDocument`: the value may be an object with a list `messages`. */
  constructor(
    private readonly handler: ValueHandler,
    private readonly mayBeDocument: boolean,
  ) {
    this.startLine = handler.line;
  }

  /** A reader of the rest of a list of messages. */
  static ofList(handler: ValueHandler): ValueReader {
    const reader = new ValueReader(handler, false);
    reader.#base = 1;
    reader.#nesting = new Nesting("]");
    return reader;
  }

  get isDocument(): boolean {
    return this.#base > 0;
  }

  /** Whether the value, or the document's list, is complete so far. */
  get isComplete(): boolean {
    return this.#nesting.depth === 0 && !this.#nesting.isInString;
  }

  get isBroken(): boolean {
    return this.#nesting.isBroken;
  }

  get isInString(): boolean {
    return this.#nesting.isInString;
  }

  get isInMessage(): boolean {
    return this.#nesting.depth > this.#base || this.isInString;
  }

  /** Whether the text has been deeper than a message may be, documents around it included; or is so now. */
  get wasTooDeep(): boolean {
    return this.#nesting.deepest > this.#maxDepth;
  }

  get isTooDeep(): boolean {
    return this.#nesting.depth > this.#maxDepth;
  }

  get isTooLong(): boolean {
    return this.#bytes > this.handler.limits.maxCallBytes;
  }

  get #maxDepth(): number {
    return this.handler.limits.maxDepth + ENVELOPE_DEPTH + (Number.isFinite(this.#base) ? Math.max(this.#base, 2) : 2);
  }

  /** How deep the signs are that tell messages and provisional components apart. */
  get #signDepth(): number {
    // Two levels of a document, and three from a message to its list of components.
    if (this.handler.partial) return 5;
    return this.isDocument || this.mayBeDocument ? 2 : 1;
  }

  /** Reads a piece of one line. Returns the place where it stopped: after the piece, or where the value breaks or is too long. */
  feed(whole: string): number {
    const room = this.handler.limits.maxCallBytes + 1 - this.#bytes;
    // A UTF-16 unit has at most 3 bytes in UTF-8.
    const piece = whole.length * 3 <= room ? whole : whole.slice(0, cutAt(whole, room).end);
    let nesting = this.#nesting;
    // Deeper signs matter only to the nesting itself.
    const most = this.#signDepth;
    let from = 0;
    for (let at = 0; at < piece.length && !nesting.isBroken; ) {
      at = nesting.next(piece, at, most);
      const { sign, depth } = nesting;
      if (sign === "") break;
      const isOpening = sign === "{" || sign === "[";
      if (this.isDocument && depth <= this.#base) {
        if (isOpening && nesting.isBroken && depth === this.#base) {
          // Only the comma is missing: read the document from this message on.
          this.#gather(piece.slice(from, at - 1));
          from = at - 1;
          this.#endMessage();
          this.handler.missingComma();
          nesting = this.#base === 2 ? new Nesting("}", "]") : new Nesting("]");
          this.#nesting = nesting;
          at = from;
          continue;
        }
        if (nesting.isBroken) break;
        const isMessageEnd = depth === this.#base && (sign === "}" || sign === "]");
        if (isMessageEnd || depth < this.#base || sign === ",") {
          this.#gather(piece.slice(from, isMessageEnd ? at : at - 1));
          from = at;
          this.#endMessage();
          if (depth < this.#base) this.#base = Number.POSITIVE_INFINITY;
        }
        continue;
      }
      if (isOpening && depth === this.#base + 1 && this.isDocument) {
        // Text that is not a message precedes this one.
        this.#gather(piece.slice(from, at - 1));
        from = at - 1;
        if (this.text.trim() !== "") this.#endMessage();
      }
      if (sign === ":" && depth === 1) this.hasKnownKey ||= formOf(nesting.string) !== undefined;
      if (sign === "[" && depth === 2 && this.mayBeDocument && !this.isDocument && nesting.keys[1] === "messages") {
        this.#base = 2;
        this.#clear();
        from = at;
      } else if (this.handler.partial) {
        from = this.#readProvisional(piece, from, at);
      }
    }
    this.#gather(piece.slice(from));
    return piece.length;
  }

  /** The message will not come. */
  abandon(): void {
    if (this.#hasProvisional) this.handler.dropProvisional();
    this.#hasProvisional = false;
  }

  /** Follows the keys of a message with components; returns from where on the piece is not gathered yet. */
  #readProvisional(piece: string, from: number, at: number): number {
    const { sign, previous, string, keys, depth } = this.#nesting;
    const depthInMessage = depth - this.#base;
    if (sign === ":" && depthInMessage === 1) {
      const kind = formOf(string);
      this.#provisionalProtocol = kind?.name === "components" ? kind.protocols[0] : undefined;
      this.#surfaceId = "";
    }
    if (this.#provisionalProtocol === undefined) return from;
    if (sign === '"' && previous === ":" && depthInMessage === 2 && keys[depth] === "surfaceId") {
      const id = readJson(`"${string}"`, 0);
      this.#surfaceId = typeof id === "string" ? id : "";
    } else if (sign === "{" && depthInMessage === 4 && keys[this.#base + 2] === "components") {
      this.#gather(piece.slice(from, at - 1));
      this.#component = "";
      return at - 1;
    } else if (sign === "}" && depthInMessage === 3 && this.#component !== undefined) {
      this.#gather(piece.slice(from, at));
      this.#endComponent(this.#provisionalProtocol, this.#component);
      this.#component = undefined;
      return at;
    }
    return from;
  }

  #endComponent(protocol: SurfaceProtocol, text: string): void {
    this.#hasProvisional = true;
    const item = readJson(text, this.handler.limits.maxDepth);
    const component = typeof item === "symbol" ? undefined : orRefusal(() => componentOf(item, protocol, ""));
    if (!component || component instanceof Refusal) return;
    this.handler.provisional(protocol === "gulf" ? MAIN : this.#surfaceId, component);
  }

  #gather(part: string): void {
    // After the list of a document, only text after the document matters.
    const isIgnored = this.#base === Number.POSITIVE_INFINITY && !this.isComplete;
    const isBetween = this.text === "" && this.isDocument;
    const text = isIgnored ? "" : isBetween ? part.trimStart() : part;
    if (text === "") return;
    if (isBetween) this.startLine = this.handler.line;
    this.text += text;
    this.#bytes += cutAt(text, Number.POSITIVE_INFINITY).bytes;
    if (this.#component !== undefined) this.#component += text;
  }

  /** Hands over a message of a document, or any other text in its place. */
  #endMessage(): void {
    const text = this.text.trimEnd();
    this.#clear();
    if (text === "") return;
    this.abandon();
    this.handler.messageText(text, this.startLine);
  }

  #clear(): void {
    this.text = "";
    this.#bytes = 0;
    this.#provisionalProtocol = undefined;
    this.#component = undefined;
  }
}

/** Where a text reaches `most` bytes of UTF-8, or its end, and the bytes up to there. Surrogate pairs stay whole. */
function cutAt(text: string, most: number): { end: number; bytes: number } {
  let bytes = 0;
  let end = 0;
  for (; end < text.length && bytes < most; end++) {
    const unit = text.charCodeAt(end);
    const isPair = unit >= 0xd800 && unit < 0xdc00;
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : isPair ? 4 : 3;
    if (isPair) end += 1;
  }
  return { end: Math.min(end, text.length), bytes };
}
