/** One-place sets that cross as numbers. */
import { send } from "../bridge.js";
import * as glue from "../generated/glue.js";
import { followSet, valueAt } from "../mirror.js";
import { parsePath } from "../path.js";
import { requireKeys, requireText } from "../require.js";
import type { Change, Json, OptimisticResult, PatchResult, SetOptions } from "../types.js";
import type { Instance, StoreCore } from "./core.js";
import { readReply, success } from "./reply.js";
import { simpleReplace, simpleSet } from "./simple.js";
import { toStep } from "./text.js";

/** A path that the module knows by number, its ids spelled as keys, and where the first of them stands. */
interface KnownPath {
  number: number;
  steps: (string | number)[];
  id: number;
}

/** What a typed set of the module came to, beside the length of an answer. */
const UNCHANGED = 0;
const REFUSED = 2;
const AT_ID = 2 ** 31;
/** The module's number for what is not there. */
const NONE = 0xffff_ffff;

/** So many paths of calls are remembered as seen once. */
const MAX_SEEN = 4096;

type Scalar = string | number | boolean;

function cross(raw: glue.RawStore, slot: number, path: number, value: Scalar): number {
  if (typeof value === "number") return raw.set_number(slot, path, value);
  return typeof value === "string" ? raw.set_string(slot, path, send(value)) : raw.set_boolean(slot, path, value);
}

export class Setter {
  readonly #core: StoreCore;
  readonly #paths = new Map<string, KnownPath>();
  readonly #seen = new Set<string>();

  constructor(core: StoreCore) {
    this.#core = core;
  }

  /** A set whose snapshot gets the value as it was given. */
  set(name: string, path: string, value: Scalar, options?: SetOptions): OptimisticResult {
    if (options !== undefined) return this.byCall(name, path, value, options);
    const { handle, instances } = this.#core;
    const raw = handle.raw;
    const instance = instances.get(name);
    const known = this.#paths.get(path) ?? this.#learn(path);
    const result = instance && known && this.#attempt(raw, instance, known, value);
    return result ?? this.byCall(name, path, value);
  }

  /** What a call comes to, if it is one set at a path that is often used; else it is for the module to read. */
  take(call: unknown): PatchResult | undefined {
    const raw = this.#core.handle.raw;
    const simple = this.#core.limited ? undefined : simpleSet(call);
    if (simple === undefined) return undefined;
    const instance = this.#core.instances.get(simple.name);
    const known = instance && (this.#paths.get(simple.path) ?? this.#notice(simple.path));
    return known && this.#attempt(raw, instance, known, simple.value);
  }

  /** What a JSON Patch comes to, if it is one `replace` at a pointer that is often used, of something that is there. */
  replace(name: string, operations: unknown): PatchResult | undefined {
    const core = this.#core;
    const raw = core.handle.raw;
    const simple = core.limited ? undefined : simpleReplace(operations);
    const instance = core.instances.get(name);
    if (simple === undefined || instance === undefined) return undefined;
    const known = this.#paths.get(simple.path) ?? this.#notice(simple.path);
    if (known === undefined || valueAt(instance.snapshot, known.steps) === undefined) return undefined;
    // Beneath pending calls another document counts than the one that is seen.
    if (core.queue.has(name)) return undefined;
    return this.#attempt(raw, instance, known, simple.value);
  }

  /** Makes a set; `undefined` where the module refuses it, for the call to tell why. */
  #attempt(raw: glue.RawStore, instance: Instance, known: KnownPath, given: Scalar): PatchResult | undefined {
    const core = this.#core;
    // There is no -0 in JSON.
    const value = given === 0 ? 0 : given;
    let length: number;
    try {
      length = cross(raw, instance.slot, known.number, value);
      if (length > REFUSED && length < AT_ID) {
        const result = readReply(length);
        core.follow(result, "apply");
        return result;
      }
    } catch (cause) {
      throw core.handle.failed(cause);
    }
    if (length === REFUSED) return undefined;
    const { name } = instance;
    const changes: Change[] = [];
    const before = instance.snapshot;
    const changed = length !== UNCHANGED;
    if (changed) {
      const place = known.steps.slice();
      if (length >= AT_ID) place[known.id] = length - AT_ID;
      changes.push({ kind: "set", path: place, value });
      instance.snapshot = followSet(before, place, value, core.freeze);
      instance.revision += 1;
    }
    const result = success(name, 1, instance.revision, [], changes);
    if (changed && core.events.wanted) core.tell("change", name, result, "apply", before);
    return result;
  }

  byCall(name: string, path: string, value: Json, options: SetOptions = {}): OptimisticResult {
    requireText("set", "name", name);
    requireText("set", "path", path);
    requireKeys("set", "options", options, ["optimistic"]);
    const call = { instance_name: name, patches: [{ op: "set", path, value }] };
    return options.optimistic === true ? this.#core.queue.optimistic(call) : this.#core.apply(call);
  }

  clear(): void {
    this.#paths.clear();
    this.#seen.clear();
  }

  /** Learns a path when it is seen a second time: reading it costs more than one call gains. */
  #notice(path: string): KnownPath | undefined {
    if (this.#seen.delete(path)) return this.#learn(path);
    if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
    this.#seen.add(path);
    return undefined;
  }

  /** Has the module read a path once, to call it by number from then on. */
  #learn(path: string): KnownPath | undefined {
    requireText("set", "path", path);
    const { handle } = this.#core;
    if (this.#paths.size >= handle.call(() => glue.RawStore.max_paths())) {
      this.#paths.clear();
      handle.call((raw) => raw.forget_paths());
    }
    const parsed = parsePath(path, { rules: "open" });
    const number = handle.call((raw) => raw.path(send(path)));
    if (!parsed.ok || number === NONE) return undefined;
    const id = parsed.segments.findIndex((segment) => "id" in segment);
    const known = { number, steps: parsed.segments.map(toStep), id };
    this.#paths.set(path, known);
    return known;
  }
}
