// The listings of docs/components.md for React render unchanged.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { transform } from "esbuild";
import { PatchStore } from "genui-patch";
import { createElement as h } from "react";
import { renderToString } from "react-dom/server";
import { listings } from "../support/docs.mjs";

const written = [];
after(() => {
  for (const url of written) rmSync(url);
});

const EXPECTED = [
  /Nothing here yet.*Waiting for your approval.*No calls yet/s,
  /Nothing here yet/,
  /Price/,
  /暂无内容.*等待您批准/s,
];

for (const [place, { code }] of listings("components")
  .filter(({ lang }) => lang === "tsx")
  .entries()) {
  test(`listing ${place + 1}`, async () => {
    const made = await transform(code.replace('import "genui-patch/ui.css";', ""), { loader: "tsx", jsx: "automatic" });
    // Written beside this file, where the package resolves by its name.
    const url = new URL(`listing-${process.pid}-${place}.mjs`, import.meta.url);
    written.push(url);
    writeFileSync(url, made.code);
    const { App, Page, Price } = await import(url.href);
    assert.match(renderToString(h(App ?? Page ?? Price, { store: new PatchStore() })), EXPECTED[place]);
  });
}
