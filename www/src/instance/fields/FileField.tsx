import { textOf } from "../../lib/view";
import { t } from "../../words/words";
import type { FieldProps } from "./kind";

export function FileField({ id, value }: FieldProps) {
  return (
    <>
      <input id={id} type="file" disabled aria-describedby={`${id}-note`} />
      <p className="hint" id={`${id}-note`}>
        {textOf(value) || t("Files are left to the host: nothing is sent from here.")}
      </p>
    </>
  );
}
