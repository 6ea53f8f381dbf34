/** A host of MCP Apps, for a page: it reads the resource, opens the frame, and passes messages on. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  AppBridge,
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  PostMessageTransport,
} from "@modelcontextprotocol/ext-apps/app-bridge";

window.startHost = async (token) => {
  const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/rooms/lobby/mcp", location.href), { requestInit }));
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name === "patch_ui_state");
  const { contents } = await client.readResource({ uri: getToolUiResourceUri(tool) });
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  const policy =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data:";
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  const bridge = new AppBridge(
    client,
    { name: "host", version: "1" },
    { serverTools: {}, serverResources: {} },
    { hostContext: { theme: "dark" } },
  );
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  window.sizes = [];
  bridge.onsizechange = (size) => {
    window.sizes.push(size);
  };
  document.body.append(frame);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = contents[0].text.replace("<title>", `${meta}<title>`);
  await initialized;
  window.bridge = bridge;
  window.client = client;
  return {
    mimeType: contents[0].mimeType,
    ui: contents[0]._meta?.ui,
    forModel: tools.filter((tool) => !isToolVisibilityAppOnly(tool)).map(({ name }) => name),
    forApp: tools.filter(isToolVisibilityAppOnly).map(({ name }) => name),
    version: client.getNegotiatedProtocolVersion(),
  };
};
window.call = async (args) => {
  await window.bridge.sendToolInput({ arguments: args });
  const result = await window.client.callTool({ name: "patch_ui_state", arguments: args });
  await window.bridge.sendToolResult(result);
  return result.structuredContent;
};
