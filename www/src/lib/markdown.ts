/** Renders the Markdown of agents. HTML stays text; unsafe URLs do not become links. */
import { safeUrl } from "genui-patch";
import { Marked, type Token } from "marked";

const escaped: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapeText = (text: string) => text.replace(/[&<>]/g, (sign) => escaped[sign] ?? sign);

const marked = new Marked({
  renderer: {
    html: ({ raw }) => escapeText(raw),
    image: ({ text }) => escapeText(text),
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens);
      const checked = safeUrl(href);
      return checked.ok ? `<a href="${escapeText(checked.url).replaceAll('"', "&quot;")}">${words}</a>` : words;
    },
  },
});

/** The blocks of a text: paragraphs, headings, lists, code. */
export const blocksOf = (text: string): Token[] => marked.lexer(text).filter(({ type }) => type !== "space");

export const htmlOfBlock = (block: Token): string => marked.parser([block]);

/** A line with what its marks say. */
export const htmlOfLine = (text: string): string => marked.parseInline(text, { async: false });
