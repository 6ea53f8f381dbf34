/** Quotes texts in prompts. */

/** Returns a function that quotes a text in a fence of backticks that none of `texts` can close. */
export function quoter(...texts: readonly string[]): (text: string) => string {
  // Longer than each run of backticks in the texts, and than the three or four that fences usually have.
  const fence = "`".repeat(Math.max(4, ...texts.map(longestRun)) + 1);
  return (text) => [`${fence}text`, text, fence].join("\n");
}

/** The length of the longest run of backticks. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
