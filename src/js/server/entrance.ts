/** `Entrance`: who may send requests, and in whose name. */
import { misuse } from "../core/errors.js";
import { isText } from "../core/kinds.js";
import type { Identity, RoomsOptions, User } from "./types.js";
import { WrongCredentials } from "./wrong-credentials.js";

const ROLES: readonly string[] = ["viewer", "editor", "agent"];
const MOST_USER_ID = 256;

const isUser = (user: User | undefined): user is User =>
  isText(user?.id) && user.id !== "" && user.id.length <= MOST_USER_ID;
const reduced = ({ id, name }: User): User => ({ id, ...(isText(name) && { name }) });
export class Entrance {
  readonly #origins: readonly string[];
  readonly #hosts: readonly string[] | undefined;

  readonly #wrong: WrongCredentials;

  constructor(
    private readonly options: Pick<RoomsOptions, "authorize" | "hosts" | "origins" | "mcp">,
    report: (error: Error, room: string) => void,
  ) {
    this.#wrong = new WrongCredentials(report);
    this.#origins = (options.origins ?? []).map((origin) => origin.toLowerCase());
    this.#hosts = options.hosts?.map((host) => host.toLowerCase());
  }

  /** The identity of a request's sender, reduced to what logs keep and other pages see. */
  async authorize(request: Request, incoming: unknown): Promise<Identity | null> {
    const identity = await this.options.authorize(request, incoming);
    if (identity === null) return null;
    const { user, role } = identity;
    if (!isUser(user) || !ROLES.includes(role))
      throw misuse(
        `authorize: return null, or { user: { id }, role }: an id of 1 to ${MOST_USER_ID} characters, and one of ${ROLES.join(", ")}.`,
      );
    return { user: reduced(user), role };
  }

  /** Waits before the answer to a sender whom nobody knows, if there are many of them. */
  async turnAway({ headers }: Request, incoming: unknown, room: string): Promise<void> {
    if (headers.has("authorization") || headers.has("cookie")) await this.#wrong.hold(incoming, room);
  }

  /** The user in whose name an MCP client answers forms; null if it may not answer. */
  async answersFor(request: Request, identity: Identity): Promise<User | null> {
    const { mcp } = this.options;
    if (identity.role !== "agent" || mcp?.answersFor === undefined) return null;
    const user = await mcp.answersFor(request, identity);
    if (user === null) return null;
    if (!isUser(user))
      throw misuse(`mcp.answersFor: return null, or { id }: an id of 1 to ${MOST_USER_ID} characters.`);
    return reduced(user);
  }

  /** The status with which a request is refused before anybody asks who has sent it. */
  refusalOf({ url, headers }: Request): number | undefined {
    const own = new URL(url).host.toLowerCase();
    const host = (headers.get("host") ?? own).toLowerCase();
    // A foreign name that resolves to this address (DNS rebinding) is refused.
    if (this.#hosts !== undefined && !this.#hosts.includes(host)) return 403;
    const origin = headers.get("origin")?.toLowerCase();
    if (origin === undefined || this.#origins.includes(origin)) return undefined;
    return ["http://", "https://"].some((scheme) => origin === scheme + host) ? undefined : 403;
  }
}
