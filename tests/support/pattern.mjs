/**
 * Counts the steps that a backtracking engine takes for a regular expression, so that a test can say how they grow without a
 * clock. It tries the alternatives of browser engines in their order, without memoization or other optimizations.
 */

/** Characters of all classes. Of each class that a pattern distinguishes one is tried, beside those that it names. */
const SORTS = " \t\n\r\u0000aAfuzZ019_-.:;,/\\\"'`~[]{}()<>|?*&#$+%@!=^\u00e9\u4e2d\u2028\ufeff\ufffd\ud800\udc00";
/** The step limit: no short text takes more, unless the steps grow as a power of its length. */
const MOST = 1_000_000;

class TooMany extends Error {}

/** The tree of a pattern: `{ kind, … }`. Throws on unsupported syntax. */
function parse({ source, flags }) {
  let at = 0;
  let groups = 0;
  const is = (text) => source.startsWith(text, at);
  const take = (text) => {
    if (!is(text)) return false;
    at += text.length;
    return true;
  };
  const found = (pattern) => {
    pattern.lastIndex = at;
    const [text] = pattern.exec(source) ?? [];
    at += text?.length ?? 0;
    return text;
  };

  function choice() {
    const options = [sequence()];
    while (take("|")) options.push(sequence());
    return options.length === 1 ? options[0] : { kind: "choice", options };
  }

  function sequence() {
    const parts = [];
    while (at < source.length && !is("|") && !is(")")) parts.push(repeated());
    return { kind: "sequence", parts };
  }

  function repeated() {
    const inner = atom();
    const written = found(/[*+?]|\{\d+(?:,\d*)?\}/y);
    if (written === undefined) return inner;
    const [least, most] = { "*": [0, ""], "+": [1, ""], "?": [0, 1] }[written] ?? bounds(written);
    const isLazy = take("?");
    return { kind: "repeat", inner, least: Number(least), most: most === "" ? Infinity : Number(most), isLazy };
  }

  function bounds(written) {
    const [least, most = least] = written.slice(1, -1).split(",");
    return [least, most];
  }

  function group(make) {
    const inner = choice();
    if (!take(")")) throw new Error(`${source}: no end of a group at ${at}`);
    return make(inner);
  }

  function atom() {
    if (take("(?:")) return group((inner) => inner);
    for (const [text, isBehind, isNot] of [
      ["(?=", false, false],
      ["(?!", false, true],
      ["(?<=", true, false],
      ["(?<!", true, true],
    ])
      if (take(text)) return group((inner) => ({ kind: "look", inner, isBehind, isNot }));
    if (found(/\((?:\?<\w+>)?/y) !== undefined) {
      groups += 1;
      const number = groups;
      return group((inner) => ({ kind: "group", inner, number }));
    }
    if (take("^")) return { kind: "start" };
    if (take("$")) return { kind: "end" };
    const back = found(/\\[1-9]/y);
    if (back !== undefined) return { kind: "back", number: Number(back[1]) };
    const char = found(
      /\[\^?(?:\\.|[^\]\\])*\]|\\(?:p\{\w+(?:=\w+)?\}|u[\da-f]{4}|[^\dbB])|[^\\()[\]{}*+?|]|[\]{}]/isy,
    );
    if (char === undefined) throw new Error(`${source}: unknown at ${at}`);
    const one = new RegExp(`^(?:${char})$`, flags.replace(/[gy]/g, ""));
    return { kind: "char", fits: (text) => one.test(text), written: char };
  }

  const tree = choice();
  if (at < source.length) throw new Error(`${source}: unknown at ${at}`);
  return tree;
}

