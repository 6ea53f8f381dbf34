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
  /** How many events stand in the line. */
  count: number;
  /** UTF-16 units of text, or bytes of JSON; 0 where there is none. */
  size: number;
  tone?: Tone | undefined;
  /** What there is to see behind the line. */
  detail?: unknown;
}

type Tone = "good" | "warn" | "bad";
/** What a line may carry besides. */
export type Extra = Partial<Pick<Entry, "size" | "detail" | "tone">>;

/** Lines kept. Older ones go, a tenth at a time. */
const most = 5000;

const lines: Entry[] = [];
/** Counts what was told; it changes once in a frame at most, however much is logged. */
const version = cell(0);
let told = true;
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
  tell();
}

export function clearLog(): void {
  lines.length = 0;
  tell();
}

function tell(): void {
  if (!told) return;
  told = false;
  // Not by animation frames, which a hidden window does not get.
  setTimeout(() => {
    told = true;
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
