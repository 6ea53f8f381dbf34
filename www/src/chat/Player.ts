/** Plays an answer into a `ToolBlockStream`: a recorded one, cut into chunks at the speed of a model, or a live one. */
import type { AgentResult, ToolBlockEvent } from "genui-patch";
import { type Cell, cell } from "../lib/cell";
import { Pump } from "../lib/Pump";
import { logEvents } from "./chatLog";
import { addEvents, addNote, type Part } from "./parts";

export interface PlayerState {
  playing: boolean;
  done: boolean;
  /** The id of the agent's turn: all of its rounds. An answer that is played again is another turn. */
  turn: string;
  /** UTF-16 units pushed, and those of the whole answer. */
  position: number;
  total: number;
  parts: readonly Part[];
  chunks: number;
  events: number;
  /** Milliseconds in push and end together. */
  busy: number;
}

type Engine = typeof import("./engine");
type Reader = import("./engine").Reader;

/** The code that reads, executes and renders answers is loaded when the first one is played. */
async function loadEngine(): Promise<Engine> {
  const [engine] = await Promise.all([import("./engine"), import("./Turn")]);
  return engine;
}

/** The maximum number of decisions kept for the model. */
const mostUntold = 100;

const newTurn = () => `turn-${Math.random().toString(36).slice(2, 12)}`;

const start = { playing: false, done: false, position: 0, parts: [], chunks: 0, events: 0, busy: 0 } as const;

export class Player {
  readonly state: Cell<PlayerState> = cell<PlayerState>({ ...start, turn: newTurn(), total: 0 });
  readonly pump = new Pump({
    take: (chunks, position) => this.#push(chunks, position),
    finish: () => this.#finish(),
  });
  #text = "";
  #stream: Reader | undefined;
  /** The executed calls of the current answer. */
  #results: Promise<AgentResult[]>[] = [];
  #engine: Engine | undefined;
  #untold: string[] = [];
  /** Counts starts and stops, so that a start that waited for the engine notices when it is outdated. */
  #turn = 0;

  /** Takes another answer, from its beginning. */
  load(text: string): void {
    this.dispose();
    this.#text = text;
    this.#results = [];
    this.pump.load(text);
    this.state.set({ ...start, turn: newTurn(), total: text.length });
  }

  play(): void {
    const { playing, done } = this.state.get();
    if (playing) return;
    if (done) this.load(this.#text);
    this.#update({ playing: true });
    void this.#open().then((isWanted) => isWanted && this.pump.start());
  }

  /** Creates the stream; returns false if playing was stopped meanwhile. */
  async #open(): Promise<boolean> {
    this.#turn += 1;
    const turn = this.#turn;
    this.#engine ??= await loadEngine();
    if (this.#turn !== turn) return false;
    this.#stream ??= this.#engine.newStream();
    return true;
  }

  /**
   * Reads an answer while a model writes it. `goesOn`: it is shown below the one before. Resolves when its calls are
   * executed, or wait for the user.
   */
  async follow(chunks: AsyncIterable<string | object>, goesOn = false): Promise<AgentResult[]> {
    if (!goesOn) this.load("");
    this.#results = [];
    this.#update({ playing: true, done: false });
    if (!(await this.#open())) return [];
    const stream = this.#stream;
    try {
      for await (const chunk of chunks) {
        if (this.#stream !== stream) return [];
        const total = this.state.get().total + (typeof chunk === "string" ? chunk.length : 0);
        this.#update({ total });
        this.#push([chunk], total);
      }
    } finally {
      if (this.#stream === stream) this.#finish();
    }
    return (await Promise.all(this.#results)).flat();
  }

  /** Adds a decision on a node to the conversation. */
  post(nodeId: string, text: string): void {
    const { parts } = this.state.get();
    this.#update({ parts: addNote(parts, nodeId, text) });
    this.#untold.push(`${nodeId}: ${text}`);
    // Only a live model reads the decisions.
    this.#untold.splice(0, Math.max(0, this.#untold.length - mostUntold));
  }

  /** The decisions since the last call, for a live model, one in each line. */
  takeUntold(): string {
    return this.#untold.splice(0).join("\n");
  }

  pause(): void {
    this.#turn += 1;
    this.pump.stop();
    if (this.state.get().playing) this.#update({ playing: false });
  }

  restart(): void {
    this.load(this.#text);
    this.play();
  }

  /** Stops, frees the memory of the stream, and rolls back the pages of calls that have not arrived whole. */
  dispose(): void {
    this.pause();
    this.#stream?.dispose();
    this.#stream = undefined;
    this.#engine?.dropDrafts();
  }

  /** Only the pushes stand between the two looks at the clock, whose ticks are far longer than one push. */
  #push(chunks: readonly (string | object)[], position: number): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    const before = performance.now();
    const answers = chunks.map((chunk) => stream.push(chunk));
    const busy = performance.now() - before;
    this.#take(answers.flat(), chunks.length, busy, position);
  }

  #finish(): void {
    const before = performance.now();
    const events = this.#stream?.end() ?? [];
    this.#take(events, 0, performance.now() - before, this.state.get().total);
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
    const engine = this.#engine;
    if (engine === undefined) return;
    for (const event of events) {
      if (event.type === "json-tool-patch") engine.grow(event, state.turn);
      if (event.type === "json-tool-block") this.#results.push(engine.act(event, state.turn));
    }
  }

  #update(changes: Partial<PlayerState>): void {
    this.state.set({ ...this.state.get(), ...changes });
  }
}
