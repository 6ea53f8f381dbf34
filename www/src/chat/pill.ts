/** The content of a pill, computed from the events of its block. */
import type { ToolCall } from "genui-patch";
import type { IconName } from "../lib/Icon";
import { type Plain, t } from "../words/words";
import type { BlockPart } from "./parts";

type PillState = "buffering" | "valid" | "warned" | "repaired" | "corrected" | "invalid" | "truncated";

export interface PillText {
  state: PillState;
  icon: IconName | undefined;
  /** The word in the pill. */
  verdict: string;
  title: string;
  path: string;
  sentence: string;
}

const icons: Record<PillState, IconName | undefined> = {
  buffering: undefined,
  valid: "check",
  warned: "warn",
  repaired: "wrench",
  corrected: "spark",
  invalid: "cross",
  truncated: "cut",
};

const words: Record<PillState, Plain> = {
  buffering: "arriving",
  valid: "valid",
  warned: "valid, warning",
  repaired: "repaired",
  corrected: "corrected",
  invalid: "refused",
  truncated: "cut off",
};

/** The activity of an arriving block, by its status. */
const arriving: Readonly<Record<string, Plain>> = {
  "Creating...": "Creating...",
  "Editing...": "Editing...",
  "Deleting...": "Deleting...",
  "Processing...": "Processing...",
};

const finished: Readonly<Record<string, Plain>> = {
  write_file: "Write",
  edit_file: "Edit",
  delete_file: "Delete",
  patch_ui_state: "Change the page",
  updateNode: "Change a node",
  search_contacts: "Search the address book",
  add_contact: "Add to the address book",
  current_time: "Look at the clock",
};

/** `corrected`: a model was asked about it, and what it sent back is valid. */
export function describe(block: BlockPart, corrected = false): PillText {
  const state = corrected ? "corrected" : stateOf(block);
  const { call } = block.end ?? {};
  const path = call?.path ?? block.end?.path ?? block.status?.path ?? (call ? targetOf(call) : "");
  const title = titleOf(block);
  const verdict = t(words[state]);
  return {
    state,
    icon: icons[state],
    verdict,
    title,
    path,
    sentence: [title, path, verdict].filter(Boolean).join(" "),
  };
}

/** The subject of a call that is not for a file. */
export function targetOf({ args }: ToolCall): string {
  const { instance_name, new_instance_name, nodeId, query, name: contact, time_zone } = args;
  const own = query ?? contact ?? time_zone;
  const name = instance_name === "__CREATE__" ? new_instance_name : (instance_name ?? nodeId ?? own);
  return typeof name === "string" ? name : "";
}

function stateOf({ end }: BlockPart): PillState {
  if (end === undefined) return "buffering";
  if (end.status === "truncated") return "truncated";
  if (end.call === undefined && end.calls === undefined) return "invalid";
  if (end.corrected) return "repaired";
  return end.issues.length > 0 ? "warned" : "valid";
}

function titleOf({ status, end }: BlockPart): string {
  if (end === undefined) {
    const message = status?.statusMessage ?? "Processing...";
    return wordOf(arriving, message) ?? message;
  }
  if (end.calls) return t("{number} calls", { number: end.calls.length });
  const tool = end.call?.tool ?? end.toolType ?? "";
  return wordOf(finished, tool) ?? (tool || t("Tool block"));
}

function wordOf(words: Readonly<Record<string, Plain>>, name: string): string | undefined {
  const word = Object.hasOwn(words, name) ? words[name] : undefined;
  return word && t(word);
}
