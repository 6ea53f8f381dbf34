/**
 * `ValueReader`: finds the messages in one JSON value that arrives in pieces, and the components that are complete in them. The
 * value is one message, or a *document*: a list of messages, or an object with a list `messages`. Only the messages of a document
 * are passed on from here; the caller reads the `text` of any other value when its line or event ends.
 */
import type { Limits } from "../types.js";
import { formOf, MAIN } from "./messages.js";
import { Nesting } from "./nesting.js";
import { orRefusal, Refusal } from "./refusal.js";
import { componentOf } from "./requests.js";
import { readJson } from "./text.js";
import type { SurfaceComponent, SurfaceProtocol } from "./types.js";

/** The levels of a message that `maxDepth` does not count: the object around the key of the message, and its body. */
export const UNCOUNTED_LEVELS = 2;
/** The depth of a document's list of messages, if an object is around it. */
const DOCUMENT_DEPTH = 2;
/** In place of the depth around messages: the list of messages has ended, so that nothing counts as inside a message. */
const AFTER_MESSAGES = Number.POSITIVE_INFINITY;

export interface ValueHandler {
  readonly limits: Limits;
  /** Whether components are read before their message is complete. */
  readonly partial: boolean;
  /** The number of the current line, from 1. */
  readonly line: number;
  /** The text of a message of a document, or other text in its place, and the line where it begins. */
  messageText(text: string, line: number): void;
  /** Between two messages of a document the comma is missing. */
  missingComma(): void;
  /** A complete component of a message that is still arriving. */
  provisional(surfaceId: string, component: SurfaceComponent): void;
  /** The message of the provisional components is complete, or will not come: they are taken back. */
  dropProvisional(): void;
}

export class ValueReader {
  #nesting = new Nesting();
  /** The depth around the messages: 0 for a single message, 1 in a list, 2 in the list `messages`; {@link AFTER_MESSAGES}. */
  #base = 0;
  /** The text so far: of the value; in a document, of the message that is arriving, or of what stands between two messages. */
  text = "";
  /** The length of `text` in UTF-8. */
  #bytes = 0;
  /** The line where `text` begins. */
  startLine: number;
  /** A key at the top level of the value names a kind of message. */
  hasKnownKey = false;
  /** The protocol of the message that is arriving, if it has components and `partial` is set. */
  #provisionalProtocol: SurfaceProtocol | undefined;
  /** The surface of that message; `""`, which names no surface, until the field has arrived. */
  #surfaceId = "";
  /** The text so far of a component in that message; `undefined` between components. */
  #component: string | undefined;
  /** A component of that message is complete. */
  #hasProvisional = false;

  /** `mayBeDocument`: the value may be an object with a list `messages`. */
  constructor(
    private readonly handler: ValueHandler,
    private readonly mayBeDocument: boolean,
  ) {
    this.startLine = handler.line;
  }

  /** A reader of a list of messages, from the text after its `[` on. */
  static ofList(handler: ValueHandler): ValueReader {
    const mayBeDocument = false;
    const reader = new ValueReader(handler, mayBeDocument);
    reader.#base = 1;
    reader.#nesting = new Nesting("]");
    return reader;
  }

  /** Whether the value has turned out to be a document: for an object, from the start of its list `messages` on. */
  get isDocument(): boolean {
    return this.#base > 0;
  }

  /** Whether no list, object or string is open: before the value, after it, or in a number or word. */
  get isComplete(): boolean {
    return this.#nesting.depth === 0 && !this.#nesting.isInString;
  }

  /**
   * Whether a bracket stands where JSON allows none. From there on, text is only gathered. A missing comma between messages is
   * tolerated.
   */
  get isBroken(): boolean {
    return this.#nesting.isBroken;
  }

  get isInString(): boolean {
    return this.#nesting.isInString;
  }

  /** Whether a message is open, or a string between the messages of a document. */
  get isInMessage(): boolean {
    return this.#nesting.depth > this.#base || this.isInString;
  }

  /** Whether the text was ever deeper than a message may be. A missing comma between messages resets it. */
  get wasTooDeep(): boolean {
    return this.#nesting.deepest > this.#maxDepth;
  }

  /** Whether the text is now deeper than a message may be. */
  get isTooDeep(): boolean {
    return this.#nesting.depth > this.#maxDepth;
  }

  /** Whether `text` is longer than a message may be. */
  get isTooLong(): boolean {
    return this.#bytes > this.handler.limits.maxCallBytes;
  }

