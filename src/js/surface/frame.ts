/**
 * `Framer`: finds the messages in the pieces of a stream.
 *
 * - JSON Lines: a line is a message, or a list of messages, and is final at its end.
 * - Server-sent events (WHATWG HTML, 9.2): `data` lines are joined until a blank line, or until a line ends with a complete
 *   value. Other fields, comments and `[DONE]` are skipped.
 * - A document: if the first character is `[`, or the first object has a list `messages`, each message is final at its own
 *   end, however the document is laid out.
 */
import { isObject } from "../core/kinds.js";
import { measure } from "../core/measure.js";
import { wellFormed } from "../core/surrogates.js";
import type { Json, Limits } from "../types.js";
import { hasMessageKey, type Message, readMessage } from "./messages.js";
import { type Problem, Refusal } from "./refusal.js";
import { isJson, NO_JSON, OVER_DEPTH, readJson, syntaxError } from "./text.js";
import type { SurfaceComponent, SurfaceErrorCode } from "./types.js";
import { UNCOUNTED_LEVELS, type ValueHandler, ValueReader } from "./value-reader.js";

/** The last event of some providers. It may stand alone, or after `data:`. */
const DONE = "[DONE]";
/** The beginnings of the lines of server-sent events that are not JSON; `:` begins a comment. */
const FIELDS = ["data:", "event:", "id:", "retry:", ":", DONE];
/**
 * After a bad line, texts shorter than this (UTF-16 units) go through `isJson` first: that is faster than an exception of
 * `JSON.parse`.
 */
const SHORT = 1_000;
/** Whitespace before the text of a line, with the byte order mark (the last character). */
const BLANKS = /^[ \t\r\ufeff]+/;
/** The arguments of `#begin`: whether `#lineStart` may still grow, or is all that the line gets. */
const PART = false;
const WHOLE = true;

export interface FrameHandler {
  message(message: Message): void;
  problem(problem: Problem): void;
  /** A component of a message that has not arrived completely. */
  provisional(surfaceId: string, component: SurfaceComponent): void;
  /** Takes the provisional components back: their message follows, or will not come. */
  dropProvisional(): void;
}

export class Framer implements ValueHandler {
  /** The value that is open: it has begun, and may continue in the next piece or line. */
  #reader: ValueReader | undefined;
  /** Where in the current line the next piece begins: before its JSON, in its JSON, or in a part that is ignored. */
  #state: "start" | "value" | "ignored" = "start";
  /** The text of the line so far, while it may still be a field of an event, or while `#isWaiting`; else empty. */
  #lineStart = "";
  /** The line begins like a message: it is kept in `#lineStart` until its end, and read as a whole. */
  #isWaiting = false;
  /** The line is a `data` field of an event. */
  #isData = false;
  /** No value has been read yet: the first one may be a document. */
  #isFirst = true;
  /**
   * The first object continues after its line. If a list `messages` follows in it, it is a document; else it was a bad first
   * line, and the lines after it are messages of their own.
   */
  #mayBeLines = false;
  /** A document is broken: from then on, only messages with a key of their kind are read. */
  #isRecovering = false;
  /** An event is broken: its other lines are ignored, except those that begin like a message. */
  #isEventBroken = false;
  /** The number of the current line, from 1. */
  line = 1;
  /** The number of problems found since the last message. */
  #wrongLines = 0;

  constructor(
    readonly limits: Limits,
    readonly partial: boolean,
    private readonly handler: FrameHandler,
  ) {}

