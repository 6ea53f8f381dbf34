// The recipes of docs/components.md for other frameworks: compiled by their own compilers, run in Chromium.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { compile, compileModule } from "svelte/compiler";
import { compileScript, parse } from "vue/compiler-sfc";
import { launch, open } from "../support/browser.mjs";
import { listings } from "../support/docs.mjs";
import { serveFolder } from "../support/site.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const all = listings("components");
const scripts = all.filter(({ lang }) => lang === "javascript").map(({ code }) => code);
const [vueInstance, svelteInstance, solidInstance, solidCity] = scripts;
const textOf = (lang) => all.find((one) => one.lang === lang).code;
const plain = all.findLast(({ lang }) => lang === "ts").code;

const vueComponent = () => {
  const { descriptor } = parse(textOf("vue"));
  return compileScript(descriptor, { id: "city", inlineTemplate: true }).content;
};
const svelteComponent = () => compile(textOf("svelte"), { generate: "client", runes: true }).js.code;

/** By framework: its files, and a script that shows its component in `main`. */
const frameworks = {
  vue: {
    files: () => ({ "instance.js": vueInstance, "city.js": vueComponent() }),
    mount: `import { createApp } from "vue"; import City from "./city.js"; createApp(City, { store }).mount(main);`,
  },
  svelte: {
    files: () => ({
      "instance.js": compileModule(svelteInstance, { generate: "client" }).js.code,
      "city.js": svelteComponent(),
    }),
    mount: `import { mount } from "svelte"; import City from "./city.js"; mount(City, { target: main, props: { store } });`,
  },
  solid: {
    files: () => ({ "instance.js": solidInstance, "city.js": solidCity }),
    mount: `import { render } from "solid-js/web"; import { City } from "./city.js"; render(() => City({ store }), main);`,
  },
  "plain JavaScript": {
    files: () => ({}),
    // The listing makes a store of its own: here it is that of the test.
    mount: `main.innerHTML = "<input>"; ${plain.replace(/^import .*$/m, "").replace("new PatchStore()", "globalThis.store")}`,
  },
};

const page = {
  meta: { title: "Contacts" },
  state: { params: { city: "Lyon" }, runtime: {} },
  layout: { type: "single" },
  blocks: [{ id: "contact", type: "form", props: { fields: [{ key: "city", type: "text", label: "City" }] } }],
  actions: [],
};

async function bundle({ files, mount }) {
  const made = Object.entries(files());
  const imports = mount.match(/import [^;]*;/g) ?? [];
  const contents = `import { PatchStore } from "genui-patch";
${imports.join("\n")}
const store = (globalThis.store = new PatchStore());
store.load("crm", ${JSON.stringify(page)});
const main = document.querySelector("main");
{ ${mount.replace(/import [^;]*;/g, "")} }`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, sourcefile: "entry.js" },
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["browser"],
    write: false,
    logLevel: "silent",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [
      {
        name: "listings",
        setup(build) {
          build.onResolve({ filter: /^\.\/(instance|city)\.js$/ }, ({ path, namespace, importer }) =>
            namespace === "listing" || importer.endsWith("entry.js") ? { path, namespace: "listing" } : undefined,
          );
          build.onLoad({ filter: /.*/, namespace: "listing" }, ({ path }) => ({
            contents: made.find(([name]) => `./${name}` === path)[1],
            loader: "ts",
            resolveDir: root,
          }));
        },
      },
    ],
  });
  return outputFiles[0].text;
}

const answers = {
  "/": (_, response) =>
    response
      .writeHead(200, { "content-type": "text/html" })
      .end('<!doctype html><title>Recipe</title><link rel="icon" href="data:,"><main></main>'),
};
const site = await serveFolder(root, {}, answers);
const browser = await launch();
after(async () => {
  await browser.close();
  site.close();
});

for (const [name, framework] of Object.entries(frameworks)) {
  test(name, async () => {
    const content = await bundle(framework);
    const { page, problems } = await open(browser, site.address);
    await page.addScriptTag({ content, type: "module" });
    const input = page.locator("input");
    await page.waitForFunction(() => document.querySelector("input")?.value === "Lyon");
    if (name !== "plain JavaScript") assert.equal(await page.locator("h2").innerText(), "Contacts");
    // An agent's call is shown.
    await page.evaluate(() =>
      store.apply({
        instance_name: "crm",
        patches: [
          { op: "set", path: "state.params.city", value: "Brest" },
          { op: "set", path: "meta.title", value: "People" },
        ],
      }),
    );
    await page.waitForFunction(() => document.querySelector("input").value === "Brest");
    if (name !== "plain JavaScript") assert.equal(await page.locator("h2").innerText(), "People");
    // Input of the user is stored, and the caret stays in the middle of the text.
    await input.focus();
    await input.evaluate((node) => node.setSelectionRange(2, 2));
    await page.keyboard.type("ea");
    assert.equal(await page.evaluate(() => store.get("crm", "state.params.city")), "Breaest");
    assert.equal(await input.evaluate((node) => node.selectionStart), 4);
    assert.deepEqual(problems, []);
    await page.close();
  });
}
