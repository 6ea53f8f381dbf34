/** Names of rooms and pages in addresses, and the path of rooms. */

/** Whether a text has only characters that an address has as they are. */
const isPlain = (text: string, least: number, most: number): boolean =>
  text.length >= least && text.length <= most && /^[A-Za-z0-9._~-]+$/.test(text);

/** Names of rooms are parts of addresses, and of keys in storages. */
export const isRoomName = (name: string): boolean => isPlain(name, 1, 128) && name !== "." && name !== "..";

export const isPageId = (id: string): boolean => isPlain(id, 8, 64);
/** A room and what is asked of it. */
export interface Place {
  room: string | undefined;
  door: string;
}

export class RoomPaths {
  readonly #path: string;

  constructor(path = "/rooms") {
    this.#path = path.endsWith("/") ? path.slice(0, -1) : path;
  }

  get health(): string {
    return `${this.#path.slice(0, this.#path.lastIndexOf("/"))}/health`;
  }

  serves(address: string): boolean {
    const [pathname = ""] = address.split("?", 1);
    return pathname === this.health || pathname.startsWith(`${this.#path}/`);
  }

  /** The parts of `/rooms/<room>/<door>`. */
  place(pathname: string): Place {
    if (!pathname.startsWith(`${this.#path}/`)) return { room: undefined, door: "" };
    const [room, door = "", ...rest] = pathname.slice(this.#path.length + 1).split("/");
    return { room: rest.length === 0 ? room : undefined, door };
  }
}
