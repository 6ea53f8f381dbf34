/** What is inside a `PatchStore`: the module's store, the snapshots that follow it, and who is told. */
import { Handle, receiveJson, send } from "../bridge.js";
import { Events } from "../events.js";
import * as glue from "../generated/glue.js";
import { toText } from "../json.js";
import { deepFreeze, follow } from "../mirror.js";
import { requireObject, wrong } from "../require.js";
import type { Change, Json, PatchResult, PatchStoreOptions, StoreEvent } from "../types.js";
import { readReply } from "./reply.js";
import { readsDifferently, wellFormed } from "./text.js";

export interface Instance {
  name: string;
  slot: number;
  snapshot: Json;
  revision: number;
}

/** Parts of a store's public methods stand in files of their own and work on this. */
export class StoreCore {
  readonly handle: Handle<glue.RawStore>;
  readonly instances = new Map<string, Instance>();
  readonly events = new Events();
  readonly freeze: boolean;
  /** Whether limits other than the defaults hold, by which even a small call may be refused. */
  readonly limited: boolean;
  active: string | null = null;
  #staged: string | undefined;

  constructor(options: PatchStoreOptions, saved: string | undefined) {
    const text = readOptions(options);
    this.freeze = options.freeze ?? true;
    this.limited = options.limits !== undefined;
    this.handle = new Handle(() =>
      saved === undefined ? new glue.RawStore(send(text)) : glue.RawStore.restore(text, send(saved)),
    );
    if (saved !== undefined) this.#take(saved);
  }

  /** Brings a new store up to what its module has read from a saved text. */
  #take(saved: string): void {
    type Saved = { active: string | null; instances: { name: string; revision: number; document: Json }[] };
    const known = JSON.parse(saved) as Saved;
    const differs = readsDifferently(saved);
    for (const { name, revision, document } of known.instances) {
      this.stage(name);
      this.put(wellFormed(name), differs ? this.document() : document, revision);
    }
    this.active = known.active === null ? null : wellFormed(known.active);
  }

  /** An instance. A half of a surrogate pair in a name is U+FFFD in the module, so it is here. */
  find(name: string): Instance | undefined {
    this.handle.raw;
    return this.instances.get(name) ?? this.instances.get(wellFormed(name));
  }

  /** Gives the module the name for the next call. */
  stage(name: string): void {
    // Most calls in a row are about one instance.
    if (name === this.#staged) return void this.handle.raw;
    this.handle.call((raw) => raw.stage(send(name)));
    this.#staged = name;
  }

  /** The document of the staged name, from the module. */
  document(): Json {
    return this.handle.call((raw) => receiveJson<Json>(raw.document()));
  }

  /** Holds a new document. Its name is staged. */
  put(name: string, snapshot: Json, revision: number): void {
    if (this.freeze) deepFreeze(snapshot);
    this.instances.set(name, { name, slot: this.handle.call((raw) => raw.slot()), snapshot, revision });
  }

  /** What applying a call would answer. Nothing changes. */
  preview(call: string): PatchResult {
    return this.handle.call((raw) => readReply(raw.preview(send(call))));
  }

  /** Makes edits that are no call's, all or none. */
  edit(name: string, changes: readonly Change[], origin: StoreEvent["origin"]): PatchResult {
    this.stage(name);
    const result = this.handle.call((raw) => readReply(raw.edit(send(JSON.stringify(changes)))));
    this.follow(result, origin);
    return result;
  }

  /** Applies an authoritative call. */
  apply(call: unknown, origin: StoreEvent["origin"] = "apply"): PatchResult {
    const text = typeof call === "string" ? call : toText(call, "call");
    const raw = this.handle.raw;
    let result: PatchResult;
    try {
      result = readReply(raw.apply(send(text)));
    } catch (cause) {
      throw this.handle.failed(cause);
    }
    this.follow(result, origin);
    return result;
  }

  /** Brings the snapshots up to date with what a call came to. */
  follow(result: PatchResult, origin: StoreEvent["origin"]): void {
    const { instance_name: name, changes, revision } = result;
    if (name === undefined || changes === undefined || revision === undefined || changes.length === 0) return;
    const instance = this.instances.get(name);
    const before = instance?.snapshot;
    const after = follow(before, changes, this.freeze);
    if (after === undefined) {
      this.instances.delete(name);
      this.tell("delete", name, result, origin, before);
      if (this.active === name) {
        this.active = null;
        this.tellActive(null);
      }
    } else if (instance === undefined) {
      this.stage(name);
      this.put(name, after, revision);
      this.tell("create", name, result, origin, before);
    } else {
      instance.snapshot = after;
      instance.revision = revision;
      this.tell("change", name, result, origin, before);
    }
  }

  tell(
    type: StoreEvent["type"],
    name: string,
    { changes = [], revision = 0, proposalId }: { changes?: Change[]; revision?: number; proposalId?: string },
    origin: StoreEvent["origin"],
    before: Json | undefined,
  ): void {
    if (!this.events.wanted) return;
    const event: StoreEvent = { type, instance_name: name, changes, revision, origin };
    if (proposalId !== undefined) event.proposalId = proposalId;
    this.events.tell({ event, before, after: this.instances.get(name)?.snapshot });
  }

  tellActive(name: string | null): void {
    const revision = name === null ? 0 : (this.find(name)?.revision ?? 0);
    this.tell("active", name ?? "", { revision }, "apply", undefined);
  }
}

function readOptions(options: PatchStoreOptions): string {
  requireObject("PatchStore", "options", options);
  // Functions stay on this side.
  const { freeze, criteria: _, ...rest } = options;
  if (freeze !== undefined && typeof freeze !== "boolean") throw wrong("PatchStore", "freeze", "a boolean", freeze);
  return toText(rest, "options");
}
