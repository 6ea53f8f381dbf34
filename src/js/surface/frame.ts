/**
 * From pieces of a stream to messages: JSON Lines, server-sent events, or one document with a list of messages.
 *
 * A line is a message, final at its end. Lines that begin with a field of server-sent events (WHATWG HTML, 9.2) are read
 * as such: what `data` lines say is joined until a blank line, or until a line ends with a complete value. A stream whose
 * first character is `[`, or whose first object has a list `messages`, is a document: its messages are framed by depth,
 * and final at their own end.
 */
import { isObject } from "../core/kinds.js";
import { wellFormed } from "../core/surrogates.js";
import type { Json, Limits } from "../types.js";
import { type FrameEvent, isEnveloped, read } from "./messages.js";
import { Refusal } from "./refusal.js";
import { AROUND, cutAt, MessageScanner, type Receiver } from "./scanner.js";
import { NO_JSON, OVER_DEPTH, readJson } from "./text.js";
import type { SurfaceErrorCode } from "./types.js";

const HEADS = ["data:", "event:", "id:", "retry:", ":", "[DONE]"];
const BLANKS = /^[ \t\r\ufeff]+/;
/** A line that is longer is not gathered before it is looked at: it may be more than a message may be. */
const LONG = 1 << 16;
/** After a line that is no JSON so many are read by the lexer first: an error that `JSON.parse` throws costs as much as they. */
const WARY = 8;

export class Framer implements Receiver {
  #open: MessageScanner | undefined;
  /** Where the value ends at the latest. */
  #span: "line" | "event" | "document" = "line";
  /** In a line: before its JSON, in it or behind it, or where the rest does not count. */
  #state: "start" | "value" | "skip" = "start";
  #begun = "";
  #isData = false;
  #isFirst = true;
  /** A document is broken: what looks like a message at the beginning of a line is taken for one. */
  #recovering = false;
  /** An event is broken: only what begins like a message is tried. */
  #isEventBroken = false;
  /** The first object goes on behind its line. If it is no document its line was bad, and these are the lines after it. */
  #doubt: { line: number; text: string } | undefined;
  line = 1;
  /** How many of the next lines the lexer reads first. */
  #wary = 0;
  /** How many lines in a row are no messages. */
  #wrongLines = 0;

  constructor(
    readonly limits: Limits,
    readonly partial: boolean,
    readonly take: (said: FrameEvent) => void,
  ) {}

  push(text: string): void {
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      this.#segment(text.slice(at, end), true);
      const doubt = this.#doubt;
      this.#endLine();
      if (doubt && doubt === this.#doubt) doubt.text += "\n";
      this.line += 1;
      at = end + 1;
    }
    if (at < text.length) this.#segment(at === 0 ? text : text.slice(at), false);
  }

