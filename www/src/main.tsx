import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./styles/tokens.css";
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

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
