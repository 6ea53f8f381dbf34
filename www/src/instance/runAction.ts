import type { Json, PatchOperation } from "genui-patch";
import { isList, isObject, textOf, type View, type ViewObject } from "../lib/view";
import { applyCall, outcome } from "./instances";

/** Runs an action whose patches stand in it. Everything else is for the host, of which there is none here. */
export function runAction(instance: string, action: ViewObject): void {
  const patches = patchesOf(action);
  if (patches === undefined) {
    const kind = textOf(action.action_type) || "no action_type";
    outcome.set({
      by: "host",
      message: `“${textOf(action.label)}” (${kind}) is left to the host: this page has none.`,
    });
    return;
  }
  applyCall(JSON.stringify({ instance_name: instance, patches }));
}

function patchesOf({ action_type, handler_type, patches }: ViewObject): readonly (PatchOperation | View)[] | undefined {
  if (action_type !== "apply_patch") return undefined;
  if (isList(patches)) return patches;
  if (!isObject(patches)) return undefined;
  const op = (textOf(handler_type) || "set") as PatchOperation["op"];
  return Object.entries(patches).map(([path, value]) => ({ op, path, value: value as Json }));
}
