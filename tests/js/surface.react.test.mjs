// useSurface: its value, renders of single components, strict mode, server rendering.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { SurfaceStream } from "genui-patch";
import { useSurface } from "genui-patch/react";
import { createElement, memo, StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { act, mount, unmountAll } from "../support/react.mjs";
import { component, components, data, lines, list, render, text } from "../support/surface.mjs";

afterEach(unmountAll);

test("a tree is shown as it arrives, and only changed nodes render again", async () => {
  const surfaces = new SurfaceStream();
  const rendered = [];
  const Node = memo(({ node }) => {
    rendered.push(node.id);
    return createElement(
      "div",
      null,
      node.props.text ?? "",
      node.children.map((child) => createElement(Node, { key: child.id, node: child })),
    );
  });
  const Surface = () => {
    const tree = useSurface(surfaces, "main");
    return tree ? createElement(Node, { node: tree }) : "waiting";
  };
  const screen = await mount(createElement(Surface));
  assert.equal(screen.textContent, "waiting");
  const push = (...messages) => act(() => surfaces.push(lines(messages)));
  await push(components(component("r", "Column", list("a", "b")), component("a", "Text", text("a"))), render("r"));
  await push(data("a", "one"), components(component("b", "Text", text("b"))), data("b", "two"));
  assert.equal(screen.textContent, "onetwo");
  rendered.length = 0;
  await push(data("b", "three"));
  assert.deepEqual(rendered, ["r", "b"]);
  rendered.length = 0;
  await push(data("unread", 1), components(component("other", "Text")));
  assert.deepEqual(rendered, []);
  await act(() => surfaces.setData("main", "a", "mine"));
  assert.equal(screen.textContent, "minethree");
  const server = renderToString(createElement(StrictMode, null, createElement(Surface)));
  assert.match(server, /mine.*three/);
});
