/**
 * `UserEdits`: what users have typed into a surface, kept on top of the data that the agent sends. The model has the agent's data
 * with the pending edits applied to them.
 */
import { deepFreeze } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import type { Json } from "../types.js";
import type { DataChange, DataModel } from "./data.js";
import { indexOf, pointerOf, type Segments } from "./paths.js";
import { orRefusal, Refusal } from "./refusal.js";
import type { SurfaceEdit, SurfaceProtocol } from "./types.js";

/** An edit that the agent has not confirmed. */
interface PendingEdit {
  /** Its place, with indexes in place of `-`. */
  readonly path: Segments;
  readonly value: Json;
  /** The edit as the page sees it. */
  readonly edit: SurfaceEdit;
  /** The depths at which the path went through an item of a list when the user made the edit. */
  readonly items: readonly number[];
  /** How the edit has changed the model; `undefined` while it is not applied. */
  change: DataChange | undefined;
}

export class UserEdits {
  #pending: PendingEdit[] = [];
  /** The cached answer of {@link list}. */
  #list: readonly SurfaceEdit[] | undefined;

  /** `onChange` gets each change of the model that this class makes. */
  constructor(
    private readonly model: DataModel,
    private readonly onChange: (change: DataChange) => void,
  ) {}

  /** The edits that the agent has not confirmed, in their order: the same list until one of them changes. */
  get list(): readonly SurfaceEdit[] {
    this.#list ??= Object.freeze(this.#pending.map(({ edit }) => edit));
    return this.#list;
  }

  /**
   * Writes a value for the user. It replaces earlier edits at the same place and below. Returns the change of the model;
   * `undefined` if the value is there already.
   * @throws Refusal
   */
  write(path: Segments, value: Json, protocol: SurfaceProtocol): DataChange | undefined {
    deepFreeze(value);
    const items = this.#itemsOn(path, protocol);
    const change = this.model.update(path, value, protocol);
    if (change === undefined) return undefined;
    this.onChange(change);
    const place = this.#placeOf(path);
    const edit: SurfaceEdit = Object.freeze({ path: pointerOf(place), value, author: USER });
    const pendingEdit = { path: place, value, edit, items, change };
    this.#list = undefined;
    const remainingEdits = this.#pending.filter((earlier) => !isWithin(earlier.path, place));
    if (remainingEdits.length === this.#pending.length) {
      this.#pending.push(pendingEdit);
    } else {
      // Reverts this edit and all earlier ones, newest first, and applies those that remain and this one again: the replaced
      // edits are then gone from the model.
      this.#revert(change);
      this.runWithoutEdits(protocol, () => {
        this.#pending = [...remainingEdits, { ...pendingEdit, change: undefined }];
      });
    }
    return change;
  }

  /**
   * Reverts the edits, calls a function that changes the agent's data, and applies the edits again. An edit whose value the agent
   * has sent meanwhile is confirmed, and leaves the list.
   */
  runWithoutEdits<Result>(protocol: SurfaceProtocol, change: () => Result): Result {
    if (this.#pending.length === 0) return change();
    for (const pendingEdit of this.#pending.slice().reverse()) {
      if (pendingEdit.change) this.#revert(pendingEdit.change);
      pendingEdit.change = undefined;
    }
    try {
      return change();
    } finally {
      this.#apply(protocol);
    }
  }

  /** Applies the pending edits to the model, in order, and removes those that the agent has confirmed. */
  #apply(protocol: SurfaceProtocol): void {
    const remainingEdits = this.#pending.filter((pendingEdit) => {
      const { path, value, items } = pendingEdit;
      const agentValue = this.model.read(path, protocol === "a2ui-0.8");
      if (agentValue !== undefined && equal(agentValue, value)) return false;
      const itemsNow = this.#itemsOn(path, protocol);
      // An edit of an item that the agent has removed waits; so does one where a scalar is in the way.
      if (!items.every((depth) => itemsNow.includes(depth))) return true;
      const change = orRefusal(() => this.model.update(path, value, protocol));
      if (change instanceof Refusal || change === undefined) return true;
      pendingEdit.change = change;
      this.onChange(change);
      return true;
    });
    if (remainingEdits.length !== this.#pending.length) this.#list = undefined;
    this.#pending = remainingEdits;
  }

  /** The depths at which a path goes through an item of a list. */
  #itemsOn(path: Segments, protocol: SurfaceProtocol): number[] {
    // In A2UI v0.8 a string may hold the JSON of a list.
    const inTexts = protocol === "a2ui-0.8";
    return [...path.keys()].filter((depth) => {
      const value = this.model.read(path.slice(0, depth), inTexts);
      const holder = typeof value === "string" && inTexts ? this.model.parsedText(value) : value;
      const index = indexOf(path[depth] ?? "");
      return Array.isArray(holder) && index !== undefined && index < holder.length;
    });
  }

  /** The place of a value that was just written to a path: where the path has `-`, the value is in the last item of the list. */
  #placeOf(path: Segments): Segments {
    const place: string[] = [];
    for (const segment of path) {
      const holder = segment === "-" ? this.model.read(place) : undefined;
      place.push(Array.isArray(holder) ? String(holder.length - 1) : segment);
    }
    return place;
  }

  /** Reverts a change of the model. */
  #revert(change: DataChange): void {
    this.onChange(this.model.revert(change));
  }
}

const USER: SurfaceEdit["author"] = /* @__PURE__ */ Object.freeze({ kind: "user" });

/** Whether a place is another one or in it. */
const isWithin = (path: Segments, place: Segments): boolean =>
  path.length >= place.length && place.every((segment, depth) => segment === path[depth]);
