/** `LoadedRoom`: a room that is loaded or being loaded, with its pages and timers. */
import { isObject } from "../core/kinds.js";
import type { Page } from "./page.js";
import type { RoomCore } from "./room.js";
import type { RoomContents } from "./types.js";

export class LoadedRoom {
  readonly pages = new Set<Page>();
  /** Pages with event streams, by the key that `requests.ts` makes of their id and their user. */
  readonly streams = new Map<string, Page>();
  /** The documents and the log; `undefined` until they are loaded. */
  core: RoomCore | undefined;
  /** The last message `proposals`, which is sent again only if it changes. */
  proposals = "";
  /** The room is not loaded any more: its pages are disconnected, and no timer runs. */
  hasEnded = false;
  /** By the name that `runOnceLater` was given. */
  readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

  /** @param contents what `open` has returned when the room was loaded. */
  constructor(
    readonly name: string,
    readonly contents: RoomContents,
  ) {}

  /**
   * Whether the room must stay loaded. A room that cannot be written stays, so that its failure is reported and it is tried
   * again.
   */
  get isUsed(): boolean {
    return this.pages.size > 0 || this.core?.isIdle === false || this.core?.failure !== undefined;
  }

  /** Sends a message that is not in the log to all pages. */
  broadcast(text: string): void {
    for (const page of this.pages) page.send(text);
  }

  /** Runs a function after some time, unless one is already due under this name. Timers do not keep the process from ending. */
  runOnceLater(name: string, milliseconds: number, run: () => void): void {
    if (this.timers.has(name) || this.hasEnded) return;
    const timer = setTimeout(() => {
      this.timers.delete(name);
      if (!this.hasEnded) run();
    }, milliseconds);
    this.timers.set(name, timer);
    if (isObject<unknown>(timer) && typeof timer.unref === "function") timer.unref();
  }

  /** Disconnects all pages with this code and reason. */
  end(code: number, reason: string): void {
    this.hasEnded = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    for (const page of [...this.pages]) page.end(code, reason);
  }
}

/** A room whose core is loaded. */
export interface EnteredRoom {
  room: LoadedRoom;
  core: RoomCore;
}
