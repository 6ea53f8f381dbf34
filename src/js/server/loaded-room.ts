/** `LoadedRoom`: a room that is loaded, and its pages. */
import { isObject } from "../core/kinds.js";
import type { Page } from "./page.js";
import type { RoomCore } from "./room.js";
import type { RoomContents } from "./types.js";

export class LoadedRoom {
  readonly pages = new Set<Page>();
  /** Pages of event streams, by the id that they chose. */
  readonly streams = new Map<string, Page>();
  core: RoomCore | undefined;
  contents: RoomContents = {};
  proposals = "";
  hasEnded = false;
  readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(readonly name: string) {}

  get isUsed(): boolean {
    return this.pages.size > 0 || this.core?.isIdle === false || this.core?.failing !== undefined;
  }

  broadcast(text: string): void {
    for (const page of this.pages) page.send(text);
  }

  /** Runs a function once, after a while. */
  later(name: string, milliseconds: number, run: () => void): void {
    if (this.timers.has(name) || this.hasEnded) return;
    const timer = setTimeout(() => {
      this.timers.delete(name);
      if (!this.hasEnded) run();
    }, milliseconds);
    this.timers.set(name, timer);
    if (isObject<unknown>(timer) && typeof timer.unref === "function") timer.unref();
  }

  end(code: number, reason: string): void {
    this.hasEnded = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    for (const page of [...this.pages]) page.end(code, reason);
  }
}

/** A room, and what its log came to when it was loaded. */
export interface Entered {
  room: LoadedRoom;
  core: RoomCore;
}
