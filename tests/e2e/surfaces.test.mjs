/** Surfaces: streams of components, rendered as they arrive, their inputs bound to the data. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lowContrast } from "./contrast.mjs";
import { eventually, harness } from "./harness.mjs";

const own = await harness("surface");

const bench = () => own.page.getByRole("tabpanel", { name: "Surface" });
const surface = () => own.page.locator(".surface");
const data = async () => JSON.parse(await own.page.getByRole("region", { name: /^Data model of/ }).innerText());
const sent = async () => JSON.parse(await own.page.getByRole("region", { name: "Last client event" }).innerText());

async function play(title, chunkSize = 64) {
  await bench().getByLabel("Stream").selectOption(title);
  await bench().getByLabel("Chunk size").fill(String(chunkSize));
  await bench().getByLabel("Speed").press("End");
  await bench().getByRole("button", { name: "Restart" }).click();
  await bench().getByRole("button", { name: "Play again" }).waitFor();
}

for (const size of [1, 64]) {
  test(`all of GULF's components are rendered, in pieces of ${size}`, async () => {
    await play("A day's walk: all 18 components", size);
    await surface().getByRole("heading", { name: "Mill to ridge" }).waitFor();
    assert.deepEqual(await surface().locator(".gp-list .gp-text").allInnerTexts(), [
      ...["Mill", "0 km", "Weir", "4.2 km", "Ridge", "9 km"],
    ]);
    await surface().getByRole("button", { name: "What to bring" }).click();
    await own.page.getByRole("dialog").getByText("Water, a paper map").waitFor();
    await own.page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await surface().getByRole("tab", { name: "Sounds" }).click();
    assert.equal(await surface().locator("audio, video").count(), 2);
  });
}

test("inputs write into the data model, and an action carries what they hold", async () => {
  await play("A day's walk: all 18 components");
  await surface().getByRole("tab", { name: "Plan" }).click();
  await surface().getByLabel("Your name").fill("Ada 🐦");
  await surface().getByLabel("Date").fill("2026-06-01");
  await surface().getByRole("slider").fill("5");
  await surface().getByLabel("Breakfast").check();
  assert.equal(await surface().getByLabel("Tea").isDisabled(), true);
  await surface().getByLabel("A quiet group, please").uncheck();
  await surface().getByLabel("Anything else").fill("Two\nlines");
  const { plan } = await data();
  assert.deepEqual(plan, {
    name: "Ada 🐦",
    day: "2026-06-01",
    people: 5,
    quiet: false,
    meals: ["lunch", "breakfast"],
    wishes: "Two\nlines",
  });
  await surface().getByRole("button", { name: "Book the walk" }).click();
  const { actionName, resolvedContext } = await sent();
  assert.equal(actionName, "book");
  assert.equal(resolvedContext.name, "Ada 🐦");
  assert.equal(resolvedContext.people, 5);
});

test("A2UI v0.8: typed data, templates, an action from an item", async () => {
  await play("Library loans");
  assert.deepEqual(await surface().locator(".gp-card .gp-heading").allInnerTexts(), [
    "Rivers and how they move",
    "A field guide to herons",
  ]);
  assert.equal(await surface().getByRole("img", { name: "A field guide to herons" }).count(), 1);
  await surface().getByRole("button", { name: "Renew" }).nth(1).click();
  const { userAction } = await sent();
  assert.deepEqual([userAction.name, userAction.context.title], ["renew", "A field guide to herons"]);
});

test("A2UI v0.9: functions, and checks that hold a button back", async () => {
  await play("Bike hire, with checks");
  await surface().getByText("3 hours on a city bike.").waitFor();
  const reserve = surface().getByRole("button", { name: "Reserve" });
  assert.equal(await reserve.isDisabled(), true);
  await surface().getByLabel("Mail").fill("ada");
  await surface().getByLabel("Mail").press("Tab");
  await surface().getByText("This is no mail address.").waitFor();
  await surface().getByLabel("Mail").fill("ada@example.com");
  assert.equal(await reserve.isDisabled(), false);
  await surface().getByLabel("Cargo").check();
  await surface().getByLabel("Hours").fill("6");
  await surface().getByText("6 hours on a cargo bike.").waitFor();
  await reserve.click();
  assert.deepEqual((await sent()).action.context, { mail: "ada@example.com", kind: ["cargo"], hours: 6 });
});

test("a bad line costs that line; unknown, unsafe, missing or endless parts are reported and keep their place", async () => {
  await play("Bad lines, a cycle, a missing part");
  const text = await surface().innerText();
  for (const part of [
    "the one after it counts",
    "no component Gauge",
    "contains itself",
    "not loaded",
    "its place is kept",
    "late never arrived",
  ])
    assert.match(text, new RegExp(part, "i"));
  const found = own.page.getByRole("list", { name: "Diagnostics" }).getByRole("listitem");
  assert.ok((await found.count()) >= 2);
  assert.match(await found.first().innerText(), /line 3/);
});

test("no agent's text makes the page wider, and an empty stream is reported", async () => {
  const word = { literalString: "x".repeat(300) };
  const parts = {
    heading: ["Heading", { text: word }],
    text: ["Text", { text: word }],
    button: ["Button", { label: word, action: { action: "press" } }],
    field: ["TextField", { label: word, text: { path: "p" } }],
    sound: ["AudioPlayer", { url: { literalString: "media/bell.wav" }, description: word }],
    row: ["Row", { children: { explicitList: ["heading", "button", "sound"] } }],
  };
  const component = ([id, [type, props]]) => ({ id, componentProperties: { [type]: props } });
  const root = ["root", ["Column", { children: { explicitList: Object.keys(parts) } }]];
  const components = [root, ...Object.entries(parts)].map(component);
  const stream = [{ componentUpdate: { components } }, { beginRendering: { root: "root" } }];
  await own.page.setViewportSize({ width: 360, height: 800 });
  await bench().getByLabel("Stream").selectOption("Your own stream…");
  for (const text of [stream.map((message) => JSON.stringify(message)).join("\n"), "nothing"]) {
    await bench().getByLabel("JSON Lines").fill(text);
    await bench().getByLabel("Speed").press("End");
    await bench().getByRole("button", { name: "Play", exact: true }).click();
    await bench().getByRole("button", { name: "Play again" }).waitFor();
    assert.equal(await own.page.evaluate(() => document.documentElement.scrollWidth), 360);
  }
  await bench().getByText("The stream is over: no surface was in it.").waitFor();
});

test("shows the received part while the rest is still arriving", async () => {
  await bench().getByLabel("Stream").selectOption("A day's walk: all 18 components");
  await bench().getByRole("button", { name: "Play", exact: true }).click();
  await surface().waitFor();
  await surface().getByRole("heading", { name: "Mill to ridge" }).waitFor();
  await bench().getByRole("button", { name: "Pause" }).click();
  await eventually(async () => assert.ok((await surface().innerText()).includes("Mill to ridge")));
});

for (const colorScheme of ["light", "dark"]) {
  test(`can be read in ${colorScheme} colours`, async () => {
    await own.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const title of ["Library loans", "Bike hire, with checks", "Bad lines, a cycle, a missing part"]) {
      await play(title);
      assert.deepEqual(await lowContrast(own.page), []);
    }
  });
}

test("the model's prompt names exactly the components that the page has", async () => {
  await bench().getByText("What a model is told").click();
  const prompt = await bench().getByRole("region", { name: "What a model is told" }).innerText();
  assert.match(prompt, /You build user interfaces/);
  const types = Object.keys(JSON.parse(prompt.slice(prompt.indexOf('{"type":"object"'))).properties);
  assert.equal(types.length, 19);
  const components = types.map((type, at) => ({ id: `c${at}`, componentProperties: { [type]: {} } }));
  const children = { explicitList: components.map(({ id }) => id) };
  const all = [
    { streamHeader: { version: "1.0.0" } },
    { componentUpdate: { components: [{ id: "root", componentProperties: { Column: { children } } }, ...components] } },
    { beginRendering: { root: "root" } },
  ];
  await bench().getByLabel("Stream").selectOption("Your own stream…");
  await bench()
    .getByLabel("JSON Lines")
    .fill(all.map((message) => `${JSON.stringify(message)}\n`).join(""));
  await bench().getByLabel("Speed").press("End");
  await bench().getByRole("button", { name: "Play", exact: true }).click();
  await bench().getByRole("button", { name: "Play again" }).waitFor();
  await surface().getByText("This is not loaded").or(surface().locator("hr")).first().waitFor();
  assert.equal(await surface().getByText("This page has no component").count(), 0);
});
