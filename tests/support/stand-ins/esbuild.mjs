/** The compiler, for pages: the test server runs it. */
import { notHere } from "./node.mjs";

export const build = notHere("build");

export async function transform(...args) {
  const response = await fetch("/transform", { method: "POST", body: JSON.stringify(args) });
  return response.json();
}
