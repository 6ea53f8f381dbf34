/** WebKit of GTK in a minimal browser, driven by WebKitWebDriver, on a virtual screen. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./site.mjs";
import { wanted } from "./webdriver.mjs";

const browser = fileURLToPath(new URL("webkit-browser.js", import.meta.url));

/** WebDriver's commands, keyed by their Marionette names. */
const routes = {
  CloseWindow: ["DELETE", "/window"],
  ExecuteScript: ["POST", "/execute/sync"],
  GetWindowHandle: ["GET", "/window"],
  Navigate: ["POST", "/url"],
  NewWindow: ["POST", "/window/new"],
  PerformActions: ["POST", "/actions"],
  Refresh: ["POST", "/refresh"],
  SetWindowRect: ["POST", "/window/rect"],
  SwitchToWindow: ["POST", "/window"],
  TakeScreenshot: ["GET", "/screenshot"],
};

/** Starts WebKit; returns `{ send, close }`. */
export async function startWebKit({ driver, runner, screen }, { profile, ...options } = {}) {
  const folder = profile ?? mkdtempSync(join(tmpdir(), "genui-patch-webkit-"));
  const children = [];
  const close = async () => {
    for (const child of children.reverse()) {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once("exit", done));
    }
    if (!profile) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    const pairs = Object.entries(options).map(([name, value]) => `${name}=${value}`);
    const start = { binary: runner, args: ["-m", browser, folder, ...pairs] };
    const display = await shown(screen, children);
    const { base, session } = await open(driver, start, display, children);
    const send = (name, parameters = {}) => command(base, session, name, parameters);
    return {
      send,
      close: () =>
        request(`${base}/session/${session}`, "DELETE")
          .catch(() => {})
          .then(close),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A virtual screen prints its number when it is ready. */
function shown(screen, children) {
  const child = spawn(screen, ["-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").once("data", (text) => resolve(`:${text.trim()}`));
    child.once("error", reject).once("exit", (code) => reject(new Error(`${screen} ended with ${code}`)));
  });
}

async function open(driver, start, display, children) {
  const port = await freePort();
  const child = spawn(driver, [`--port=${port}`], {
    env: { ...process.env, DISPLAY: display, LC_ALL: "en_US.UTF-8" },
    stdio: "ignore",
  });
  children.push(child);
  const base = `http://127.0.0.1:${port}`;
  const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": start, ...wanted } };
  for (let turn = 0; ; turn++) {
    try {
      await request(`${base}/status`, "GET");
      break;
    } catch (error) {
      if (turn === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const { sessionId } = await request(`${base}/session`, "POST", { capabilities });
  return { base, session: sessionId };
}

function command(base, session, name, parameters) {
  const [method, path] = routes[name];
  return request(`${base}/session/${session}${path}`, method, method === "POST" ? parameters : undefined);
}

async function request(address, method, body) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(address, { method, ...(body && { body: JSON.stringify(body), headers }) });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}
