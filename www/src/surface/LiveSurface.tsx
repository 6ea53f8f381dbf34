import { type FormEvent, useId, useState } from "react";
import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { SendOrStop } from "../lib/SendOrStop";
import { endpoint, isSet } from "../model/endpoint";
import { t } from "../words/words";
import { live, stop, write } from "./live";

/** A sentence to a live model, which writes a surface of it. */
export function LiveSurface() {
  const id = useId();
  const ready = isSet(useCell(endpoint));
  const { writing, prose, refused, end, fault } = useCell(live);
  const [wish, setWish] = useState("");

  function ask(event: FormEvent) {
    event.preventDefault();
    void write(wish);
  }

  return (
    <form className="live-prompt" onSubmit={ask}>
      <label htmlFor={id}>{t("What would you like to see?")}</label>
      <textarea
        id={id}
        rows={2}
        aria-describedby={`${id}-hint`}
        value={wish}
        onChange={(event) => setWish(event.target.value)}
      />
      <p className="hint" id={`${id}-hint`}>
        {ready
          ? t("The model is told of the parts that this page has, and builds the surface by native tool calls.")
          : t("No model is set yet. Give its address and its name in the chat, under “{place}”.", {
              place: t("Your own model, for live answers and corrections"),
            })}
      </p>
      <SendOrStop busy={writing} disabled={!ready || wish.trim() === ""} onStop={stop}>
        {t("Write the surface")}
      </SendOrStop>
      {prose !== "" && <p className="turn-agent">{prose}</p>}
      {refused.length > 0 && (
        <ul className="issues" aria-label={t("Refused calls")}>
          {refused.map((text, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are only added to
            <li key={at} data-severity="error">
              <Icon name="cross" /> {text}
            </li>
          ))}
        </ul>
      )}
      <p className="hint" role="status">
        {writing ? t("The model writes…") : end()}
      </p>
      {fault && (
        <p className="fault" role="alert">
          {fault()}
        </p>
      )}
    </form>
  );
}
