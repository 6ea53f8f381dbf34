/** `Decisions`: reports to a model how the user decided on its proposals, and which parts were applied. */
import type { CallProposal, Outcome, Proposal, ProposalStatus } from "../approval/types.js";
import { cut } from "../core/errors.js";
import type { Hunk } from "../types.js";
import { type CallLabel, lineOf } from "./reply.js";

/** Proposals whose decisions are still to be reported. With more, the oldest are forgotten. */
const MAX_FOLLOWED = 1_000;
/** Parts of a proposal that a message lists. */
const MAX_LISTED = 20;

/** What a model reads about a proposal that was not approved, by status. */
const MESSAGES: { readonly [status in Exclude<ProposalStatus, "approved" | "pending">]: string } = {
  refused: "Nothing was changed. Do not send it again unless you are asked to.",
  stale: "Nothing was changed: its target has changed. Send a new call if it is still wanted.",
};

/** What a model reads first about an approved proposal, by how much of it was applied. */
const EXTENTS: { readonly [extent in Outcome<unknown>["extent"]]: string } = {
  all: "It was applied.",
  part: "Only a part of it was applied.",
  none: "It was approved without any of its changes: nothing was changed.",
  edited: "It was applied with the user's own changes.",
};

export class Decisions {
  /** By `keyOf` a proposal: its call, and its status at the last report. */
  readonly #followed = new Map<string, { call: CallLabel; reported: ProposalStatus }>();

  /** Begins to report on the proposal of a call. */
  follow({ id, tool }: CallLabel, proposal: Proposal | CallProposal): void {
    const key = keyOf(proposal);
    if (this.#followed.has(key)) return;
    this.#followed.set(key, { call: { id, tool }, reported: "pending" });
    const [oldest = key] = this.#followed.keys();
    if (this.#followed.size > MAX_FOLLOWED) this.#followed.delete(oldest);
  }

  /**
   * A text with a line for each proposal whose status has changed since the last report; empty if none has. A settled proposal is
   * reported once. A stale one stays in `#followed`: it may become pending again, which is not reported, and be settled later.
   */
  report(proposals: readonly (Proposal | CallProposal)[]): string {
    let lines = "";
    for (const proposal of proposals) {
      const key = keyOf(proposal);
      const followed = this.#followed.get(key);
      const { kind, target, status, reason, effective } = proposal;
      // The effect of an approval is unknown while a file is being written, or a call is being executed. Both may fail.
      const isUnderWay = status === "approved" && effective === undefined;
      if (!followed || followed.reported === status || isUnderWay) continue;
      followed.reported = status;
      if (status === "pending") continue;
      if (status !== "stale") this.#followed.delete(key);
      const message = status === "approved" ? outcomeText(proposal) : MESSAGES[status];
      const details = { status, message, kind, target, reason, approved: otherThanProposed(proposal) };
      const result = kind === "call" && status === "approved" ? { result: effective } : {};
      lines += `${lineOf(followed.call, JSON.stringify({ ...details, ...result }))}\n`;
    }
    return lines && `What became of your proposals:\n${lines}\n`;
  }
}

/** Ids are unique only among the proposals of one kind. */
const keyOf = ({ kind, id }: Proposal | CallProposal) => kind + id;

/**
 * The values that the user approved, if they differ from the proposed ones. For a part of a file `outcomeText` names the lines,
 * so the text is left out unless the user has edited it.
 */
function otherThanProposed({ kind, outcome, approved }: Proposal | CallProposal): unknown {
  // A call has no outcome, and `approved` only if the user has changed its arguments.
  if (kind === "call") return approved;
  const extent = outcome?.extent;
  if (kind === "file") return extent === "edited" ? approved : undefined;
  return extent === undefined || extent === "all" ? undefined : approved;
}

/** Sentences about an approved proposal: the parts that were applied, omitted or edited. */
function outcomeText(proposal: Proposal | CallProposal): string {
  if (proposal.kind === "call")
    return proposal.approved ? "It was executed with the user's own arguments." : "It was executed.";
  const { outcome } = proposal;
  if (outcome === undefined || outcome.extent === "all") return EXTENTS.all;
  const lists = FATES.flatMap((fate) => {
    const names = namesOf(proposal, fate);
    const more = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : "";
    return names.length === 0 ? [] : `${LABELS[fate]} ${names.slice(0, MAX_LISTED).join(", ")}${more}.`;
  });
  return [EXTENTS[outcome.extent], ...lists].join(" ");
}

/** The words before the list of these parts. */
const LABELS: { readonly [fate in Fate]: string } = {
  applied: "As proposed:",
  omitted: "Not applied:",
  edited: "In the user's own way:",
};

/** The outcomes of a part of a proposal: the lists of `Outcome`. */
const FATES = ["applied", "omitted", "edited"] as const;
type Fate = (typeof FATES)[number];

/** The parts of a proposal that were applied, omitted or edited, in words: paths, fields, lines of a file. */
function namesOf(proposal: Proposal, fate: Fate): string[] {
  if (proposal.kind === "node") return (proposal.outcome?.[fate] ?? []).map((field) => cut(JSON.stringify(field)));
  if (proposal.kind === "patch") return (proposal.outcome?.[fate] ?? []).map((path) => cut(pathText(path)));
  return (proposal.outcome?.[fate] ?? []).map((index) => linesOf(proposal.diff[index]));
}

/** A path for the model, joined by dots as in calls. Keys that are no plain names are JSON strings. */
function pathText(path: readonly (string | number)[]): string {
  const isPlain = (step: string | number) => typeof step === "number" || /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step);
  return path.length === 0
    ? "the instance"
    : path.map((step) => (isPlain(step) ? step : JSON.stringify(step))).join(".");
}

/**
 * The lines of the old file that a hunk replaces or removes, or the line before which it inserts. A hunk also has unchanged lines
 * around them, which are not counted. An empty or new file has no old line to name.
 */
function linesOf(hunk: Hunk | undefined): string {
  if (hunk === undefined) return "the new lines";
  const { oldStart, oldLines, lines } = hunk;
  const leadingLines = lines.findIndex(({ kind }) => kind !== "same");
  const trailingLines = [...lines].reverse().findIndex(({ kind }) => kind !== "same");
  const firstLine = oldStart + leadingLines;
  const lineCount = oldLines - leadingLines - trailingLines;
  if (lineCount > 0)
    return lineCount === 1 ? `line ${firstLine}` : `lines ${firstLine} to ${firstLine + lineCount - 1}`;
  return oldLines === 0 ? "the new lines" : `what is put before line ${firstLine}`;
}
