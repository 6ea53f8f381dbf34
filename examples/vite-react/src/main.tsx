import { agentTools, PatchStore, type RunMessage, runAgent, Workspace } from "genui-patch";
import { ActivityList, type BlockComponentProps, PageView, ProposalList } from "genui-patch/react/ui";
import "genui-patch/ui.css";
import { type FormEvent, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { z } from "zod";
import { send } from "./model";
import "./style.css";

const props = z.object({ title: z.string(), values: z.array(z.number()).min(1) });
const chart = { description: "A bar chart of a series of numbers.", props };
const store = new PatchStore({ catalog: { blocks: { chart } } });
const files = Workspace.memory({ "notes.md": "# Customers\n\nAda: call back\nBob: new\n" });
const isFile = (tool: string) => tool.endsWith("_file");
const agent = agentTools({ store, files, approve: ({ tool }) => isFile(tool), drafts: (tool) => !isFile(tool) });

function Chart({ props: given }: BlockComponentProps) {
  const { title, values } = props.parse(given);
  return <p>{`${title}: ${values.map((value) => "▇".repeat(value)).join(" | ")}`}</p>;
}

function App() {
  const messages = useRef<RunMessage[]>([]);
  const [chat, setChat] = useState("");
  const [isRunning, setRunning] = useState(false);
  const say = (text: string) => setChat((before) => before + text);

  async function ask(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const content = String(new FormData(event.currentTarget).get("text"));
    setRunning(true);
    say(`> ${content}\n`);
    const result = await runAgent({
      ...{ agent, send, messages: [...messages.current, { role: "user", content }] },
      onEvent: (event) => event.type === "text" && say(event.text),
    });
    messages.current = result.messages;
    say(`\n${result.error?.message ?? ""}`);
    setRunning(false);
  }

  return (
    <main>
      <section aria-label="Chat">
        <pre>{chat}</pre>
        <form onSubmit={ask}>
          <input name="text" aria-label="Message" defaultValue="Build a CRM." />{" "}
          <input type="submit" value="Send" disabled={isRunning} />
        </form>
        <ActivityList agent={agent} sources={[store, files]} />
        <ProposalList sources={[store, files]} />
      </section>
      <PageView store={store} name="crm" components={{ blocks: { chart: Chart } }} />
    </main>
  );
}

const place = document.getElementById("app");
if (place) createRoot(place).render(<App />);
