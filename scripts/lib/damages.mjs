/** The damages of tests/support/damages.rs. Each function returns the damaged text with its quotes, or `false`. */

const escaped = (text) => JSON.stringify(text).slice(1, -1);

const lines = (text, isRaw) =>
  text
    .split("\n")
    .map((line, number) => `${number === 0 ? "" : isRaw(number) ? "\n" : "\\n"}${escaped(line)}`)
    .join("");

const count = (text) => text.split("\n").length - 1;
const middle = (text) => Math.floor(count(text) / 2);
const quoted = (text) => `"${text}"`;

export const DAMAGES = {
  "nothing escaped": (text) => quoted(text),
  "raw line breaks and backslashes": (text) => quoted(text.replaceAll('"', '\\"')),
  "raw line breaks": (text) => quoted(lines(text, () => true)),
  "one raw line break": (text) => middle(text) > 0 && quoted(lines(text, (number) => number === middle(text))),
  "every fourth line break raw": (text) => count(text) >= 4 && quoted(lines(text, (number) => number % 4 === 0)),
  "raw quotes": (text) => text.includes('"') && quoted(escaped(text).replaceAll('\\"', '"')),
  "single backslashes": (text) =>
    text.includes("\\") && quoted(escaped(text.replaceAll("\\", "\ue000")).replaceAll("\ue000", "\\")),
  "escaped apostrophes": (text) => text.includes("'") && quoted(escaped(text).replaceAll("'", "\\'")),
  "triple quotes": (text) => `"""${text}"""`,
  "raw template literal": (text) => `\`${text}\``,
  "escaped template literal": (text) => `\`${text.replaceAll(/\\|`|\$(?=\{)/g, "\\$&")}\``,
};
