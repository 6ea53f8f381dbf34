/** `nodeListener`: `rooms.fetch` for the servers of Node, Express and Connect. */
import type { Rooms } from "./types.js";

/** The members of Node's `IncomingMessage` that are used. */
export interface NodeIncoming extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Express: the address before a mount point was cut off. */
  readonly originalUrl?: string | undefined;
  /** The parsed body, if a parser such as `express.json()` has read the request to its end. */
  readonly body?: unknown;
  /** The request was read to its end. */
  readonly readableEnded?: boolean | undefined;
}

/** The members of Node's `ServerResponse` that are used. */
export interface NodeOutgoing {
  writeHead(status: number, headers: { [name: string]: string }): unknown;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  once(event: "drain" | "close", listener: () => void): unknown;
  readonly destroyed: boolean;
}

/**
 * A listener for `http.createServer`, or a handler for Express: there, requests for other addresses go to the handlers after it.
 * `authorize` gets Node's request as its second argument, with what handlers before have added, such as a session.
 *
 * ```ts
 * const listener = nodeListener(createRooms({ storage: memoryStorage(), authorize: () => null }));
 * typeof listener; // "function"
 * ```
 */
export function nodeListener(
  rooms: Pick<Rooms, "fetch" | "serves">,
): (request: NodeIncoming, response: NodeOutgoing, next?: () => void) => Promise<void> {
  return async (incoming, response, next) => {
    if (next !== undefined && !rooms.serves(incoming.originalUrl ?? incoming.url ?? "/")) return next();
    // Aborted when the connection is closed, also after a complete answer.
    const connectionEnd = new AbortController();
    response.once("close", () => connectionEnd.abort());
    let answer: Response;
    try {
      answer = await rooms.fetch(toRequest(incoming, connectionEnd.signal), incoming);
    } catch {
      // The address is not a URL, or a header is invalid.
      answer = new Response(null, { status: 400 });
    }
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    const reader = answer.body?.getReader();
    connectionEnd.signal.addEventListener("abort", () => void reader?.cancel().catch(() => {}));
    try {
      for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
        // For a client that reads slowly: nothing more is taken from the answer before the client has read what was written.
        if (!response.write(part.value))
          await new Promise<void>((resolve) => {
            response.once("drain", resolve);
            response.once("close", resolve);
          });
        if (response.destroyed) break;
      }
    } catch {
      // The answer failed in the middle. The client sees that the response ends early.
    }
    response.end();
  };
}

function toRequest(incoming: NodeIncoming, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    for (const item of typeof value === "string" ? [value] : (value ?? [])) headers.append(name, item);
  const { method = "GET" } = incoming;
  const address = new URL(incoming.originalUrl ?? incoming.url ?? "/", `http://${headers.get("host") ?? "localhost"}`);
  if (method === "GET" || method === "HEAD") return new Request(address, { method, headers, signal });
  // A parser has read the stream, so the body is made of the parsed value.
  if (incoming.readableEnded && incoming.body !== undefined)
    return new Request(address, { method, headers, signal, body: JSON.stringify(incoming.body) });
  const parts = incoming[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  // Node requires the option for a body that is a stream; the types of browsers do not have it.
  const options: RequestInit & { duplex: "half" } = { method, headers, signal, body, duplex: "half" };
  return new Request(address, options);
}
