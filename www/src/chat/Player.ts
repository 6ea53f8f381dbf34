/** Plays an answer into a `ToolBlockStream`: a recorded one, cut into chunks at the speed of a model, or a live one. */
import { type ToolBlockEndEvent, type ToolBlockEvent, ToolBlockStream } from "genui-patch";
import { type Cell, cell } from "../lib/cell";
import { logEvents } from "./chatLog";
import { addEvents, type Part } from "./parts";

export interface PlayerState {
  playing: boolean;
  done: boolean;
  /** UTF-16 units pushed, and those of the whole answer. */
  position: number;
  total: number;
  parts: readonly Part[];
  chunks: number;
  events: number;
  /** Milliseconds in push and end together. */
  busy: number;
}

const start = { playing: false, done: false, position: 0, parts: [], chunks: 0, events: 0, busy: 0 } as const;

/** At full speed: pushes between two looks at the clock, and milliseconds of a frame for them. */
const pushesAtOnce = 128;
const frameBudget = 6;

export class Player {
  readonly state: Cell<PlayerState> = cell<PlayerState>({ ...start, total: 0 });
  /** UTF-16 units per chunk. */
  chunkSize = 4;
  /** Characters per second; Infinity for as fast as it goes. */
  speed = 160;
  /** Told of each block once it is over. */
  onBlock: ((end: ToolBlockEndEvent) => void) | undefined;
  #text = "";
  #stream: ToolBlockStream | undefined;
  #frame = 0;
  #last = 0;
  /** Characters that the passed time allows and that are not pushed yet. */
  #credit = 0;

  /** Takes another answer, from its beginning. */
  load(text: string): void {
    this.dispose();
    this.#text = text;
    this.state.set({ ...start, total: text.length });
  }

  play(): void {
    const { playing, done } = this.state.get();
    if (playing) return;
    if (done) this.load(this.#text);
    this.#stream ??= new ToolBlockStream({ contentDeltas: true });
    this.#last = performance.now();
    this.#credit = this.chunkSize;
    this.#update({ playing: true });
    this.#frame = requestAnimationFrame(this.#tick);
  }

  pause(): void {
    cancelAnimationFrame(this.#frame);
    if (this.state.get().playing) this.#update({ playing: false });
  }

  /** Reads an answer that is being written somewhere else. Ends when it does, or when the signal says so. */
  async follow(chunks: AsyncIterable<string>): Promise<void> {
    this.load("");
    const stream = new ToolBlockStream({ contentDeltas: true });
    this.#stream = stream;
    this.#update({ playing: true });
    try {
      for await (const chunk of chunks) {
        if (this.#stream !== stream) return;
        this.#text += chunk;
        const before = performance.now();
        const events = stream.push(chunk);
        this.#take(events, 1, performance.now() - before, this.#text.length);
        this.#update({ total: this.#text.length });
      }
    } finally {
      if (this.#stream === stream) this.#finish();
    }
  }

  restart(): void {
    this.load(this.#text);
    this.play();
  }

  /** Ends what runs and gives the stream's memory back. */
  dispose(): void {
    this.pause();
    this.#stream?.dispose();
    this.#stream = undefined;
  }

  #tick = (now: number): void => {
    this.#earn(now);
    const deadline = performance.now() + frameBudget;
    do this.#pushSome();
    while (this.#credit >= this.chunkSize && this.#left > 0 && performance.now() < deadline);
    if (this.#left === 0) this.#finish();
    else this.#frame = requestAnimationFrame(this.#tick);
  };

  #earn(now: number): void {
    const seconds = Math.max(0, now - this.#last) / 1000;
    const before = Number.isFinite(this.#credit) ? this.#credit : 0;
    this.#credit = this.speed === Number.POSITIVE_INFINITY ? this.speed : before + seconds * this.speed;
    this.#last = now;
  }

  get #left(): number {
    return this.#text.length - this.state.get().position;
  }

  /** Only the pushes stand between the two looks at the clock, whose ticks are far longer than one push. */
  #pushSome(): void {
    const stream = this.#stream;
    const count = Math.min(
      pushesAtOnce,
      Math.floor(this.#credit / this.chunkSize),
      Math.ceil(this.#left / this.chunkSize),
    );
    if (stream === undefined || count <= 0) return;
    const { position } = this.state.get();
    const chunks = Array.from({ length: count }, (_, index) => {
      const from = position + index * this.chunkSize;
      return this.#text.slice(from, from + this.chunkSize);
    });
    const before = performance.now();
    const answers = chunks.map((chunk) => stream.push(chunk));
    const busy = performance.now() - before;
    this.#credit -= count * this.chunkSize;
    this.#take(answers.flat(), count, busy, Math.min(position + count * this.chunkSize, this.#text.length));
  }

  #finish(): void {
    const before = performance.now();
    const events = this.#stream?.end() ?? [];
    this.#take(events, 0, performance.now() - before, this.#text.length);
    this.dispose();
    this.#update({ done: true });
  }

  #take(events: readonly ToolBlockEvent[], chunks: number, busy: number, position: number): void {
    const state = this.state.get();
    this.#update({
      position,
      chunks: state.chunks + chunks,
      events: state.events + events.length,
      busy: state.busy + busy,
      parts: addEvents(state.parts, events),
    });
    logEvents(events);
    for (const event of events) if (event.type === "json-tool-block") this.onBlock?.(event);
  }

  #update(changes: Partial<PlayerState>): void {
    this.state.set({ ...this.state.get(), ...changes });
  }
}
