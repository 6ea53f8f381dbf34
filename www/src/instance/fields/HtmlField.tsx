import { safeHtml } from "../../lib/safeHtml";
import { textOf } from "../../lib/view";
import type { FieldProps } from "./kind";

/** HTML of an agent: its text with the few elements that only shape it. */
export function HtmlField({ value }: FieldProps) {
  return <div className="html-text">{safeHtml(textOf(value))}</div>;
}
