import { type KeyboardEvent, useLayoutEffect, useRef } from "react";
import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { rich } from "../words/rich";
import { t } from "../words/words";
import { AgentProposals } from "./AgentProposals";
import { chosen } from "./chosen";
import { approve, isOpen, refuse, useProposals } from "./desk";
import { ProposalView } from "./ProposalView";

const marks = { patch: "page", node: "node", file: "file" } as const;

/** What an agent would like to change, and the person's decision: one after another, by mouse or by keys. */
export function ProposalPanel() {
  const all = useProposals();
  const list = useRef<HTMLUListElement>(null);
  const wanted = useCell(chosen);
  const at = all.findIndex(({ id }) => id === wanted);
  // What is looked at stays, whatever arrives. If it goes, nothing takes its place: a yes to it would be one to the other.
  const proposal = all[at];
  const first = all[0]?.id;
  useLayoutEffect(() => {
    if (wanted === undefined && first !== undefined) chosen.set(first);
  }, [wanted, first]);

  // Its buttons go with a yes or a no: the focus is then on the next one that waits, or on this one's place in the list.
  const open = proposal !== undefined && isOpen(proposal);
  const wasOpen = useRef<string>(undefined);
  useLayoutEffect(() => {
    const settled = !open && wasOpen.current === wanted;
    wasOpen.current = open ? wanted : undefined;
    if (!settled || document.activeElement !== document.body) return;
    const next = all.find((one) => isOpen(one))?.id ?? wanted;
    list.current?.querySelector<HTMLElement>(`[data-proposal="${CSS.escape(next ?? "")}"]`)?.focus();
  }, [open, wanted, all]);

  function move(by: number) {
    const next = all[Math.min(all.length - 1, Math.max(0, at + by))];
    if (next === undefined) return;
    chosen.set(next.id);
    list.current?.querySelectorAll("button")[all.indexOf(next)]?.focus();
  }

  /** What each key does where the focus is; a yes or a no is for what is shown, and has the focus. */
  const keys: Record<string, (focused: boolean) => void> = {
    j: () => move(1),
    k: () => move(-1),
    a: (focused) => {
      if (focused && proposal?.status === "pending") void approve(proposal);
    },
    r: (focused) => {
      if (focused && proposal && isOpen(proposal)) void refuse(proposal);
    },
  };

  function onKeyDown(event: KeyboardEvent) {
    const { target, key, ctrlKey, metaKey, altKey, repeat } = event;
    if (!(target instanceof HTMLElement)) return;
    const typing = target.closest("textarea, select, dialog, input:not([type=checkbox])");
    const act = keys[key.toLowerCase()];
    if (typing || act === undefined || ctrlKey || metaKey || altKey || repeat) return;
    event.preventDefault();
    const focused = target.closest<HTMLElement>("[data-proposal]")?.dataset.proposal;
    act(focused !== undefined && focused === proposal?.id);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys for what stands in it; each has a button too
    <div className="room proposal-room" onKeyDown={onKeyDown}>
      <div className="panel-head">
        <h2>{t("Proposals")}</h2>
        <p className="hint">
          {rich("{J} {K} next and previous; {A} approve, {R} refuse: while the focus is on what is shown.", {
            J: <kbd>J</kbd>,
            K: <kbd>K</kbd>,
            A: <kbd>A</kbd>,
            R: <kbd>R</kbd>,
          })}
        </p>
      </div>
      <AgentProposals />
      {all.length === 0 ? (
        <p className="nothing">{t("Nothing waits. Let the agent propose something, or play an answer in the chat.")}</p>
      ) : (
        <div className="proposal-columns">
          <nav aria-label={t("Proposals")}>
            <ul className="proposal-list" ref={list}>
              {all.map(({ id, kind, target, status }) => (
                <li key={id}>
                  <button
                    type="button"
                    aria-current={id === wanted ? "true" : undefined}
                    data-proposal={id}
                    data-status={status}
                    onClick={() => chosen.set(id)}
                  >
                    <Icon name={statusIcons[status]} />
                    <span>
                      {target}
                      <span className="hint">
                        {t(marks[kind])} · {t(status)}
                      </span>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </nav>
          {proposal === undefined ? (
            <p className="nothing" role="status">
              {t("The proposal that was shown is gone. Choose another one.")}
            </p>
          ) : (
            <ProposalView key={proposal.id} proposal={proposal} keys />
          )}
        </div>
      )}
    </div>
  );
}

const statusIcons = { pending: "pencil", stale: "warn", approved: "check", refused: "cross" } as const;