/** The steps of a search as `exec`, `test`, `replace` and `match` run it: all matches if the pattern is global. */
export function stepsOf(pattern, text, tree = parse(pattern)) {
  let steps = 0;
  const count = () => {
    steps += 1;
    if (steps > MOST) throw new TooMany();
  };
  const groups = [];

  /** Whether a node, and everything that `next` requires after it, matches at a position. */
  function fits(node, at, next) {
    count();
    switch (node.kind) {
      case "char":
        return at < text.length && node.fits(text[at]) && next(at + 1);
      case "sequence": {
        const from = (part, place) =>
          part === node.parts.length ? next(place) : fits(node.parts[part], place, (end) => from(part + 1, end));
        return from(0, at);
      }
      case "choice":
        return node.options.some((option) => fits(option, at, next));
      case "group":
        return fits(node.inner, at, (end) => {
          const before = groups[node.number];
          groups[node.number] = text.slice(at, end);
          if (next(end)) return true;
          groups[node.number] = before;
          return false;
        });
      case "back": {
        const own = groups[node.number] ?? "";
        return text.startsWith(own, at) && next(at + own.length);
      }
      case "start":
        return (at === 0 || (pattern.multiline && text[at - 1] === "\n")) && next(at);
      case "end":
        return (at === text.length || (pattern.multiline && text[at] === "\n")) && next(at);
      case "look": {
        const starts = node.isBehind ? Array.from({ length: at + 1 }, (_, back) => at - back).slice(0, 3) : [at];
        const found = starts.some((start) => fits(node.inner, start, (end) => !node.isBehind || end === at));
        return found !== node.isNot && next(at);
      }
      case "repeat": {
        const again = (times, place) => {
          const more = () =>
            times < node.most &&
            fits(node.inner, place, (end) => (end > place || times < node.least) && again(times + 1, end));
          if (times < node.least) return more();
          return node.isLazy ? next(place) || more() : more() || next(place);
        };
        return again(0, at);
      }
    }
    throw new Error(node.kind);
  }

  for (let start = 0; start <= text.length; start++) {
    let end = -1;
    const isFound = fits(tree, start, (place) => {
      end = place;
      return true;
    });
    if (pattern.sticky || (isFound && !pattern.global)) break;
    if (isFound && end > start) start = end - 1;
  }
  return steps;
}

/** The characters that the pattern distinguishes, and texts that match its repeated parts and the parts before those. */
function samplesOf(tree) {
  const chars = [];
  const visit = (node) => {
    if (node.kind === "char") chars.push(node);
    for (const inner of [node.inner, ...(node.parts ?? []), ...(node.options ?? [])]) if (inner) visit(inner);
  };
  visit(tree);
  const all = new Set([...SORTS, ...chars.flatMap(({ written }) => [...written])]);
  const sorts = new Map();
  for (const char of all) {
    const sort = chars.map(({ fits }) => Number(fits(char))).join("");
    if (!sorts.has(sort)) sorts.set(sort, char);
  }
  const sample = (node) => {
    if (node.kind === "char") return [...all].find((char) => node.fits(char)) ?? "";
    if (node.kind === "sequence") return node.parts.map(sample).join("");
    if (node.kind === "choice") return sample(node.options[0]);
    if (node.kind === "repeat") return sample(node.inner).repeat(Math.max(node.least, 1));
    return node.kind === "group" ? sample(node.inner) : "";
  };
  const before = new Set([""]);
  const pumps = new Set();
  const walk = (node, text) => {
    if (node.kind === "repeat" && node.most > 1) {
      before.add(text);
      pumps.add(sample(node.inner));
      pumps.add(text + sample(node.inner));
    }
    if (node.kind === "sequence") {
      for (const [place, part] of node.parts.entries())
        walk(part, text + node.parts.slice(0, place).map(sample).join(""));
    }
    for (const inner of [node.inner, ...(node.options ?? [])]) if (inner) walk(inner, text);
  };
  walk(tree, "");
  const reps = [...sorts.values()];
  for (const char of reps) {
    pumps.add(char);
    if (reps.length <= 10) for (const other of reps) pumps.add(char + other);
  }
  pumps.delete("");
  return { before, pumps, ends: ["", ...reps] };
}

const SHORT = 96;
const TIMES = 4;

/**
 * A text for which the steps of a pattern grow faster than its length, if a tried one does: a part of the pattern's
 * matches, repeated, with text before and after. Otherwise `undefined`.
 */
export function worstOf(pattern) {
  const tree = parse(pattern);
  const { before, pumps, ends } = samplesOf(tree);
  for (const start of before) {
    for (const pump of pumps) {
      for (const end of ends) {
        const text = (length) => start + pump.repeat(Math.ceil(length / pump.length)) + end;
        try {
          const [few, many] = [SHORT, SHORT * TIMES].map((length) => stepsOf(pattern, text(length), tree));
          // Quadratic growth would give sixteen times as many.
          if (many > few * TIMES * 1.7 + 50) return text(SHORT);
        } catch (cause) {
          if (cause instanceof TooMany) return text(SHORT);
          throw cause;
        }
      }
    }
  }
  return undefined;
}
