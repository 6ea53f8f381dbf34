/** Checks requests: pages of foreign sites can send them too, so Host, Origin and the token must fit. */
import { createHash, timingSafeEqual } from "node:crypto";

/** The URL of a request; undefined if its first line is invalid. */
export function addressOf(request) {
  try {
    return new URL(request.url, "http://localhost");
  } catch {
    return undefined;
  }
}

const digest = (text) => createHash("sha256").update(text).digest();

/**
 * @param {URL | undefined} address what it asks for
 * @param {{ hosts: string[], origins: string[], token: string }} allowed
 * @returns the status with which a request is refused, or undefined.
 */
export function refusalOf(request, address, { hosts, origins, token }, { isOpen = false } = {}) {
  if (address === undefined) return 400;
  const { host = "", origin } = request.headers;
  // A foreign name that resolves to this address (DNS rebinding) is refused.
  if (!hosts.includes(host.toLowerCase())) return 403;
  if (origin !== undefined && !origins.includes(origin.toLowerCase())) return 403;
  return isOpen || timingSafeEqual(digest(tokenOf(request, address)), digest(token)) ? undefined : 401;
}

function tokenOf(request, { pathname, searchParams }) {
  const [scheme, token = ""] = (request.headers.authorization ?? "").split(" ");
  if (scheme.toLowerCase() === "bearer") return token;
  return (pathname === "/ws" && searchParams.get("token")) || "";
}