  /** The stream is over: what stands in its last line counts. */
  end(): void {
    // Twice: what was taken for a document may turn out to be lines.
    for (let times = 0; times < 2; times++) {
      this.#endLine();
      if (this.#open) this.#finish();
    }
  }

  message(text: string): void {
    if (this.#open) this.#open.isTooDeep = false;
    this.#say(readJson(text, this.limits.maxDepth + AROUND), this.#open?.startLine ?? this.line);
  }

  /** Nothing is seen of what follows before its line ends: it is in no document, and components are not seen early. */
  get #isByLine(): boolean {
    return !this.#recovering && !this.partial && !(this.#open && this.#span === "document");
  }

  #segment(piece: string, isRest: boolean): void {
    if (this.#doubt) this.#doubt.text += piece;
    if (this.#state === "value") this.#value(wellFormed(piece));
    else if (this.#state === "start") {
      this.#begun += piece;
      const waits = this.#isByLine && (isRest || (!this.#isFirst && this.#begun.length < LONG));
      if (!waits) this.#begin(false);
    }
  }

  #begin(isWhole: boolean): void {
    let text = wellFormed(this.#begun);
    const isObject = text[0] === "{";
    if (!isObject) text = text.replace(BLANKS, "");
    this.#begun = text;
    if (text === "") return;
    const goesOn = this.#open && this.#span === "document";
    const heads = isObject || goesOn ? [] : this.#isData ? HEADS.slice(-1) : HEADS;
    const head = heads.find((head) => text.startsWith(head));
    if (head === "data:") {
      this.#isData = true;
      this.#begun = text.slice(head.length);
      this.#begin(isWhole);
      return;
    }
    // Fields of events may stand without a colon.
    const isField = isWhole && !this.#isData && heads.includes(`${text.trimEnd()}:`);
    const isSkipped = head !== undefined || isField;
    if (!isSkipped && !isWhole && heads.some((head) => head.startsWith(text))) return;
    this.#begun = "";
    this.#state = isSkipped ? "skip" : "value";
    if (goesOn) this.#value(text);
    else if (!isSkipped) this.#start(text, isWhole);
  }

  #start(text: string, isWhole: boolean): void {
    const isSkipped = this.#isEventBroken && text[0] !== "{";
    if (!isSkipped) {
      this.#isEventBroken = false;
      // An event without an end.
      if (this.#open && !this.#isData) this.#finish();
    }
    if (isSkipped || (!this.#open && isWhole && this.#isByLine && this.#plain(text))) {
      this.#state = "skip";
      return;
    }
    this.#state = "value";
    if (this.#open === undefined) {
      const mayBeDocument = this.#isFirst || this.#isData;
      const isList = text[0] === "[" && mayBeDocument;
      this.#span = this.#isData ? "event" : isList ? "document" : "line";
      this.#open = new MessageScanner(this, isList, mayBeDocument);
    }
    this.#value(text);
  }

  /** Reads a line that is a message as a whole, as nearly all are. */
  #plain(text: string): boolean {
    const mayBeDocument = this.#isFirst || this.#isData;
    if (this.#wary > 0 || text.length * 3 >= this.limits.maxCallBytes || (mayBeDocument && text[0] !== "{"))
      return false;
    const value = readJson(text, this.limits.maxDepth + AROUND);
    if (value === NO_JSON) return false;
    // A document has levels of its own.
    if (mayBeDocument && (!isObject(value) || Object.hasOwn(value, "messages"))) return false;
    this.#isFirst = false;
    this.#say(value, this.line);
    return true;
  }

  /** What follows is read as messages of a document, whatever came before. */
  #restartList(): void {
    this.#span = "document";
    this.#open = new MessageScanner(this, true, false);
    this.#open.feed("[");
  }

  /** JSON text of the value that is open, or blanks behind it. */
  #value(piece: string): void {
    const { maxCallBytes } = this.limits;
    for (let text = piece; text !== "" && this.#open; ) {
      const scanner = this.#open;
      const wasComplete = scanner.isComplete;
      const room = Math.max(maxCallBytes - scanner.size, 1);
      text = text.slice(scanner.feed(text.length * 3 <= room ? text : text.slice(0, cutAt(text, room)[0])));
      if (scanner.isList && !wasComplete) {
        this.#doubt = undefined;
        if (this.#span === "line") this.#span = "document";
      }
      if (scanner.fault !== undefined) {
        // Only the comma before a message is missing.
        const isBetween = this.#span === "document" && scanner.isList && !scanner.inMessage;
        this.#fail();
        if (!isBetween || text[0] !== "{") return;
        this.#restartList();
        this.#state = "value";
      } else if (scanner.isComplete && this.#span === "document") {
        this.#complete();
        if (this.#recovering) this.#state = "skip";
        else {
          // Only blanks may stand behind a document in its last line.
          this.#open = Object.assign(scanner, { startLine: this.line, isTooDeep: false });
        }
      } else if (scanner.size >= maxCallBytes) {
        this.#doubt = undefined;
        this.#wrong(this.#abandon(), "LIMIT_EXCEEDED", `The message is longer than ${maxCallBytes} bytes.`);
      }
    }
  }

  #endLine(): void {
    if (this.#state === "start") this.#begin(true);
    const scanner = this.#open;
    if (this.#state === "start") {
      if (!this.#isData && this.#span !== "document") {
        this.#isEventBroken = false;
        if (scanner) this.#finish();
      }
    } else if (this.#state === "value" && scanner) {
      const isWhole = scanner.isComplete;
      if (this.#span === "line" && this.#isFirst && !isWhole && !scanner.hasKnownKey && scanner.inMessage) {
        this.#doubt = { line: this.line + 1, text: "" };
        this.#span = "document";
      } else if (this.#span === "line" || (this.#span === "event" && isWhole)) {
        this.#finish();
      } else if (scanner.isOver) {
        // What is too deep costs its line.
        this.#fail();
      } else {
        const hadDoubt = this.#doubt !== undefined;
        // A break is a blank between tokens, and an end of numbers and words.
        this.#value(" ");
        if (hadDoubt && !this.#doubt && !scanner.isList) {
          this.#endLine();
          return;
        }
      }
    }
    if (this.#recovering && !this.#open) this.#restartList();
    this.#isData = false;
    this.#state = "start";
  }

  #finish(): void {
    if (this.#open?.finish() && !this.#open.isTooDeep) this.#complete();
    else this.#fail();
  }

  #complete(): void {
    this.#open?.complete();
    this.#doubt = undefined;
    this.#open = undefined;
    this.#isFirst = false;
    if (this.#span === "document") this.#span = "line";
  }

  #fail(): void {
    const scanner = this.#open;
    const doubt = this.#doubt;
    this.#wary = WARY;
    if (doubt) {
      this.#doubt = undefined;
      this.#span = "line";
      this.#abandon();
      this.#wrong(doubt.line - 1, "INVALID_JSON", "The line ends inside its object.");
      this.line = doubt.line;
      this.#state = "start";
      this.push(doubt.text);
      return;
    }
    const isQuiet = this.#recovering && !scanner?.inMessage;
    const start = this.#abandon();
    const line = this.#span === "document" ? this.line : start;
    if (scanner?.isTooDeep) this.#say(OVER_DEPTH, line);
    else if (!isQuiet) this.#wrong(line, "INVALID_JSON", `${scanner?.fault}.`);
  }

  /** Gives the value up, and tells the line where its message began. */
  #abandon(): number {
    const line = this.#open?.startLine ?? this.line;
    this.#open?.abandon();
    this.#recovering ||= this.#span === "document";
    this.#isEventBroken = this.#span === "event";
    this.#state = "skip";
    this.#open = undefined;
    this.#isFirst = false;
    return line;
  }

  #say(value: Json | typeof OVER_DEPTH | typeof NO_JSON, line: number): void {
    if (typeof value === "symbol") {
      this.#wrong(line, "LIMIT_EXCEEDED", `The message is nested deeper than ${this.limits.maxDepth} levels.`);
    } else if (!this.#recovering || isEnveloped(value)) {
      // Parts of a broken message may look like messages without an envelope.
      if (this.#wary > 0) this.#wary -= 1;
      const event = read(value, line);
      if (event[0] !== "wrong") {
        this.#wrongLines = 0;
        this.take(event);
      } else if (this.#isTold(line)) this.take(event);
    }
  }

  #wrong(line: number, code: SurfaceErrorCode, message: string): void {
    if (this.#isTold(line)) this.take(["wrong", { ...new Refusal(code, message), line }]);
  }

  /** Whether the diagnostic of a line is told: of very many in a row those of the first, and that there are more. */
  #isTold(line: number): boolean {
    const { maxIssues } = this.limits;
    this.#wrongLines += 1;
    if (this.#wrongLines === maxIssues + 1) {
      const message = `More than ${maxIssues} lines in a row are no messages. What is wrong with the next ones is not told.`;
      this.take(["wrong", { ...new Refusal("LIMIT_EXCEEDED", message), line }]);
    }
    return this.#wrongLines <= maxIssues;
  }
}
