/** The page's log: every call, edit and event of every part of it. Lines that only go on with the one before share it. */
import { cell, useCell } from "../lib/cell";

export const areas = ["chat", "files", "instance", "server", "proposal", "surface"] as const;
export type Area = (typeof areas)[number];

export interface Entry {
  id: number;
  /** Milliseconds since 1970, of the first event in the line. */
  time: number;
  area: Area;
  kind: string;
  subject: string;
  /** The number of events that the line counts. */
  count: number;
  /** UTF-16 units of text, or bytes of JSON. */
  size: number;
  tone?: Tone | undefined;
  /** Details that the line can show. */
  detail?: unknown;
}

type Tone = "good" | "warn" | "bad";
/** Optional properties of a line. */
export type Extra = Partial<Pick<Entry, "size" | "detail" | "tone">>;

/** Lines kept. Older ones go, a tenth at a time. */
const most = 5000;

const lines: Entry[] = [];
/** Changes after new log lines, at most every 50 ms. */
const version = cell(0);
let isPublished = true;
let nextId = 1;

export function log(area: Area, kind: string, subject: string, { size = 0, detail, tone }: Extra = {}): void {
  const last = lines.at(-1);
  if (last && detail === undefined && last.area === area && last.kind === kind && last.subject === subject) {
    lines[lines.length - 1] = { ...last, count: last.count + 1, size: last.size + size };
  } else {
    if (lines.length >= most) lines.splice(0, most / 10);
    const time = performance.timeOrigin + performance.now();
    lines.push({ id: nextId++, time, area, kind, subject, count: 1, size, tone, detail });
  }
  publish();
}

export function clearLog(): void {
  lines.length = 0;
  publish();
}

function publish(): void {
  if (!isPublished) return;
  isPublished = false;
  // Not by animation frames, which a hidden window does not get.
  setTimeout(() => {
    isPublished = true;
    version.set(version.get() + 1);
  }, 50);
}

export const logLines = (): readonly Entry[] => lines;
export const useLogVersion = () => useCell(version);

/** The lines as JSON Lines. */
export function exportLog(chosen: readonly Entry[]): string {
  return chosen
    .map(({ id: _, time, tone: __, ...rest }) => `${JSON.stringify({ time: new Date(time).toISOString(), ...rest })}\n`)
    .join("");
}
