/** Hands out a text in chunks, at a given speed, a few in each frame. */

export interface PumpTarget {
  /** Takes some chunks; `position` is where the text stands after them. */
  take(chunks: readonly string[], position: number): void;
  finish(): void;
}

/** At full speed: chunks between two looks at the clock, and milliseconds of a frame for them. */
const chunksAtOnce = 128;
const frameBudget = 6;

export class Pump {
  /** UTF-16 units per chunk. */
  chunkSize: number;
  /** Characters per second; Infinity for as fast as it goes. */
  speed: number;
  #target: PumpTarget;
  #text = "";
  #position = 0;
  #frame = 0;
  #last = 0;
  /** Characters that the passed time allows and that are not handed out yet. */
  #credit = 0;

  constructor(target: PumpTarget, { chunkSize = 4, speed = 160 } = {}) {
    this.#target = target;
    this.chunkSize = chunkSize;
    this.speed = speed;
  }

  /** Takes another text, from its beginning. */
  load(text: string): void {
    this.stop();
    this.#text = text;
    this.#position = 0;
  }

  start(): void {
    this.#last = performance.now();
    this.#credit = this.chunkSize;
    this.#frame = requestAnimationFrame(this.#tick);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }

  #tick = (now: number): void => {
    this.#earn(now);
    const deadline = performance.now() + frameBudget;
    do this.#handOut();
    while (this.#credit >= this.chunkSize && this.#left > 0 && performance.now() < deadline);
    if (this.#left === 0) this.#target.finish();
    else this.#frame = requestAnimationFrame(this.#tick);
  };

  #earn(now: number): void {
    const seconds = Math.max(0, now - this.#last) / 1000;
    const before = Number.isFinite(this.#credit) ? this.#credit : 0;
    this.#credit = this.speed === Number.POSITIVE_INFINITY ? this.speed : before + seconds * this.speed;
    this.#last = now;
  }

  get #left(): number {
    return this.#text.length - this.#position;
  }

  #handOut(): void {
    const count = Math.min(
      chunksAtOnce,
      Math.floor(this.#credit / this.chunkSize),
      Math.ceil(this.#left / this.chunkSize),
    );
    if (count <= 0) return;
    const chunks = Array.from({ length: count }, (_, index) => {
      const from = this.#position + index * this.chunkSize;
      return this.#text.slice(from, from + this.chunkSize);
    });
    this.#credit -= count * this.chunkSize;
    this.#position = Math.min(this.#position + count * this.chunkSize, this.#text.length);
    this.#target.take(chunks, this.#position);
  }
}
