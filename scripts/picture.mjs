/**
 * `npm run picture`: docs/picture.png, the picture in the README. It shows the built demo page (`npm run build:www`) after its
 * recorded tour, in headless Chromium.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serveFolder } from "../tests/support/site.mjs";
import { browser, chromiumFlags } from "./lib/browser.mjs";
import { Failure, main, root, say } from "./lib/run.mjs";

const VIEWPORT = { width: 1280, height: 760 };
/** The README is read over slow connections, too. */
const MOST_BYTES = 150 * 1024;

await main(async () => {
  const folder = join(root, "www/dist");
  if (!existsSync(join(folder, "index.html"))) throw new Failure("www/dist is missing: run npm run build:www first");
  const site = await serveFolder(folder);
  const engine = await chromium.launch({ executablePath: (await browser()).chrome, args: chromiumFlags });
  try {
    const page = await engine.newPage({ viewport: VIEWPORT, reducedMotion: "reduce", colorScheme: "light" });
    await page.goto(site.address);
    await page.getByRole("button", { name: "Watch an agent build a booking page" }).click();
    await page.getByLabel("Speed").first().press("End");
    await page.getByText("That was it.").waitFor({ timeout: 180_000 });
    await page.getByRole("tab", { name: "Instance" }).click();
    await page.getByLabel("Guests").waitFor();
    const path = join(root, "docs/picture.png");
    await page.screenshot({ path });
    const { size } = statSync(path);
    say("picture", `docs/picture.png, ${Math.ceil(size / 1024)} KB`);
    if (size > MOST_BYTES) throw new Failure(`the picture is larger than ${MOST_BYTES / 1024} KB`);
  } finally {
    await engine.close();
    site.close();
  }
});
