/** The page's own words, in English or Chinese: one table, loaded when it is needed. What agents send stays as they wrote it. */
import type { Labels } from "genui-patch/react/ui";
import { cell } from "../lib/cell";
import type { chinese } from "./chinese";
import { isLanguage, key, type Language, spoken } from "./language";

/** Translations. A text without a row in the table does not compile. */
export type Sentence = keyof typeof chinese;

/** The names in braces, for what is filled in. */
type Holes<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Holes<Rest> : never;
export type Filling<S extends Sentence, T> = Readonly<Record<Holes<S>, T>>;

/** A sentence in which nothing is filled in. */
export type Plain = { [S in Sentence]: [Holes<S>] extends [never] ? S : never }[Sentence];

/** A text that is translated when it is rendered, in the current language. */
export type Words = () => string;

export const language = cell<Language>("en");
let table: Partial<Readonly<Record<Sentence, string>>> = {};
let components: Partial<Labels> = {};

/** The texts of the package's components in the current language; none for English, which they have themselves. */
export const componentTexts = (): Partial<Labels> => components;

async function speak(next: Language): Promise<void> {
  const loaded = next === "en" ? undefined : await import("./chinese");
  table = loaded?.chinese ?? {};
  components = loaded?.components ?? {};
  document.documentElement.lang = next;
  language.set(next);
}

/** The language that was chosen, else the browser's. */
export async function speakFirst(): Promise<void> {
  await speak(spoken());
}

export function choose(next: string): void {
  if (!isLanguage(next)) return;
  localStorage.setItem(key, next);
  void speak(next);
}

/** A sentence in the language that is spoken, cut at what is filled in: every second piece is a name. */
export const piecesOf = (english: Sentence): string[] => (table[english] ?? english).split(/\{(\w+)\}/);

/** A sentence in the language that is spoken. All is rendered anew with another language. */
export function t<S extends Sentence>(
  english: S,
  ...[values]: [Holes<S>] extends [never] ? [] : [Filling<S, string | number>]
): string {
  const filling: Readonly<Record<string, string | number>> = values ?? {};
  return piecesOf(english)
    .map((piece, at) => (at % 2 === 0 ? piece : String(filling[piece])))
    .join("");
}
