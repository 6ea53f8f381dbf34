/** Notices for the user: refusals and conflicts. */
import type { Json, PatchCall, PatchResult } from "genui-patch";
import { store } from "../instance/store";
import { cell } from "../lib/cell";
import { listOf, objectOf, objectsOf, textOf, type ViewObject } from "../lib/view";
import { log } from "../log/log";
import { t, type Words } from "../words/words";

export interface Notice {
  id: number;
  tone: "bad" | "warn";
  title: Words;
  text: Words;
  /** The user's call, to send it again. */
  again?: PatchCall | undefined;
}

/** How many stand at once; older ones are in the log. */
const most = 4;

export const notices = cell<readonly Notice[]>([]);
let nextId = 1;

export function tell(tone: Notice["tone"], title: Words, text: Words, again?: PatchCall): void {
  notices.set([...notices.get().slice(1 - most), { id: nextId++, tone, title, text, again }]);
}

export const dismiss = (id: number): void => notices.set(notices.get().filter((notice) => notice.id !== id));

/** Executes a refused call of the user again. */
export function tryAgain({ id, again }: Notice): void {
  dismiss(id);
  if (again !== undefined) store.applyOptimistic(again);
}

/** Shows that a call of the user was refused, with its field and the entered value. */
export function refused(call: PatchCall, reason: Words): void {
  const [first] = call.patches ?? [];
  const entered = first?.value === undefined ? undefined : JSON.stringify(first.value);
  const label = labelOf(store.snapshot(nameOf(call)), first?.path ?? "");
  const text = () =>
    [
      label === undefined ? t("It is back as it was.") : t("“{label}” is back as it was.", { label }),
      entered !== undefined && t("You entered {value}.", { value: entered }),
      t("The reason: {why}.", { why: reason().replace(/[.。]$/, "") }),
    ]
      .filter(Boolean)
      .join(" ");
  tell("bad", () => t("Refused: {call}", { call: describe(call) }), text, call);
}

export function tellConflicts(result: PatchResult): void {
  if (result.status === "error") {
    log("server", result.error.code, result.error.message, { tone: "bad", detail: result });
    return;
  }
  for (const { pendingId, error } of result.conflicts) {
    log("server", "conflict", `${pendingId} · ${error.code}`, { tone: "bad", detail: error });
    tell(
      "warn",
      () => t("Conflict: {code}", { code: error.code }),
      () => `${t("A change of yours no longer fits and was dropped.")} ${error.message}`,
    );
  }
}

const nameOf = (call: PatchCall) => (call as { instance_name?: string }).instance_name ?? "";

/** A call in short, in the words of calls. */
export function describe(call: PatchCall): string {
  const [first, ...more] = call.patches ?? [];
  if (first === undefined) return nameOf(call);
  return `${first.op} ${first.path ?? ""}${more.length > 0 ? ` + ${more.length}` : ""}`;
}

/** The label of the field that is bound to a path. */
export function labelOf(document: unknown, path: string): string | undefined {
  const blocks = objectsOf(objectOf(document as Json).blocks);
  for (const block of blocks) {
    const fields: readonly ViewObject[] = objectsOf(listOf(objectOf(block.props).fields));
    const bind = textOf(block.bind) || "state.params";
    const field = fields.find(({ key }) => path === `${bind}.${textOf(key)}`);
    if (field !== undefined) return textOf(field.label) || undefined;
  }
  return undefined;
}
