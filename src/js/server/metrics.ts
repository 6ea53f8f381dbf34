/** `Metrics`: counters and gauges, as Prometheus reads them. */
import type { RoomCounter } from "./room-host.js";

type Counter = RoomCounter | "requests";

/** The meaning of each counter. They count since the process has begun. */
const COUNTERS: { readonly [counter in Counter]: string } = {
  calls: "Calls and approvals that were made.",
  refusals: "Calls that were refused.",
  appends: "Appends to the storage.",
  stale: "Appends that another server of the room was faster than. They are made again.",
  failures: "Appends that failed.",
  quarantined: "Entries of logs that could not be applied.",
  snapshots: "Snapshots that were written.",
  requests: "Requests that were answered in a room.",
};

/** Values at the moment of the request. */
interface Gauges {
  rooms: number;
  pages: number;
  bytes: number;
  waiting: number;
  failing: number;
}

const GAUGES: { readonly [gauge in keyof Gauges]: string } = {
  rooms: "Rooms that are loaded.",
  pages: "Pages that are connected.",
  bytes: "The length of all documents.",
  waiting: "Calls that wait to be written.",
  failing: "Rooms that cannot be served.",
};

export class Metrics {
  readonly #counts = new Map<Counter, number>();

  add(counter: Counter): void {
    this.#counts.set(counter, (this.#counts.get(counter) ?? 0) + 1);
  }

  /** All values in Prometheus's text format. */
  text(gauges: Gauges): string {
    const lines = (name: string, help: string, type: string, value: number) =>
      `# HELP genui_patch_${name} ${help}\n# TYPE genui_patch_${name} ${type}\ngenui_patch_${name} ${value}\n`;
    const counts = new Map<string, number>(this.#counts);
    const values = new Map<string, number>(Object.entries(gauges));
    return [
      ...Object.entries(COUNTERS).map(([name, help]) => lines(`${name}_total`, help, "counter", counts.get(name) ?? 0)),
      ...Object.entries(GAUGES).map(([name, help]) => lines(name, help, "gauge", values.get(name) ?? 0)),
    ].join("");
  }
}
