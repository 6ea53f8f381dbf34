/** `Metrics`: counters, as Prometheus reads them. */
import type { Counted } from "./room-host.js";

type Counter = Counted | "requests";

const HELP: { readonly [counter in Counter]: string } = {
  calls: "Calls and approvals that were made.",
  refusals: "Calls that were refused.",
  appends: "Appends to the storage.",
  stale: "Appends that another server of the room was faster than. They are made again.",
  failures: "Appends that failed.",
  quarantined: "Entries of logs that could not be applied.",
  snapshots: "Snapshots that were written.",
  requests: "Requests that were answered in a room.",
};

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

  add(counter: Counter, by = 1): void {
    this.#counts.set(counter, (this.#counts.get(counter) ?? 0) + by);
  }

  text(gauges: Gauges): string {
    const line = (name: string, help: string, type: string, value: number) =>
      `# HELP genui_patch_${name} ${help}\n# TYPE genui_patch_${name} ${type}\ngenui_patch_${name} ${value}\n`;
    const counters = Object.entries(HELP).map(([name, help]) => {
      const value = [...this.#counts].find(([counter]) => counter === name)?.[1] ?? 0;
      return line(`${name}_total`, help, "counter", value);
    });
    const values = new Map(Object.entries(gauges));
    const now = Object.entries(GAUGES).map(([name, help]) => line(name, help, "gauge", values.get(name) ?? 0));
    return [...counters, ...now].join("");
  }
}
