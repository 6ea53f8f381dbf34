import { useDeferredValue, useId, useMemo, useState } from "react";
import { Icon } from "../lib/Icon";
import { saveFile } from "../lib/saveFile";
import { t } from "../words/words";
import { LogLine } from "./LogLine";
import { type Area, areas, clearLog, type Entry, exportLog, logLines, useLogVersion } from "./log";

/** Lines rendered at once; the rest is a press of a button away. */
const page = 150;

/** The log below everything: what happened, when, in which part. */
export function LogPanel() {
  const id = useId();
  const [open, setOpen] = useState(() => matchMedia("(min-width: 1000px) and (min-height: 940px)").matches);
  const [hidden, setHidden] = useState<readonly Area[]>([]);
  const [query, setQuery] = useState("");
  const [room, setRoom] = useState(page);
  const found = useFound(hidden, query);

  const toggle = (area: Area) =>
    setHidden(hidden.includes(area) ? hidden.filter((one) => one !== area) : [...hidden, area]);

  return (
    <section className="panel log" aria-labelledby={id} data-open={open}>
      <div className="log-head">
        <h2 id={id}>
          <button type="button" className="log-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
            <Icon name="chevron" />
            {t("Log")}
          </button>
        </h2>
        <span className="hint" data-count="log">
          {found.length.toLocaleString("en")} {t(found.length === 1 ? "line" : "lines")}
        </span>
        {open && (
          <>
            <fieldset className="chips" aria-label={t("Parts shown")}>
              {areas.map((area) => (
                <button
                  key={area}
                  type="button"
                  className="area"
                  data-area={area}
                  aria-pressed={!hidden.includes(area)}
                  onClick={() => toggle(area)}
                >
                  {t(area)}
                </button>
              ))}
            </fieldset>
            <input
              type="search"
              aria-label={t("Filter the log")}
              placeholder={t("Filter")}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
            <button
              type="button"
              className="small"
              disabled={found.length === 0}
              onClick={() => saveFile("genui-patch-log.jsonl", exportLog(found))}
            >
              <Icon name="download" />
              {t("Export")}
            </button>
            <button type="button" className="small" onClick={clearLog}>
              {t("Clear")}
            </button>
          </>
        )}
      </div>
      {open && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
        <section className="log-lines" aria-label={t("Log lines")} tabIndex={0}>
          {found.length === 0 && (
            <p className="nothing">{t("Nothing yet. What you do and what arrives is listed here.")}</p>
          )}
          <ol reversed start={found.length}>
            {found
              .slice(-room)
              .reverse()
              .map((entry) => (
                <LogLine key={entry.id} entry={entry} />
              ))}
          </ol>
          {found.length > room && (
            <button type="button" className="small" onClick={() => setRoom(room + 4 * page)}>
              {t("Show older lines")}
            </button>
          )}
        </section>
      )}
    </section>
  );
}

/** The lines that the filters leave. Found out when nothing more urgent is to do. */
function useFound(hidden: readonly Area[], query: string): readonly Entry[] {
  const version = useDeferredValue(useLogVersion());
  const words = useDeferredValue(query.trim().toLowerCase());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version has other lines
  return useMemo(
    () =>
      logLines().filter(
        ({ area, kind, subject }) =>
          !hidden.includes(area) && (words === "" || `${area} ${kind} ${subject}`.toLowerCase().includes(words)),
      ),
    [version, hidden, words],
  );
}
