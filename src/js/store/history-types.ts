/** The groups and steps of a history, which `save()` writes as JSON unchanged, and the source of a change. */
import type { Recorded } from "../core/mirror.js";
import type { Author, Json } from "../types.js";

/** Changes that are undone together. */
export interface Group {
  /** The larger, the later the group began. Steps name their groups by this number. */
  readonly number: number;
  /** The `group` of the sources of its changes, or an id that the history has made. */
  readonly id: string;
  readonly author: Author;
  /** When the group began, in milliseconds since the epoch. */
  readonly time: number;
  isUndone: boolean;
  /** The path, as JSON text, of the value that the user is typing: the next change of the same value joins the group. */
  place?: string | undefined;
}

/** The changes of one call, message or undo, in order. */
export interface HistoryStep {
  records: Recorded[];
  author: Author;
  /** The number of its group. Absent for what cannot be undone, such as a load. */
  group?: number | undefined;
  /** The pending call or the draft that made the step; it may have been settled since. */
  pendingId?: string | undefined;
  /** The documents before and after a load. They are kept until the history is read, and then replaced by records. */
  loaded?: { before: Json | undefined; value: Json } | undefined;
  /** Set for a step of a draft that was not committed: the pending id of the draft, or "" in the step that opened it. */
  draft?: string | undefined;
  /** The pending call was rejected, so that the step has no effect any more. */
  isEnded?: boolean;
  /** The pending call, or the draft, whose changes this step reverts. It does nothing else. */
  ends?: string | undefined;
  /** The pending calls that no longer apply after this step: its records revert their changes too. */
  drops?: readonly string[] | undefined;
  /**
   * The group that this step undoes or makes again. `kept`: the indexes of those of the group's writes that are not undone,
   * because later changes conflict with them.
   */
  reverts?: { group: number; isRedo: boolean; kept: number[] } | undefined;
}

/** The author of a change, and how the history records it. */
export interface Source {
  readonly author: Author;
  /** The group that the caller has given. */
  readonly group?: string | undefined;
  /** The change sets one value that a user is typing: consecutive changes of the value are one group. */
  readonly isTyping?: boolean;
  /** The change is a document from the server, which no user undoes. */
  readonly isLoad?: boolean;
  /** The pending id of the draft that the change belongs to; "" for the change that opens the draft. */
  readonly draft?: string | undefined;
  /** The pending call that a message settles: its changes belong to the group of the call. */
  readonly settles?: string;
  /** The pending id of the draft that the change takes the place of: the draft's steps belong to the group of the change. */
  readonly commits?: string | undefined;
  /** The pending call, or the draft, whose changes are reverted. */
  readonly ends?: string;
  /** The change is an undo or a redo of this group. */
  readonly reverts?: HistoryStep["reverts"];
  /** The change is pending because of a draft, and the store itself confirms it. */
  readonly isHeld?: boolean;
  /** The pending ids of the calls that an undo reverts. If one of them no longer applies, the undo makes no sense. */
  readonly undoes?: readonly string[] | undefined;
}

/** How a change is related to pending calls. */
export interface PendingRelation {
  /** The pending call that the change is part of. */
  readonly pendingId?: string | undefined;
  /** The pending calls that no longer apply after the change. */
  readonly drops: readonly string[] | undefined;
}
