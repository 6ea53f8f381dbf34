import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

interface Props {
  label: string;
  tabs: readonly { id: string; label: string }[];
  selected: string;
  onSelect(id: string): void;
  children: ReactNode;
}

const moves: Record<string, (at: number, count: number) => number> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Tabs as the ARIA pattern has them: one stop for Tab, arrows choose. */
export function Tabs({ label, tabs, selected, onSelect, children }: Props) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const at = Math.max(
    0,
    tabs.findIndex((tab) => tab.id === selected),
  );

  function onKeyDown(event: KeyboardEvent) {
    const next = moves[event.key]?.(at, tabs.length);
    const tab = next === undefined ? undefined : tabs[next];
    if (next === undefined || tab === undefined) return;
    event.preventDefault();
    onSelect(tab.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  }

  return (
    <>
      <div role="tablist" aria-label={label} className="tabs" ref={list} onKeyDown={onKeyDown}>
        {tabs.map((tab, index) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${base}-tab-${index}`}
            aria-selected={index === at}
            aria-controls={`${base}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => onSelect(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-tab-${at}`}>
        {children}
      </div>
    </>
  );
}
