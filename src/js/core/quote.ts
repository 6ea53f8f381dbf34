/** Quotes texts in prompts. */

/** Returns a function that quotes a text in a fence which none of `texts` can close. */
export function quoter(...texts: readonly string[]): (text: string) => string {
  const fence = "`".repeat(Math.max(4, ...texts.map(longestRun)) + 1);
  return (text) => [`${fence}text`, text, fence].join("\n");
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
