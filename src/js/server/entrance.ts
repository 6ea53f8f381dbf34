/** `Entrance`: checks where requests come from, and asks the application who sends them. */
import { misuse } from "../core/errors.js";
import { isText } from "../core/kinds.js";
import type { Identity, RoomsOptions, User } from "./types.js";
import { WrongCredentials } from "./wrong-credentials.js";

const ROLES: readonly string[] = ["viewer", "editor", "agent"];
/** Characters in the id of a user. */
const MOST_USER_ID = 256;

const isUser = (user: User | undefined): user is User =>
  isText(user?.id) && user.id !== "" && user.id.length <= MOST_USER_ID;

/** A user without other members, which logs and other pages must not get. */
const toPublicUser = ({ id, name }: User): User => ({ id, ...(isText(name) && { name }) });

export class Entrance {
  /** In lower case, as are `#hosts`. */
  readonly #origins: readonly string[];
  /** Undefined: any host. */
  readonly #hosts: readonly string[] | undefined;
  readonly #wrongCredentials: WrongCredentials;

  constructor(
    private readonly options: Pick<RoomsOptions, "authorize" | "hosts" | "origins" | "mcp">,
    report: (error: Error, room: string) => void,
  ) {
    this.#wrongCredentials = new WrongCredentials(report);
    this.#origins = (options.origins ?? []).map((origin) => origin.toLowerCase());
    this.#hosts = options.hosts?.map((host) => host.toLowerCase());
  }

  /**
   * The identity of a request's sender, reduced to what logs keep and other pages see; null for nobody. `incoming`: the
   * platform's own request.
   * @throws GenuiPatchError `INVALID_ARGUMENT` if the application returns anything else.
   */
  async authorize(request: Request, incoming: unknown): Promise<Identity | null> {
    const identity = await this.options.authorize(request, incoming);
    if (identity === null) return null;
    const { user, role } = identity;
    if (!isUser(user) || !ROLES.includes(role))
      throw misuse(
        `authorize: return null, or { user: { id }, role }: an id of 1 to ${MOST_USER_ID} characters, and one of ${ROLES.join(", ")}.`,
      );
    return { user: toPublicUser(user), role };
  }

  /**
   * Waits before a request that `authorize` does not admit is answered, if it has credentials: many wrong ones may be guesses.
   */
  async delayRefusal({ headers }: Request, incoming: unknown, room: string): Promise<void> {
    if (headers.has("authorization") || headers.has("cookie")) await this.#wrongCredentials.delay(incoming, room);
  }

  /** The user in whose name an MCP client answers forms; null if it may not answer. */
  async answersFor(request: Request, identity: Identity): Promise<User | null> {
    const { mcp } = this.options;
    // Only the calls of agents become proposals.
    if (identity.role !== "agent" || mcp?.answersFor === undefined) return null;
    const user = await mcp.answersFor(request, identity);
    if (user === null) return null;
    if (!isUser(user))
      throw misuse(`mcp.answersFor: return null, or { id }: an id of 1 to ${MOST_USER_ID} characters.`);
    return toPublicUser(user);
  }

  /** The status with which a request for a foreign host or from a foreign page is refused; `undefined` for others. */
  refusalOf({ url, headers }: Request): number | undefined {
    const host = (headers.get("host") ?? new URL(url).host).toLowerCase();
    // A foreign name that resolves to this address (DNS rebinding) is refused.
    if (this.#hosts !== undefined && !this.#hosts.includes(host)) return 403;
    const origin = headers.get("origin")?.toLowerCase();
    if (origin === undefined || this.#origins.includes(origin)) return undefined;
    // Behind a proxy that ends TLS, the server does not know which of the two schemes its pages have.
    const isOwnOrigin = ["http://", "https://"].some((scheme) => origin === scheme + host);
    return isOwnOrigin ? undefined : 403;
  }
}
