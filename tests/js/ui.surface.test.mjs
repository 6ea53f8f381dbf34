// The basic catalog of A2UI 1.0 in the components: posters, placeholders, steps, hints of checks, accessibility.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { SurfaceStream } from "genui-patch";
import { SurfaceView } from "genui-patch/react/ui";
import { createElement } from "react";
import { act, mount, unmountAll } from "../support/react.mjs";
import { lines } from "../support/surface.mjs";

afterEach(unmountAll);

async function shown(components, more = {}) {
  const { dataModel = {}, functions, ...props } = more;
  const surfaces = new SurfaceStream({ functions });
  surfaces.push(lines([{ version: "v1.0", createSurface: { surfaceId: "s", components, dataModel } }]));
  const screen = await mount(createElement(SurfaceView, { surfaces, id: "s", ...props }));
  return { surfaces, screen, find: (selector) => screen.querySelector(selector) };
}

test("a video has its poster, if pictures may come from there", async () => {
  const video = {
    id: "root",
    component: "Video",
    url: "https://v.example/a.mp4",
    posterUrl: "https://v.example/a.png",
  };
  const allowed = await shown([video], { urls: { allow: ["https://v.example"] } });
  assert.equal(allowed.find("video").getAttribute("src"), "https://v.example/a.mp4");
  assert.equal(allowed.find("video").getAttribute("poster"), "https://v.example/a.png");
  const refused = await shown([video]);
  assert.equal(refused.find("video").getAttribute("poster"), null);
});

test("a text field has its placeholder, a slider its steps", async () => {
  const { find } = await shown([
    { id: "root", component: "Column", children: ["t", "s", "p"] },
    { id: "t", component: "TextField", label: "Name", value: { "@path": "/name" }, placeholder: "Ada" },
    { id: "s", component: "Slider", label: "Size", value: 5, min: 0, max: 10, steps: 4 },
    { id: "p", component: "Slider", label: "Part", value: 5, max: 10 },
  ]);
  assert.equal(find("input[type=text]").getAttribute("placeholder"), "Ada");
  const [stepped, plain] = find(".gp-column").querySelectorAll("input[type=range]");
  assert.equal(stepped.getAttribute("step"), "2.5");
  assert.equal(plain.getAttribute("step"), "1");
});

test("a check that only warns is a hint: the field is not wrong, and the button can be pressed", async () => {
  const soon = () => ({ valid: false, message: "Expires soon.", severity: "warning" });
  const wrong = () => ({ valid: false, message: "Expired." });
  const checks = (call) => [{ condition: { "@call": call, args: {} } }];
  const { find, screen } = await shown(
    [
      { id: "root", component: "Column", children: ["a", "b", "go", "stop"] },
      { id: "a", component: "TextField", label: "A", value: { "@path": "/a" }, checks: checks("soon") },
      { id: "b", component: "TextField", label: "B", value: { "@path": "/b" }, checks: checks("wrong") },
      { id: "go", component: "Button", child: "x", action: { event: { name: "go" } }, checks: checks("soon") },
      { id: "stop", component: "Button", child: "x", action: { event: { name: "stop" } }, checks: checks("wrong") },
      { id: "x", component: "Text", text: "x" },
    ],
    { functions: { soon, wrong } },
  );
  const [a, b] = screen.querySelectorAll("input");
  const blur = (input) => act(() => void input.dispatchEvent(new window.Event("focusout", { bubbles: true })));
  await blur(a);
  await blur(b);
  assert.equal(find(".gp-note").textContent, "Expires soon.");
  assert.equal(find(".gp-error").textContent, "Expired.");
  assert.deepEqual(
    [a, b].map((input) => input.getAttribute("aria-invalid")),
    [null, "true"],
  );
  assert.equal(a.getAttribute("aria-describedby"), find(".gp-note").id);
  assert.deepEqual(
    [...screen.querySelectorAll("button")].map(({ disabled }) => disabled),
    [false, true],
  );
});

test("accessibility attributes reach what they name", async () => {
  const said = (label, more) => ({ accessibility: { label, description: `${label} it`, ...more } });
  const { find, screen } = await shown([
    { id: "root", component: "Column", children: ["b", "t", "f", "h", "i"], ...said("All") },
    { id: "b", component: "Button", child: "x", ...said("Mute") },
    { id: "t", component: "Text", text: "Lost!", ...said("Alert", { live: "assertive" }) },
    { id: "f", component: "TextField", label: "Name", value: "", ...said("Own name", { live: "loud" }) },
    { id: "h", component: "Row", children: ["x"], accessibility: { hidden: true } },
    { id: "i", component: "Icon", name: "star", ...said("Best") },
    { id: "x", component: "Text", text: "x" },
  ]);
  const attributes = (element) =>
    ["role", "aria-label", "aria-description", "aria-live"].map((name) => element.getAttribute(name));
  assert.deepEqual(attributes(find(".gp-column")), ["group", "All", "All it", null]);
  assert.deepEqual(attributes(find("button")), [null, "Mute", "Mute it", null]);
  assert.deepEqual(attributes([...screen.querySelectorAll("p")].find(({ textContent }) => textContent === "Lost!")), [
    "group",
    "Alert",
    "Alert it",
    "assertive",
  ]);
  assert.deepEqual(attributes(find("input")), [null, "Own name", "Own name it", null]);
  assert.equal(find(".gp-field").getAttribute("aria-live"), null);
  assert.equal(find(".gp-row").getAttribute("aria-hidden"), "true");
  assert.deepEqual(attributes(find("svg")), ["img", "Best", "Best it", null]);
});
