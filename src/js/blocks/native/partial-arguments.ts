/** `PartialArguments`: turns arguments that arrive as values with paths into the JSON text that other providers stream. */
import { isText } from "../../core/kinds.js";

/** A value in the arguments as Gemini streams it: a JSONPath such as `$.blocks[0].title`, and one of the four `…Value` members. */
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
/** One step: `.key`, `[0]`, `['key']` or `["key"]`. */
const STEP = /^(?:\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\])/;

/** The steps of a JSONPath without wildcards; `undefined` for any other. */
function stepsOf(path: unknown): Step[] | undefined {
  if (!isText(path) || !path.startsWith("$") || path.length > LONGEST_PATH) return undefined;
  const steps: Step[] = [];
  for (let rest = path.slice(1); rest !== ""; ) {
    const [match, key, index, singleQuoted, doubleQuoted] = STEP.exec(rest) ?? [];
    if (match === undefined) return undefined;
    steps.push(index === undefined ? (key ?? singleQuoted ?? doubleQuoted ?? "") : Number(index));
    rest = rest.slice(match.length);
  }
  return steps.length === 0 ? undefined : steps;
}

/** The values arrive in the order of the text: a value in an object or a list that is closed already cannot be written. */
export class PartialArguments {
  /** The path of the value that was written last; empty before the first one. */
  #last: readonly Step[] = [];
  /** Whether that value is a string that continues. */
  #isOpenText = false;
  /** The keys of all objects so far, by their whole path as JSON: no object may have one twice. */
  readonly #keys = new Set<string>();

  /** The text of the next value; `undefined` for one that cannot be written. */
  write(argument: PartialArgument): string | undefined {
    const steps = stepsOf(argument.jsonPath);
    const value = scalarOf(argument);
    if (steps === undefined) return undefined;
    const isSamePath = steps.length === this.#last.length && steps.every((step, level) => step === this.#last[level]);
    // The same path comes again only with the next piece of a string.
    if (isSamePath) return this.#isOpenText && isText(value) ? this.#text(value, argument, "") : undefined;
    const text = this.#moveTo(steps);
    if (text === undefined || value === undefined) return undefined;
    return isText(value) ? this.#text(value, argument, `${text}"`) : text + JSON.stringify(value);
  }

  /** The text after the last value, which closes everything. */
  end(): string {
    return this.#last.length === 0 ? "{}" : this.#closingText(0);
  }

  /** A piece of a string, after `before`, with the closing quote if no more of it follows. */
  #text(value: string, { willContinue }: PartialArgument, before: string): string {
    this.#isOpenText = willContinue === true;
    return before + JSON.stringify(value).slice(1, -1) + (this.#isOpenText ? "" : '"');
  }

  /** The text that closes the open string, and the objects and lists from a level on. The outermost one has the level 0. */
  #closingText(level: number): string {
    let text = this.#isOpenText ? '"' : "";
    this.#isOpenText = false;
    const innermostFirst = this.#last.slice(level).reverse();
    for (const step of innermostFirst) text += typeof step === "number" ? "]" : "}";
    return text;
  }

  /**
   * The text between the last value and the value at `steps`; `undefined` for a path that cannot follow. Up to the first step in
   * which the two paths differ, objects and lists stay open. After that step, those of the last path are closed, and those of the
   * next path are opened.
   */
  #moveTo(steps: readonly Step[]): string | undefined {
    const lastSteps = this.#last;
    let differingLevel = 0;
    while (differingLevel < lastSteps.length && lastSteps[differingLevel] === steps[differingLevel])
      differingLevel += 1;
    const [lastStep, nextStep] = [lastSteps[differingLevel], steps[differingLevel]];
    let text = "";
    if (lastSteps.length > 0) {
      // A value cannot be both a scalar and a parent, or a list and an object. The items of a list come one after the other.
      if (lastStep === undefined || nextStep === undefined || typeof lastStep !== typeof nextStep) return undefined;
      if (typeof lastStep === "number" && nextStep !== lastStep + 1) return undefined;
      text = `${this.#closingText(differingLevel + 1)},`;
    }
    for (let level = differingLevel; level < steps.length; level++) {
      const step = steps[level];
      // At the level where the paths differ, the list or object is open already.
      const isNew = level > differingLevel || lastSteps.length === 0;
      if (typeof step === "number") {
        if (isNew && step !== 0) return undefined;
        text += isNew ? "[" : "";
        continue;
      }
      const keyPath = JSON.stringify(steps.slice(0, level + 1));
      if (this.#keys.has(keyPath)) return undefined;
      this.#keys.add(keyPath);
      text += `${isNew ? "{" : ""}${JSON.stringify(step)}:`;
    }
    this.#last = steps;
    return text;
  }
}

/** The value of an argument; `undefined` if it has none. */
function scalarOf({ stringValue, numberValue, boolValue, nullValue }: PartialArgument) {
  if (isText(stringValue)) return stringValue;
  if (typeof numberValue === "number") return numberValue;
  if (typeof boolValue === "boolean") return boolValue;
  return nullValue === undefined ? undefined : null;
}
