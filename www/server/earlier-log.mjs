/** The log of the backend that the demo had before, read once: its pages are the first documents of the room. */
import { existsSync } from "node:fs";
import { ClassicLevel } from "classic-level";
import { PatchStore } from "genui-patch";

/** The instance in which agents left requests to the user. They are proposals of the room now. */
const DESK = "$desk";

const targetOf = (call) =>
  call.new_instance_name ?? call.newInstanceId ?? call.target_instance_name ?? call.instance_name ?? call.instanceId;

export const openLog = (folder, createIfMissing = false) =>
  new ClassicLevel(folder, { valueEncoding: "json", createIfMissing });

/** Replays the log in a folder and returns its documents; `undefined` without a log. The log is not changed. */
export async function readEarlierLog(folder) {
  if (!existsSync(folder)) return undefined;
  const db = openLog(folder);
  try {
    const { revision = 0, pages } = (await db.get("snapshot")) ?? {};
    const store = pages === undefined ? new PatchStore() : PatchStore.restore(pages);
    let last = revision;
    for await (const [key, { call }] of db.iterator({ gt: "entry:", lt: "entry;" })) {
      const number = Number(key.slice("entry:".length));
      if (number <= revision) continue;
      if (number !== last + 1) throw new Error(`${folder}: the entries ${last + 1} to ${number - 1} are missing`);
      last = number;
      // An entry without a call has shown an instance.
      if (call !== undefined && targetOf(call) !== DESK) store.callTool("patch_ui_state", call);
    }
    return Object.fromEntries(store.names().map((name) => [name, store.confirmed(name)]));
  } finally {
    await db.close();
  }
}
