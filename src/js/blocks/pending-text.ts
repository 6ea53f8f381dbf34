/** The text of a stream that no event has carried yet. */

/** The length of a long piece in UTF-16 units. Shorter pieces are collected before they are appended to the long text. */
const SHORT = 1024;

/**
 * Text that was pushed and is not part of an event yet. Each unit becomes text, reasoning, or the `raw` of a block. Appending
 * each short piece to a long text would make the engine copy the long text again and again when it is read.
 */
export class PendingText {
  /** The beginning of the text, joined from long pieces, so that reading it costs little. */
  #long = "";
  /** The rest: the last few short pieces. */
  #last = "";

  add(piece: string): void {
    const isShort = piece.length < SHORT;
    if (isShort) this.#last += piece;
    if (isShort && this.#last.length < SHORT) return;
    this.#long += flatten(this.#last);
    this.#last = "";
    if (!isShort) this.#long += piece;
  }

  /** Removes this many UTF-16 units from the beginning and returns them. */
  shift(units: number): string {
    const unitsOfLast = units - this.#long.length;
    if (unitsOfLast < 0) {
      const text = this.#long.slice(0, units);
      this.#long = this.#long.slice(units);
      return text;
    }
    const text = this.#long + this.#last.slice(0, unitsOfLast);
    this.#long = "";
    this.#last = this.#last.slice(unitsOfLast);
    return text;
  }
}

/** Makes one string of a concatenation by reading it: engines keep a tree of its parts until then. */
function flatten(text: string): string {
  text.charCodeAt(0);
  return text;
}
