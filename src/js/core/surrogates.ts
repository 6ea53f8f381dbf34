/** Text in UTF-8: its length, and unpaired surrogates, which UTF-8, and so the module and files, cannot contain. */

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const EVERY_LONE = /* @__PURE__ */ new RegExp(LONE, "g");
/** UTF-16 units. Shorter texts are searched by a loop. */
const SHORT = 24;
/** Faster than the pattern, in engines that have it. */
const { isWellFormed }: { length: number; isWellFormed?: () => boolean } = String.prototype;

function hasLoneSurrogate(text: string): boolean {
  if (text.length > SHORT) return isWellFormed ? !isWellFormed.call(text) : LONE.test(text);
  for (let place = 0; place < text.length; place++) {
    if ((text.charCodeAt(place) & 0xf800) === 0xd800) return LONE.test(text);
  }
  return false;
}

/** The text with U+FFFD in place of unpaired surrogates, as UTF-8 has it. */
export function wellFormed(text: string): string {
  return hasLoneSurrogate(text) ? text.replace(EVERY_LONE, "\ufffd") : text;
}

/** Escapes in JSON text. An escaped surrogate pair is one match, so that a match of six characters is a lone half. */
const ESCAPES = /\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|u[dD][89a-fA-F][\da-fA-F]{2}|.)/g;
/** The beginning of the escape of a surrogate. */
const HALF = /\\u[dD][89a-fA-F]/;

/** A JSON text with `\ufffd` in place of escapes of unpaired surrogates. */
export function wellEscaped(text: string): string {
  if (!HALF.test(text)) return text;
  return text.replace(ESCAPES, (found) => (found.length === 6 && HALF.test(found) ? "\\ufffd" : found));
}

/**
 * Whether JSON.parse may read other values than the module: the text may have unpaired surrogates, also as escapes, or negative
 * zeros: `-0`, or a number such as `-1e-999`.
 */
export function readsDifferently(text: string): boolean {
  return hasLoneSurrogate(text) || /\\u[dD][89a-fA-F]|-0|-[\d.]+[eE]-/.test(text);
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** The length of a text in bytes of UTF-8. */
export const utf8Length = (text: string): number => encoder.encode(text).length;
