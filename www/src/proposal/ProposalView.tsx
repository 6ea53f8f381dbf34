import type { Proposal } from "genui-patch";
import { type MouseEvent, useId } from "react";
import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { t } from "../words/words";
import { edit, toggle, useChoice } from "./choices";
import { DiffRows } from "./DiffRows";
import { approve, faults, isOpen, proposeAgain, refuse } from "./desk";
import { FileText } from "./FileText";
import { HunkView } from "./HunkView";
import { NodeCard } from "./NodeCard";
import { reasonText } from "./reasons";
import { partsOf, rowsOf } from "./rows";

const titles = { patch: "Change of the page", node: "Change of a node", file: "Change of a file" } as const;

const words = {
  pending: "waits for you",
  stale: "overtaken",
  approved: "approved",
  refused: "refused",
} as const;

interface Props {
  proposal: Proposal;
  /** Whether the keys A and R do what the buttons do. */
  keys?: boolean;
}

/** One proposal: what would change, which of it, and the person's yes or no. */
export function ProposalView({ proposal, keys = false }: Props) {
  const title = useId();
  const open = isOpen(proposal);
  const { without, edits, text } = useChoice(proposal.id);
  const fault = useCell(faults).get(proposal.id);
  const choosing = proposal.status === "pending";
  const parts = partsOf(proposal);
  const taken = parts.filter((part) => !without.has(part)).length;

  return (
    <article className="proposal" data-proposal={proposal.id} data-status={proposal.status} aria-labelledby={title}>
      <header>
        <h3 id={title}>
          {t(titles[proposal.kind])} <code>{proposal.target}</code>
        </h3>
        <span className="chip status">{t(words[proposal.status])}</span>
      </header>
      {proposal.status === "stale" && (
        <p className="stale">
          <Icon name="warn" />{" "}
          {t(
            "The target has changed in the same place since this was proposed. Below is what it would change now; it is made only if it is proposed again.",
          )}
        </p>
      )}
      {proposal.kind === "node" && <NodeCard target={proposal.target} />}
      {proposal.kind === "file" ? (
        <>
          <HunkView
            hunks={proposal.diff}
            chosen={choosing && text === undefined ? chosenOf(proposal.diff, without) : undefined}
            onToggle={(index) => toggle(proposal, String(index))}
          />
          {open && <FileText proposal={proposal} text={text} />}
        </>
      ) : (
        <DiffRows
          rows={rowsOf(proposal)}
          chosen={new Set(parts.filter((part) => !without.has(part)))}
          edits={edits}
          open={choosing}
          onToggle={(key) => toggle(proposal, key)}
          onEdit={(key, value) => edit(proposal, key, value)}
        />
      )}
      {fault && (
        <p className="fault" role="alert">
          {fault()}
        </p>
      )}
      {open && (
        <footer className="buttons">
          {proposal.status === "stale" ? (
            <button type="button" className="primary" onClick={once(() => void proposeAgain(proposal))}>
              <Icon name="restart" />
              {t("Propose again")}
            </button>
          ) : (
            <button
              type="button"
              className="primary"
              disabled={taken === 0 && text === undefined}
              onClick={once(() => void approve(proposal))}
            >
              <Icon name="check" />
              {text !== undefined
                ? t("Approve your text")
                : taken === parts.length
                  ? t("Approve")
                  : t("Approve {taken} of {all}", { taken, all: parts.length })}
              {keys && <kbd>A</kbd>}
            </button>
          )}
          <button type="button" className="danger" onClick={once(() => void refuse(proposal))}>
            <Icon name="cross" />
            {t("Refuse")}
            {keys && <kbd>R</kbd>}
          </button>
          <span className="hint">{t("Nothing is changed before you approve.")}</span>
        </footer>
      )}
      {!open && proposal.reason && <p className="hint">{reasonText(proposal.reason)}</p>}
    </article>
  );
}

/** The second click of a double click is on what came to stand there after the first. */
const once = (act: () => void) => (event: MouseEvent) => {
  if (event.detail < 2) act();
};

const chosenOf = (hunks: readonly { index: number }[], without: ReadonlySet<string>) =>
  new Set(hunks.map(({ index }) => index).filter((index) => !without.has(String(index))));
