/// <reference lib="esnext.disposable" preserve="true" />
/** `PatchStore`: named documents, the calls that change them, and their snapshots. */
import { Handle, receive, receiveJson, send } from "./bridge.js";
import { GenuiPatchError } from "./errors.js";
import { Events } from "./events.js";
import * as glue from "./generated/glue.js";
import { toText } from "./json.js";
import { deepFreeze, follow, followSet, valueAt } from "./mirror.js";
import { parsePath } from "./path.js";
import { requireFunction, requireKeys, requireObject, requireRules, requireText, wrong } from "./require.js";
import type {
  Change,
  DeepReadonly,
  Json,
  PatchCall,
  PatchResult,
  PatchStoreOptions,
  PathSegment,
  Rules,
  Skipped,
  StoreEvent,
} from "./types.js";

interface Instance {
  slot: number;
  snapshot: Json;
  revision: number;
}

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

/** Texts whose values the module reads otherwise than JSON.parse: lone surrogates and -0. */
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const DIFFERS = new RegExp(`${LONE.source}|\\\\u[dD][89a-fA-F]|-0|-[\\d.]+[eE]-`);

/**
 * Instances of a page, changed by an agent's patch calls and by the page: validated, atomic, each with an immutable
 * snapshot that shares what did not change with the one before.
 *
 * ```ts
 * const store = new PatchStore();
 * store.apply({ instance_name: "__CREATE__", new_instance_name: "counter" });
 * store.apply({ instance_name: "counter", patches: [{ op: "increment", path: "state.params.count" }] });
 * store.get("counter", "state.params.count"); // 1
 * ```
 *
 * What an agent sent never throws: it answers `{ status: "error", error: { code, message, solution } }`, and the
 * instance is as it was. Misuse by the page throws {@link GenuiPatchError}.
 */
export class PatchStore {
  readonly #handle: Handle<glue.RawStore>;
  readonly #instances = new Map<string, Instance>();
  readonly #paths = new Map<string, KnownPath>();
  readonly #events = new Events();
  readonly #freeze: boolean;
  #active: string | null = null;

