import { agentTools, PatchStore, type RunMessage, runAgent, Workspace } from "genui-patch";
import { ActivityList, type BlockComponentProps, PageView, ProposalList } from "genui-patch/react/ui";
import "genui-patch/ui.css";
import { type FormEvent, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { z } from "zod";
import { send } from "./model";
import "./style.css";

const chart = z.object({ title: z.string(), values: z.array(z.number()).min(1) });
const blocks = { chart: { description: "A bar chart of a series of numbers.", props: chart } };
const store = new PatchStore({ catalog: { blocks } });
const files = Workspace.memory({ "notes.md": "# Customers\n\nAda: call back\nBob: new\n" });
const isFile = (tool: string) => tool.endsWith("_file");
const agent = agentTools({ store, files, approve: ({ tool }) => isFile(tool), drafts: (tool) => !isFile(tool) });

function Chart({ props }: BlockComponentProps) {
  const { title, values } = chart.parse(props);
  return <figure><figcaption>{title}</figcaption>{values.map((value, at) => <meter key={at} max={Math.max(...values)} value={value} />)}</figure>;
}

function App() {
  const messages = useRef<RunMessage[]>([]);
  const [chat, setChat] = useState<string[]>([]);
  const [isRunning, setRunning] = useState(false);
  const say = (line: string) => setChat((lines) => [...lines, line]);
  const more = (text: string) => setChat((lines) => [...lines.slice(0, -1), (lines.at(-1) ?? "") + text]);

  async function ask(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const content = String(new FormData(event.currentTarget).get("text"));
    event.currentTarget.reset();
    setRunning(true);
    say(`You: ${content}`);
    const result = await runAgent({
      agent, send, messages: [...messages.current, { role: "user", content }],
      onEvent: (event) => (event.type === "round" ? say("Agent: ") : event.type === "text" && more(event.text)),
    });
    messages.current = result.messages;
    if (result.error) say(result.error.message);
    setRunning(false);
  }

  return (
    <main>
      <section aria-label="Chat">
        {chat.map((line, at) => <p key={at}>{line}</p>)}
        <form onSubmit={ask}><input name="text" aria-label="Message" defaultValue="Build a CRM." /><button disabled={isRunning}>Send</button></form>
        <ActivityList agent={agent} sources={[store, files]} />
        <ProposalList sources={[store, files]} />
      </section>
      <PageView store={store} name="crm" components={{ blocks: { chart: Chart } }} />
    </main>
  );
}

const place = document.getElementById("app");
if (place) createRoot(place).render(<App />);
