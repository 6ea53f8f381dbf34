/** `Pieces`: decodes the pieces of a text, which are strings or UTF-8 and cut anywhere. */
import { misuse } from "./errors.js";

/** Joins surrogate pairs and UTF-8 sequences that are split between two pieces. */
export class Pieces {
  /** Keeps the beginning of a UTF-8 sequence between two pieces; `undefined` before the first piece of bytes. */
  #decoder: TextDecoder | undefined;
  /** The first half of a surrogate pair at the end of the last piece, or empty. */
  #half = "";

  /** `name`: the class that messages name. */
  constructor(private readonly name: string) {}

  /** Returns the text of a piece. If the piece ends within a character, the beginning of that is kept for the next piece. */
  decode(chunk: string | Uint8Array): string {
    let text: string;
    if (typeof chunk === "string") {
      // After bytes that a string does not complete, the decoder writes U+FFFD.
      text = this.flush() + chunk;
    } else {
      if (!(chunk instanceof Uint8Array)) throw misuse(`${this.name}: a piece must be a string or Uint8Array.`);
      this.#decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
      text = this.#half + this.#decoder.decode(chunk, { stream: true });
    }
    this.#half = "";
    const endsWithHalf = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
    if (!endsWithHalf) return text;
    this.#half = text.slice(-1);
    return text.slice(0, -1);
  }

  /** Ends the text. Returns what is left of it: half a surrogate pair, and U+FFFD for an incomplete UTF-8 sequence. */
  flush(): string {
    const rest = this.#half + (this.#decoder?.decode() ?? "");
    this.#half = "";
    return rest;
  }
}
