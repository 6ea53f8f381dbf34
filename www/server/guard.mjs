/** Who is let in. A page of a foreign site may send requests here too: Host and Origin tell, and the token. */
import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text) => createHash("sha256").update(text).digest();

/**
 * @param {{ hosts: string[], origins: string[], token: string }} allowed
 * @returns the status with which a request is refused, or undefined.
 */
export function refusalOf(request, { hosts, origins, token }, { isOpen = false } = {}) {
  const { host = "", origin } = request.headers;
  // A name that has been made to lead here (DNS rebinding) is no name of ours.
  if (!hosts.includes(host.toLowerCase())) return 403;
  if (origin !== undefined && !origins.includes(origin.toLowerCase())) return 403;
  return isOpen || timingSafeEqual(digest(tokenOf(request)), digest(token)) ? undefined : 401;
}

function tokenOf(request) {
  const [scheme, token = ""] = (request.headers.authorization ?? "").split(" ");
  if (scheme.toLowerCase() === "bearer") return token;
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  return (pathname === "/ws" && searchParams.get("token")) || "";
}
