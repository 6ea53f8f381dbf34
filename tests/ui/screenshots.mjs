// `node tests/ui/screenshots.mjs FOLDER`: each story in both themes, on a desktop and on a phone, and one right to left.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { launch } from "../support/browser.mjs";
import { servePage } from "../support/ui.mjs";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Say into which folder the pictures go.");
await mkdir(folder, { recursive: true });
const site = await servePage();
const browser = await launch();
const names = ["page", "tabs", "proposals", "chinese", "calls", "diff", "surface", "gulf", "loans", "activity"];
for (const [size, width] of Object.entries({ desktop: 1040, phone: 390 })) {
  for (const theme of ["light", "dark"]) {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    for (const name of names) {
      await page.goto(`${site.address}/?story=${name}&theme=${theme}`);
      await page.waitForSelector(`#${name}`);
      await page.screenshot({ path: join(folder, `${name}-${size}-${theme}.png`), fullPage: true });
    }
    await page.close();
  }
}
const page = await browser.newPage({ viewport: { width: 1040, height: 900 } });
await page.goto(`${site.address}/?story=page&dir=rtl`);
await page.waitForSelector("#page");
await page.screenshot({ path: join(folder, "page-rtl.png"), fullPage: true });
await browser.close();
site.close();
