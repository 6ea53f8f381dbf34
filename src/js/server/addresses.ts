/** Names of rooms and pages in addresses, and the path of rooms. */

/** Whether a text has only characters that an address has without escapes. `least` and `most` are lengths. */
const isUnescaped = (text: string, least: number, most: number): boolean =>
  text.length >= least && text.length <= most && /^[A-Za-z0-9._~-]+$/.test(text);

/** Names of rooms are parts of addresses, and of keys in storages. A URL would resolve `.` and `..`. */
export const isRoomName = (name: string): boolean => isUnescaped(name, 1, 128) && name !== "." && name !== "..";

/** A page with an event stream chooses its id. With 8 characters, two pages of a user hardly choose the same. */
export const isPageId = (id: string): boolean => isUnescaped(id, 8, 64);

/** The parts of the path of a request. */
export interface RoomAddress {
  /** Undefined for a path that is not below the path of rooms, or is too deep. The name is not checked. */
  room: string | undefined;
  /** `mcp`, `events` and the like; empty for the address of the room itself. */
  endpoint: string;
}

/** The path of rooms, `/rooms` by default, and the addresses below it. */
export class RoomPaths {
  /** Without a `/` at its end. */
  readonly #path: string;

  constructor(path = "/rooms") {
    this.#path = path.endsWith("/") ? path.slice(0, -1) : path;
  }

  /** The path of the health check, beside the path of rooms: `/health`, or `/api/health` for `/api/rooms`. */
  get health(): string {
    return `${this.#path.slice(0, this.#path.lastIndexOf("/"))}/health`;
  }

  serves(address: string): boolean {
    const [pathname = ""] = address.split("?", 1);
    return pathname === this.health || pathname.startsWith(`${this.#path}/`);
  }

  /** The parts of `/rooms/<room>/<endpoint>`. */
  parse(pathname: string): RoomAddress {
    if (!pathname.startsWith(`${this.#path}/`)) return { room: undefined, endpoint: "" };
    const [room, endpoint = "", ...rest] = pathname.slice(this.#path.length + 1).split("/");
    return { room: rest.length === 0 ? room : undefined, endpoint };
  }
}
