/** What reads the answers of the chat, and what their calls do. */
import { agentTools, type ToolBlockEndEvent, ToolBlockStream } from "genui-patch";
import { takeCalls } from "../files/work";
import { store } from "../instance/store";
import { flow } from "../proposal/flow";
// How many proposals wait is told in every room.
import "../proposal/desk";

/** The tools of pages and task flows; those for files are known anyway. */
const tools = agentTools({ store, flow }).blocks;

export const newStream = () => new ToolBlockStream({ tools, contentDeltas: true }) as ToolBlockStream;

/** The calls of a block go to the workspace, the page and the task flow. */
export const act = ({ call, calls }: ToolBlockEndEvent) => takeCalls(calls ?? (call ? [call] : []));