  /** @throws GenuiPatchError `INVALID_ARGUMENT` for options that are not understood. */
  constructor(options?: PatchStoreOptions);
  constructor(options: PatchStoreOptions = {}, ...[saved]: [saved?: string]) {
    const text = readOptions(options);
    this.#freeze = options.freeze ?? true;
    this.#handle = new Handle(() =>
      saved === undefined ? new glue.RawStore(send(text)) : glue.RawStore.restore(text, send(saved)),
    );
    if (saved !== undefined) this.#take(saved);
  }

  /**
   * A store from the text of {@link PatchStore.save}.
   * @throws GenuiPatchError with the code of what is wrong with the text.
   */
  static restore(saved: string, options: PatchStoreOptions = {}): PatchStore {
    requireText("restore", "saved text", saved);
    const Restored = PatchStore as new (options: PatchStoreOptions, saved: string) => PatchStore;
    return new Restored(options, saved);
  }

  /** The store as text: instances, rules, revisions, the active one. Options are not in it. */
  save(): string {
    return this.#handle.call((raw) => receive(raw.save()));
  }

  /**
   * Takes an authoritative document, whole, in place of what the instance held, or as a new instance.
   * `document` is a value or its JSON text. Without `rules` an instance keeps those that it is under.
   */
  load(name: string, document: unknown, options: { rules?: Rules } = {}): PatchResult {
    requireText("load", "name", name);
    requireKeys("load", "options", options, ["rules"]);
    requireRules("load", options.rules);
    return this.#load(wellFormed(name), document, options.rules);
  }

  #load(name: string, document: unknown, rules: Rules | undefined): PatchResult {
    const text = typeof document === "string" ? document : toText(document, "document");
    const number = rules === undefined ? 0 : rules === "open" ? 2 : 1;
    this.#stage(name);
    const result = this.#handle.call((raw) => readReply(raw.load(send(text), number)));
    if (result.status === "error") return result;
    const value = DIFFERS.test(text) ? this.#document() : (JSON.parse(text) as Json);
    const before = this.#instances.get(name);
    this.#put(name, value, result.revision);
    result.changes = [{ kind: "set", path: [], value }];
    this.#tell(before === undefined ? "create" : "change", name, result, "load", before?.snapshot);
    return result;
  }

  /** Applies an authoritative call: an object, or its JSON text. */
  apply(call: PatchCall | string): PatchResult {
    const text = typeof call === "string" ? call : toText(call, "call");
    const raw = this.#handle.raw;
    let result: PatchResult;
    try {
      result = readReply(raw.apply(send(text)));
    } catch (cause) {
      throw this.#handle.failed(cause);
    }
    this.#follow(result);
    return result;
  }

  /** Sets one number: as a call with one `set`, but without its text. */
  setNumber(name: string, path: string, value: number): PatchResult {
    if (typeof value !== "number" || !Number.isFinite(value))
      throw wrong("setNumber", "value", "a finite number", value);
    return this.#set(name, path, value === 0 ? 0 : value, (raw, slot, number) => raw.set_number(slot, number, value));
  }

  /** Sets one string: as a call with one `set`, but without its text. */
  setString(name: string, path: string, value: string): PatchResult {
    if (typeof value !== "string") throw wrong("setString", "value", "a string", value);
    // Lone surrogates come back replaced: only the module's answer tells the snapshot how.
    if (LONE.test(value)) return this.#setByCall(name, path, value);
    return this.#set(name, path, value, (raw, slot, number) => raw.set_string(slot, number, send(value)));
  }

  /** Sets one boolean: as a call with one `set`, but without its text. */
  setBoolean(name: string, path: string, value: boolean): PatchResult {
    if (typeof value !== "boolean") throw wrong("setBoolean", "value", "a boolean", value);
    return this.#set(name, path, value, (raw, slot, number) => raw.set_boolean(slot, number, value));
  }

  /** What the person sees: the same object until it changes, frozen. `undefined` for an instance that is not there. */
  snapshot(name: string): DeepReadonly<Json> | undefined {
    requireText("snapshot", "name", name);
    return this.#find(name)?.snapshot as DeepReadonly<Json> | undefined;
  }

  /**
   * The value at a path of an instance, `undefined` where there is none.
   * @throws GenuiPatchError `INVALID_PATH` for a path outside the grammar.
   */
  get(name: string, path: string): DeepReadonly<Json> | undefined {
    requireText("get", "name", name);
    const instance = this.#find(name);
    const parsed = readPath("get", path);
    if (instance === undefined) return undefined;
    if (!parsed.some((segment) => "id" in segment)) {
      return valueAt(instance.snapshot, parsed.map(toStep)) as DeepReadonly<Json> | undefined;
    }
    this.#stage(name);
    const place = this.#handle.call((raw) => receiveJson<(string | number)[] | null>(raw.resolve(send(path))));
    return place === null ? undefined : (valueAt(instance.snapshot, place) as DeepReadonly<Json> | undefined);
  }

  /** The names of the instances, in the order in which they came. */
  names(): string[] {
    this.#handle.raw;
    return [...this.#instances.keys()];
  }

  /** How often an instance has changed since it came; 0 for one that is not there. */
  revision(name: string): number {
    requireText("revision", "name", name);
    return this.#find(name)?.revision ?? 0;
  }

  /** The instance that the person is looking at. Setting a name that is not there throws `INVALID_INSTANCE`. */
  get active(): string | null {
    this.#handle.raw;
    return this.#active;
  }

  set active(name: string | null) {
    if (name !== null) {
      requireText("active", "name", name);
      this.#stage(name);
    }
    this.#handle.call((raw) => raw.set_active(name === null));
    const active = name === null ? null : wellFormed(name);
    if (this.#active === active) return;
    this.#active = active;
    this.#tellActive(active);
  }

  /**
   * Calls the listener after every change, once the call has its result; with `instance` or `path` only for changes of
   * that instance, or at, above or below that place. Returns what ends the subscription.
   */
  subscribe(listener: (event: StoreEvent) => void, filter: { instance?: string; path?: string } = {}): () => void {
    this.#handle.raw;
    requireFunction("subscribe", "listener", listener);
    requireKeys("subscribe", "filter", filter, ["instance", "path"]);
    if (filter.instance !== undefined) requireText("subscribe", "instance", filter.instance);
    const segments = filter.path === undefined ? undefined : readPath("subscribe", filter.path);
    return this.#events.subscribe(listener, { instance: filter.instance && wellFormed(filter.instance), segments });
  }

  /** Gives the store's memory back. May be called twice; everything else then throws `DISPOSED`. */
  dispose(): void {
    this.#handle.dispose();
    this.#instances.clear();
    this.#paths.clear();
    this.#events.clear();
  }

  /** {@link PatchStore.dispose} */
  declare [Symbol.dispose]: () => void;

  /** An instance. A half of a surrogate pair in a name is U+FFFD in the module, so it is here. */
  #find(name: string): Instance | undefined {
    this.#handle.raw;
    return this.#instances.get(name) ?? this.#instances.get(wellFormed(name));
  }

  /** Brings a new store up to what its module has read from a saved text. */
  #take(saved: string): void {
    type Saved = { active: string | null; instances: { name: string; revision: number; document: Json }[] };
    const known = JSON.parse(saved) as Saved;
    const differs = DIFFERS.test(saved);
    for (const { name, revision, document } of known.instances) {
      this.#stage(name);
      this.#put(wellFormed(name), differs ? this.#document() : document, revision);
    }
    this.#active = known.active === null ? null : wellFormed(known.active);
  }

  #stage(name: string): void {
    this.#handle.call((raw) => raw.stage(send(name)));
  }

  /** The document of the staged name, from the module. */
  #document(): Json {
    return this.#handle.call((raw) => receiveJson<Json>(raw.document()));
  }

  /** Holds a new document. Its name is staged. */
  #put(name: string, snapshot: Json, revision: number): void {
    if (this.#freeze) deepFreeze(snapshot);
    this.#instances.set(name, { slot: this.#handle.call((raw) => raw.slot()), snapshot, revision });
  }

  /** A set whose snapshot gets the value as it was given. */
  #set(
    name: string,
    path: string,
    value: Json,
    set: (raw: glue.RawStore, slot: number, path: number) => number,
  ): PatchResult {
    const raw = this.#handle.raw;
    const instance = this.#instances.get(name);
    const known = this.#paths.get(path) ?? this.#learn(path);
    if (instance === undefined || known === undefined) return this.#setByCall(name, path, value);
    let length: number;
    try {
      length = set(raw, instance.slot, known.number);
      if (length > REFUSED) {
        const result = readReply(length);
        this.#follow(result);
        return result;
      }
    } catch (cause) {
      throw this.#handle.failed(cause);
    }
    if (length === REFUSED) return this.#setByCall(name, path, value);
    const changes: Change[] = [];
    const before = instance.snapshot;
    if (length === AS_SPELLED) {
      const place = known.steps;
      changes.push({ kind: "set", path: place.slice(), value });
      instance.snapshot = followSet(before, place, value, this.#freeze);
      instance.revision += 1;
    }
    const result = success(name, 1, instance.revision, [], changes);
    if (length === AS_SPELLED && this.#events.wanted) this.#tell("change", name, result, "apply", before);
    return result;
  }

  #setByCall(name: string, path: string, value: Json): PatchResult {
    requireText("set", "name", name);
    return this.apply({ instance_name: name, patches: [{ op: "set", path, value }] });
  }

  /** Has the module read a path once, to call it by number from then on. */
  #learn(path: string): KnownPath | undefined {
    requireText("set", "path", path);
    if (this.#paths.size >= this.#handle.call(() => glue.RawStore.max_paths())) {
      this.#paths.clear();
      this.#handle.call((raw) => raw.forget_paths());
    }
    const parsed = parsePath(path, { rules: "open" });
    const number = this.#handle.call((raw) => raw.path(send(path)));
    if (!parsed.ok || number === NONE) return undefined;
    const known = { number, steps: parsed.segments.map(toStep) };
    this.#paths.set(path, known);
    return known;
  }

  /** Brings the snapshots up to date with what a call came to. */
  #follow(result: PatchResult): void {
    const { instance_name: name, changes, revision } = result;
    if (name === undefined || changes === undefined || revision === undefined || changes.length === 0) return;
    const instance = this.#instances.get(name);
    const before = instance?.snapshot;
    const after = follow(before, changes, this.#freeze);
    if (after === undefined) {
      this.#instances.delete(name);
      this.#tell("delete", name, result, "apply", before);
      if (this.#active === name) {
        this.#active = null;
        this.#tellActive(null);
      }
    } else if (instance === undefined) {
      this.#stage(name);
      this.#put(name, after, revision);
      this.#tell("create", name, result, "apply", before);
    } else {
      instance.snapshot = after;
      instance.revision = revision;
      this.#tell("change", name, result, "apply", before);
    }
  }

  #tell(
    type: StoreEvent["type"],
    name: string,
    { changes = [], revision = 0 }: { changes?: Change[]; revision?: number },
    origin: StoreEvent["origin"],
    before: Json | undefined,
  ): void {
    if (!this.#events.wanted) return;
    const event: StoreEvent = { type, instance_name: name, changes, revision, origin };
    this.#events.tell({ event, before, after: this.#instances.get(name)?.snapshot });
  }

  #tellActive(name: string | null): void {
    this.#tell("active", name ?? "", { revision: name === null ? 0 : this.revision(name) }, "apply", undefined);
  }
}

