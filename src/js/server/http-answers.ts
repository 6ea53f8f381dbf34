/** Answers to requests: statuses, errors as JSON, and the headers of all answers. */

/** Addresses are in logs of servers and proxies, where tokens must not be. */
export const TOKEN_IN_ADDRESS = {
  code: "TOKEN_IN_ADDRESS",
  message: "a token does not belong into an address",
  solution: 'Send a cookie, the header "authorization", or { "type": "authenticate", "token" } as the first message.',
};

export const PAGE_ID = {
  code: "INVALID_ARGUMENT",
  message: "The address names no page.",
  solution: "Add ?page=… with 8 to 64 letters and digits of your choice, the same for /events and /messages.",
};

export const NO_STREAM = {
  code: "NO_STREAM",
  message: "The page has no open event stream.",
  solution: "Open /events with the same ?page=… first.",
};

/** A response with a status, and a body that becomes JSON if it is given. */
export function answer(
  status: number,
  { body, headers = {} }: { body?: unknown; headers?: { [name: string]: string } | undefined } = {},
): Response {
  const allHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff", ...headers };
  if (body === undefined) return new Response(null, { status, headers: allHeaders });
  return new Response(JSON.stringify(body), { status, headers: { ...allHeaders, "content-type": "application/json" } });
}

/** A response whose body is an error with `code`, `message` and `solution`. */
export const problem = (status: number, error: object, headers?: { [name: string]: string }): Response =>
  answer(status, { body: { error }, headers });
