/** `Setter`: sets of a scalar, the most frequent calls, which cross to the module as numbers and not as text. */
import { parsePath, toStep } from "../core/path.js";
import { FLAG, requireOptions, requireText } from "../core/require.js";
import { storeModule } from "../core/store-module.js";
import { hasLoneSurrogate } from "../core/surrogates.js";
import type { RawStore } from "../generated/store.js";
import type { Json, OptimisticResult, PatchResult, SetOptions } from "../types.js";
import type { Instance } from "./batch.js";
import { NONE, readReply, success } from "./reply.js";
import type { StoreCore } from "./store-core.js";

type Scalar = string | number | boolean;

/** A path that the module knows by number, its ids spelled as keys, and where the first of them stands. */
interface KnownPath {
  number: number;
  steps: (string | number)[];
  id: number;
}

/** What a typed set of the module came to, beside the length of an answer. */
const UNCHANGED = 0;
const AS_SPELLED = 1;
const REFUSED = 2;
const AT_ID = 2 ** 31;

/** So many paths of calls are remembered as seen once. */
const MAX_SEEN = 4096;

function cross(raw: RawStore, slot: number, path: number, value: Scalar): number {
  if (typeof value === "number") return raw.set_number(slot, path, value);
  return typeof value === "string"
    ? raw.set_string(slot, path, storeModule.send(value))
    : raw.set_boolean(slot, path, value);
}

export class Setter {
  readonly #paths = new Map<string, KnownPath>();
  readonly #seen = new Set<string>();

  constructor(private readonly core: StoreCore) {}

  /** A set whose snapshot gets the value as it was given. */
  set(name: string, path: string, value: Scalar, options?: SetOptions): OptimisticResult {
    if (options !== undefined) return this.byCall(name, path, value, options);
    const { handle, instances } = this.core;
    const raw = handle.raw;
    const instance = instances.get(name);
    const known = this.#paths.get(path) ?? this.#learn(path);
    const result = instance && known && this.#attempt(raw, instance, known, value);
    return result ?? this.byCall(name, path, value);
  }

  /** What a call comes to, if it is one set at a path that is often used; else it is for the module to read. */
  take(call: unknown): PatchResult | undefined {
    const { handle, instances, limited } = this.core;
    const raw = handle.raw;
    const set = limited ? undefined : simpleSet(call);
    const instance = set && instances.get(set.name);
    const path = set && (this.#paths.get(set.path) ?? this.#notice(set.path));
    return instance && path && this.#attempt(raw, instance, path, set.value);
  }

  /** Makes a set; `undefined` where the module refuses it, for the call to tell why. */
  #attempt(raw: RawStore, instance: Instance, known: KnownPath, given: Scalar): PatchResult | undefined {
    const core = this.core;
    // There is no -0 in JSON.
    const value = given === 0 ? 0 : given;
    let answer: number;
    try {
      answer = cross(raw, instance.slot, known.number, value);
      if (answer > REFUSED && answer < AT_ID) {
        const reply = readReply(answer);
        core.follow(reply, "apply");
        return reply.result;
      }
    } catch (cause) {
      throw core.handle.failed(cause);
    }
    if (answer === REFUSED) return undefined;
    const { name } = instance;
    if (answer === UNCHANGED) return success(name, 1, instance.revision, [], []);
    const path = known.steps.slice();
    if (answer !== AS_SPELLED) path[known.id] = answer - AT_ID;
    const result = success(name, 1, instance.revision + 1, [], [{ kind: "set", path, value }]);
    core.change(name, instance, result, "apply");
    return result;
  }

  byCall(name: string, path: string, value: Json, options: SetOptions = {}): OptimisticResult {
    requireText("set", "name", name);
    requireText("set", "path", path);
    requireOptions("set", options, { optimistic: FLAG });
    const call = { instance_name: name, patches: [{ op: "set", path, value }] };
    return options.optimistic ? this.core.applyOptimistic(call) : this.core.apply(call);
  }

  clear(): void {
    this.#seen.clear();
    this.#paths.clear();
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
    const { handle } = this.core;
    if (this.#paths.size >= handle.call(() => storeModule.glue.RawStore.max_paths())) {
      this.#paths.clear();
      handle.call((raw) => raw.forget_paths());
    }
    const parsed = parsePath(path, { rules: "open" });
    const number = handle.call((raw) => raw.path(storeModule.send(path)));
    if (!parsed.ok || number === NONE) return undefined;
    const id = parsed.segments.findIndex((segment) => "id" in segment);
    const known = { number, steps: parsed.segments.map(toStep), id };
    this.#paths.set(path, known);
    return known;
  }
}

/** Longer texts are left to the module, which would read them a second time. */
const LONGEST = 1024;

/** The set that a call comes to; `undefined` for all that is not plainly one, valid or not. */
function simpleSet(call: unknown): { name: string; path: string; value: Scalar } | undefined {
  if (typeof call === "string" && !mayBeSimple(call)) return undefined;
  try {
    const read: unknown = typeof call === "string" ? JSON.parse(call) : call;
    if (!isPlain(read, 2) || !Array.isArray(read.patches) || read.patches.length !== 1) return undefined;
    const patch: unknown = read.patches[0];
    if (!isPlain(patch, 3) || patch.op !== "set") return undefined;
    const name = read.instance_name ?? read.instanceId;
    const { path, value } = patch;
    return typeof name === "string" && typeof path === "string" && isScalar(value) ? { name, path, value } : undefined;
  } catch {
    // Of a text that is no JSON, and of a getter that throws, the long way says why.
    return undefined;
  }
}

/** Whether a text may be one set of a scalar: it names a set, and has a call and a patch in it, but no third object. */
function mayBeSimple(text: string): boolean {
  if (text.length > LONGEST || !text.includes('"set"')) return false;
  const patch = text.indexOf("{", text.indexOf("{") + 1);
  return !text.includes("{", patch + 1);
}

/** Whether JSON shows a value as an object with so many keys: nothing of its own making has a say in that. */
function isPlain(value: unknown, keys: number): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.keys(value).length === keys;
}

/** Whether the module reads the value as it stands here. */
function isScalar(value: unknown): value is Scalar {
  if (typeof value === "string") return !hasLoneSurrogate(value);
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}
