/** A model behind an OpenAI-compatible endpoint. What is typed in stays in this page's memory and goes to that endpoint only. */
import { cell } from "../lib/cell";
import { t, type Words } from "../words/words";

export interface Endpoint {
  /** The address that `/chat/completions` is added to. */
  address: string;
  key: string;
  model: string;
  /** Whether the model gets tool definitions and makes native calls; else it writes blocks into its text. */
  native: boolean;
}

export const endpoint = cell<Endpoint>({ address: "", key: "", model: "", native: false });

export const isSet = ({ address, model }: Endpoint) => /^https?:\/\/./.test(address.trim()) && model.trim() !== "";

/** A message in the form of chat completions. */
export interface Message {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  tool_calls?: readonly NativeCall[];
  tool_call_id?: string | undefined;
}

export interface NativeCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** A piece of an answer, as it comes. */
export interface Chunk {
  choices?: {
    delta?: {
      content?: string | null;
      tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string } }[] | null;
    };
  }[];
}

/** The endpoint has answered, with something else than an answer. */
class Refused extends Error {
  constructor(
    readonly status: number,
    readonly answer: string,
  ) {
    super(`${status}: ${answer}`);
  }
}

/** The reason why the model did not answer. */
export const faultOf =
  (error: unknown): Words =>
  () => {
    if (error instanceof TypeError) return t("The endpoint cannot be reached from this page.");
    if (!(error instanceof Refused)) return String(error);
    return t("The endpoint answered {status}: {answer}", { status: error.status, answer: error.answer });
  };

/** The answer, piece by piece. */
export async function* streamChat(
  messages: readonly Message[],
  signal: AbortSignal,
  tools?: readonly object[],
): AsyncGenerator<Chunk> {
  const response = await ask({ messages, stream: true, ...(tools && { tools }) }, signal);
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? "";
      for (const line of lines) yield* chunkOf(line);
    }
    yield* chunkOf(rest);
  } finally {
    await reader.cancel();
  }
}

/** A `generate` for corrections: one prompt, one answer. */
export async function generate(request: {
  system: string;
  prompt: string;
  temperature: number;
  signal?: AbortSignal | undefined;
}): Promise<string> {
  const { system, prompt, temperature, signal } = request;
  const messages: Message[] = [
    { role: "system", content: system },
    { role: "user", content: prompt },
  ];
  const answer = (await (await ask({ messages, temperature }, signal)).json()) as {
    choices?: { message?: { content?: string } }[];
  };
  return answer.choices?.[0]?.message?.content ?? "";
}

async function ask(body: object, signal: AbortSignal | undefined): Promise<Response> {
  const { address, key, model } = endpoint.get();
  const response = await fetch(`${address.trim().replace(/\/+$/, "")}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key !== "" && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model: model.trim(), ...body }),
    credentials: "omit",
    referrerPolicy: "no-referrer",
    ...(signal && { signal }),
  });
  if (!response.ok) throw new Refused(response.status, (await response.text()).slice(0, 300));
  return response;
}

function* chunkOf(line: string): Generator<Chunk> {
  const data = /^data: ?(.*)$/.exec(line)?.[1];
  if (data === undefined || data === "[DONE]") return;
  yield JSON.parse(data) as Chunk;
}
