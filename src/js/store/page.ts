/** What a page does with the fields of a document: rows of tables, controls, templates. */

import { copyJson } from "../core/json.js";
import { ANY, FLAG, INDEX, oneOf, requireKeys, requireKind, requireOptions, requireText } from "../core/require.js";
import { runAction } from "../document/action.js";
import { coerce, findField, rowOf } from "../document/input.js";
import { pathTo } from "../document/place.js";
import { withinLimits } from "../document/result.js";
import { escapeHtml, type RenderOptions, Templates } from "../document/template.js";
import type { ActionOptions, ActionResult } from "../document/tool-types.js";
import type { OptimisticResult, SetOptions } from "../types.js";
import type { StoreCore } from "./core.js";

/** A row of a table field. */
export interface RowPlace {
  block: string;
  field: string;
  /** Its index. */
  row: number;
}

export function runRowAction(
  core: StoreCore,
  name: string,
  place: RowPlace,
  actionId: string,
  options: Omit<ActionOptions, "rowData">,
): ActionResult {
  requireText("runRowAction", "name", name);
  requireKeys("runRowAction", "place", place, ["block", "field", "row"]);
  requireOptions("runRowAction", options, { params: ANY, optimistic: ANY });
  const { block, field: key, row: index } = place;
  requireKind("runRowAction", "row", index, INDEX);
  const document = core.snapshot(name);
  if (document === undefined) return core.missing(name);
  const field = findField(document, block, key);
  if ("error" in field) return field;
  return withinLimits(() => {
    const found = rowOf(document, core.rules(name), field, index, core.limits.maxWork);
    return "error" in found ? found : runAction(core, name, actionId, { ...options, rowData: found.row });
  });
}

export function setField(
  core: StoreCore,
  name: string,
  blockId: string,
  key: string,
  value: unknown,
  options: SetOptions,
): OptimisticResult {
  for (const [argument, text] of Object.entries({ name, blockId, key })) requireText("setField", argument, text);
  requireOptions("setField", options, { optimistic: FLAG });
  const given = copyJson(value, "value");
  const document = core.snapshot(name);
  if (document === undefined) return core.missing(name);
  const field = findField(document, blockId, key);
  if ("error" in field) return { ...field, instance_name: name };
  const fit = coerce(field.field, given);
  if ("error" in fit) return { ...fit, instance_name: name };
  const path = pathTo(field.steps);
  if (typeof path !== "string") return { ...path, instance_name: name };
  const call = { instance_name: name, patches: [{ op: "set", path, value: fit.value }] };
  return options.optimistic ? core.applyOptimistic(call) : core.apply(call);
}

export function renderTemplate(core: StoreCore, name: string, template: string, options: RenderOptions): string {
  requireText("render", "name", name);
  requireText("render", "template", template);
  requireOptions("render", options, { escape: oneOf("html", "none"), missing: oneOf("empty", "keep") });
  const templates = new Templates(core.snapshot(name) ?? null, core.rules(name), core.limits.maxWork);
  return templates.fill(template, options.missing === "keep", options.escape === "none" ? String : escapeHtml);
}
