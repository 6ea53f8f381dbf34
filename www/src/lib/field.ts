const fields =
  "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=range], [type=button], [type=file])";

/** The field that has the focus, also in the shadow root of an editor; undefined without one. */
export function typesIn(): Element | undefined {
  const at = document.activeElement;
  return at !== null && (at.shadowRoot !== null || at.matches(fields)) ? at : undefined;
}
