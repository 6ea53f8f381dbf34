/** A model of the user's own: answers are read as they stream, bad blocks are corrected, the key is sent to no other host. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, beforeEach, test } from "node:test";
import axe from "axe-core";
import { eventually, harness, play } from "./harness.mjs";

const key = "sk-secret-of-the-test";
const answer =
  'Here it is:\n\n```json\n{"tool": "write_file", "path": "live.txt", "content": "from a live model"}\n```\n';
const corrected = '```json\n{"tool": "write_file", "path": "src/empty.ts", "content": "export const x = 1;"}\n```';

/** Two calls as chat completions stream them, their arguments in pieces. */
function callNatively(send) {
  send({ content: "I look at the page first." });
  const calls = {
    get_schema: { instance_name: "demo" },
    patch_ui_state: { instance_name: "demo", patches: [{ op: "set", path: "state.params.guests", value: 9 }] },
  };
  Object.entries(calls).forEach(([name, args], index) => {
    send({ tool_calls: [{ index, id: `call_${name}`, type: "function", function: { name, arguments: "" } }] });
    for (const piece of JSON.stringify(args).match(/.{1,7}/g))
      send({ tool_calls: [{ index, function: { arguments: piece } }] });
  });
}

/** Calls of the tools of the demo's own: the last one has a wrong argument. */
const ownCalls = [
  ["search_contacts", { query: "lyon" }],
  ["current_time", { time_zone: "Asia/Shanghai" }],
  ["add_contact", { name: "Marta", city: "Lyon", email: "marta@example.com" }],
  ["search_contacts", { query: 5 }],
];

const heading = { id: "title", componentProperties: { Heading: { text: { path: "/title" } } } };
const column = {
  id: "root",
  componentProperties_json: '{"Column": {"children": {"explicitList": ["title"]}}}',
  weight: null,
};
/** The rounds of a model that writes a surface: one of its calls is wrong, and one names an unknown tool. */
const rounds = [
  [
    ["componentUpdate", { components: [heading] }],
    ["dataModelUpdate", { path: "a..b" }],
    ["paint", {}],
  ],
  [
    ["componentUpdate", { components: [column] }],
    ["beginRendering", { root: "root" }],
    ["dataModelUpdate", { path: null, contents_json: '{"title": "Rain until noon"}' }],
  ],
];

/** A round of calls, whose ids are the same in each. */
function callRound(send, calls) {
  send({ content: "I draw." });
  calls.forEach(([name, args], index) => {
    send({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name, arguments: "" } }] });
    for (const piece of JSON.stringify(args).match(/.{1,9}/g))
      send({ tool_calls: [{ index, function: { arguments: piece } }] });
  });
}

/** The requests that the test server, a small OpenAI-compatible one, has received. */
let asked = [];
const server = createServer(async (request, response) => {
  const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
  if (request.method === "OPTIONS") return response.writeHead(204, headers).end();
  let body = "";
  for await (const chunk of request) body += chunk;
  const sent = JSON.parse(body);
  asked.push({ url: request.url, authorization: request.headers.authorization, ...sent });
  if (sent.model === "broken") return response.writeHead(401, headers).end("no such key");
  if (!sent.stream) {
    const choices = [{ message: { role: "assistant", content: corrected } }];
    return response.writeHead(200, { ...headers, "content-type": "application/json" }).end(JSON.stringify({ choices }));
  }
  response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
  const send = (delta) => response.write(`data: ${JSON.stringify({ choices: [{ delta }] })}\r\n\r\n`);
  const say = (text) => {
    for (const content of text.match(/[\s\S]{1,5}/g)) send({ content, tool_calls: null });
  };
  if (sent.tools?.some((tool) => tool.function.name === "componentUpdate")) {
    if (sent.model === "garbled") return response.end("data: {\n\n");
    if (sent.model === "slow") return callRound(send, rounds[0]);
    const calls = rounds[sent.messages.filter(({ role }) => role === "assistant").length];
    if (calls) callRound(send, calls);
    return response.end("data: [DONE]\n\n");
  }
  if (sent.model === "social" && sent.messages.at(-1).role === "user") {
    callRound(send, ownCalls);
    return response.end("data: [DONE]\n\n");
  }
  const isFirst = sent.messages.at(-1).role === "user" && sent.messages.length === 2;
  if (sent.tools && isFirst) callNatively(send);
  else say(isFirst ? answer : "That is all.");
  return response.end("data: [DONE]\n\n");
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => server.close());

const own = await harness("files");
beforeEach(async () => {
  asked = [];
  await own.page.getByText("Your own model, for live answers and corrections").click();
  await own.page.getByLabel("Address").fill(`http://127.0.0.1:${server.address().port}/v1/`);
  await own.page.getByLabel("Model", { exact: true }).fill("tiny");
  await own.page.getByLabel("Key").fill(key);
});

async function ask(question) {
  await own.page.getByLabel("Answer", { exact: true }).selectOption("A live model…");
  await own.page.getByLabel("Question").fill(question);
  await own.page.getByRole("button", { name: "Ask", exact: true }).click();
}

test("an answer is read as it streams, and its block is proposed", async () => {
  await ask("Write a file, please.");
  const conversation = own.page.getByRole("log", { name: "Conversation" });
  await conversation.getByText("waits for your approval:").waitFor();
  assert.match(await conversation.innerText(), /Write a file, please\.[\s\S]*Here it is:[\s\S]*from a live model/);
  const [{ url, authorization, model, messages, stream }] = asked;
  assert.deepEqual([url, authorization, model, stream], ["/v1/chat/completions", `Bearer ${key}`, "tiny", true]);
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["system", "user"],
  );
});

