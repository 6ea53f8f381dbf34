/** A live model at work: what its calls have come to is sent back, round after round, until it makes none. */
import { type AgentResult, agentTools } from "genui-patch";
import { liveSystemPrompt } from "../data/livePrompt";
import { workspace } from "../files/workspace";
import { store } from "../instance/store";
import { log } from "../log/log";
import { endpoint, type Message, streamChat } from "../model/endpoint";
import { readAnswer } from "../model/hear";
import { flow } from "../proposal/flow";
import { player } from "./chat";
import { ownDecisions, ownTools } from "./ownTools";

const mostRounds = 8;

export async function converse(question: string, signal: AbortSignal): Promise<void> {
  const agent = agentTools({ store, files: await workspace(), flow, tools: ownTools });
  const { native } = endpoint.get();
  const messages: Message[] = [
    { role: "system", content: native ? liveSystemPrompt : `${liveSystemPrompt}\n\n${agent.prompt()}` },
    { role: "user", content: withDecisions(question) },
  ];
  const tools = native ? agent.definitions("openai") : undefined;
  for (let round = 0; round < mostRounds; round++) {
    const said: Message = { role: "assistant", content: "" };
    const results = await player.follow(readAnswer(streamChat(messages, signal, tools), said), round > 0);
    if (results.length === 0 || signal.aborted) return;
    log("chat", "results", results.map(({ tool, status }) => `${tool} ${status}`).join(" · "), { detail: results });
    const isNative = ({ id }: AgentResult) => said.tool_calls?.some((call) => call.id === id) === true;
    const inText = results.filter((result) => !isNative(result));
    messages.push(said, ...agent.reply(results.filter(isNative), "openai-chat"));
    if (inText.length > 0) messages.push(...agent.reply(inText, "text"));
    const decided = withDecisions("");
    if (decided !== "") messages.push({ role: "user", content: decided });
  }
}

/** The user's decisions since the last round, before the user's message. */
function withDecisions(said: string): string {
  const decided = player.takeUntold();
  const nodes = decided && `What was decided on nodes since:\n${decided}`;
  return [nodes, ownDecisions(), said].filter(Boolean).join("\n\n");
}
