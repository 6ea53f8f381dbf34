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
export const page = id === undefined ? "booking" : `booking-${id}`;

/** Where its files are. */
export const folder = id === undefined ? "" : `booking-${id}/`;
