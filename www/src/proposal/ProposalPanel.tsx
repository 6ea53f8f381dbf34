import { type KeyboardEvent, useRef } from "react";
import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { AgentProposals } from "./AgentProposals";
import { approve, chosen, isOpen, refuse, useProposals } from "./desk";
import { ProposalView } from "./ProposalView";

const marks = { patch: "page", node: "node", file: "file" } as const;

/** What an agent would like to change, and the person's decision: one after another, by mouse or by keys. */
export function ProposalPanel() {
  const all = useProposals();
  const list = useRef<HTMLUListElement>(null);
  const wanted = useCell(chosen);
  const at = Math.max(
    0,
    all.findIndex(({ id }) => id === wanted),
  );
  const proposal = all[at];

  function move(by: number) {
    const next = all[Math.min(all.length - 1, Math.max(0, at + by))];
    if (next === undefined) return;
    chosen.set(next.id);
    list.current?.querySelectorAll("button")[all.indexOf(next)]?.focus();
  }

  const keys: Record<string, () => void> = {
    j: () => move(1),
    k: () => move(-1),
    a: () => {
      if (proposal?.status === "pending") void approve(proposal);
    },
    r: () => {
      if (proposal && isOpen(proposal)) void refuse(proposal);
    },
  };

  function onKeyDown(event: KeyboardEvent) {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    const typing =
      target instanceof HTMLElement && target.closest("textarea, select, dialog, input:not([type=checkbox])");
    const act = keys[key.toLowerCase()];
    if (typing || act === undefined || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    act();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys for what stands in it; each has a button too
    <div className="room proposal-room" onKeyDown={onKeyDown}>
      <div className="panel-head">
        <h2>Proposals</h2>
        <p className="hint">
          <kbd>J</kbd> <kbd>K</kbd> next and previous, <kbd>A</kbd> approve, <kbd>R</kbd> refuse: while the focus is in
          this panel.
        </p>
      </div>
      <AgentProposals />
      {proposal === undefined ? (
        <p className="nothing">Nothing waits. Let the agent propose something, or play an answer in the chat.</p>
      ) : (
        <div className="proposal-columns">
          <nav aria-label="Proposals">
            <ul className="proposal-list" ref={list}>
              {all.map(({ id, kind, target, status }) => (
                <li key={id}>
                  <button
                    type="button"
                    aria-current={id === proposal.id ? "true" : undefined}
                    data-status={status}
                    onClick={() => chosen.set(id)}
                  >
                    <Icon name={statusIcons[status]} />
                    <span>
                      {target}
                      <span className="hint">
                        {marks[kind]} · {status}
                      </span>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </nav>
          <ProposalView key={proposal.id} proposal={proposal} keys />
        </div>
      )}
    </div>
  );
}

const statusIcons = { pending: "pencil", stale: "warn", approved: "check", refused: "cross" } as const;
