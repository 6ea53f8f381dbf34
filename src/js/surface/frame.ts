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
import { isEnveloped, type Message, readMessage } from "./messages.js";
import { type Problem, Refusal } from "./refusal.js";
import { isJson, NO_JSON, OVER_DEPTH, readJson, syntaxError } from "./text.js";
import type { SurfaceComponent, SurfaceErrorCode } from "./types.js";
import { ENVELOPE_DEPTH, type ValueHandler, ValueReader } from "./value-reader.js";

/** Fields of server-sent events; `:` begins a comment, and `[DONE]` is the last event of some providers. */
const FIELDS = ["data:", "event:", "id:", "retry:", ":", "[DONE]"];
/** Lines up to this length are checked before `JSON.parse` after a bad line: an exception takes longer than they do. */
const SHORT = 1_000;
const BLANKS = /^[ \t\r\ufeff]+/;

export interface FrameHandler {
  message(message: Message): void;
  problem(problem: Problem): void;
  /** A component of a message that has not arrived completely. */
  provisional(surfaceId: string, component: SurfaceComponent): void;
  /** The message of the provisional components follows, or will not come. */
  dropProvisional(): void;
}

export class Framer implements ValueHandler {
  #reader: ValueReader | undefined;
  /** In a line: before its JSON, in its JSON, or where the rest is ignored. */
  #state: "start" | "value" | "ignored" = "start";
  /** The start of a line, while it may still be a field of an event. */
  #begun = "";
  /** A line that begins like a message is kept in `#begun` until its end, and read as a whole. */
  #isWaiting = false;
  /** The line is a `data` field of an event. */
  #isData = false;
  /** No value has been read yet: the first one may be a document. */
  #isFirst = true;
  /** The first object continues after its line. Unless a list `messages` follows in it, its first line alone is bad. */
  #mayBeLines = false;
  /** A document is broken: from then on, only messages with an envelope are read. */
  #isRecovering = false;
  /** An event is broken: its other lines are ignored, except those that begin like a message. */
  #isEventBroken = false;
  /** The number of the current line, from 1. */
  line = 1;
  /** The number of lines in a row without a message. */
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
    // Twice: the first object may be re-read as lines.
    for (let times = 0; times < 2; times++) {
      this.#endLine();
      const reader = this.#reader;
      if (reader && this.#mayBeLines) {
        this.#readAsLines(reader, reader.text);
        continue;
      }
      if (reader?.isDocument) {
        if (reader.isInMessage || !this.#isRecovering) this.#failDocument(reader, "The stream ends inside a document");
      } else if (reader) this.#finish(reader);
      this.#reader = undefined;
    }
  }

