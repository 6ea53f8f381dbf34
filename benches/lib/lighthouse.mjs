/** Lighthouse's score of the built page: it simulates a phone, but how fast the page runs it takes from this machine. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/lib/run.mjs";
import { score } from "../../tests/support/lighthouse.mjs";
import { table } from "./report.mjs";

const ROUNDS = 3;
const ASKED = 90;
const TITLE = "### The page, by Lighthouse";

export async function lighthouse(quick) {
  if (!existsSync(join(root, "www/dist/index.html")))
    return `${TITLE}\n\nNot measured: \`npm run build:www\` makes the page.`;
  const { best, low } = await score("performance", quick ? 1 : ROUNDS);
  const rows = [["performance, of 100", `${best}`, `${ASKED}`, best >= ASKED ? "met" : "**missed**"]];
  const about = "The best of three rounds, since other work on the machine counts against the page.";
  const missed = low.length > 0 ? [`Below 0.9: ${low.join(", ")}.`] : [];
  return [TITLE, about, table(["", "score", "asked at least", ""], rows), ...missed].join("\n\n");
}
