/** JSON Patch and JSON Merge Patch on an instance. */
import { storeModule } from "../core/store.js";
import type { RawStore } from "../generated/store.js";
import { toText } from "../json.js";
import { requireText } from "../require.js";
import type { PatchResult } from "../types.js";
import type { StoreCore } from "./core.js";
import { readReply } from "./reply.js";

export function applyStandard(
  core: StoreCore,
  method: "applyJsonPatch" | "applyMergePatch",
  name: string,
  sent: unknown,
  run: (raw: RawStore, bytes: number) => number,
): PatchResult {
  requireText(method, "name", name);
  const text = typeof sent === "string" ? sent : toText(sent, "patch");
  const refused = core.refuseLong(text);
  if (refused !== undefined) return { ...refused, instance_name: name };
  core.stage(name);
  const raw = core.handle.raw;
  let result: PatchResult;
  try {
    result = readReply(run(raw, storeModule.send(text)));
  } catch (cause) {
    throw core.handle.failed(cause);
  }
  core.follow(result, "apply");
  return result;
}
