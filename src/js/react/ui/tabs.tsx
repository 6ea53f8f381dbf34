"use client";
/** Tabs as the ARIA pattern has them: arrow keys, Home and End, one tab in the order of focus. */
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";

export interface Tab {
  id: string;
  label: string;
  content: ReactNode;
}

/** All panels stay mounted, so that what is half typed in one is there when the user comes back. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const id = useId();
  const [chosen, setChosen] = useState("");
  const selected = Math.max(
    0,
    tabs.findIndex((tab) => tab.id === chosen),
  );

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const isReversed = getComputedStyle(event.currentTarget).direction === "rtl";
    const steps: Record<string, number> = {
      ArrowRight: isReversed ? selected - 1 : selected + 1,
      ArrowLeft: isReversed ? selected + 1 : selected - 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = steps[event.key];
    const tab = next === undefined ? undefined : tabs[(next + tabs.length) % tabs.length];
    if (next === undefined || tab === undefined) return;
    event.preventDefault();
    setChosen(tab.id);
    const button = event.currentTarget.children[(next + tabs.length) % tabs.length];
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
            aria-selected={index === selected}
            aria-controls={`${id}-panel-${index}`}
            tabIndex={index === selected ? 0 : -1}
            onClick={() => setChosen(tab.id)}
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
          hidden={index !== selected}
        >
          {tab.content}
        </div>
      ))}
    </div>
  );
}
