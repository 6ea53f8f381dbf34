import { version } from "genui-patch";
import { useCell } from "./lib/cell";
import { hood, setHood } from "./lib/hood";
import { choose, type Language, language, languages, t } from "./words/words";

export function Header() {
  const open = useCell(hood);
  return (
    <header className="header">
      <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" />
        <path d="M9 10h14M9 16h8M9 22h11" />
      </svg>
      <h1>genui-patch</h1>
      <p>{t("Between the agent and the person: what a model sends is checked before anyone sees it.")}</p>
      <label className="language">
        <span className="unseen">{t("Language")}</span>
        <select value={useCell(language)} onChange={(event) => choose(event.target.value as Language)}>
          {Object.entries(languages).map(([id, name]) => (
            <option key={id} value={id} lang={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button type="button" className="small hood-toggle" aria-expanded={open} onClick={() => setHood(!open)}>
        {t("Under the hood")}
      </button>
      <span className="chip">v{version}</span>
    </header>
  );
}
