/** What the person should know of at once: a refusal, a conflict. */
import { cell } from "../lib/cell";

export interface Notice {
  id: number;
  tone: "bad" | "warn";
  title: string;
  text: string;
}

/** How many stand at once; older ones are in the log. */
const most = 4;

export const notices = cell<readonly Notice[]>([]);
let nextId = 1;

export function tell(tone: Notice["tone"], title: string, text: string): void {
  notices.set([...notices.get().slice(1 - most), { id: nextId++, tone, title, text }]);
}

export const dismiss = (id: number): void => notices.set(notices.get().filter((notice) => notice.id !== id));
