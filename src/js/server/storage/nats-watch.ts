/** `NatsWatch`: finds out when other servers have appended to logs. They publish notices, and the ends of logs are looked at. */
import { isObject } from "../../core/kinds.js";
import type { NatsConnection } from "./nats-types.js";

/** Milliseconds between two looks at the ends of logs. */
const LOOK_INTERVAL = 100;
/**
 * Rooms that are looked at each time, in turns. Notices arrive sooner, but a notice may be lost with its server or its
 * connection.
 */
const MOST_LOOKS = 10;
/** Milliseconds for which the notices about a room are collected: after them the whole rest of its log is read once. */
const COLLECT_TIME = 50;

/** What the storage knows of its logs. */
export interface WatchedLogs {
  /** Whether the log ends with another message than the last one that this server knows. */
  hasMoved(room: string): Promise<boolean>;
  /** Whether a message, named by its number in the stream, is later than the last one that this server knows. */
  isNews(room: string, sequence: number): boolean;
  /** The subject on which servers publish that they have appended to a room's log. A notice is the number of the last message. */
  noticeSubject(room: string): string;
}

interface WatchedRoom {
  room: string;
  notify(): void;
}

export class NatsWatch {
  readonly #rooms: WatchedRoom[] = [];
  /** The index of the room that is looked at next. */
  #nextIndex = 0;
  /** The timer of the next look; `undefined` while no room is watched. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param logs opens the storage, or returns the open one. */
  constructor(
    private readonly connection: NatsConnection,
    private readonly logs: () => Promise<WatchedLogs>,
  ) {}

  /** Calls the listener when another server may have appended. Returns a function that stops this. */
  add(room: string, listener: () => void): () => void {
    /** The listener must not be called any more. */
    let isOver = false;
    /** Runs from the first notice until the listener is called. */
    let collectTimer: ReturnType<typeof setTimeout> | undefined;
    let unsubscribe = () => {};
    const notify = () => {
      if (!isOver) listener();
    };
    const watchedRoom: WatchedRoom = { room, notify };
    this.#rooms.push(watchedRoom);
    this.#start();
    const subscribe = async () => {
      const logs = await this.logs();
      if (isOver) return;
      const subscription = this.connection.subscribe(logs.noticeSubject(room), {
        callback: (error, message) => {
          // Without permission to subscribe, the looks at the log suffice.
          if (error !== null) return;
          // A server also receives the notices that it has published itself.
          if (collectTimer !== undefined || !logs.isNews(room, Number(message.string()))) return;
          collectTimer = startTimer(COLLECT_TIME, () => {
            collectTimer = undefined;
            notify();
          });
        },
      });
      unsubscribe = () => subscription.unsubscribe();
    };
    // Without a subscription, the looks at the log suffice too.
    subscribe().catch(() => {});
    return () => {
      isOver = true;
      clearTimeout(collectTimer);
      const index = this.#rooms.indexOf(watchedRoom);
      if (index >= 0) this.#rooms.splice(index, 1);
      unsubscribe();
    };
  }

  #start(): void {
    this.#timer ??= startTimer(LOOK_INTERVAL, async () => {
      await this.#look();
      this.#timer = undefined;
      if (this.#rooms.length > 0) this.#start();
    });
  }

  async #look(): Promise<void> {
    const total = this.#rooms.length;
    const count = Math.min(MOST_LOOKS, total);
    const roomsToCheck = Array.from({ length: count }, (_, offset) => this.#rooms[(this.#nextIndex + offset) % total]);
    // Without rooms, the remainder of a division by 0 would be NaN.
    this.#nextIndex = (this.#nextIndex + count) % Math.max(1, total);
    try {
      const logs = await this.logs();
      await Promise.all(
        roomsToCheck.map(async (checked) => {
          if (checked !== undefined && (await logs.hasMoved(checked.room))) checked.notify();
        }),
      );
    } catch {
      // The broker does not answer. If another server has appended, the next look or the next append shows it.
    }
  }
}

/** A timer that does not keep the process from ending. */
function startTimer(milliseconds: number, run: () => void): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, milliseconds);
  if (isObject<unknown>(timer) && typeof timer.unref === "function") timer.unref();
  return timer;
}
