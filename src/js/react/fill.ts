/** `fill`. Apart from the fields, so that components without fields do not contain any of them. */

/** A text in which `{name}` is filled in. */
export const fill = (text: string, values: { readonly [name: string]: string | number }): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
