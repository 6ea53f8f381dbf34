/** Halves of surrogate pairs that stand alone: UTF-8, and so the module and files, have no place for them. */

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const EVERY = /* @__PURE__ */ new RegExp(LONE, "g");
/** So few units are looked at one by one. */
const FEW = 24;
/** Where engines have this, it takes a fraction of the time. */
const { isWellFormed } = String.prototype as { isWellFormed?: () => boolean };

export function hasLoneSurrogate(text: string): boolean {
  if (text.length > FEW) return isWellFormed ? !isWellFormed.call(text) : LONE.test(text);
  for (let place = 0; place < text.length; place++) {
    if ((text.charCodeAt(place) & 0xf800) === 0xd800) return LONE.test(text);
  }
  return false;
}

/** The text as UTF-8 holds it: lone halves are U+FFFD. */
export function wellFormed(text: string): string {
  return hasLoneSurrogate(text) ? text.replace(EVERY, "\ufffd") : text;
}

/** Escapes, pairs of surrogates as one. */
const ESCAPES = /\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|u[dD][89a-fA-F][\da-fA-F]{2}|.)/g;
const HALF = /\\u[dD][89a-fA-F]/;

/** A JSON text in which escapes of lone halves are such of U+FFFD. */
export function wellEscaped(text: string): string {
  if (!HALF.test(text)) return text;
  return text.replace(ESCAPES, (found) => (found.length === 6 && HALF.test(found) ? "\\ufffd" : found));
}

/** Whether the module may read values of a JSON text otherwise than JSON.parse: lone halves, which may be escapes, and -0. */
export function readsDifferently(text: string): boolean {
  return hasLoneSurrogate(text) || /\\u[dD][89a-fA-F]|-0|-[\d.]+[eE]-/.test(text);
}
