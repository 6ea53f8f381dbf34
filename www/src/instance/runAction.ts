import { textOf, type ViewObject } from "../lib/view";
import { log } from "../log/log";
import { tell } from "../server/noticeBoard";
import { t } from "../words/words";
import { outcome } from "./instances";
import { store } from "./store";

/** Runs an action. One of patches shows at once and waits for the server; any other is for the host, of which there is none. */
export function runAction(instance: string, action: ViewObject): void {
  const answer = store.runAction(instance, textOf(action.id), { optimistic: true });
  const label = `“${textOf(action.label)}”`;
  const failed = answer.status === "error";
  log("instance", "action", `${instance} ${label}`, { tone: failed ? "bad" : "good", detail: answer });
  if (answer.status === "error") {
    outcome.set({ by: "person", result: answer });
  } else if (answer.kind === "patch" && answer.call.patches?.length !== 0) {
    outcome.set({ by: "person", result: answer.result });
  } else {
    const { kind } = answer;
    const message = () =>
      t("{label} ({kind}) is left to the host: this page has none.", {
        label,
        kind: kind === "patch" ? t("no patches") : kind,
      });
    outcome.set({ by: "host", message });
    tell("warn", () => t("Nothing was changed"), message);
  }
}
