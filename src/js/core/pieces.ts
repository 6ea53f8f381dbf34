/** Pieces of a text, as strings or UTF-8, cut anywhere. */
import { misuse } from "./errors.js";

/** Joins surrogate pairs and UTF-8 sequences that are split between two pieces. */
export class Pieces {
  #decoder: TextDecoder | undefined;
  /** The first half of a surrogate pair. */
  #half = "";

  /** The name is that of the class in messages. */
  constructor(private readonly name: string) {}

  /** The text that is whole with this piece. */
  take(chunk: string | Uint8Array): string {
    let text: string;
    if (typeof chunk === "string") {
      text = this.#decoder ? this.flush() + chunk : this.#half + chunk;
    } else {
      if (!(chunk instanceof Uint8Array)) throw misuse(`${this.name}: a piece must be a string or a Uint8Array.`);
      this.#decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
      text = this.#half + this.#decoder.decode(chunk, { stream: true });
    }
    this.#half = "";
    if ((text.charCodeAt(text.length - 1) & 0xfc00) !== 0xd800) return text;
    this.#half = text.slice(-1);
    return text.slice(0, -1);
  }

  flush(): string {
    const rest = this.#half + (this.#decoder?.decode() ?? "");
    this.#half = "";
    return rest;
  }
}
