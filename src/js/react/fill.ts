/** `fill`, in a module of its own, so that bundles of components without fields contain no code of fields. */

/** Replaces each `{name}` in a text by its value. A name without a value stays as it is written. */
export const fill = (text: string, values: { readonly [name: string]: string | number }): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
