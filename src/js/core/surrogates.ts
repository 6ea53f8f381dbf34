/** Text in UTF-8: its length, and unpaired surrogates, which UTF-8, and so the module and files, cannot contain. */

/** The first unpaired surrogate: a first half without a second one after it, or a second half without a first one before it. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const LONE_SURROGATES = /* @__PURE__ */ new RegExp(LONE_SURROGATE, "g");
/** UTF-16 units. Shorter texts are searched by a loop. */
const SHORT = 24;
/** Faster than the pattern, in engines that have it. */
const { isWellFormed }: { length: number; isWellFormed?: () => boolean } = String.prototype;

function hasLoneSurrogate(text: string): boolean {
  if (text.length > SHORT) return isWellFormed ? !isWellFormed.call(text) : LONE_SURROGATE.test(text);
  for (let index = 0; index < text.length; index++) {
    const isSurrogate = (text.charCodeAt(index) & 0xf800) === 0xd800;
    if (isSurrogate) return LONE_SURROGATE.test(text);
  }
  return false;
}

/** The text with U+FFFD in place of unpaired surrogates, as UTF-8 has it. */
export function wellFormed(text: string): string {
  return hasLoneSurrogate(text) ? text.replace(LONE_SURROGATES, "\ufffd") : text;
}

/**
 * Every escape in JSON text. A surrogate pair is tried first, so that a match of one surrogate is an unpaired one. `\\` is a
 * match too: in `\\ud800` it hides the surrogate. `\w` is enough for a hexadecimal digit: JSON.parse refuses all else.
 */
const ESCAPES = /\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|u[dD][89a-fA-F][\da-fA-F]{2}|.)/g;
/** An escaped surrogate, without its last two digits. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** A JSON text with `\ufffd` in place of escapes of unpaired surrogates. */
export function wellEscaped(text: string): string {
  if (!SURROGATE_ESCAPE.test(text)) return text;
  // A pair has 12 characters.
  const isUnpaired = (match: string) => match.length === 6 && SURROGATE_ESCAPE.test(match);
  return text.replace(ESCAPES, (match) => (isUnpaired(match) ? "\\ufffd" : match));
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
