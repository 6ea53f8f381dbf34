"use client";
/** Tabs as the ARIA pattern has them: the Tab key reaches the selected tab only; arrow keys, Home and End select another. */
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";

export interface Tab {
  /** Unique among the tabs. */
  id: string;
  label: string;
  content: ReactNode;
}

/**
 * A list of tabs and the panel of the selected one. `label` names the list for assistive technologies. All panels stay mounted,
 * so that half-typed text in one is there when the user comes back.
 */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const id = useId();
  const [chosenId, setChosenId] = useState("");
  // The first tab until the user chooses one, and if the chosen one is removed.
  const selectedIndex = Math.max(
    0,
    tabs.findIndex((tab) => tab.id === chosenId),
  );

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const isReversed = getComputedStyle(event.currentTarget).direction === "rtl";
    // Indexes that may be one before the first or one after the last: the selection goes round.
    const targetIndexes: Record<string, number> = {
      ArrowRight: isReversed ? selectedIndex - 1 : selectedIndex + 1,
      ArrowLeft: isReversed ? selectedIndex + 1 : selectedIndex - 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const target = targetIndexes[event.key];
    if (target === undefined) return;
    const index = (target + tabs.length) % tabs.length;
    const tab = tabs[index];
    if (tab === undefined) return;
    event.preventDefault();
    setChosenId(tab.id);
    const button = event.currentTarget.children[index];
    if (button instanceof HTMLElement) button.focus();
  }

  return (
    <div className="gp-tabs">
      <div className="gp-tablist" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab, index) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            className="gp-tab"
            aria-selected={index === selectedIndex}
            aria-controls={`${id}-panel-${index}`}
            tabIndex={index === selectedIndex ? 0 : -1}
            onClick={() => setChosenId(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      {tabs.map((tab, index) => (
        <div
          key={tab.id}
          role="tabpanel"
          id={`${id}-panel-${index}`}
          className="gp-tabpanel"
          aria-labelledby={`${id}-tab-${index}`}
          hidden={index !== selectedIndex}
        >
          {tab.content}
        </div>
      ))}
    </div>
  );
}
