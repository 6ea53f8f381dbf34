// The listings of docs/agent.md do what they say. The panel is run in tests/packaging.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as genui from "genui-patch";
import { listings, run } from "../support/docs.mjs";

const [first, policy, loop, , server] = listings("agent");

test("the first listing sends a model the result of its call", async () => {
  const logged = [];
  await run(first.code, { ...genui, console: { log: (message) => logged.push(message) } });
  assert.equal(logged.length, 1);
  assert.match(logged[0].content, /^Results of your tool calls:\nlist_instances \(tool_1\): \{"status":"success"/);
});

test("a policy", async () => {
  const [status, proposal] = await run(policy.code, genui, "[status, proposal]");
  assert.deepEqual([status, proposal.target], ["pending", "config/a.json"]);
});

test("several rounds", async () => {
  const call = { tool: "patch_ui_state", instance_name: "__CREATE__", new_instance_name: "page" };
  const answers = [`Now.\n\`\`\`json\n${JSON.stringify(call)}\n\`\`\`\n`, "Done."];
  const scope = { ...genui, generate: async () => answers.shift() };
  const [names, messages] = await run(loop.code, scope, "[store.names(), messages]");
  assert.deepEqual(names, ["page"]);
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["system", "user", "assistant", "user", "assistant"],
  );
});

test("a server behind the store", async () => {
  const sent = [];
  class WebSocket {
    readyState = 1;
    addEventListener() {}
    send(text) {
      sent.push(JSON.parse(text));
    }
    close() {}
  }
  const connection = await run(server.code, { ...genui, WebSocket }, "connection");
  assert.equal(connection.status, "open");
  assert.deepEqual(sent, [{ type: "resume", revision: null, session: null, request: 1, histories: true, parts: true }]);
  connection.close();
});
