import { type PageAction, type PageEdit, PageView } from "genui-patch/react/ui";
import { safeMarkup } from "../lib/safeHtml";
import { textOf } from "../lib/view";
import { log } from "../log/log";
import { tell } from "../server/noticeBoard";
import { componentLabels } from "../words/componentLabels";
import { t } from "../words/words";
import { outcome } from "./instances";
import { store } from "./store";

/** An instance as a page. Edits show at once and wait for the server. */
export function InstanceView({ name }: { name: string }) {
  return (
    <PageView
      store={store}
      name={name}
      optimistic
      headingLevel={3}
      labels={componentLabels()}
      sanitize={safeMarkup}
      onEdit={showEdit}
      onAction={showAction}
    />
  );
}

function showEdit({ result }: PageEdit): void {
  outcome.set({ by: "user", result });
}

/** Actions that are not patches are for the host, and this page has nothing to do for them but to say so. */
function showAction({ name, action, result }: PageAction): void {
  const label = `“${textOf(action.label)}”`;
  log("instance", "action", `${name} ${label}`, { tone: "good", detail: result });
  if (result.kind === "patch" && result.call.patches?.length !== 0) {
    outcome.set({ by: "user", result: result.result });
    return;
  }
  const kind = result.kind;
  const message = () =>
    t("{label} ({kind}) is left to the host: this page has none.", {
      label,
      kind: kind === "patch" ? t("no patches") : kind,
    });
  outcome.set({ by: "host", message });
  tell("warn", () => t("Nothing was changed"), message);
}
