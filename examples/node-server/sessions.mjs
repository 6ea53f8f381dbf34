/** Who is signed in: a cookie with the user's name, its end, and a signature over both, so that nothing is kept on the server. */
import { createHmac, scryptSync, timingSafeEqual } from "node:crypto";

const COOKIE = "session";
const HOURS = 12;

const isSame = (one, other) => one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** The text that is kept in place of a password. */
export const hashOf = (password, salt) => scryptSync(password, salt, 32).toString("hex");

/**
 * @param {string} secret signs the cookies; at least 32 characters
 * @param {{ [id: string]: { name: string, role: "editor" | "viewer", salt: string, hash: string } }} users
 */
export function makeSessions(secret, users) {
  if (!(secret?.length >= 32)) throw new Error("SECRET: set at least 32 random characters");
  const known = new Map(Object.entries(users));
  const sign = (text) => createHmac("sha256", secret).update(text).digest("hex");

  return {
    /** The cookie of a user who knows the password; `undefined` for anybody else. */
    signIn(id, password, isSecure) {
      const user = known.get(String(id));
      // The same work for a name that nobody has, so that the time of the answer does not tell which names there are.
      const found = hashOf(String(password).slice(0, 200), user?.salt ?? "nobody");
      if (user === undefined || !isSame(found, user.hash)) return undefined;
      const text = `${encodeURIComponent(id)}.${Date.now() + HOURS * 3_600_000}`;
      const about = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${HOURS * 3_600}${isSecure ? "; Secure" : ""}`;
      return `${COOKIE}=${text}.${sign(text)}; ${about}`;
    },

    /** A cookie that ends the session of its page. */
    signOut: `${COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`,

    /** The identity of a request with a valid cookie; `null` without one. The role is the one that the user has now. */
    identityOf(cookies) {
      const cookie = (cookies ?? "").split(/; */).find((one) => one.startsWith(`${COOKIE}=`));
      const [name = "", end = "", signature = ""] = (cookie ?? "").slice(COOKIE.length + 1).split(".");
      if (!isSame(sign(`${name}.${end}`), signature) || Number(end) < Date.now()) return null;
      const id = decodeURIComponent(name);
      const user = known.get(id);
      return user === undefined ? null : { user: { id, name: user.name }, role: user.role };
    },
  };
}