test("the results of its calls are sent back until it sends no more calls", async () => {
  await ask("Write a file, please.");
  const conversation = own.page.getByRole("log", { name: "Conversation" });
  await conversation.getByText("That is all.").waitFor();
  assert.equal(asked.length, 2);
  const [system, , assistant, results] = asked[1].messages;
  assert.match(system.content, /"tool": "patch_ui_state"[\s\S]*"tool": "write_file"[\s\S]*"tool": "updateNode"/);
  assert.deepEqual(assistant, { role: "assistant", content: answer });
  assert.equal(results.role, "user");
  assert.match(results.content, /write_file.*"status":"pending"/);
  assert.match(await conversation.innerText(), /Here it is:[\s\S]*That is all\./);
});

test("its native calls are executed, and answered each by its id", async () => {
  await own.page.getByLabel("Native tool calls").check();
  await ask("Nine guests, please.");
  const conversation = own.page.getByRole("log", { name: "Conversation" });
  await conversation.getByText("That is all.").waitFor();
  await conversation.getByText("1 patch applied").waitFor();
  await own.page.getByRole("tab", { name: "Instance" }).click();
  assert.equal(await own.page.locator(".stage").getByLabel("Guests").inputValue(), "9");
  const [first, { messages }] = asked;
  assert.ok(first.tools.some((tool) => tool.function.name === "patch_ui_state"));
  assert.doesNotMatch(first.messages[0].content, /```/);
  const [, , assistant, schema, patched] = messages;
  assert.deepEqual(
    assistant.tool_calls.map(({ id, function: { name } }) => [id, name]),
    [
      ["call_get_schema", "get_schema"],
      ["call_patch_ui_state", "patch_ui_state"],
    ],
  );
  assert.deepEqual(JSON.parse(assistant.tool_calls[0].function.arguments), { instance_name: "demo" });
  assert.deepEqual([schema.role, schema.tool_call_id], ["tool", "call_get_schema"]);
  assert.match(schema.content, /"guests":2/);
  assert.deepEqual([patched.role, patched.tool_call_id], ["tool", "call_patch_ui_state"]);
  assert.equal(JSON.parse(patched.content).status, "success");
});

test("it calls tools of the demo's own: one waits for the user, whose decision it receives with the next question", async () => {
  const { page } = own;
  await page.getByLabel("Model", { exact: true }).fill("social");
  await page.getByLabel("Native tool calls").check();
  await ask("Who do I know in Lyon?");
  const conversation = page.getByRole("log", { name: "Conversation" });
  await conversation.getByText("That is all.").waitFor();
  const { tools } = asked[0];
  const names = tools.map((tool) => tool.function.name);
  for (const [name] of ownCalls) assert.ok(names.includes(name), name);
  const answers = asked[1].messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.parse(content));
  assert.deepEqual(
    answers.map(({ status }) => status),
    ["success", "success", "pending", "error"],
  );
  assert.match(JSON.stringify(answers[0]), /ines@example\.com/);
  assert.match(JSON.stringify(answers[1]), /Asia\/Shanghai/);
  assert.equal(answers[3].error.code, "INVALID_FIELD");
  // What the model gets is shown, and what waits is decided on in the chat.
  const found = page.locator(".pill", { hasText: "Search the address book" }).first();
  await found.getByText("For the model").click();
  assert.match(await found.getByRole("region", { name: "For the model" }).innerText(), /ines@example\.com/);
  const added = page.locator(".pill", { hasText: "Add to the address book" });
  assert.match(await added.getByRole("region", { name: "The arguments" }).innerText(), /marta@example\.com/);
  await added.getByRole("button", { name: "Allow the call" }).click();
  await added.getByText("approved").waitFor();
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
  assert.deepEqual(
    violations.map(({ id }) => id),
    [],
  );
  asked = [];
  await ask("And now?");
  await eventually(() => assert.ok(asked.length > 1));
  assert.match(asked[0].messages.at(-1).content, /add_contact[\s\S]*approved[\s\S]*And now\?$/);
  const [again] = asked[1].messages.filter(({ role }) => role === "tool");
  assert.match(again.content, /marta@example\.com/);
});

test("the model receives the decision on a node with the next question", async () => {
  await own.page.getByRole("tab", { name: "Proposal" }).click();
  await own.page.getByRole("button", { name: "Change a node" }).click();
  await own.page.getByRole("button", { name: /^Approve/ }).click();
  await ask("Write a file, please.");
  const conversation = own.page.getByRole("log", { name: "Conversation" });
  await conversation.getByText("That is all.").waitFor();
  const [, { content }] = asked[0].messages;
  assert.match(content, /problem: The changes were approved\.\n\nWrite a file, please\.$/);
  assert.doesNotMatch(JSON.stringify(asked[1].messages.slice(2)), /were approved/);
});

test("a bad block is corrected by it", async () => {
  await play(own.page, "Six blocks, five mistakes");
  const pill = own.page.locator(".pill", { hasText: "src/empty.ts" });
  await pill.getByRole("button", { name: "Correct by tiny" }).click();
  await pill.getByText("Corrected by tiny in one attempt, and valid now.").waitFor();
  const [{ temperature, messages }] = asked;
  assert.equal(temperature, 0.1);
  assert.match(messages[1].content, /src\/empty\.ts/);
});

const bench = () => own.page.getByRole("tabpanel", { name: "Surface" });
async function wish(words) {
  await own.page.getByRole("tab", { name: "Surface" }).click();
  await bench().getByLabel("Stream").selectOption("A live model…");
  await bench().getByLabel("What would you like to see?").fill(words);
  await bench().getByRole("button", { name: "Write the surface" }).click();
}

test("it writes a surface from a sentence, corrects refused lines, and its end is reported", async () => {
  await wish("The weather, please.");
  await bench().getByText("The model has ended: 5 lines.").waitFor();
  await own.page.locator(".surface").getByRole("heading", { name: "Rain until noon" }).waitFor();
  await bench().getByText("I draw.I draw.").waitFor();
  const refused = await bench().getByRole("list", { name: "Refused calls" }).innerText();
  assert.match(refused, /dataModelUpdate · INVALID_[\s\S]*paint · UNKNOWN_TOOL/);
  assert.equal(asked.length, 3);
  const [system, { role, content }, assistant, ...answers] = asked[1].messages;
  assert.match(system.content, /You build user interfaces[\s\S]*MultipleChoice/);
  assert.deepEqual([role, content, assistant.tool_calls.length], ["user", "The weather, please.", 3]);
  assert.deepEqual(
    answers.map((answer) => [answer.role, answer.tool_call_id, JSON.parse(answer.content).status]),
    [
      ["tool", "call_0", "ok"],
      ["tool", "call_1", "error"],
      ["tool", "call_2", "error"],
    ],
  );
  // The received stream can be replayed.
  await bench().getByRole("button", { name: "Play again" }).click();
  await own.page.locator(".surface").getByRole("heading", { name: "Rain until noon" }).waitFor();
  await own.page.evaluate(axe.source);
  const { violations } = await own.page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
  assert.deepEqual(
    violations.map(({ id }) => id),
    [],
  );
});

test("a surface can be stopped or left while it is written, and its errors are reported", async () => {
  const { page } = own;
  await page.getByLabel("Model", { exact: true }).fill("slow");
  await wish("The weather, please.");
  await bench().getByText("The model writes…").waitFor();
  await bench().getByText("Components arrive; the order to render has not come yet.").waitFor();
  await bench().getByRole("button", { name: "Stop" }).click();
  await bench().getByText("Stopped.").waitFor();
  const hasFocus = () => page.evaluate(() => document.activeElement !== document.body);
  await eventually(async () => assert.equal(await hasFocus(), true));
  await bench().getByRole("button", { name: "Write the surface" }).click();
  await bench().getByText("The model writes…").waitFor();
  await bench().getByLabel("Stream").selectOption("Library loans");
  await bench().getByText("Nothing has arrived. Play the stream.").waitFor();
  await page.getByLabel("Model", { exact: true }).fill("garbled");
  await wish("The weather, please.");
  await bench().getByRole("alert").getByText("SyntaxError").waitFor();
  await page.getByLabel("Model", { exact: true }).fill("");
  await bench().getByText("No model is set yet.").waitFor();
  assert.equal(await bench().getByRole("button", { name: "Write the surface" }).isDisabled(), true);
});

test("the key is in no storage and in no line of the log", async () => {
  await ask("Hello");
  await own.page.getByRole("log", { name: "Conversation" }).getByText("waits for your approval:").waitFor();
  const kept = await own.page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  assert.ok(!kept.includes(key));
  await own.page.getByRole("button", { name: "Log", exact: true }).click();
  for (const line of await own.page.locator(".log-lines summary").all()) await line.click();
  assert.ok(!(await own.page.locator(".log-lines").innerText()).includes(key));
  await own.page.reload();
  await own.page.getByText("Your own model, for live answers and corrections").click();
  assert.equal(await own.page.getByLabel("Key").inputValue(), "");
});
