const fields =
  "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=range], [type=button], [type=file])";

/** The field in which the person types; undefined if there is none. An editor stands in a shadow root of its own. */
export function typesIn(): Element | undefined {
  const at = document.activeElement;
  return at !== null && (at.shadowRoot !== null || at.matches(fields)) ? at : undefined;
}
