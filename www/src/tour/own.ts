/**
 * What the first minute makes is each visitor's own: on one backend several may play it at the same time. A reload goes on
 * with what there was; another tab, also one that was made as a copy, has other names.
 */
import { isLive } from "../server/token";

const key = "tour";

function ownId(): string {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const kept = navigation?.type === "reload" ? sessionStorage.getItem(key) : null;
  const id = kept ?? Math.random().toString(36).slice(2, 8);
  sessionStorage.setItem(key, id);
  return id;
}

const id = isLive ? ownId() : undefined;

/** The instance that is built. */
export const page = id === undefined ? "booking" : `booking-tour-${id}`;

/** Where its files are. */
export const folder = id === undefined ? "" : `${page}/`;

/** Whether an instance is a visitor's: one that no agent would name so. */
export const isTour = (name: string): boolean => /^booking-tour-[a-z0-9]{1,6}$/.test(name);
