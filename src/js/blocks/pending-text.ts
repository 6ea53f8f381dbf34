/** The text of a stream that no event has carried yet. */

/** Pieces shorter than this are collected before they are appended to the long text. */
const SHORT = 1024;

/** Text that was pushed and is not part of an event yet. Each unit becomes text, reasoning, or the `raw` of a block. */
export class PendingText {
  /** Joined from long pieces, so that reading it costs little. */
  #long = "";
  /** The last few short pieces. */
  #last = "";

  add(piece: string): void {
    if (piece.length < SHORT) this.#last += piece;
    if (this.#last.length + piece.length < SHORT) return;
    this.#long += flattened(this.#last);
    this.#last = "";
    if (piece.length >= SHORT) this.#long += piece;
  }

  /** Removes this many units from the beginning and returns them. */
  shift(units: number): string {
    const more = units - this.#long.length;
    if (more < 0) {
      const text = this.#long.slice(0, units);
      this.#long = this.#long.slice(units);
      return text;
    }
    const text = this.#long + this.#last.slice(0, more);
    this.#long = "";
    this.#last = this.#last.slice(more);
    return text;
  }
}

/** Makes one string of a concatenation: engines keep a tree of its parts until it is read. */
function flattened(text: string): string {
  text.charCodeAt(0);
  return text;
}
