import { textOf } from "../../lib/view";
import type { FieldProps } from "./kind";

/** HTML of an agent is text to read, never markup to run. */
export function HtmlField({ value }: FieldProps) {
  return (
    <pre className="html-text" title="HTML is shown as text">
      {textOf(value)}
    </pre>
  );
}
