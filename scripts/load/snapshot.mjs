/** Measures a snapshot of a large room, and opening the room by it: time, peak of the memory, and how long others wait. */
import { startPlace } from "../../tests/server/storages.mjs";
import { started, table } from "./processes.mjs";

export async function measureSnapshot({ storage, count, megabytes, profile }, say) {
  const { place, end } = await startPlace(storage);
  const run = async (task) => {
    const env = { STORAGE: storage, PLACE: place, COUNT: String(count), MEGABYTES: String(megabytes) };
    const profiling = profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`] : [];
    const server = await started("snapshot-server.mjs", env, ["--expose-gc", ...profiling]);
    await server.nextMessage();
    const answer = await server.ask(task);
    await server.end();
    for (const error of answer.errors) say(`${task}: ${error}`);
    return answer;
  };
  try {
    await run("fill");
    const rows = [];
    for (const task of ["snapshot", "open"]) {
      const { before, peak, took, cpu, heldUp } = await run(task);
      rows.push([task, ...[before, peak, peak - before, took, cpu, heldUp].map(Math.round)]);
    }
    const head = [
      `${count} of ${megabytes} MB`,
      "MB before",
      "MB peak",
      "more",
      "took ms",
      "CPU ms",
      "longest wait ms",
    ];
    say(table(head, rows));
  } finally {
    await end();
  }
}
