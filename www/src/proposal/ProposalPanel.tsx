import { type KeyboardEvent, useLayoutEffect, useRef } from "react";
import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { rich } from "../words/rich";
import { t } from "../words/words";
import { Activity } from "./Activity";
import { AgentProposals } from "./AgentProposals";
import { chosen } from "./chosen";
import { isOpen, useProposals } from "./desk";
import { ProposalCard } from "./ProposalCard";

const marks = { patch: "page", node: "node", file: "file" } as const;

/** The changes that agents propose, and the user's decisions about them: one after another, by mouse or by keys. */
export function ProposalPanel() {
  const all = useProposals();
  const list = useRef<HTMLUListElement>(null);
  const room = useRef<HTMLDivElement>(null);
  const wanted = useCell(chosen);
  const at = all.findIndex(({ id }) => id === wanted);
  // The shown proposal stays, whatever arrives. If it goes, no other takes its place: an approval would hit the wrong one.
  const proposal = all[at];
  const first = all[0]?.id;
  useLayoutEffect(() => {
    if (wanted === undefined && first !== undefined) chosen.set(first);
  }, [wanted, first]);

  // A decision removes its buttons: the focus then goes to the next open proposal, or to this one's place in the list.
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

  const press = (decision: string) =>
    room.current?.querySelector<HTMLElement>(`.gp-proposal [data-decision=${decision}]`)?.click();

  /** The effect of each key. Decisions need the focus on the proposal that is shown. */
  const keys: Record<string, (focused: boolean) => void> = {
    j: () => move(1),
    k: () => move(-1),
    a: (focused) => focused && press("approve"),
    r: (focused) => focused && press("refuse"),
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
    // biome-ignore lint/a11y/noStaticElementInteractions: shortcuts of buttons inside
    <div className="room proposal-room" ref={room} onKeyDown={onKeyDown}>
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
            <ProposalCard key={proposal.id} proposal={proposal} />
          )}
        </div>
      )}
      <Activity />
    </div>
  );
}

const statusIcons = { pending: "pencil", stale: "warn", approved: "check", refused: "cross" } as const;