if (Symbol.dispose !== undefined) PatchStore.prototype[Symbol.dispose] = PatchStore.prototype.dispose;

type Brief = [name: string, applied: number, revision: number, skipped: Skipped[], changes: Change[]];

/** The module's last answer: a success comes as a list of what differs between successes. */
function readReply(length: number): PatchResult {
  const reply = receiveJson<PatchResult | Brief>(length);
  return Array.isArray(reply) ? success(reply[0], reply[1], reply[2], reply[3], reply[4]) : reply;
}

function success(
  instance_name: string,
  applied: number,
  revision: number,
  skipped: Skipped[],
  changes: Change[],
): PatchResult & { status: "success" } {
  return { status: "success", instance_name, applied, skipped, changes, revision, rebased: [], conflicts: [] };
}

function readOptions(options: PatchStoreOptions): string {
  requireObject("PatchStore", "options", options);
  const { freeze, ...rest } = options;
  if (freeze !== undefined && typeof freeze !== "boolean") throw wrong("PatchStore", "freeze", "a boolean", freeze);
  return toText(rest, "options");
}

/** As the module reads it: halves of surrogate pairs are U+FFFD. */
function wellFormed(text: string): string {
  return LONE.test(text) ? text.replace(new RegExp(LONE, "g"), "\ufffd") : text;
}

function readPath(method: string, path: string): readonly PathSegment[] {
  requireText(method, "path", path);
  const parsed = parsePath(path, { rules: "open" });
  if (parsed.ok) return parsed.segments;
  throw new GenuiPatchError(parsed.error.code, `${parsed.error.message} ${parsed.error.solution}`, { path });
}

function toStep(segment: PathSegment): string | number {
  if ("key" in segment) return segment.key;
  if ("id" in segment) return segment.id;
  return "index" in segment ? segment.index : "+";
}
