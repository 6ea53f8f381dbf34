/**
 * Names for the documents of the tour, different for each visitor: several may play it on one backend. A reload keeps
 * them; another tab, also a duplicated one, has other names.
 */
import { isLive } from "../server/backend";

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

/** The directory of the tour's files. */
export const folder = id === undefined ? "" : `${page}/`;

/** Whether an instance is a visitor's: one that no agent would name so. */
export const isTour = (name: string): boolean => /^booking-tour-[a-z0-9]{1,6}$/.test(name);
