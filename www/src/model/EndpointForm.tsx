import { useId } from "react";
import { useCell } from "../lib/cell";
import { Switch } from "../lib/Switch";
import { type Plain, t, type Words } from "../words/words";
import { type Endpoint, endpoint } from "./endpoint";

const fields: readonly {
  name: Exclude<keyof Endpoint, "native">;
  label: Plain;
  type: string;
  placeholder: string | Words;
}[] = [
  { name: "address", label: "Address", type: "url", placeholder: "http://localhost:11434/v1" },
  { name: "model", label: "Model", type: "text", placeholder: () => t("the model's name") },
  { name: "key", label: "Key", type: "password", placeholder: () => t("if it needs one") },
];

/** Where a model answers. Kept until the page is closed, and nowhere else. */
export function EndpointForm() {
  const id = useId();
  const typed = useCell(endpoint);
  return (
    <fieldset className="endpoint">
      <legend>{t("OpenAI-compatible endpoint")}</legend>
      {fields.map(({ name, label, type, placeholder }) => (
        <div key={name}>
          <label htmlFor={`${id}-${name}`}>{t(label)}</label>
          <input
            id={`${id}-${name}`}
            type={type}
            placeholder={typeof placeholder === "string" ? placeholder : placeholder()}
            autoComplete="off"
            spellCheck={false}
            value={typed[name]}
            onChange={(event) => endpoint.set({ ...endpoint.get(), [name]: event.target.value })}
          />
        </div>
      ))}
      <Switch
        label={t("Native tool calls, instead of blocks in the text")}
        on={typed.native}
        onChange={(native) => endpoint.set({ ...endpoint.get(), native })}
      />
      <p className="hint">
        {t(
          "Kept in this page's memory until it is closed, sent to this address only, never logged. The address is https, or http on this machine.",
        )}
      </p>
    </fieldset>
  );
}
