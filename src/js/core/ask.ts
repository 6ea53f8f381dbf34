/** Questions to a module that are an object, as are the answers. */
import { GenuiPatchError } from "../errors.js";
import type { Base, WasmModule } from "./module.js";

/** A URL that may be used, in the form in which a browser reads it; or why not. */
export type SafeUrl =
  | { ok: true; url: string; reason?: undefined; message?: undefined }
  | { ok: false; reason: string; message: string; url?: undefined };

/** What both modules know of URLs: a page has one of them for other reasons. */
interface Urls extends Base {
  safe_url(bytes: number): number;
}

export const askUrl = (module: WasmModule<Urls>, url: string, kind: string): SafeUrl =>
  ask(module, (glue, bytes) => glue.safe_url(bytes), { url, kind });

/** JSON.stringify writes lone surrogates as escapes, which the module reads as U+FFFD. */
export function ask<Glue extends Base, Answer extends object>(
  module: WasmModule<Glue>,
  run: (glue: Glue, bytes: number) => number,
  question: object,
): Answer {
  const text = stringify(question);
  const answer = module.call((glue) => module.receiveJson<Answer | { misuse: string }>(run(glue, module.send(text))));
  if ("misuse" in answer) throw new GenuiPatchError("INVALID_ARGUMENT", answer.misuse);
  return answer;
}

function stringify(question: object): string {
  try {
    return JSON.stringify(question, (_, value: unknown) => {
      // JSON would leave these out, and with them what the host meant to forbid.
      if (typeof value === "function" || typeof value === "symbol")
        throw new TypeError(`a ${typeof value} is no JSON value`);
      return value;
    });
  } catch (cause) {
    // Those, a cycle, a BigInt, a getter that throws.
    const error = new GenuiPatchError("INVALID_ARGUMENT", "The policy cannot be written as JSON.");
    error.cause = cause;
    throw error;
  }
}
