/** One-place sets that cross as numbers. */
import { send } from "../bridge.js";
import * as glue from "../generated/glue.js";
import { followSet } from "../mirror.js";
import { parsePath } from "../path.js";
import { requireText } from "../require.js";
import type { Change, Json, PatchResult } from "../types.js";
import type { StoreCore } from "./core.js";
import { readReply, success } from "./reply.js";
import { toStep } from "./text.js";

/** A path that the module knows by number. `steps` is there when no id stands in it. */
interface KnownPath {
  number: number;
  steps: (string | number)[];
}

/** What a typed set of the module came to, beside the length of an answer. */
const AS_SPELLED = 1;
const REFUSED = 2;
/** The module's number for what is not there. */
const NONE = 0xffff_ffff;

type RawSet = (raw: glue.RawStore, slot: number, path: number) => number;

export class Setter {
  readonly #core: StoreCore;
  readonly #paths = new Map<string, KnownPath>();

  constructor(core: StoreCore) {
    this.#core = core;
  }

  /** A set whose snapshot gets the value as it was given. */
  set(name: string, path: string, value: Json, set: RawSet): PatchResult {
    const core = this.#core;
    const raw = core.handle.raw;
    const instance = core.instances.get(name);
    const known = this.#paths.get(path) ?? this.#learn(path);
    if (instance === undefined || known === undefined) return this.byCall(name, path, value);
    let length: number;
    try {
      length = set(raw, instance.slot, known.number);
      if (length > REFUSED) {
        const result = readReply(length);
        core.follow(result, "apply");
        return result;
      }
    } catch (cause) {
      throw core.handle.failed(cause);
    }
    if (length === REFUSED) return this.byCall(name, path, value);
    const changes: Change[] = [];
    const before = instance.snapshot;
    if (length === AS_SPELLED) {
      const place = known.steps;
      changes.push({ kind: "set", path: place.slice(), value });
      instance.snapshot = followSet(before, place, value, core.freeze);
      instance.revision += 1;
    }
    const result = success(name, 1, instance.revision, [], changes);
    if (length === AS_SPELLED && core.events.wanted) core.tell("change", name, result, "apply", before);
    return result;
  }

  byCall(name: string, path: string, value: Json): PatchResult {
    requireText("set", "name", name);
    return this.#core.apply({ instance_name: name, patches: [{ op: "set", path, value }] });
  }

  clear(): void {
    this.#paths.clear();
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
    const known = { number, steps: parsed.segments.map(toStep) };
    this.#paths.set(path, known);
    return known;
  }
}
