/** `NatsWatch`: which rooms have been written by other servers. */
import { isObject } from "../../core/kinds.js";
import type { NatsConnection } from "./nats-types.js";

/** Milliseconds between two looks at the ends of logs. */
const LOOK = 100;
/** Rooms whose ends are looked at each time, in turns: notices tell sooner, but one may be lost with its server or its connection. */
const MOST_LOOKS = 10;
/** Milliseconds for which the notices of a room are collected: each costs a reading of its log. */
const COLLECT = 50;

export interface WatchedLogs {
  /** Whether the log ends elsewhere than this server knows. */
  hasMoved(room: string): Promise<boolean>;
  /** Whether a message is later than the last one that this server knows. */
  isNews(room: string, sequence: number): boolean;
  /** The subject of the notices about a room. */
  notices(room: string): string;
}

interface Watched {
  room: string;
  tell(): void;
}

export class NatsWatch {
  readonly #watched: Watched[] = [];
  #next = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly logs: () => Promise<WatchedLogs>,
  ) {}

  add(room: string, listener: () => void): () => void {
    let isOver = false;
    let collecting: ReturnType<typeof setTimeout> | undefined;
    let unsubscribe = () => {};
    const tell = () => {
      if (!isOver) listener();
    };
    const watched: Watched = { room, tell };
    this.#watched.push(watched);
    this.#start();
    const subscribe = async () => {
      const logs = await this.logs();
      if (isOver) return;
      const subscription = this.connection.subscribe(logs.notices(room), {
        callback: (error, message) => {
          // A connection that may not subscribe finds out by looking.
          if (error !== null || collecting !== undefined || !logs.isNews(room, Number(message.string()))) return;
          collecting = later(COLLECT, () => {
            collecting = undefined;
            tell();
          });
        },
      });
      unsubscribe = () => subscription.unsubscribe();
    };
    subscribe().catch(() => {});
    return () => {
      isOver = true;
      clearTimeout(collecting);
      const at = this.#watched.indexOf(watched);
      if (at >= 0) this.#watched.splice(at, 1);
      unsubscribe();
    };
  }

  #start(): void {
    this.#timer ??= later(LOOK, async () => {
      await this.#look();
      this.#timer = undefined;
      if (this.#watched.length > 0) this.#start();
    });
  }

  async #look(): Promise<void> {
    const count = Math.min(MOST_LOOKS, this.#watched.length);
    const chosen = Array.from({ length: count }, (_, at) => this.#watched[(this.#next + at) % this.#watched.length]);
    this.#next = (this.#next + count) % Math.max(1, this.#watched.length);
    try {
      const logs = await this.logs();
      await Promise.all(
        chosen.map(async (one) => {
          if (one !== undefined && (await logs.hasMoved(one.room))) one.tell();
        }),
      );
    } catch {
      // The broker is away: the next append tells.
    }
  }
}

/** A timer that does not keep the process. */
function later(milliseconds: number, run: () => void): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, milliseconds);
  if (isObject<unknown>(timer) && typeof timer.unref === "function") timer.unref();
  return timer;
}
