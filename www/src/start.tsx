import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { useCell } from "./lib/cell";
import { keepFocus } from "./lib/keepFocus";
import { language, speakFirst } from "./words/words";
import "genui-patch/ui.css";
import "./styles/tokens.css";
import "./styles/components.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/chat.css";
import "./styles/pill.css";
import "./styles/instance.css";
import "./styles/calls.css";
import "./styles/files.css";
import "./styles/proposal.css";
import "./styles/surface.css";
import "./styles/log.css";
import "./styles/tour.css";

/** Loads the code for answers and documents right after the page is rendered, before it is needed. */
const whenIdle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 200));
whenIdle(() => void import("./chat/engine").catch(() => "Who needs it asks again."), { timeout: 1_000 });

keepFocus();

/** All of it anew where another language is spoken. */
function Page() {
  return <App key={useCell(language)} />;
}

const root = document.getElementById("root");
void speakFirst().then(() => {
  if (root) {
    createRoot(root).render(
      <StrictMode>
        <Page />
      </StrictMode>,
    );
  }
});