  messageText(text: string, line: number): void {
    const value = readJson(text, this.limits.maxDepth + ENVELOPE_DEPTH);
    if (value !== NO_JSON) {
      this.#readOne(value, line);
    } else if (text[0] === "{") {
      this.#reportInvalid(text, line);
    } else {
      // Text between the messages of a broken document is not reported.
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

  /** Reads a piece of a line. */
  #readPiece(piece: string): void {
    if (this.#state === "value") this.#read(wellFormed(piece));
    else if (this.#state === "start") {
      this.#begun += piece;
      if (!this.#isWaiting) this.#begin(false);
      else if (this.#begun.length > this.limits.maxCallBytes) this.#begin(true);
    }
  }

  /** Decides from the start of a line whether it is JSON or a field of an event. `isWhole`: no more text is waited for. */
  #begin(isWhole: boolean): void {
    this.#isWaiting = false;
    const text = wellFormed(this.#begun).replace(BLANKS, "");
    this.#begun = text;
    if (text === "") return;
    const isContinued = this.#mayBeLines || this.#reader?.isDocument;
    const fields = isContinued ? [] : this.#isData ? FIELDS.slice(-1) : FIELDS;
    const field = fields.find((field) => text.startsWith(field));
    if (field === "data:") {
      this.#isData = true;
      this.#begun = text.slice(field.length);
      this.#begin(isWhole);
      return;
    }
    // Fields of events may stand without a colon.
    const isField = field !== undefined || (isWhole && !this.#isData && fields.includes(`${text.trimEnd()}:`));
    if (!isField && !isWhole && fields.some((field) => field.startsWith(text))) return;
    if (!isWhole && text[0] === "{" && this.#mayWait) {
      this.#isWaiting = true;
      return;
    }
    this.#begun = "";
    this.#state = isField || (this.#isEventBroken && text[0] !== "{") ? "ignored" : "value";
    if (this.#state === "ignored") return;
    this.#isEventBroken = false;
    const open = this.#reader;
    // The event before has no blank line at its end.
    if (open && !isContinued && !this.#isData) this.#finish(open);
    if (!this.#reader) {
      this.#reader =
        this.#isFirst && !this.#isData && text[0] === "["
          ? ValueReader.ofList(this)
          : new ValueReader(this, this.#isFirst && !this.#isData);
      this.#read(this.#reader.isDocument ? text.slice(1) : text);
    } else this.#read(text);
  }

  /** Whether nothing before a line can change what it means, so that it may be read as a whole. */
  get #mayWait(): boolean {
    const isAlone = this.#reader === undefined && !this.#isRecovering && this.#wrongLines === 0;
    return isAlone && !this.partial && (!this.#isFirst || this.#isData);
  }

  /** Reads a line that is one whole value. Any other line is left to {@link ValueReader}, which says what is wrong with it. */
  #readWhole(): boolean {
    const text = wellFormed(this.#begun);
    // A UTF-16 unit has at most 3 bytes in UTF-8.
    if (text.length * 3 > this.limits.maxCallBytes) return false;
    const value = readJson(text, this.limits.maxDepth + ENVELOPE_DEPTH);
    if (typeof value === "symbol" || isList(value)) return false;
    this.#begun = "";
    this.#isEventBroken = false;
    this.#close();
    this.#readOne(value, this.line);
    return true;
  }

  /** Reads JSON text of the open value. */
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
        this.#readAsLines(reader, reader.text + text);
      }
    }
  }

  #endLine(): void {
    if (this.#isWaiting && this.#readWhole()) {
      this.#isWaiting = false;
      this.#isData = false;
      return;
    }
    if (this.#state === "start") this.#begin(true);
    const reader = this.#reader;
    if (this.#state === "start" && !this.#isData && !this.#mayBeLines && !reader?.isDocument) {
      // A blank line ends an event.
      this.#isEventBroken = false;
      if (reader) this.#finish(reader);
    } else if (this.#state === "value" && reader) {
      this.#endValueLine(reader);
    }
    if (this.#isRecovering && !this.#reader?.isInMessage) this.#reader = ValueReader.ofList(this);
    this.#isData = false;
    this.#state = "start";
  }

  #endValueLine(reader: ValueReader): void {
    if (reader.isDocument) {
      this.#endDocumentLine(reader);
    } else if (this.#isData ? reader.isComplete || reader.isBroken || reader.isInString : !this.#isUndecided(reader)) {
      this.#finish(reader);
    } else if (this.#mayBeLines && reader.isInString) {
      this.#readAsLines(reader, reader.text);
      this.#endLine();
    } else {
      this.#mayBeLines = !this.#isData;
      this.#read("\n");
    }
  }

  #endDocumentLine(reader: ValueReader): void {
    if (reader.isComplete) {
      this.#close();
      if (reader.text !== "") this.#reportError(this.line, "INVALID_JSON", "Text stands after the document.");
    } else if (reader.isTooDeep) {
      // The rest of the line is ignored.
      this.#failDocument(reader, "");
    } else if (reader.isInString) {
      this.#failDocument(reader, "A line ends inside a string");
    } else {
      this.#read("\n");
    }
  }

  /** Whether the first object continues after its line, and may be a document. */
  #isUndecided(reader: ValueReader): boolean {
    if (!this.#isFirst || reader.isComplete) return false;
    if (this.#mayBeLines) return true;
    return reader.text[0] === "{" && !(reader.isBroken || reader.isInString || reader.hasKnownKey || reader.wasTooDeep);
  }

  /** Reports the first line of the first object, and reads the others as lines of their own. */
  #readAsLines({ startLine }: ValueReader, text: string): void {
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
    reader.abandon();
    if (reader.wasTooDeep) this.#readOne(OVER_DEPTH, startLine);
    else if (reader.isBroken || !reader.isComplete) this.#reportInvalid(text, startLine);
    else this.#readAll(text, startLine);
  }

  /** Reads the text of a message, or of a list of messages. */
  #readAll(text: string, line: number): void {
    const { maxDepth } = this.limits;
    const isSuspect = this.#wrongLines > 0 && text.length < SHORT;
    // Two more levels: a list of messages, and an object around it.
    const value = isSuspect && !isJson(text) ? NO_JSON : readJson(text, maxDepth + ENVELOPE_DEPTH + 2);
    if (value === NO_JSON) {
      this.#reportInvalid(text, line);
      return;
    }
    const list: (Json | typeof OVER_DEPTH)[] = Array.isArray(value) ? value : isList(value) ? value.messages : [value];
    for (const message of list) {
      const isTooDeep = typeof message !== "symbol" && measure(message).depth > maxDepth + ENVELOPE_DEPTH;
      this.#readOne(isTooDeep ? OVER_DEPTH : message, line);
    }
  }

  #close(): void {
    this.#reader = undefined;
    this.#isFirst = false;
    this.#mayBeLines = false;
  }

  /** Reports that the document is broken in this line, and ignores the rest of the line. */
  #failDocument(reader: ValueReader, message: string): void {
    const isQuiet = this.#isRecovering && !reader.isInMessage;
    this.#abandon(reader);
    if (reader.wasTooDeep) this.#readOne(OVER_DEPTH, this.line);
    else if (!isQuiet) this.#reportError(this.line, "INVALID_JSON", `${message}.`);
  }

  /** Drops the value and the rest of its line. Returns the line where its message began. */
  #abandon(reader: ValueReader): number {
    reader.abandon();
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
    } else if (!this.#isRecovering || isEnveloped(value)) {
      // While recovering, parts of a broken message may look like messages without an envelope.
      const message = readMessage(value, line);
      if (message instanceof Refusal) this.#report({ ...message, line });
      else {
        this.#wrongLines = 0;
        this.handler.message(message);
      }
    }
  }

  #reportInvalid(text: string, line: number): void {
    // Throwing takes longer than reading a short line, so the reason is only looked for if it is reported.
    const reason = this.#wrongLines < this.limits.maxIssues ? syntaxError(text) : "";
    this.#reportError(line, "INVALID_JSON", `The text is not valid JSON: ${reason}.`);
  }

  #reportError(line: number, code: SurfaceErrorCode, message: string): void {
    this.#report({ ...new Refusal(code, message), line });
  }

  /** Reports a bad line: of many in a row only the first ones, and once that there are more. */
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

const isList = (value: Json | symbol): value is { messages: Json[] } =>
  typeof value !== "symbol" && isObject<Json>(value) && !isEnveloped(value) && Array.isArray(value.messages);
