import { ChatPanel } from "./chat/ChatPanel";
import { Header } from "./Header";
import { useCell } from "./lib/cell";
import { hood } from "./lib/hood";
import { LogPanel } from "./log/LogPanel";
import { tourState } from "./tour/tour";
import { Workbench } from "./Workbench";

export function App() {
  const step = useCell(tourState).step;
  return (
    <div className="app" data-tour={step}>
      <a className="skip" href="#workbench">
        Skip to the workbench
      </a>
      <Header />
      <main className="columns">
        <ChatPanel />
        <Workbench />
        {useCell(hood) && <LogPanel />}
      </main>
    </div>
  );
}
