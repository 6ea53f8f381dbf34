import type { Json } from "genui-patch";
import { useId, useState } from "react";
import { listOf, objectsOf } from "../../lib/view";
import { t } from "../../words/words";
import { num, type PartProps, prop, text, useBound } from "../host";
import { grow } from "../NodeView";
import { Faults } from "./Faults";

export function MultipleChoice({ node }: PartProps) {
  const [value, write] = useBound(node, "selections");
  return (
    <Choice
      node={node}
      value={listOf(value).map(text)}
      most={num(prop(node, "maxAllowedSelections"), 1e9)}
      onWrite={write}
    />
  );
}

export function ChoicePicker({ node }: PartProps) {
  const [value, write] = useBound(node, "value");
  const one = text(prop(node, "variant")) !== "multipleSelection";
  return <Choice node={node} value={listOf(value).map(text)} most={one ? 1 : 1e9} onWrite={write} />;
}

interface Props extends PartProps {
  value: readonly string[];
  /** How many may be chosen. One: another choice replaces it. */
  most: number;
  onWrite(value: Json): void;
}

function Choice({ node, value, most, onWrite }: Props) {
  const id = useId();
  const [query, setQuery] = useState("");
  const options = objectsOf(prop(node, "options")).map((option) => ({
    label: text(option.label),
    value: text(option.value),
  }));
  const filterable = prop(node, "filterable") === true;
  const shown = options.filter(({ label }) => label.toLowerCase().includes(query.trim().toLowerCase()));
  const chips = [prop(node, "displayStyle"), prop(node, "variant")].includes("chips");

  function toggle(option: string) {
    if (most === 1) onWrite([option]);
    else onWrite(value.includes(option) ? value.filter((one) => one !== option) : [...value, option]);
  }

  return (
    <fieldset className="s-field" aria-describedby={`${id}-faults`} style={grow(node)}>
      <legend>{text(prop(node, "label", "description")) || <span className="unseen">{t("Choice")}</span>}</legend>
      {filterable && (
        <input
          type="search"
          aria-label={t("Find an option")}
          placeholder={t("Find")}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      )}
      <div className={chips ? "s-choices s-chips" : "s-choices"}>
        {shown.map((option) => (
          <label key={option.value}>
            <input
              type={most === 1 ? "radio" : "checkbox"}
              name={id}
              checked={value.includes(option.value)}
              disabled={most > 1 && value.length >= most && !value.includes(option.value)}
              onChange={() => toggle(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
      <Faults id={`${id}-faults`} node={node} />
    </fieldset>
  );
}
