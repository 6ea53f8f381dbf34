/**
 * Which URLs may become a link or an image. A URL that a model wrote is judged as a browser would read it: without the tabs and
 * line ends in it and the blanks and control characters around it, which browsers drop before they look for the scheme.
 * `safeUrl` returns that form.
 *
 * - `http:` and `https:` with a host; without user names, which make `https://bank.example@evil.example` look right;
 * - `//host/…`, which is `http(s):` with the page's own scheme: same rules;
 * - `mailto:` and `tel:` for links;
 * - `data:` with an image of `IMAGES` for images; SVG among them, since an image runs no scripts (a frame would);
 * - images only from the page's own origin and from those that a policy allows: a picture's address can carry data away;
 * - relative URLs: a path, `?query`, `#fragment`. A `:` before the first `/`, `?` or `#` is a scheme, known or not
 *   (RFC 3986, 4.2), so `example.com:80/x` and `java script:x` are refused and `./a:b` is not.
 *
 * Character references (`javascript&colon;…`) are harmless in an attribute that is set and harmful in HTML that is written; they
 * are refused where a scheme could come out of them. So are backslashes before the query, which browsers read as `/` and people
 * do not.
 */
import { isTexts } from "./kinds.js";
import { type ArgumentKind, oneOf, requireKind, requireOptions, requireText } from "./require.js";
import { wellFormed } from "./surrogates.js";

/** A URL that may be used, in the form in which a browser reads it; or the reason why it may not be used. */
export type SafeUrl =
  | { ok: true; url: string; reason?: undefined; message?: undefined }
  | { ok: false; reason: string; message: string; url?: undefined };

/** The origins, besides the page's own, that a URL may lead to. */
export interface UrlPolicy {
  /**
   * Origins such as `https://cdn.example.com`, `mailto:` and `tel:`, or `*` for all. Without it, links may lead anywhere, and
   * images and actions to the page's own origin only.
   */
  readonly allow?: readonly string[] | undefined;
}

const isOrigin = (text: string): boolean => /^(\*|mailto:|tel:)$/.test(text) || URL.canParse(text);
const ORIGINS: ArgumentKind = [
  'a list of origins such as "https://example.com"',
  (value) => isTexts(value) && value.every(isOrigin),
];

/** Refuses a policy with an entry that is not an origin. */
export function requireUrlPolicy(method: string, policy: UrlPolicy): void {
  requireOptions(method, policy, { allow: ORIGINS }, "urls");
}

/** Whether a policy allows the origin of a URL that `safeUrl` accepts. Relative and `data:` URLs, which have none, are allowed. */
export function isAllowedOrigin(url: string, { allow = [] }: UrlPolicy): boolean {
  const origin = originOf(url);
  if (origin === undefined || origin === globalThis.location?.origin) return true;
  return allow.some((entry) => entry === "*" || originOf(entry) === origin);
}

/** The origin of a URL; for `mailto:` and `tel:` the scheme; `undefined` for relative and `data:` URLs; empty if it is invalid. */
function originOf(url: string): string | undefined {
  const [, scheme = ""] = /^([a-z]*):/i.exec(url) ?? [];
  if (/^(mailto|tel)$/i.test(scheme)) return `${scheme.toLowerCase()}:`;
  if (scheme.toLowerCase() === "data" || (scheme === "" && !url.startsWith("//"))) return undefined;
  const base = globalThis.location?.href;
  // Without a location there is no page whose scheme `//host` could take.
  const fullUrl = base === undefined && scheme === "" ? `https:${url}` : url;
  return URL.canParse(fullUrl, base) ? new URL(fullUrl, base).origin : "";
}

type UrlKind = "link" | "image";
const KIND = /* @__PURE__ */ oneOf("link", "image");

/** The allowed schemes: the kinds of URLs that may have them, and a function that finds a fault in the text after the colon. */
const SCHEMES: Readonly<
  Record<string, readonly [kinds: readonly UrlKind[], fault?: (rest: string) => Fault | undefined]>
> = {
  http: [["link", "image"], hostFault],
  https: [["link", "image"], hostFault],
  mailto: [["link"]],
  tel: [["link"]],
  data: [["image"], (rest) => (isImage(rest) ? undefined : "data")],
};

/** The image types of `data:` URLs. `image/jpg` is a common mistake for `image/jpeg`. */
const IMAGES = ["png", "jpeg", "jpg", "gif", "webp", "avif", "svg+xml"];

