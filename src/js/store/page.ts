/** What agents and the page do with the documents of a store: tools, actions, fields, templates. */

import { copyJson } from "../core/json.js";
import { requireFlag, requireFunction, requireKeys, requireObject, requireText, wrong } from "../core/require.js";
import { storeModule } from "../core/store.js";
import { type Doors, runAction } from "../document/action.js";
import { coerce, findField, rowOf } from "../document/input.js";
import { pathTo } from "../document/place.js";
import { type Refused, refuse, withinLimits } from "../document/result.js";
import { type RenderOptions, render } from "../document/template.js";
import type { ActionOptions, ActionResult, CriteriaFunctions, ToolResult } from "../document/tool-types.js";
import { type Access, callTool } from "../document/tools.js";
import type { Json, OptimisticResult, PatchCall, PatchError, PatchResult, Rules, SetOptions } from "../types.js";
import type { StoreCore } from "./core.js";

/** The public methods of a store that these parts go through. */
interface Store {
  apply(call: PatchCall | string): PatchResult;
  applyOptimistic(call: PatchCall | string): OptimisticResult;
  get(name: string, path: string): unknown;
  names(): string[];
  active: string | null;
}

export class Page implements Access, Doors {
  readonly functions: CriteriaFunctions;
  readonly #store: Store;
  readonly #core: StoreCore;

  constructor(store: Store, core: StoreCore, functions: CriteriaFunctions = {}) {
    requireObject("PatchStore", "criteria", functions);
    for (const [name, check] of Object.entries(functions)) requireFunction("PatchStore", `criterion "${name}"`, check);
    this.functions = { ...functions };
    this.#store = store;
    this.#core = core;
  }

  get maxWork(): number {
    return this.#core.limits.maxWork;
  }

  names(): string[] {
    return this.#store.names();
  }

  document(name: string): Json | undefined {
    return this.#core.find(name)?.snapshot;
  }

  rules(name: string): Rules {
    return this.#core.rules(name);
  }

  get(name: string, path: string): Json | undefined {
    return this.#store.get(name, path) as Json | undefined;
  }

  apply(call: PatchCall | string): PatchResult {
    return this.#store.apply(call);
  }

  applyOptimistic(call: PatchCall): OptimisticResult {
    return this.#store.applyOptimistic(call);
  }

  tooLong(text: string): Refused | undefined {
    return this.#core.refuseLong(text);
  }

  activate(name: string): void {
    this.#store.active = name;
  }

  /** Whether a condition holds for an instance that is there. */
  holds(name: string, condition: string): boolean | PatchError {
    this.#core.stage(name);
    return this.#core.handle.call((raw) =>
      storeModule.receiveJson<boolean | PatchError>(raw.holds(storeModule.send(condition))),
    );
  }

  missing(name: string): Refused & { instance_name: string; available_instances?: string[] } {
    if (name === "__CREATE__" || name === "__DELETE__" || name === "") {
      const solution = "Send the name of an instance.";
      const refused = refuse("INVALID_INSTANCE", `"${name}" is no instance.`, solution);
      return { ...refused, instance_name: name, available_instances: this.names().slice(0, 100) };
    }
    // A call without patches changes nothing, and is refused with the names that were perhaps meant.
    return this.#store.apply({ instance_name: name, patches: [] }) as ReturnType<Page["missing"]>;
  }

  callTool(tool: string, args: unknown): ToolResult {
    return callTool(this, tool, args);
  }

  runAction(name: string, actionId: string, options: ActionOptions): ActionResult {
    return withinLimits(() => runAction(this, name, actionId, options));
  }

  runRowAction(name: string, place: RowPlace, actionId: string, options: Omit<ActionOptions, "rowData">): ActionResult {
    requireText("runRowAction", "name", name);
    requireKeys("runRowAction", "place", place, ["block", "field", "row"]);
    requireKeys("runRowAction", "options", options, ["params", "optimistic"]);
    const { block, field: key, row: index } = place;
    if (!Number.isInteger(index) || index < 0) throw wrong("runRowAction", "row", "an index", index);
    const document = this.document(name);
    if (document === undefined) return this.missing(name);
    const field = findField(document, block, key);
    if ("error" in field) return field;
    const found = withinLimits(() => rowOf(document, this.rules(name), field, index, this.maxWork));
    return "error" in found ? found : this.runAction(name, actionId, { ...options, rowData: found.row });
  }

  setField(name: string, blockId: string, key: string, value: unknown, options: SetOptions): OptimisticResult {
    for (const [argument, text] of Object.entries({ name, blockId, key })) requireText("setField", argument, text);
    requireKeys("setField", "options", options, ["optimistic"]);
    const optimistic = requireFlag("setField", "optimistic", options.optimistic, false);
    const given = copyJson(value, "value");
    const document = this.document(name);
    if (document === undefined) return this.missing(name);
    const field = findField(document, blockId, key);
    if ("error" in field) return { ...field, instance_name: name };
    const fit = coerce(field.field, given);
    if ("error" in fit) return { ...fit, instance_name: name };
    const path = pathTo(field.steps);
    if (typeof path !== "string") return { ...path, instance_name: name };
    const patch = { op: "set" as const, path, value: fit.value };
    const call = { instance_name: name, patches: [patch] };
    return optimistic ? this.applyOptimistic(call) : this.apply(call);
  }

  render(name: string, template: string, options: RenderOptions): string {
    requireText("render", "name", name);
    requireText("render", "template", template);
    requireKeys("render", "options", options, ["escape", "missing"]);
    const { escape: how, missing } = options;
    if (how !== undefined && how !== "html" && how !== "none") {
      throw wrong("render", "escape", '"html" or "none"', how);
    }
    if (missing !== undefined && missing !== "empty" && missing !== "keep") {
      throw wrong("render", "missing", '"empty" or "keep"', missing);
    }
    return render(this.document(name) ?? null, this.rules(name), template, options, this.maxWork);
  }
}

/** A row of a table field. */
export interface RowPlace {
  block: string;
  field: string;
  /** Its index. */
  row: number;
}
