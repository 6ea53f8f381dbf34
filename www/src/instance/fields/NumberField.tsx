import { useState } from "react";
import { textOf } from "../../lib/view";
import { t } from "../../words/words";
import type { FieldProps } from "./kind";

/** Keeps what is being typed ("1." on the way to "1.5") until the value changes from elsewhere. Empty is null. */
export function NumberField({ id, value, notes, onWrite, onFault }: FieldProps) {
  const [draft, setDraft] = useState<string>();
  const typed = draft === undefined ? undefined : draft.trim() === "" ? null : Number(draft);
  const shown = draft !== undefined && (typed === (value ?? null) || Number.isNaN(typed)) ? draft : textOf(value);

  function onChange(text: string) {
    setDraft(text);
    const number = text.trim() === "" ? null : Number(text);
    if (number !== null && !Number.isFinite(number)) onFault(t("Not a number: the last one stays."));
    else onWrite(number);
  }

  return (
    <input
      id={id}
      type="text"
      inputMode="decimal"
      autoComplete="off"
      aria-describedby={notes}
      aria-invalid={Number.isNaN(typed) || undefined}
      value={shown}
      onChange={(event) => onChange(event.target.value)}
      onBlur={() => {
        if (Number.isNaN(typed)) onFault("");
        setDraft(undefined);
      }}
    />
  );
}