  push(text: string): void {
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      this.#readPiece(text.slice(at, end));
      this.#endLine();
      this.line += 1;
      at = end + 1;
    }
    if (at < text.length) this.#readPiece(at === 0 ? text : text.slice(at));
  }

  /** Ends the stream: its last line may lack the line break. */
  end(): void {
    // Twice: if the first object is not a document after all, its lines are read now, and the second time ends the last of them.
    for (let times = 0; times < 2; times++) {
      this.#endLine();
      const reader = this.#reader;
      if (reader && this.#mayBeLines) {
        this.#readAsLines(reader);
        continue;
      }
      if (reader?.isDocument) {
        // A broken document has been reported: between its messages it may end anywhere.
        if (reader.isInMessage || !this.#isRecovering) this.#failDocument(reader, "The stream ends inside a document");
      } else if (reader) this.#finish(reader);
      this.#reader = undefined;
    }
  }

  messageText(text: string, line: number): void {
    const value = readJson(text, this.limits.maxDepth + UNCOUNTED_LEVELS);
    if (value !== NO_JSON) {
      this.#readOne(value, line);
    } else if (text[0] === "{") {
      this.#reportInvalid(text, line);
    } else {
      // Text between the messages breaks the document. In a broken document it is not reported.
      if (!this.#isRecovering) this.#reportInvalid(text, line);
      this.#isRecovering = true;
    }
  }

  missingComma(): void {
    if (!this.#isRecovering) this.#reportError(this.line, "INVALID_JSON", "A comma is missing between two messages.");
    this.#isRecovering = true;
  }

  provisional(surfaceId: string, component: SurfaceComponent): void {
    this.handler.provisional(surfaceId, component);
  }

  dropProvisional(): void {
    this.handler.dropProvisional();
  }

  /** Reads a piece of a line, without a line break. */
  #readPiece(piece: string): void {
    if (this.#state === "value") this.#read(wellFormed(piece));
    else if (this.#state === "start") {
      this.#lineStart += piece;
      if (!this.#isWaiting) this.#begin(PART);
      else if (this.#lineStart.length > this.limits.maxCallBytes) this.#begin(WHOLE);
    }
  }

  /**
   * Decides from `#lineStart` whether a line is JSON or a field of an event, and begins to read the JSON. While the text may
   * still become the name of a field, it stays in `#lineStart`; so does a line that is to be read as a whole. `isWhole`: the
   * decision is due, since the line has ended or is too long.
   */
  #begin(isWhole: boolean): void {
    this.#isWaiting = false;
    const text = wellFormed(this.#lineStart).replace(BLANKS, "");
    this.#lineStart = text;
    if (text === "") return;
    // The line continues a value outside of events, so it cannot be a field.
    const isContinued = this.#mayBeLines || this.#reader?.isDocument;
    const fields = isContinued ? [] : this.#isData ? [DONE] : FIELDS;
    const field = fields.find((field) => text.startsWith(field));
    if (field === "data:") {
      this.#isData = true;
      this.#lineStart = text.slice(field.length);
      this.#begin(isWhole);
      return;
    }
    // A field without a value may lack its colon, as in a line `id`.
    const isField = field !== undefined || (isWhole && !this.#isData && fields.includes(`${text.trimEnd()}:`));
    const mayBecomeField = !isWhole && fields.some((field) => field.startsWith(text));
    if (!isField && mayBecomeField) return;
    if (!isWhole && text[0] === "{" && this.#mayWait) {
      this.#isWaiting = true;
      return;
    }
    this.#lineStart = "";
    this.#state = isField || (this.#isEventBroken && text[0] !== "{") ? "ignored" : "value";
    if (this.#state === "ignored") return;
    this.#isEventBroken = false;
    const openReader = this.#reader;
    // The open event lacks the blank line at its end.
    if (openReader && !isContinued && !this.#isData) this.#finish(openReader);
    if (!this.#reader) {
      const mayBeDocument = this.#isFirst && !this.#isData;
      const isList = mayBeDocument && text[0] === "[";
      this.#reader = isList ? ValueReader.ofList(this) : new ValueReader(this, mayBeDocument);
      this.#read(isList ? text.slice(1) : text);
    } else this.#read(text);
  }

  /**
   * Whether a line that begins like a message may wait for its end, and be read as a whole, which is faster. It must not if it
   * may belong to a document or to an open value, if its components are wanted before its end (`partial`), or after a bad line:
   * there may be many bad ones, and each would cost an exception of `JSON.parse`.
   */
  get #mayWait(): boolean {
    const isAlone = this.#reader === undefined && !this.#isRecovering && this.#wrongLines === 0;
    return isAlone && !this.partial && (!this.#isFirst || this.#isData);
  }

  /**
   * Reads the waiting line, if it is one whole message, and says whether it is. Any other line is left to {@link ValueReader}, by
   * which its problem is found.
   */
  #readWhole(): boolean {
    const text = wellFormed(this.#lineStart);
    // A UTF-16 unit has at most 3 bytes in UTF-8.
    if (text.length * 3 > this.limits.maxCallBytes) return false;
    const value = readJson(text, this.limits.maxDepth + UNCOUNTED_LEVELS);
    // A symbol says that the text is not JSON, or too deep.
    if (typeof value === "symbol" || isDocumentObject(value)) return false;
    this.#lineStart = "";
    this.#isEventBroken = false;
    this.#close();
    this.#readOne(value, this.line);
    return true;
  }

  /** Reads JSON text of the open value. A value that is too long or broken is closed here. */
  #read(piece: string): void {
    for (let text = piece; text !== ""; ) {
      const reader = this.#reader;
      if (!reader) return;
      text = text.slice(reader.feed(text));
      if (reader.isDocument) this.#mayBeLines = false;
      if (reader.isTooLong) {
        this.#mayBeLines = false;
        const line = this.#abandon(reader);
        this.#reportError(line, "LIMIT_EXCEEDED", `The message is longer than ${this.limits.maxCallBytes} bytes.`);
      } else if (reader.isBroken && reader.isDocument) {
        this.#failDocument(reader, "The brackets of the document do not match");
      } else if (reader.isBroken && this.#mayBeLines) {
        this.#readAsLines(reader);
      }
    }
  }

  /** Ends a line: reads the value that ends with it. A value that continues in the next line gets the line break. */
  #endLine(): void {
    if (this.#isWaiting && this.#readWhole()) {
      this.#isWaiting = false;
      this.#isData = false;
      return;
    }
    if (this.#state === "start") this.#begin(WHOLE);
    const reader = this.#reader;
    const isBlank = this.#state === "start" && !this.#isData;
    // Between or in the messages of a document, a blank line means nothing.
    if (isBlank && !this.#mayBeLines && !reader?.isDocument) {
      // It ends an event.
      this.#isEventBroken = false;
      if (reader) this.#finish(reader);
    } else if (this.#state === "value" && reader) {
      this.#endValueLine(reader);
    }
    // In a broken document, the next line may begin a message, whatever brackets are around it.
    if (this.#isRecovering && !this.#reader?.isInMessage) this.#reader = ValueReader.ofList(this);
    this.#isData = false;
    this.#state = "start";
  }

  /** Ends a line with text of the open value. */
  #endValueLine(reader: ValueReader): void {
    if (reader.isDocument) {
      this.#endDocumentLine(reader);
      return;
    }
    // An event may continue in the next line, but not inside of a string. Of other values only the first object may.
    const isEnd = this.#isData
      ? reader.isComplete || reader.isBroken || reader.isInString
      : !this.#mayContinueAfterLine(reader);
    if (isEnd) {
      this.#finish(reader);
    } else if (this.#mayBeLines && reader.isInString) {
      // The last of these lines is this one. Its line break is not in the text that was read again.
      this.#readAsLines(reader);
      this.#endLine();
    } else {
      this.#mayBeLines = !this.#isData;
      this.#read("\n");
    }
  }

  /** Ends a line with text of a document. */
  #endDocumentLine(reader: ValueReader): void {
    if (reader.isComplete) {
      this.#close();
      if (reader.text !== "") this.#reportError(this.line, "INVALID_JSON", "Text stands after the document.");
    } else if (reader.isTooDeep) {
      // Reported as too deep, without another message.
      this.#failDocument(reader, "");
    } else if (reader.isInString) {
      this.#failDocument(reader, "A line ends inside a string");
    } else {
      this.#read("\n");
    }
  }

  /** Whether this is the first object, which continues after its line and may still become a document. */
  #mayContinueAfterLine(reader: ValueReader): boolean {
    if (!this.#isFirst || reader.isComplete) return false;
    if (this.#mayBeLines) return true;
    // With the key of a message, it is one, and ends with its line.
    return reader.text[0] === "{" && !(reader.isBroken || reader.isInString || reader.hasKnownKey || reader.wasTooDeep);
  }

  /** The first object is not a document: reports its first line, and reads the others as lines of their own. */
  #readAsLines({ startLine, text }: ValueReader): void {
    this.#mayBeLines = false;
    this.#close();
    this.#reportError(startLine, "INVALID_JSON", "The line ends inside its object.");
    this.line = startLine + 1;
    this.#state = "start";
    this.push(text.slice(text.indexOf("\n") + 1));
  }

  /** Reads the value of a line or event that has ended. */
  #finish(reader: ValueReader): void {
    const { text, startLine } = reader;
    this.#close();
    this.#isEventBroken = false;
    reader.dropProvisional();
    if (reader.wasTooDeep) this.#readOne(OVER_DEPTH, startLine);
    else if (reader.isBroken || !reader.isComplete) this.#reportInvalid(text, startLine);
    else this.#readAll(text, startLine);
  }

  /** Reads the text of a message, or of a list of messages. */
  #readAll(text: string, line: number): void {
    const { maxDepth } = this.limits;
    const isSuspect = this.#wrongLines > 0 && text.length < SHORT;
    // Two more levels: a list of messages, and an object around it. Each message is measured below.
    const value = isSuspect && !isJson(text) ? NO_JSON : readJson(text, maxDepth + UNCOUNTED_LEVELS + 2);
    if (value === NO_JSON) {
      this.#reportInvalid(text, line);
      return;
    }
    const list: (Json | typeof OVER_DEPTH)[] = Array.isArray(value)
      ? value
      : isDocumentObject(value)
        ? value.messages
        : [value];
    for (const message of list) {
      const isTooDeep = typeof message !== "symbol" && measure(message).depth > maxDepth + UNCOUNTED_LEVELS;
      this.#readOne(isTooDeep ? OVER_DEPTH : message, line);
    }
  }

  /** Forgets the open value. */
  #close(): void {
    this.#reader = undefined;
    this.#isFirst = false;
    this.#mayBeLines = false;
  }

  /** Reports that the document is broken in this line, and ignores the rest of the line. `message` has no full stop. */
  #failDocument(reader: ValueReader, message: string): void {
    // A broken document has been reported: only its broken messages are reported too.
    const isQuiet = this.#isRecovering && !reader.isInMessage;
    this.#abandon(reader);
    if (reader.wasTooDeep) this.#readOne(OVER_DEPTH, this.line);
    else if (!isQuiet) this.#reportError(this.line, "INVALID_JSON", `${message}.`);
  }

  /** Drops the value and the rest of its line. Returns the line where its message began. */
  #abandon(reader: ValueReader): number {
    reader.dropProvisional();
    this.#isRecovering ||= reader.isDocument;
    this.#isEventBroken = this.#isData;
    this.#state = "ignored";
    this.#close();
    return reader.startLine;
  }

  /** Passes a message on to the handler, or reports why the value is no message. */
  #readOne(value: Json | typeof OVER_DEPTH, line: number): void {
    if (value === OVER_DEPTH) {
      const message = `The message is nested deeper than ${this.limits.maxDepth} levels.`;
      this.#reportError(line, "LIMIT_EXCEEDED", message);
    } else if (!this.#isRecovering || hasMessageKey(value)) {
      // While recovering, parts of a broken message may look like the bare body of a GULF message.
      const message = readMessage(value, line);
      if (message instanceof Refusal) this.#report({ ...message, line });
      else {
        this.#wrongLines = 0;
        this.handler.message(message);
      }
    }
  }

  #reportInvalid(text: string, line: number): void {
    // To get the reason, `JSON.parse` throws, which takes longer than reading a short line: only done if it is reported.
    const reason = this.#wrongLines < this.limits.maxIssues ? syntaxError(text) : "";
    this.#reportError(line, "INVALID_JSON", `The text is not valid JSON: ${reason}.`);
  }

  #reportError(line: number, code: SurfaceErrorCode, message: string): void {
    this.#report({ ...new Refusal(code, message), line });
  }

  /** Reports a bad line. Of many in a row it reports only the first `maxIssues`, and then once that there are more. */
  #report(problem: Problem & { line: number }): void {
    const { maxIssues } = this.limits;
    this.#wrongLines += 1;
    if (this.#wrongLines <= maxIssues) this.handler.problem(problem);
    if (this.#wrongLines === maxIssues + 1) {
      const message = `More than ${maxIssues} lines in a row are not messages. The next ones are not reported.`;
      this.handler.problem({ ...new Refusal("LIMIT_EXCEEDED", message), line: problem.line });
    }
  }
}

/** Whether a value is a document as an object: not a message, but a list `messages`. */
const isDocumentObject = (value: Json | symbol): value is { messages: Json[] } =>
  typeof value !== "symbol" && isObject<Json>(value) && !hasMessageKey(value) && Array.isArray(value.messages);
