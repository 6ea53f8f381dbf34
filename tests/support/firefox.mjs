/** Firefox, driven by Marionette: the commands of WebDriver over its own socket, without a separate driver. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wanted } from "./webdriver.mjs";

/** Firefox starts empty: no first-run pages, updates or reports. */
const preferences = {
  "app.normandy.enabled": false,
  "app.update.disabledForTesting": true,
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "browser.tabs.unloadOnLowMemory": false,
  "browser.warnOnQuit": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "dom.disable_beforeunload": true,
  "extensions.update.enabled": false,
  "marionette.port": 0,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "remote.prefs.recommended": true,
  "services.settings.server": "data:,#remote-settings-dummy/v1",
  "toolkit.telemetry.enabled": false,
};

/** Starts Firefox; `profile` is kept if given. Returns `{ send, close }`. */
export async function startFirefox({ program }, { profile, prefs = {} } = {}) {
  const folder = profile ?? mkdtempSync(join(tmpdir(), "genui-patch-firefox-"));
  mkdirSync(folder, { recursive: true });
  const lines = Object.entries({ ...preferences, ...prefs }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(folder, "user.js"), lines.join(""));
  const portFile = join(folder, "MarionetteActivePort");
  rmSync(portFile, { force: true });
  const args = ["--headless", "--marionette", "--no-remote", "--profile", folder, "about:blank"];
  const child = spawn(program, args, { stdio: "ignore", env: { ...process.env, MOZ_CRASHREPORTER_DISABLE: "1" } });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  child.on("error", () => {});
  const socket = await attach(portFile, child);
  const send = commands(socket);
  await send("NewSession", { capabilities: { alwaysMatch: wanted } });
  return {
    send,
    async close() {
      await send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(late);
      socket.destroy();
      if (!profile) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

async function attach(portFile, child) {
  for (let turn = 0; turn < 600; turn++) {
    if (child.exitCode !== null) throw new Error(`Firefox ended with ${child.exitCode}`);
    const port = existsSync(portFile) ? Number(readFileSync(portFile, "utf8")) : 0;
    if (port > 0) {
      const socket = connect(port, "127.0.0.1");
      const connected = await new Promise((resolve) => {
        socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      });
      if (connected) return socket;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill("SIGKILL");
  throw new Error("Firefox does not answer");
}

/** Each message is its length in bytes, a colon, and JSON: `[0, id, name, parameters]`, or `[1, id, error, result]`. */
function commands(socket) {
  const waiting = new Map();
  let received = Buffer.alloc(0);
  let last = 0;
  socket.on("data", (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const colon = received.indexOf(58);
      const end = colon + 1 + Number(received.subarray(0, colon));
      if (colon < 0 || received.length < end) return;
      const message = JSON.parse(received.subarray(colon + 1, end));
      received = received.subarray(end);
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message;
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error) reject(new Error(`${error.error}: ${error.message}`));
      else resolve(result !== null && "value" in result ? result.value : result);
    }
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("Firefox is gone"));
  });
  return (name, parameters = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      const text = JSON.stringify([0, last, name.includes(":") ? name : `WebDriver:${name}`, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
}
