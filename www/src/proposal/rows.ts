/** The parts of a proposal that a person can take one by one. */
import { formatPath, type Json, type Proposal, type ShownChange } from "genui-patch";
import { showSteps } from "../instance/paths";

export interface Row {
  /** What approval names the part by: a field, or a path. */
  key: string;
  label: string;
  kind: "set" | "insert" | "remove" | "move";
  before?: Json | undefined;
  after?: Json | undefined;
  /** Whether the agent left it out of the fields that it asked to show. */
  beside?: true;
  from?: string;
}

export function rowsOf(proposal: Exclude<Proposal, { kind: "file" }>): Row[] {
  if (proposal.kind === "patch") return proposal.diff.map(rowOfChange);
  const { diff, otherChanges } = proposal;
  return [
    ...Object.entries(diff).map(([field, sides]) => rowOfField(field, sides)),
    ...Object.entries(otherChanges).map(([field, sides]) => ({ ...rowOfField(field, sides), beside: true as const })),
  ];
}

/** What approval names the parts of a proposal by. */
export function partsOf(proposal: Proposal): string[] {
  if (proposal.kind === "file") return proposal.diff.map(({ index }) => String(index));
  return rowsOf(proposal).map(({ key }) => key);
}

function rowOfField(field: string, { before, after }: { before?: Json; after?: Json }): Row {
  const kind = before === undefined ? "insert" : after === undefined ? "remove" : "set";
  return { key: field, label: field, kind, before, after };
}

function rowOfChange(change: ShownChange): Row {
  const path = change.path;
  const row = { key: keyOf(path), label: showSteps(path), kind: change.kind, before: change.before };
  return change.kind === "move" ? { ...row, from: showSteps(change.from) } : { ...row, after: change.value };
}

/** The path as patches write it. */
const keyOf = (path: readonly (string | number)[]): string =>
  formatPath(path.map((step) => (typeof step === "number" ? { index: step } : { key: step })));
