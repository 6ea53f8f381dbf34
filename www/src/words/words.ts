/** The page's own words, in English or Chinese: one table, loaded when it is needed. What agents send stays as they wrote it. */
import { cell } from "../lib/cell";

export const languages = { en: "English", "zh-CN": "中文" } as const;
export type Language = keyof typeof languages;

const key = "language";
const isLanguage = (name: string | null): name is Language => name !== null && Object.hasOwn(languages, name);

export const language = cell<Language>("en");
let table: Readonly<Record<string, string>> = {};

async function speak(next: Language): Promise<void> {
  table = next === "en" ? {} : (await import("./chinese")).chinese;
  document.documentElement.lang = next;
  language.set(next);
}

/** The language that was chosen, else the browser's. */
export async function speakFirst(): Promise<void> {
  const chosen = localStorage.getItem(key);
  const first = isLanguage(chosen) ? chosen : navigator.language.startsWith("zh") ? "zh-CN" : "en";
  if (first !== "en") await speak(first);
}

export function choose(next: Language): void {
  localStorage.setItem(key, next);
  void speak(next);
}

/** A sentence in the language that is spoken; what stands in braces is filled in. All is rendered anew with another language. */
export function t(english: string, values: Readonly<Record<string, string | number>> = {}): string {
  const text = Object.hasOwn(table, english) ? (table[english] ?? english) : english;
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
