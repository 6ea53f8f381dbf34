/** A surface that a live model writes: its calls become lines, round after round, until it makes none. */
import { type GulfAnswer, type GulfChunk, type GulfFlowOptions, gulfFlow, toolDefinitions } from "genui-patch";
import { catalog } from "../data/surfaces/catalog";
import { cell } from "../lib/cell";
import { log } from "../log/log";
import { faultOf, type Message, streamChat } from "../model/endpoint";
import { readAnswer } from "../model/hear";
import { t, type Words } from "../words/words";
import { surfaces } from "./surfaces";

export interface LiveState {
  writing: boolean;
  /** The model's text beside its calls. */
  prose: string;
  /** Its calls that came to no line, and why. */
  refused: readonly string[];
  /** How it ended; empty before. */
  end: Words;
  fault: Words | undefined;
}

const start: LiveState = { writing: false, prose: "", refused: [], end: () => "", fault: undefined };
export const live = cell(start);
const update = (changes: Partial<LiveState>) => live.set({ ...live.get(), ...changes });

const mostRounds = 8;
let running: AbortController | undefined;

/** Lets the model write the surface; the one before goes. */
export async function write(wish: string): Promise<void> {
  running?.abort();
  const controller = new AbortController();
  running = controller;
  const { signal } = controller;
  const isOwn = () => running === controller;
  live.set({ ...start, writing: true });
  log("surface", "ask", wish);
  const lines = gulfFlow<Message>({
    generate,
    catalog,
    conversation: [{ role: "user", content: wish }],
    onText: (text) => isOwn() && update({ prose: live.get().prose + text }),
  });
  try {
    const number = await surfaces.follow(lines, signal);
    const isWhole = number !== undefined && !signal.aborted;
    if (isOwn())
      update({ end: () => (isWhole ? t("The model has ended: {number} lines.", { number }) : t("Stopped.")) });
  } catch (error) {
    if (!isOwn() || signal.aborted) return;
    update({ fault: faultOf(error) });
    log("surface", "fault", faultOf(error)(), { tone: "bad" });
  } finally {
    if (isOwn()) update({ writing: false });
  }
}

export const stop = (): void => running?.abort();

/** Another stream is looked at: what is being written ends, and its events are ignored. */
export function leave(): void {
  stop();
  running = undefined;
  live.set(start);
}

/** Each call is made as soon as the next one begins, and answered with the others of its round. */
async function* generate({
  system,
  messages,
  signal,
}: Parameters<GulfFlowOptions<Message>["generate"]>[0]): AsyncGenerator<GulfChunk> {
  const tools = toolDefinitions("gulf", "openai");
  const conversation: Message[] = [{ role: "system", content: system }, ...messages];
  for (let round = 0; round < mostRounds; round++) {
    const said: Message = { role: "assistant", content: "" };
    const answers: Message[] = [];
    const requestsTo = (end: number | undefined) => {
      const from = answers.length;
      return (said.tool_calls ?? []).slice(from, end).map(({ id, function: { name, arguments: input } }, at) => ({
        // By their places: not every endpoint gives ids that are its own.
        toolRequest: { name, input, ref: `${round} ${from + at}` },
        respond(answer: GulfAnswer) {
          answers.push({ role: "tool", tool_call_id: id, content: JSON.stringify(answer) });
          if (answer.status === "error") refuse(name, answer.error);
        },
      }));
    };
    for await (const piece of readAnswer(streamChat(conversation, signal, tools), said)) {
      if (typeof piece === "string") yield piece;
      else yield* requestsTo(-1);
    }
    yield* requestsTo(undefined);
    if (answers.length === 0) return;
    conversation.push(said, ...answers);
  }
}

function refuse(name: string, { code, message }: { code: string; message: string }): void {
  update({ refused: [...live.get().refused, `${name} · ${code} · ${message}`].slice(-50) });
  log("surface", code, message, { tone: "bad" });
}
