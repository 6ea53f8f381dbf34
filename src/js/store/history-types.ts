/** The records of a history, and the source of a change. It is JSON, and is saved as it is. */
import type { Recorded } from "../core/mirror.js";
import type { Author, Json } from "../types.js";

/** Changes that are undone together. */
export interface Group {
  /** The larger, the later the group began. Steps name their groups by it. */
  readonly number: number;
  readonly id: string;
  readonly author: Author;
  readonly time: number;
  isUndone: boolean;
  /** The place in which the user is typing. */
  place?: string | undefined;
}

/** The changes of one call, message or undo, in order. */
export interface HistoryStep {
  records: Recorded[];
  author: Author;
  /** The number of its group. Absent for what cannot be undone, such as a load. */
  group?: number | undefined;
  pendingId?: string | undefined;
  /** The documents before and after a load, until the differences are records. */
  loaded?: { before: Json | undefined; value: Json } | undefined;
  /** The draft that the step belongs to. */
  draft?: string | undefined;
  /** The pending call was rejected, so that the step has no effect any more. */
  isEnded?: boolean;
  /** The pending call, or the draft, whose changes this step takes back. It does nothing else. */
  ends?: string | undefined;
  /** The pending calls that no longer apply after this step: its records take their changes back too. */
  drops?: readonly string[] | undefined;
  /** The group that this step undoes or makes again. `kept` are the indexes of its writes that stay as they are. */
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
  /** The pending call, or the draft, whose changes are taken back. */
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
