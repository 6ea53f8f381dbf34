/** The page's surfaces: a stream that is played, what it has built, and what the client would send back. */
import { type Json, type SurfaceEvent, SurfaceStream } from "genui-patch";
import type { SurfaceSource } from "genui-patch/react/ui";
import { surfaceRecordings } from "../data/surfaces";
import { type Cell, cell } from "../lib/cell";
import type { Playable } from "../lib/Playback";
import { Pump } from "../lib/Pump";
import { log } from "../log/log";

type Diagnostic = Extract<SurfaceEvent, { type: "diagnostic" }>;

export interface SurfaceState {
  playing: boolean;
  done: boolean;
  /** UTF-16 units pushed, and those of the whole stream. */
  position: number;
  total: number;
  /** Changes with the data of a surface. */
  version: number;
  ids: readonly string[];
  diagnostics: readonly Diagnostic[];
  /** Client events for the agent, the newest last. */
  sent: readonly { id: number; event: unknown }[];
}

const start = { playing: false, done: false, position: 0, version: 0, ids: [], diagnostics: [], sent: [] } as const;

class SurfacePlayer implements Playable {
  readonly state: Cell<SurfaceState> = cell<SurfaceState>({ ...start, total: 0 });
  readonly pump = new Pump(
    {
      take: (chunks, position) => this.#push(chunks, position),
      finish: () => this.#finish(),
    },
    { chunkSize: 24, speed: 640 },
  );
  /** Which recording is loaded. */
  readonly choice = cell(surfaceRecordings[0].id);
  #text = "";
  #stream: SurfaceStream | undefined;
  readonly #sources = new WeakMap<SurfaceStream, SurfaceSource>();

  choose(id: string, text: string): void {
    this.choice.set(id);
    this.load(text);
  }

  /** Takes another stream, from its beginning; the surfaces of the one before go. */
  load(text: string): void {
    this.pause();
    this.#stream?.dispose();
    this.#stream = undefined;
    this.#text = text;
    this.pump.load(text);
    this.state.set({ ...start, total: text.length });
  }

  play(): void {
    const { playing, done } = this.state.get();
    if (playing) return;
    if (done) this.load(this.#text);
    this.#stream ??= new SurfaceStream({ partial: true });
    this.#update({ playing: true });
    this.pump.start();
  }

  pause(): void {
    this.pump.stop();
    if (this.state.get().playing) this.#update({ playing: false });
  }

  restart(): void {
    this.load(this.#text);
    this.play();
  }

  /**
   * Reads a stream that is being written somewhere else, until it ends, and gives how many lines came; undefined if another
   * stream was taken meanwhile. The signal ends it too. What has come can be played again.
   */
  async follow(lines: ReadableStream<string>, signal: AbortSignal): Promise<number | undefined> {
    this.load("");
    const stream = new SurfaceStream({ partial: true });
    this.#stream = stream;
    this.#update({ playing: true });
    const reader = lines.getReader();
    const end = () => void reader.cancel();
    signal.addEventListener("abort", end);
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        if (this.#stream !== stream) break;
        this.#text += part.value;
        this.#update({ total: this.#text.length });
        this.#push([part.value], this.#text.length);
      }
    } finally {
      signal.removeEventListener("abort", end);
      if (this.#stream === stream) {
        this.pump.load(this.#text);
        this.#finish();
      } else end();
    }
    return this.#stream === stream ? this.#text.split("\n").length - 1 : undefined;
  }

  /** The text that has arrived. */
  get arrived(): string {
    return this.#text.slice(0, this.state.get().position);
  }

  get stream(): SurfaceStream | undefined {
    return this.#stream;
  }

  /** The stream for components: what users enter is logged, and its effects are shown. */
  get source(): SurfaceSource | undefined {
    const stream = this.#stream;
    if (stream === undefined) return undefined;
    const known = this.#sources.get(stream);
    if (known !== undefined) return known;
    const source: SurfaceSource = {
      tree: (id) => stream.tree(id),
      subscribe: (listener) => stream.subscribe(listener),
      action: (id, node) => stream.action(id, node),
      setData: (id, path, value) => this.#write(stream, id, path, value),
    };
    this.#sources.set(stream, source);
    return source;
  }

  #write(stream: SurfaceStream, surfaceId: string, path: string, value: Json): void {
    const events = stream.setData(surfaceId, path, value);
    log("surface", "setData", `${surfaceId} ${path}`, { detail: { surfaceId, path, value } });
    this.#take(events);
  }

  /** An action of a component. The demo shows it, since it has no agent to send it to. */
  send(surfaceId: string, nodeId: string, event: object): void {
    const { sent } = this.state.get();
    this.#update({ sent: [...sent.slice(-49), { id: (sent.at(-1)?.id ?? 0) + 1, event }] });
    log("surface", "client-event", `${surfaceId} ${nodeId}`, { tone: "good", detail: event });
  }

  #push(chunks: readonly string[], position: number): void {
    const events = chunks.flatMap((chunk) => this.#stream?.push(chunk) ?? []);
    this.#update({ position });
    this.#take(events);
  }

  #finish(): void {
    this.#take(this.#stream?.end() ?? []);
    this.#update({ playing: false, done: true });
  }

  #take(events: readonly SurfaceEvent[]): void {
    if (events.length === 0) return;
    const diagnostics = events.filter((event) => event.type === "diagnostic");
    for (const event of events) {
      if (event.type === "diagnostic") {
        const tone = event.severity === "error" ? "bad" : "warn";
        log("surface", event.code, event.message, { tone, detail: event });
      } else log("surface", event.type, event.surfaceId ?? "");
    }
    const state = this.state.get();
    this.#update({
      version: state.version + 1,
      ids: this.#stream?.ids() ?? [],
      diagnostics: [...state.diagnostics, ...diagnostics].slice(-200),
    });
  }

  #update(changes: Partial<SurfaceState>): void {
    this.state.set({ ...this.state.get(), ...changes });
  }
}

export const surfaces = new SurfacePlayer();
surfaces.load(surfaceRecordings[0].stream);