const FAULTS = {
  empty: "The URL is empty.",
  "control-character": "The URL contains a control character.",
  "character-reference": "The URL begins with an HTML character reference, which can hide a scheme.",
  backslash: "The URL contains a backslash, which browsers read as a slash.",
  scheme: "The URL's scheme is not allowed here; http:, https: and relative URLs always are.",
  data: "Of data URLs only images are allowed: PNG, JPEG, GIF, WebP, AVIF, SVG.",
  host: "The URL names no host; write it as https://host/path.",
  credentials: "The URL carries a user name, which hides where it leads.",
  origin: "The URL leads to another origin, which is not allowed here.",
};

/** The `reason` of a refusal. */
type Fault = keyof typeof FAULTS;

/**
 * Accepts a URL that a model wrote only if a page may use it: `http`, `https` and relative ones; for links also `mailto`
 * and `tel`; for images also `data` with an image. Images of other origins than the page's own are refused unless `allow` names
 * the origin, and so are links where there is an `allow`. Use the `url` of the result, not the argument.
 *
 * ```ts
 * safeUrl("https://example.com/"); // { ok: true, url: "https://example.com/" }
 * safeUrl("java\nscript:alert(1)"); // { ok: false, reason: "scheme", message: "…" }
 * safeUrl("https://example.com/a.png", "image").reason; // "origin"
 * safeUrl("https://example.com/a.png", "image", { allow: ["https://example.com"] }).ok; // true
 * ```
 */
export function safeUrl(url: string, kind: UrlKind = "link", urls: UrlPolicy = {}): SafeUrl {
  requireText("safeUrl", "url", url);
  requireText("safeUrl", "kind", kind);
  requireKind("safeUrl", "kind", kind, KIND);
  requireUrlPolicy("safeUrl", urls);
  const normalized = wellFormed(trim(url).replaceAll(/[\t\n\r]/g, ""));
  const isLimited = kind === "image" || urls.allow !== undefined;
  const reason = faultOf(normalized, kind) ?? (isLimited && !isAllowedOrigin(normalized, urls) ? "origin" : undefined);
  return reason === undefined ? { ok: true, url: normalized } : { ok: false, reason, message: FAULTS[reason] };
}

/** The URL without the blanks and control characters around it. */
function trim(url: string): string {
  let start = 0;
  let end = url.length;
  while (start < end && url.charCodeAt(start) <= 0x20) start++;
  while (end > start && url.charCodeAt(end - 1) <= 0x20) end--;
  return url.slice(start, end);
}

/** The first fault of a URL, apart from its origin; `undefined` if none exists. */
function faultOf(url: string, kind: UrlKind): Fault | undefined {
  if (url === "") return "empty";
  if (/\p{Cc}/u.test(url)) return "control-character";
  if (hidesScheme(url)) return "character-reference";
  if (before(url, /[?#]/).includes("\\")) return "backslash";
  // The scheme ends at the first `:` that comes before any `/`, `?` and `#`.
  const colon = before(url, /[/?#]/).indexOf(":");
  if (colon < 0) return url.startsWith("//") ? hostFault(url) : undefined;
  const scheme = url.slice(0, colon).toLowerCase();
  const [kinds, fault] = (Object.hasOwn(SCHEMES, scheme) && SCHEMES[scheme]) || [];
  return kinds?.includes(kind) ? fault?.(url.slice(colon + 1)) : "scheme";
}

/** Whether a character reference is where a scheme or its colon could be. */
function hidesScheme(url: string): boolean {
  const head = before(url, /[/?:]/);
  // A reference after the `#` of a fragment is harmless. The `#` of `&#58;` does not begin a fragment.
  const reference = head.search(/&(?:#|[A-Za-z0-9]+;)/);
  const fragment = head.indexOf("#");
  return reference >= 0 && (fragment < 0 || reference < fragment);
}

/** The fault of what follows `http:` or `https:`, which must be `//host…`. */
function hostFault(rest: string): Fault | undefined {
  const authority = rest.startsWith("//") ? before(rest.slice(2), /[/?#]/) : "";
  if (authority.includes("@")) return "credentials";
  // Without a host, as in `http:///path` and `http://:80`, or with a blank in it.
  return authority === "" || authority.startsWith(":") || /\p{White_Space}/u.test(authority) ? "host" : undefined;
}

/** Whether what follows `data:` is an image. */
function isImage(rest: string): boolean {
  const mediaType = before(rest, /[;,]/).toLowerCase();
  // A URL without a comma has no data.
  return rest.includes(",") && IMAGES.some((image) => mediaType === `image/${image}`);
}

/** The text before the first match of `end`; all of it without a match. */
function before(text: string, end: RegExp): string {
  const index = text.search(end);
  return index < 0 ? text : text.slice(0, index);
}
