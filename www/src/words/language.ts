/** Which languages there are, and which one is spoken first. Little, since it is asked before anything is shown. */
export const languages = { en: "English", "zh-CN": "中文" } as const;
export type Language = keyof typeof languages;

/** Where the choice is kept. */
export const key = "language";

export const isLanguage = (name: string | null): name is Language => name !== null && Object.hasOwn(languages, name);

/** The language that was chosen, else the browser's. */
export function spoken(): Language {
  const chosen = localStorage.getItem(key);
  return isLanguage(chosen) ? chosen : navigator.language.startsWith("zh") ? "zh-CN" : "en";
}
