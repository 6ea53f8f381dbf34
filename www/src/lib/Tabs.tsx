import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

export interface Tab {
  id: string;
  label: string;
  /** A word or number beside the label, with what it means. */
  badge?: { text: string; meaning: string } | undefined;
}

interface Props {
  label: string;
  className?: string;
  tabs: readonly Tab[];
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
export function Tabs({ label, className = "", tabs, selected, onSelect, children }: Props) {
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
      <div role="tablist" aria-label={label} className={`tabs ${className}`} ref={list} onKeyDown={onKeyDown}>
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
            {tab.badge && (
              <span className="badge" title={tab.badge.meaning}>
                {tab.badge.text}
                <span className="unseen"> {tab.badge.meaning}</span>
              </span>
            )}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-tab-${at}`}>
        {children}
      </div>
    </>
  );
}
