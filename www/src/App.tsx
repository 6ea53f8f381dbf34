import { ChatPanel } from "./chat/ChatPanel";
import { Header } from "./Header";
import { useCell } from "./lib/cell";
import { hood } from "./lib/hood";
import { later } from "./lib/later";
import { tourState } from "./tour/state";
import { Workbench } from "./Workbench";
import { t } from "./words/words";

const LogPanel = later(async () => (await import("./log/LogPanel")).LogPanel);

export function App() {
  const step = useCell(tourState).step;
  return (
    <div className="app" data-tour={step}>
      <a className="skip" href="#workbench">
        {t("Skip to the workbench")}
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
