import { version } from "genui-patch";
import { useLayoutEffect, useRef } from "react";
import { useCell } from "./lib/cell";
import { hood, setHood } from "./lib/hood";
import { languages } from "./words/language";
import { choose, language, t } from "./words/words";

/** Whether the language was just chosen: with another one all is rendered anew, and the focus is to stay where it was. */
let isChoosing = false;

export function Header() {
  const open = useCell(hood);
  const select = useRef<HTMLSelectElement>(null);
  useLayoutEffect(() => {
    if (isChoosing) select.current?.focus();
    isChoosing = false;
  }, []);

  function chooseLanguage(next: string) {
    isChoosing = true;
    choose(next);
  }

  return (
    <header className="header">
      <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" />
        <path d="M9 10h14M9 16h8M9 22h11" />
      </svg>
      <h1>genui-patch</h1>
      <p>{t("Between the agent and the user: everything a model sends is validated before it is shown.")}</p>
      <label className="language">
        <span className="unseen">{t("Language")}</span>
        <select ref={select} value={useCell(language)} onChange={(event) => chooseLanguage(event.target.value)}>
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
