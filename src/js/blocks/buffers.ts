/** The two buffers of a stream of tool blocks: text that the module has not seen, and text that has not come out yet. */

/** Pieces longer than this are read faster by the module. */
const LONGEST = 256;
/** From so many units on the text is handed over. Together, in UTF-8, they are less than `AHEAD` of `src/wasm/block.rs`. */
const ENOUGH = 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What a backslash and a character mean, those of code first: a look into a table would cost a tenth of all reading. */
function unescaped(unit: number): string | undefined {
  if (unit === 0x6e) return "\n";
  if (unit === QUOTE) return '"';
  if (unit === BACKSLASH) return "\\";
  if (unit === 0x74) return "\t";
  if (unit === 0x72) return "\r";
  if (unit === 0x2f) return "/";
  if (unit === 0x62) return "\b";
  return unit === 0x66 ? "\f" : undefined;
}

/** Reads plain characters and simple escapes of a long string, which cost less here than a call into the module. */
export class UnsentText {
  text = "";
  /** Whether that ends with half of an escape. */
  #escaped = false;

  get isEnough(): boolean {
    return this.text.length >= ENOUGH;
  }

  /** Decodes a piece; `undefined` if only the module can. */
  read(piece: string): string | undefined {
    const { length } = piece;
    if (length > LONGEST) return undefined;
    let escaped = this.#escaped;
    let said = "";
    let from = 0;
    for (let place = 0; place < length; place++) {
      const unit = piece.charCodeAt(place);
      if (escaped) {
        const meant = unescaped(unit);
        if (meant === undefined) return undefined;
        said += meant;
        from = place + 1;
        escaped = false;
      } else if (unit === BACKSLASH) {
        said += piece.slice(from, place);
        from = place + 1;
        escaped = true;
      } else if (unit === QUOTE || unit < 0x20 || (unit & 0xf800) === 0xd800) {
        return undefined;
      }
    }
    this.#escaped = escaped;
    this.text += piece;
    return from === 0 ? piece : said + piece.slice(from);
  }

  /** Empties the buffer: the text for the module, and what it decodes to. */
  take(): { text: string; said: string } {
    const text = whole(this.text);
    const said = JSON.parse(`"${this.#escaped ? text.slice(0, -1) : text}"`) as string;
    this.text = "";
    this.#escaped = false;
    return { text, said };
  }
}

/** Text that went in and has not come out yet. Every unit of it comes out as text, or in the `raw` of a block. */
export class PendingText {
  /** Made of long pieces, so that it costs little to be read when it comes out, and of the last few. */
  #long = "";
  #last = "";

  add(piece: string): void {
    if (piece.length < ENOUGH) this.#last += piece;
    if (this.#last.length + piece.length < ENOUGH) return;
    this.#long += whole(this.#last);
    this.#last = "";
    if (piece.length >= ENOUGH) this.#long += piece;
  }

  /** Takes so many units off its beginning. */
  take(units: number): string {
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

/** A string that was added up from small ones, as one: engines put that off until it is read. */
function whole(text: string): string {
  text.charCodeAt(0);
  return text;
}
