import { ChatPanel } from "./chat/ChatPanel";
import { Header } from "./Header";
import { LogPanel } from "./log/LogPanel";
import { Workbench } from "./Workbench";

export function App() {
  return (
    <div className="app">
      <a className="skip" href="#workbench">
        Skip to the workbench
      </a>
      <Header />
      <main className="columns">
        <ChatPanel />
        <Workbench />
        <LogPanel />
      </main>
    </div>
  );
}
