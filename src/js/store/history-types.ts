/** The groups and steps of a history, which are JSON and are saved unchanged, and the source of a change. */
import type { Recorded } from "../core/mirror.js";
import type { Author, Json } from "../types.js";

/** Changes that are undone together. */
export interface Group {
  /** The larger, the later the group began. Steps name their groups by this number. */
  readonly number: number;
  /** The `group` of the sources of its changes, or an id that the history has made. */
  readonly id: string;
  readonly author: Author;
  readonly time: number;
  isUndone: boolean;
  /** The path of the value that the user is typing: the next change of the same value joins the group. */
  place?: string | undefined;
}

/** The changes of one call, message or undo, in order. */
export interface HistoryStep {
  records: Recorded[];
  author: Author;
  /** The number of its group. Absent for what cannot be undone, such as a load. */
  group?: number | undefined;
  pendingId?: string | undefined;
  /** The documents before and after a load. They are kept until the history is read, and then replaced by records. */
  loaded?: { before: Json | undefined; value: Json } | undefined;
  /** The draft that the step belongs to. */
  draft?: string | undefined;
  /** The pending call was rejected, so that the step has no effect any more. */
  isEnded?: boolean;
  /** The pending call, or the draft, whose changes this step reverts. It does nothing else. */
  ends?: string | undefined;
  /** The pending calls that no longer apply after this step: its records revert their changes too. */
  drops?: readonly string[] | undefined;
  /**
   * The group that this step undoes or makes again. `kept`: the indexes of those of the group's writes that are not undone, because
   * later changes conflict with them.
   */
  reverts?: { group: number; isRedo: boolean; kept: number[] } | undefined;
}

/** The author of a change, and how the history records it. */
export interface Source {
  readonly author: Author;
  /** The group that the caller has given. */
  readonly group?: string | undefined;
  /** The change sets one value that a user is typing: consecutive ones of a place are one group. */
  readonly isTyping?: boolean;
  /** The change is a document from the server, which no user undoes. */
  readonly isLoad?: boolean;
  /** The pending id of the draft that the change belongs to. */
  readonly draft?: string | undefined;
  /** The pending call that a message settles: its changes belong to the group of the call. */
  readonly settles?: string;
  /** The pending id of the draft whose place the change takes: what the draft has shown belongs to the group of the change. */
  readonly commits?: string | undefined;
  /** The pending call, or the draft, whose changes are reverted. */
  readonly ends?: string;
  /** The change is an undo. */
  readonly reverts?: HistoryStep["reverts"];
  /** The change is pending because of a draft, and the store itself confirms it. */
  readonly isHeld?: boolean;
  /** The pending ids of the calls that an undo is about. Where one of them no longer applies, the undo makes no sense. */
  readonly undoes?: readonly string[] | undefined;
}

/** The pending calls that a change is about. */
export interface PendingOf {
  /** The pending call that the change is part of. */
  readonly pendingId?: string | undefined;
  /** The pending calls that no longer apply after the change. */
  readonly drops: readonly string[] | undefined;
}
