/** Who is let in. A page of a foreign site may send requests here too: Host and Origin tell, and the token. */
import { createHash, timingSafeEqual } from "node:crypto";

/** What a request asks for, or undefined: its first line may hold anything. */
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
  // A name that has been made to lead here (DNS rebinding) is no name of ours.
  if (!hosts.includes(host.toLowerCase())) return 403;
  if (origin !== undefined && !origins.includes(origin.toLowerCase())) return 403;
  return isOpen || timingSafeEqual(digest(tokenOf(request, address)), digest(token)) ? undefined : 401;
}

function tokenOf(request, { pathname, searchParams }) {
  const [scheme, token = ""] = (request.headers.authorization ?? "").split(" ");
  if (scheme.toLowerCase() === "bearer") return token;
  return (pathname === "/ws" && searchParams.get("token")) || "";
}
