/**
 * HTML from outside, made of elements that this page makes itself: the text is parsed without being run, and only what
 * is on the list comes over. No attribute does but the address of a link, if the package takes it.
 */
import { safeUrl } from "genui-patch";
import { createElement, type ReactNode } from "react";

/** Elements that shape a text, and what each becomes: headings stand below the page's own. */
const shapes: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(
    ["b", "strong", "i", "em", "u", "s", "sub", "sup", "code", "pre", "blockquote", "p", "br", "ul", "ol", "li"].map(
      (name) => [name, name],
    ),
  ),
  h1: "h5",
  h2: "h5",
  h3: "h6",
  h4: "h6",
  h5: "h6",
  h6: "h6",
};

/** What has no text for a reader. */
const silent = ["script", "style", "template", "noscript", "iframe", "object", "svg", "math", "head", "title"];

const deepest = 40;

export function safeHtml(html: string): ReactNode {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  return contentOf(body, 0);
}

function contentOf(element: Element, depth: number): ReactNode[] {
  if (depth > deepest) return [element.textContent];
  return [...element.childNodes].map((node, at) => nodeOf(node, at, depth));
}

function nodeOf(node: ChildNode, key: number, depth: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (!(node instanceof Element) || silent.includes(node.localName)) return null;
  const inner = contentOf(node, depth + 1);
  if (node.localName === "a") {
    const checked = safeUrl(node.getAttribute("href") ?? "");
    const link = { key, href: checked.ok ? checked.url : undefined, target: "_blank", rel: "noopener noreferrer" };
    return createElement("a", link, ...inner);
  }
  const name = shapes[node.localName];
  if (name === undefined) return createElement("span", { key }, ...inner);
  return name === "br" ? createElement("br", { key }) : createElement(name, { key }, ...inner);
}
