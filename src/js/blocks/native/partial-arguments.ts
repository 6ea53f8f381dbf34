/** `PartialArguments`: turns arguments that arrive as values with paths into the JSON text that other providers stream. */
import { isText } from "../../core/kinds.js";

/** A value of the arguments as Gemini streams it: one of the values, at a JSONPath such as `$.blocks[0].title`. */
export interface PartialArgument {
  readonly jsonPath?: unknown;
  readonly stringValue?: unknown;
  readonly numberValue?: unknown;
  readonly boolValue?: unknown;
  readonly nullValue?: unknown;
  /** More of the same string follows. */
  readonly willContinue?: unknown;
}

type Step = string | number;

/** The maximum length of a path, in UTF-16 units. */
const LONGEST_PATH = 1_000;
const STEP = /^(?:\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\])/;

/** The steps of a JSONPath without wildcards; `undefined` for any other. */
function stepsOf(path: unknown): Step[] | undefined {
  if (!isText(path) || !path.startsWith("$") || path.length > LONGEST_PATH) return undefined;
  const steps: Step[] = [];
  for (let rest = path.slice(1); rest !== ""; ) {
    const [found, key, index, quoted, other] = STEP.exec(rest) ?? [];
    if (found === undefined) return undefined;
    steps.push(index === undefined ? (key ?? quoted ?? other ?? "") : Number(index));
    rest = rest.slice(found.length);
  }
  return steps.length === 0 ? undefined : steps;
}

/** The values arrive in the order of the text: a value in an object or a list that is closed already cannot be written. */
export class PartialArguments {
  /** The place of the value that was written last. */
  #last: readonly Step[] = [];
  #isOpenText = false;
  /** The keys of all objects so far, by their whole path. */
  readonly #keys = new Set<string>();

  /** The text of the next value; `undefined` for one that cannot be written. */
  write(argument: PartialArgument): string | undefined {
    const steps = stepsOf(argument.jsonPath);
    const value = scalarOf(argument);
    if (steps === undefined) return undefined;
    const isSame = steps.length === this.#last.length && steps.every((step, at) => step === this.#last[at]);
    if (isSame) return this.#isOpenText && isText(value) ? this.#text(value, argument, "") : undefined;
    const text = this.#moveTo(steps);
    if (text === undefined || value === undefined) return undefined;
    return isText(value) ? this.#text(value, argument, `${text}"`) : text + JSON.stringify(value);
  }

  /** The text after the last value. */
  end(): string {
    return this.#last.length === 0 ? "{}" : this.#closed(0);
  }

  #text(value: string, { willContinue }: PartialArgument, before: string): string {
    this.#isOpenText = willContinue === true;
    return before + JSON.stringify(value).slice(1, -1) + (this.#isOpenText ? "" : '"');
  }

  /** The text that closes the open string, and the objects and lists below a level. */
  #closed(level: number): string {
    let text = this.#isOpenText ? '"' : "";
    this.#isOpenText = false;
    for (let at = this.#last.length - 1; at >= level; at--) text += typeof this.#last[at] === "number" ? "]" : "}";
    return text;
  }

  /** The text between the last value and the place of the next one; `undefined` for a place that cannot follow. */
  #moveTo(steps: readonly Step[]): string | undefined {
    const last = this.#last;
    let shared = 0;
    while (shared < last.length && last[shared] === steps[shared]) shared += 1;
    const [from, to] = [last[shared], steps[shared]];
    let text = "";
    if (last.length > 0) {
      // A value cannot be both a leaf and an object, and the items of a list come one after the other.
      if (from === undefined || to === undefined || typeof from !== typeof to) return undefined;
      if (typeof from === "number" && to !== from + 1) return undefined;
      text = `${this.#closed(shared + 1)},`;
    }
    for (let at = shared; at < steps.length; at++) {
      const step = steps[at];
      const isOpened = at > shared || last.length === 0;
      if (typeof step === "number") {
        if (isOpened && step !== 0) return undefined;
        text += isOpened ? "[" : "";
        continue;
      }
      const place = JSON.stringify(steps.slice(0, at + 1));
      if (this.#keys.has(place)) return undefined;
      this.#keys.add(place);
      text += `${isOpened ? "{" : ""}${JSON.stringify(step)}:`;
    }
    this.#last = steps;
    return text;
  }
}

function scalarOf({ stringValue, numberValue, boolValue, nullValue }: PartialArgument) {
  if (isText(stringValue)) return stringValue;
  if (typeof numberValue === "number") return numberValue;
  if (typeof boolValue === "boolean") return boolValue;
  return nullValue === undefined ? undefined : null;
}
