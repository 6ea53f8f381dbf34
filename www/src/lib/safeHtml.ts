/**
 * HTML from outside, made of elements that this page makes itself: DOMPurify parses the text without running it and leaves
 * what shapes a text. No attribute comes over but the address of a link, if the package takes it.
 */
import DOMPurify from "dompurify";
import { safeUrl } from "genui-patch";
import { createElement, type ReactNode } from "react";

const shapes = ["b", "strong", "i", "em", "u", "s", "del", "sub", "sup", "code", "pre", "blockquote", "p", "br", "hr"];
const lists = ["ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"];
const headings = ["h1", "h2", "h3", "h4", "h5", "h6"];
/** Elements without content. */
const empty = ["br", "hr"];

const config = { ALLOWED_TAGS: ["a", ...shapes, ...lists, ...headings], ALLOWED_ATTR: ["href"] };

const deepest = 40;

/** The markup of safe HTML, for components that take markup. */
export function safeMarkup(html: string): string {
  const box = document.createElement("div");
  box.append(DOMPurify.sanitize(html, { ...config, RETURN_DOM_FRAGMENT: true }));
  for (const link of box.querySelectorAll("a")) {
    const checked = safeUrl(link.getAttribute("href") ?? "");
    if (checked.ok) link.setAttribute("href", checked.url);
    else link.removeAttribute("href");
    link.setAttribute("target", "_blank");
    link.setAttribute("rel", "noopener noreferrer");
  }
  return box.innerHTML;
}

/** `top`: the level of the highest heading, below the page's own. */
export function safeHtml(html: string, top = 5): ReactNode {
  return contentOf(DOMPurify.sanitize(html, { ...config, RETURN_DOM: true }), top, 0);
}

function contentOf(element: Node, top: number, depth: number): ReactNode[] {
  if (depth > deepest) return [element.textContent];
  return [...element.childNodes].map((node, at) => nodeOf(node, at, top, depth));
}

function nodeOf(node: ChildNode, key: number, top: number, depth: number): ReactNode {
  if (!(node instanceof Element)) return node.textContent;
  const name = node.localName;
  if (empty.includes(name)) return createElement(name, { key });
  const inner = contentOf(node, top, depth + 1);
  if (name === "a") {
    const checked = safeUrl(node.getAttribute("href") ?? "");
    const link = { key, href: checked.ok ? checked.url : undefined, target: "_blank", rel: "noopener noreferrer" };
    return createElement("a", link, ...inner);
  }
  const level = headings.indexOf(name);
  return createElement(level < 0 ? name : `h${Math.min(6, top + Math.max(0, level - 1))}`, { key }, ...inner);
}
