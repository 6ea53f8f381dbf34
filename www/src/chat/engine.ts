/** The engine of the chat: reads answers and executes their calls. */
import {
  type AgentResult,
  agentTools,
  NativeCallStream,
  type ToolBlockEndEvent,
  type ToolBlockEvent,
  ToolBlockStream,
} from "genui-patch";
import { takeCalls } from "../files/work";
import { store } from "../instance/store";
import { flow } from "../proposal/flow";
import { noteCall } from "./activity";
import { dropDrafts, takeDraft } from "./drafts";
import { ownTools } from "./ownTools";
// The number of pending proposals is shown in every room.
import "../proposal/desk";

/** The tools of pages and task flows, and the demo's own; those for files are known anyway. */
const agent = agentTools({ store, flow, tools: ownTools });
const { blocks: tools } = agent;

/** Reads an answer: pieces of its text, and chunks of a provider with native calls in them. */
export interface Reader {
  push(piece: string | object): ToolBlockEvent[];
  end(): ToolBlockEvent[];
  dispose(): void;
}

export function newStream(): Reader {
  const options = { tools, contentDeltas: true, patches: true };
  const blocks = new ToolBlockStream(options) as ToolBlockStream;
  let native: NativeCallStream | undefined;
  return {
    push(piece) {
      if (typeof piece === "string") return blocks.push(piece);
      native ??= new NativeCallStream({ ...options, format: "openai-chat" }) as NativeCallStream;
      return native.push(piece);
    },
    end: () => [...blocks.end(), ...(native?.end() ?? [])],
    dispose() {
      blocks.dispose();
      native?.dispose();
    },
  };
}

const turns = new WeakMap<ToolBlockEndEvent, string>();

/** The agent's turn that a block is of: what a correction of it does belongs to the same turn. */
export const turnOf = (end: ToolBlockEndEvent): string => turns.get(end) ?? "";

/** Sends the calls of a block to the workspace, the page and the task flow. Returns their results, or the refusal. */
export function act(end: ToolBlockEndEvent, turn: string): Promise<AgentResult[]> {
  turns.set(end, turn);
  const calls = end.calls ?? (end.call ? [end.call] : []);
  const settles = calls.map((_, index) => takeDraft(end.toolId, index));
  dropDrafts(end.toolId);
  return calls.length > 0 ? takeCalls(calls, turn, settles) : refused(end);
}

/** The refusal of a block without a valid call. */
async function refused(end: ToolBlockEndEvent): Promise<AgentResult[]> {
  const results = await agent.executeBlock(end);
  for (const result of results) noteCall(result.tool, result.id)(result);
  return results;
}

export { dropDrafts, grow } from "./drafts";