  /** The limit for a message in a document. Any other message may reach it too, and is measured again when it has been parsed. */
  get #maxDepth(): number {
    return this.handler.limits.maxDepth + UNCOUNTED_LEVELS + DOCUMENT_DEPTH;
  }

  /** The greatest depth at which {@link feed} looks at signs (brackets, colons, commas and ends of strings: {@link Nesting}). */
  get #signDepth(): number {
    // The braces of a component have a document, a message, its body and the list of components around them.
    if (this.handler.partial) return DOCUMENT_DEPTH + 3;
    // Of a single message, the keys of the outermost object are enough: see `hasKnownKey`.
    return this.isDocument || this.mayBeDocument ? DOCUMENT_DEPTH : 1;
  }

  /**
   * Reads text of one line, up to the limit of bytes. Returns how many characters it has read. The text is gathered in `text`; in
   * a document, `text` is handed over and cleared where a message begins or ends. Once a bracket breaks the value, the rest is
   * only gathered.
   */
  feed(lineText: string): number {
    // One byte more than the limit makes `isTooLong` true.
    const room = this.handler.limits.maxCallBytes + 1 - this.#bytes;
    // A UTF-16 unit has at most 3 bytes in UTF-8.
    const piece = lineText.length * 3 <= room ? lineText : lineText.slice(0, cutAt(lineText, room).end);
    let nesting = this.#nesting;
    const signDepth = this.#signDepth;
    // The index of the first character that is not in `text` yet. `at` is the index after the last sign.
    let from = 0;
    for (let at = 0; at < piece.length && !nesting.isBroken; ) {
      at = nesting.next(piece, at, signDepth);
      const { sign, depth } = nesting;
      if (sign === "") break;
      const isOpening = sign === "{" || sign === "[";
      const isOutsideMessages = this.isDocument && depth <= this.#base;
      if (isOutsideMessages) {
        // A bracket that breaks the text is not counted in the depth: the list of messages has two messages without a comma.
        if (isOpening && nesting.isBroken && depth === this.#base) {
          // The document is read on from the second message, as if a comma were before it.
          this.#gather(piece.slice(from, at - 1));
          from = at - 1;
          this.#endMessage();
          this.handler.missingComma();
          nesting = this.#base === DOCUMENT_DEPTH ? new Nesting("}", "]") : new Nesting("]");
          this.#nesting = nesting;
          at = from;
          continue;
        }
        if (nesting.isBroken) break;
        const isMessageEnd = depth === this.#base && (sign === "}" || sign === "]");
        if (this.#base === AFTER_MESSAGES) {
          // The document ends here. Members after its messages are ignored.
          if (depth === 0 && sign === "}") from = at;
        } else if (isMessageEnd || depth < this.#base || sign === ",") {
          this.#gather(piece.slice(from, isMessageEnd ? at : at - 1));
          from = at;
          this.#endMessage();
          // The list of messages has ended.
          if (depth < this.#base) this.#base = AFTER_MESSAGES;
        }
        continue;
      }
      if (isOpening && depth === this.#base + 1 && this.isDocument) {
        // A message begins. Other text before it is handed over by itself.
        this.#gather(piece.slice(from, at - 1));
        from = at - 1;
        if (this.text.trim() !== "") this.#endMessage();
      }
      if (sign === ":" && depth === 1) this.hasKnownKey ||= formOf(nesting.string) !== undefined;
      if (sign === "[" && depth === 2 && this.mayBeDocument && !this.isDocument && nesting.keys[1] === "messages") {
        this.#base = DOCUMENT_DEPTH;
        this.#clear();
        from = at;
      } else if (this.handler.partial) {
        from = this.#readProvisional(piece, from, at);
      }
    }
    this.#gather(piece.slice(from));
    return piece.length;
  }

  /** Takes back the provisional components of the message, if there are any. */
  dropProvisional(): void {
    if (this.#hasProvisional) this.handler.dropProvisional();
    this.#hasProvisional = false;
  }

  /**
   * Finds the components of a message, at the sign before the index `at`. In the message, its kind is a key at depth 1,
   * `surfaceId` and `components` are keys at depth 2, and a component opens depth 4. Text is gathered from the index `from` where
   * a component begins or ends. Returns the index of the first character that is not in `text` yet.
   */
  #readProvisional(piece: string, from: number, at: number): number {
    const { sign, previous, string, keys, depth } = this.#nesting;
    const depthInMessage = depth - this.#base;
    if (sign === ":" && depthInMessage === 1) {
      const form = formOf(string);
      this.#provisionalProtocol = form?.kind === "components" ? form.protocols[0] : undefined;
      this.#surfaceId = "";
    }
    if (this.#provisionalProtocol === undefined) return from;
    if (sign === '"' && previous === ":" && depthInMessage === 2 && keys[depth] === "surfaceId") {
      // The string is as it was sent, with escapes. A string has no levels.
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

  /** Passes a component on. Whatever is wrong with it is reported when its message is complete. */
  #endComponent(protocol: SurfaceProtocol, text: string): void {
    this.#hasProvisional = true;
    // A symbol says that the text is not JSON, or too deep.
    const item = readJson(text, this.handler.limits.maxDepth);
    // The place is only for the refusal, which is dropped.
    const place = "";
    const component = typeof item === "symbol" ? undefined : orRefusal(() => componentOf(item, protocol, place));
    if (!component || component instanceof Refusal) return;
    this.handler.provisional(protocol === "gulf" ? MAIN : this.#surfaceId, component);
  }

  /** Adds to `text`, except whitespace before a message of a document, and members after its messages. */
  #gather(part: string): void {
    const isIgnored = this.#base === AFTER_MESSAGES && !this.isComplete;
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
    // The message itself replaces its provisional components.
    this.dropProvisional();
    this.handler.messageText(text, this.startLine);
  }

  /** Forgets the text, and how far its components were read. */
  #clear(): void {
    this.text = "";
    this.#bytes = 0;
    this.#provisionalProtocol = undefined;
    this.#component = undefined;
  }
}

/**
 * The first index at which a text has `maxBytes` of UTF-8 or more before it, else its end; and the number of these bytes.
 * Surrogate pairs are not cut. A high surrogate counts as a pair, also the last unit of the text.
 */
function cutAt(text: string, maxBytes: number): { end: number; bytes: number } {
  let bytes = 0;
  let end = 0;
  for (; end < text.length && bytes < maxBytes; end++) {
    const unit = text.charCodeAt(end);
    const isPair = unit >= 0xd800 && unit < 0xdc00;
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : isPair ? 4 : 3;
    if (isPair) end += 1;
  }
  return { end: Math.min(end, text.length), bytes };
}
