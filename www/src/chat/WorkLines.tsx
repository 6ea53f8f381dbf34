import type { ToolCall } from "genui-patch";
import { useWork, type Work } from "../files/work";
import { chosenFile } from "../files/workspace";
import { Icon, type IconName } from "../lib/Icon";
import { show } from "../lib/room";
import { chosen } from "../proposal/chosen";
import { useProposals } from "../proposal/desk";
import { t } from "../words/words";
import { targetOf } from "./pill";

/** The results of a block's calls: in the workspace, on the page, in the task flow. */
export function WorkLines({ calls }: { calls: readonly ToolCall[] }) {
  return (
    <ul className="works" aria-label={t("In the workspace")}>
      {calls.map((call) => (
        <WorkLine key={`${call.id} ${call.path}`} call={call} />
      ))}
    </ul>
  );
}

function WorkLine({ call }: { call: ToolCall }) {
  const work = useWork(call);
  const proposals = useProposals();
  if (work === undefined) return null;
  const proposal = work.state === "waiting" ? proposals.find(({ id }) => id === work.proposalId) : undefined;
  const { icon, tone, words } = tell(work, proposal?.status);
  const { path } = call;
  return (
    <li data-tone={tone}>
      <Icon name={icon} /> <span>{words}</span> <code>{path ?? targetOf(call)}</code>
      {proposal?.status === "pending" && (
        <button type="button" className="small" onClick={() => review(path, proposal.id)}>
          {t("Review")}
        </button>
      )}
    </li>
  );
}

function review(path: string | undefined, proposal: string): void {
  if (path === undefined) {
    chosen.set(proposal);
    show("proposal");
    return;
  }
  chosenFile.set(path);
  show("files");
}

function tell(work: Work, status: string | undefined): { icon: IconName; tone: string; words: string } {
  switch (work.state) {
    case "working":
      return { icon: "pencil", tone: "none", words: t("Working on") };
    case "done":
      return { icon: "check", tone: "good", words: t(work.action ?? "unchanged") };
    case "made":
      return { icon: "check", tone: "good", words: work.words() };
    case "failed":
      return {
        icon: "cross",
        tone: "bad",
        words: `${t("failed")} · ${work.error?.code ?? ""} · ${work.error?.message ?? ""}`,
      };
    case "waiting":
      if (status === "approved") return { icon: "check", tone: "good", words: t("approved") };
      if (status === "refused") return { icon: "cross", tone: "bad", words: t("refused by you: untouched") };
      if (status === "stale") return { icon: "warn", tone: "warn", words: t("overtaken") };
      return { icon: "pencil", tone: "none", words: t("waits for your approval:") };
  }
}
