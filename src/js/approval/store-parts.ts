/**
 * The contents of a store in parts, for servers: copied at one moment, then written as text, and later restored, one part at a
 * time.
 */

import { GenuiPatchError } from "../core/errors.js";
import type { Group, HistoryStep } from "../store/history-types.js";
import { load } from "../store/load.js";
import { saveHistory } from "../store/saved-history.js";
import type { StoreCore } from "../store/store-core.js";
import type { Json, Rules } from "../types.js";
import type { PatchProposals } from "./patches.js";
import type { Saved } from "./saved.js";

/** The objects behind a `PatchStore`, from which the parts are copied. */
export interface StoreContents {
  core: StoreCore;
  proposals: PatchProposals;
}

interface InstancePart {
  name: string;
  rules: Rules;
  document: Json;
}

interface HistoryPart {
  name: string;
  groups: Group[];
  steps: HistoryStep[];
}

/** The parts that {@link copyParts} copies. */
export interface StoreParts {
  /** The confirmed documents. */
  instances: InstancePart[];
  /** Also those of deleted instances. */
  histories: HistoryPart[];
  proposals: Saved[];
  /** The name of the active instance. */
  active: string | null;
}

/**
 * The contents of a store at this moment. Documents are immutable, and what is not is copied, so the parts stay as they are
 * while the store changes. They lack pending calls, which a server's store never has, and revisions, in place of which a
 * server counts the entries of its log.
 */
export function copyParts({ core, proposals }: StoreContents): StoreParts {
  const instances = core.names().flatMap((name): InstancePart[] => {
    const document = core.pendingCalls.confirmed(name);
    return document === undefined ? [] : [{ name, rules: core.rules(name, "confirmed"), document }];
  });
  const histories = [...core.histories.keys()].flatMap((name): HistoryPart[] => {
    const saved = saveHistory(core, name);
    return saved === undefined
      ? []
      : [{ name, groups: saved.groups.map(shallowCopy), steps: saved.steps.map(copyStep) }];
  });
  return { instances, histories, proposals: proposals.save() ?? [], active: core.active };
}

const shallowCopy = <Value extends object>(value: Value): Value => ({ ...value });

/** Copies what a history may write to: a step and the changes of its records, but not the values in these. */
const copyStep = (step: HistoryStep): HistoryStep => ({
  ...step,
  records: step.records.map(({ change, ...rest }) => ({ ...rest, change: { ...change } })),
});

/** Adds an instance to a store that lacks it. `document` is JSON text. */
export function restoreInstance(core: StoreCore, name: string, rules: Rules, document: string): void {
  const result = load(core, name, document, { rules });
  if (result.status === "error")
    throw new GenuiPatchError(result.error.code, `The saved instance "${name}": ${result.error.message}`);
}
