import type { Json } from "genui-patch";
import { useState } from "react";
import { compactJson } from "../../lib/compactJson";
import { t } from "../../words/words";
import type { FieldProps } from "./kind";

/** 1e999 is JSON, and no number that a document can hold. */
function finite(_: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError();
  return value;
}

/** Written as soon as the text is JSON; what is being typed stays until the field is left. */
export function JsonField({ id, value, notes, onWrite, onFault }: FieldProps) {
  const [draft, setDraft] = useState<string>();

  function onChange(text: string) {
    setDraft(text);
    let parsed: Json;
    try {
      parsed = JSON.parse(text, finite) as Json;
    } catch {
      return onFault(t("Not JSON yet: the last value stays."));
    }
    onWrite(parsed);
  }

  return (
    <textarea
      id={id}
      rows={3}
      className="mono"
      spellCheck={false}
      aria-describedby={notes}
      value={draft ?? (value === undefined ? "" : compactJson(value))}
      onChange={(event) => onChange(event.target.value)}
      onBlur={() => {
        setDraft(undefined);
        onFault("");
      }}
    />
  );
}
