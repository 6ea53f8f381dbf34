import type { CallProposal, ToolCall } from "genui-patch";
import { useWork, type Work } from "../files/work";
import { chosenFile } from "../files/workspace";
import { Icon, type IconName } from "../lib/Icon";
import { JsonText } from "../lib/JsonText";
import { show } from "../lib/room";
import { ScrollBox } from "../lib/ScrollBox";
import type { View } from "../lib/view";
import { chosen } from "../proposal/chosen";
import { useProposals } from "../proposal/desk";
import { t } from "../words/words";
import { approveOwn, isOwn, refuseOwn, useOwnProposals } from "./ownTools";
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
  const ownProposals = useOwnProposals();
  if (work === undefined) return null;
  const isThis = ({ id }: { id: string }) => work.state === "waiting" && id === work.proposalId;
  const own = ownProposals.find(isThis);
  const proposal = own ?? proposals.find(isThis);
  const answer = own?.effective ?? (work.state === "made" && isOwn(call.tool) ? viewOf(work.answer) : undefined);
  const { icon, tone, words } = tell(work, proposal?.status);
  const { path } = call;
  return (
    <li data-tone={tone}>
      <Icon name={icon} /> <span>{words}</span> <code>{path ?? targetOf(call)}</code>
      {own?.status === "pending" && <Decision proposal={own} />}
      {answer !== undefined && (
        <details>
          <summary>{t("For the model")}</summary>
          <ScrollBox label={t("For the model")}>
            <JsonText value={answer} />
          </ScrollBox>
        </details>
      )}
      {own === undefined && proposal?.status === "pending" && (
        <button type="button" className="small" onClick={() => review(path, proposal.id)}>
          {t("Review")}
        </button>
      )}
    </li>
  );
}

/** An answer as the model reads it. */
const viewOf = (answer: object): View => JSON.parse(JSON.stringify(answer));

/** A call of an own tool is decided on where it stands: what it sends is all that there is to see. */
function Decision({ proposal }: { proposal: CallProposal }) {
  return (
    <>
      <ScrollBox label={t("The arguments")}>
        <JsonText value={proposal.proposed.args} />
      </ScrollBox>
      <button type="button" className="small" onClick={() => void approveOwn(proposal)}>
        {t("Allow the call")}
      </button>
      <button type="button" className="small" onClick={() => refuseOwn(proposal)}>
        {t("Refuse the call")}
      </button>
    </>
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
