/** Files and task flows of rooms: in the log, by agents' tools, as proposals that pages approve, and on pages. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { FlowStore } from "genui-patch";
import { createRooms, levelStorage, memoryStorage, verifyApproval } from "genui-patch/server";
import { counter, put, scratch, until } from "./harness.mjs";
import { askMcp, authorize, callMcp, joinPage, startRooms } from "./rooms.mjs";

const keys = ["a key for tests with 32 characters"];
const task = {
  id: "t1",
  nodes: [
    { id: "n1", type: "idea", data: { title: "Herons", size: 1 } },
    { id: "n2", data: {} },
  ],
};
const contents = {
  files: { initial: { "src/a.ts": "let a = 1;\nlet b = 2;\n\n\n\n\n\n\n\nlet z = 26;\n" } },
  flow: { initial: [task], nodeTypes: { idea: { actions: { update: { approvalStyle: "visual" } } } } },
};
const open = () => contents;
const server = await startRooms({ open, keys });
after(() => server.close());

const open1 = ({ connection }) =>
  until(() => connection.status === "open" && connection.files()["src/a.ts"], "it is in");
const write = (path, content) => ({ path, content });
const edit = (old_string, new_string, path = "src/a.ts") => ({
  path,
  search_replace: { old_string, new_string },
});

test("an agent's files and nodes wait, a page approves some of them, and another page sees what comes of it", async () => {
  const [ann, vic] = [joinPage(server, "a", "ann:editor"), joinPage(server, "a", "vic:viewer")];
  await Promise.all([open1(ann), open1(vic)]);
  assert.deepEqual(ann.connection.flows(), [task]);

  const names = (await askMcp(server, "a", "bot:agent", "tools/list")).result.tools.map(({ name }) => name);
  for (const name of ["write_file", "edit_file", "delete_file", "read_file", "list_files", "updateNode"])
    assert.ok(names.includes(name), name);
  const read = await callMcp(server, "a", "bot:agent", "read_file", { path: "src/a.ts" });
  assert.match(JSON.stringify(read), /let a = 1/);

  const made = await callMcp(server, "a", "bot:agent", "write_file", write("b.md", "# B\n"));
  const text = contents.files.initial["src/a.ts"].replace("a = 1", "a = 10").replace("z = 26", "z = 260");
  const changed = await callMcp(server, "a", "bot:agent", "write_file", write("src/a.ts", text));
  const node = await callMcp(server, "a", "bot:agent", "updateNode", {
    taskId: "t1",
    nodeId: "n1",
    newData: { title: "Egrets", size: 2 },
  });
  for (const { status } of [made, changed, node]) assert.equal(status, "pending");
  await until(() => vic.connection.proposals().length === 3, "all pages are told");
  const [file, hunks, update] = ann.connection.proposals();
  assert.deepEqual([file.kind, file.target, file.action, file.by.id], ["file", "b.md", "created", "bot"]);
  assert.equal(hunks.diff.length, 2);
  assert.deepEqual(update.diff.title, { before: "Herons", after: "Egrets" });
  assert.deepEqual(Object.keys(ann.connection.files()), ["src/a.ts"], "nothing is written yet");

  assert.equal((await vic.connection.approve(file.id)).error.code, "FORBIDDEN");
  assert.equal((await ann.connection.approve(file.id)).status, "success");
  const part = await ann.connection.approve(hunks.id, { hunks: [1] });
  assert.deepEqual([part.status, part.outcome.extent], ["success", "part"]);
  assert.equal(
    (await ann.connection.approve(update.id, { fields: ["title"], edits: { title: "Storks" } })).status,
    "success",
  );
  await until(() => vic.connection.files()["b.md"] === "# B\n", "the file is on the other page");
  await until(() => vic.connection.files()["src/a.ts"].includes("z = 260"), "the hunk is on the other page");
  assert.ok(vic.connection.files()["src/a.ts"].includes("let a = 1;"));
  await until(() => vic.connection.flows()[0].nodes[0].data.title === "Storks", "the node too");
  assert.equal(vic.connection.flows()[0].nodes[0].data.size, 1);
  await until(() => ann.connection.proposals().length === 0, "nothing waits");
  // A page's store of flows takes them as they are.
  const flow = new FlowStore();
  assert.equal(flow.load(vic.connection.flows()[0]).status, "success");

  // The agent reads what became of its calls.
  const { result } = await askMcp(server, "a", "bot:agent", "resources/read", { uri: "genui://proposals" });
  const told = JSON.parse(result.contents[0].text);
  assert.deepEqual(
    [file, hunks, update].map(({ id }) => told[id].status),
    ["approved", "approved", "approved"],
  );
  const room = await server.rooms.room("a");
  const approval = await room.approval(file.id);
  const call = { tool: "write_file", path: "b.md", content: "# B\n" };
  assert.equal(await verifyApproval(approval, { keys, call, revision: file.entry }), true);
  assert.equal(await verifyApproval(approval, { keys, call, revision: file.entry + 1 }), false, "another revision");
  const other = { ...call, path: "c.md" };
  assert.equal(await verifyApproval(approval, { keys, call: other, revision: file.entry }), false, "another file");
  assert.equal(await room.files.read("b.md"), "# B\n");
  assert.equal(room.flows.t1.nodes[0].data.title, "Storks");
  ann.connection.close();
  vic.connection.close();
});

test("a user's own calls are made at once; a viewer's and an agent's are not", async () => {
  const [ann, vic] = [joinPage(server, "b", "ann:editor"), joinPage(server, "b", "vic:viewer")];
  await Promise.all([open1(ann), open1(vic)]);
  assert.equal((await ann.connection.callTool("write_file", write("x.md", "one\n"))).status, "success");
  assert.equal((await ann.connection.callTool("edit_file", edit("one", "two", "x.md"))).status, "success");
  await until(() => vic.connection.files()["x.md"] === "two\n", "the viewer sees it");
  const args = { taskId: "t1", nodeId: "n1", newData: { title: "Storks" } };
  assert.equal((await ann.connection.callTool("updateNode", args)).status, "success");
  await until(() => vic.connection.flows()[0].nodes[0].data.title === "Storks", "the node too");
  for (const [tool, sent] of [
    ["write_file", write("x.md", "three\n")],
    ["delete_file", { path: "x.md" }],
    ["updateNode", args],
  ]) {
    const { status, error } = await vic.connection.callTool(tool, sent);
    assert.equal(status, "error", tool);
    assert.ok(["FORBIDDEN", "UNKNOWN_TOOL"].includes(error.code), `${tool}: ${error.code}`);
  }
  // Approving is not a tool, and flags of approval in an agent's call have no effect.
  const sly = await callMcp(server, "b", "bot:agent", "updateNode", {
    ...args,
    isApprovedUpdate: true,
    newData: { title: "Sly" },
  });
  assert.equal(sly.status, "pending");
  assert.equal((await callMcp(server, "b", "vic:viewer", "read_file", { path: "x.md" })).status, "success");
  assert.equal((await callMcp(server, "b", "vic:viewer", "write_file", write("x.md", "no"))).status, "error");
  assert.equal((await ann.connection.callTool("delete_file", { path: "x.md" })).status, "success");
  await until(() => !("x.md" in vic.connection.files()), "it is gone");
  const room = await server.rooms.room("b");
  assert.equal(room.flows.t1.nodes[0].data.title, "Storks");
  ann.connection.close();
  vic.connection.close();
});

test("pages list files and flows in the order in which they were created, whenever they joined", async () => {
  const initial = ["t1", "t2", "t3"].map((id) => ({ ...task, id }));
  const own = await startRooms({ open: () => ({ ...contents, flow: { ...contents.flow, initial } }) });
  const early = joinPage(own, "order", "ann:editor");
  await open1(early);
  for (const path of ["b.md", "c.md", "src/a.ts", "b.md"])
    await early.connection.callTool("write_file", write(path, `${path} ${Math.random()}`));
  const newData = { title: "Egrets", size: 2 };
  await early.connection.callTool("updateNode", { taskId: "t1", nodeId: "n1", newData });
  const late = joinPage(own, "order", "vic:viewer");
  await open1(late);
  const listed = ({ connection }) => [Object.keys(connection.files()), connection.flows().map(({ id }) => id)];
  assert.deepEqual(listed(late), [
    ["src/a.ts", "b.md", "c.md"],
    ["t1", "t2", "t3"],
  ]);
  await until(() => early.connection.flows()[0].nodes[0].data.title === "Egrets", "the update is on the page");
  assert.deepEqual(listed(early), listed(late));
  for (const { connection } of [early, late]) connection.close();
  await own.close();
});

test("what is refused changes nothing, and says what to send instead", async () => {
  const room = await server.rooms.room("c");
  const { revision } = room;
  const before = await room.files.snapshot();
  for (const [name, args, code] of [
    ["write_file", write("../x", "x"), "UNSAFE_PATH"],
    ["write_file", { path: "x" }, undefined],
    ["edit_file", edit("nowhere", "x"), "NO_MATCH"],
    ["edit_file", edit("let", "var"), "SEVERAL_MATCHES"],
    ["delete_file", { path: "none.md" }, "NOT_FOUND"],
    ["updateNode", { taskId: "t1", nodeId: "none", newData: {} }, undefined],
    ["nothing", {}, "UNKNOWN_TOOL"],
  ]) {
    const { status, error } = await room.callTool(name, args);
    assert.equal(status, "error", name);
    if (code !== undefined) assert.equal(error.code, code, `${name}: ${error.message}`);
    assert.ok(error.solution.length > 0, name);
  }
  assert.deepEqual(await room.files.snapshot(), before);
  assert.ok(room.revision <= revision + 1);
});

test("a proposal whose lines have changed is stale; one whose hunks have moved has to be looked at again", async () => {
  const room = await server.rooms.room("d");
  const ann = joinPage(server, "d", "ann:editor");
  await open1(ann);
  await callMcp(server, "d", "bot:agent", "edit_file", edit("let z = 26;", "let z = 260;"));
  await callMcp(server, "d", "bot:agent", "edit_file", edit("let a = 1;", "let a = 10;"));
  await until(() => ann.connection.proposals().length === 2, "both wait");
  const [end, start] = ann.connection.proposals();
  assert.equal((await room.callTool("edit_file", edit("let a = 1;", "let a = 5;"))).status, "success");
  assert.equal((await ann.connection.approve(end.id, { hunks: [0], seen: end.revision })).error.code, "STALE_PROPOSAL");
  assert.equal((await ann.connection.approve(start.id)).error.code, "STALE_PROPOSAL");
  await until(() => ann.connection.proposals()[1].status === "stale", "the page shows it");
  await until(() => ann.connection.proposals()[0].revision === room.revision, "and the new place of the other");
  assert.equal((await ann.connection.approve(end.id, { hunks: [0] })).status, "success");
  const text = await room.files.read("src/a.ts");
  assert.ok(text.includes("a = 5;") && text.includes("z = 260;"));
  for (const options of [{ hunks: [0], edits: "x" }, { hunks: ["0"] }, { hunks: 0 }, { edits: 7 }, { hunks: [9] }])
    assert.equal((await ann.connection.approve(start.id, options)).status, "error", JSON.stringify(options));
  assert.equal((await ann.connection.refuse(start.id, "no")).status, "success");
  assert.equal(await room.files.read("src/a.ts"), text);
  ann.connection.close();
});

test("an editor updates a node while as many proposals wait as may wait; an agent's update is refused", async () => {
  const on = await startRooms({ storage: memoryStorage(), open, limits: { maxProposals: 1 } });
  await callMcp(on, "a", "bot:agent", "write_file", write("new.md", "agent\n"));
  const room = await on.rooms.room("a");
  assert.equal(room.proposals().length, 1);
  const args = { taskId: "t1", nodeId: "n1", newData: { title: "Editor" } };
  assert.equal((await room.callTool("updateNode", args)).status, "success");
  assert.equal(room.flows.t1.nodes[0].data.title, "Editor");
  const refused = await callMcp(on, "a", "bot:agent", "updateNode", { ...args, newData: { title: "Agent" } });
  assert.equal(refused.error.code, "LIMIT_EXCEEDED");
  await on.close();
});

test("files, flows and what waits survive a restart, with and without a snapshot, and an export", async () => {
  const { folder, remove } = scratch();
  const make = () => createRooms({ storage: levelStorage(folder), authorize, open, keys });
  let rooms = make();
  let room = await rooms.room("a");
  await room.write(counter);
  await room.callTool("write_file", write("kept.md", "kept\n"));
  await room.callTool("delete_file", { path: "src/a.ts" });
  await room.callTool("updateNode", { taskId: "t1", nodeId: "n2", newData: { title: "Two" } });
  const proposed = await (async () => {
    const on = await startRooms({ storage: memoryStorage(), open, keys });
    await on.rooms.import("a", await rooms.export("a"));
    await callMcp(on, "a", "bot:agent", "write_file", write("kept.md", "agent\n"));
    const args = { taskId: "t1", nodeId: "n1", newData: { title: "Agent" } };
    await callMcp(on, "a", "bot:agent", "updateNode", args);
    const exported = await on.rooms.export("a");
    await on.close();
    return exported;
  })();
  const check = async (of) => {
    assert.deepEqual(await of.files.snapshot(), { "kept.md": "kept\n" });
    assert.equal(of.flows.t1.nodes[1].data.title, "Two");
  };
  await check(room);
  await rooms.close();
  rooms = make();
  room = await rooms.room("a");
  await check(room);
  const other = await rooms.import("b", proposed);
  await check(other);
  const waiting = other.proposals();
  assert.deepEqual(
    waiting.map(({ kind }) => kind),
    ["file", "node"],
  );
  // A snapshot of its own: more entries than lie between two.
  for (let call = 0; call < 1_100; call++)
    await other.write(put(`k${call % 7}`, "x".repeat(50)), { user: { id: "ann" } });
  await rooms.close();
  rooms = make();
  const again = await rooms.room("b");
  for (const { id } of waiting) assert.equal((await again.approve(id, {}, { id: "ann" })).status, "success");
  assert.equal(await again.files.read("kept.md"), "agent\n");
  assert.equal(again.flows.t1.nodes[0].data.title, "Agent");
  assert.equal((await again.approve(waiting[0].id)).error.code, "PROPOSAL_SETTLED");
  await rooms.close();
  remove();
});

test("calls at once: each on what the one before has written", async () => {
  const room = await server.rooms.room("e");
  await room.callTool("write_file", write("n.txt", "0\n"));
  const lines = Array.from({ length: 50 }, (_, at) => at);
  const done = await Promise.all(
    lines.map((at) => room.callTool("edit_file", edit(`${at}\n`, `${at}\n${at + 1}\n`, "n.txt"))),
  );
  // Each edit needs the line that the one before has made.
  assert.ok(
    done.every(({ status }) => status === "success"),
    JSON.stringify(done.find(({ status }) => status !== "success")),
  );
  assert.equal((await room.files.read("n.txt")).split("\n").length, 52);
  const twice = await Promise.all(
    [1, 2].map(() =>
      callMcp(server, "e", "ann:editor", "write_file", write("once.md", "x\n"), { "idempotency-key": "one" }),
    ),
  );
  assert.deepEqual(
    twice.map(({ status }) => status),
    ["success", "success"],
  );
});

test("a room without files has none of their tools", async () => {
  const on = await startRooms();
  const names = (await askMcp(on, "a", "bot:agent", "tools/list")).result.tools.map(({ name }) => name);
  assert.ok(!names.includes("write_file") && !names.includes("updateNode"));
  const room = await on.rooms.room("a");
  assert.equal(room.files, undefined);
  assert.deepEqual(room.flows, {});
  assert.equal((await room.callTool("write_file", write("a", "b"))).error.code, "UNKNOWN_TOOL");
  await on.close();
});

test("a path that may name another file: the proposal of an agent's call says so", async () => {
  const room = await server.rooms.room("f");
  assert.equal((await room.callTool("write_file", write("Notes.md", "one\n"))).status, "success");
  assert.equal((await callMcp(server, "f", "bot:agent", "write_file", write("notes.md", "two\n"))).status, "pending");
  const [proposal] = room.proposals();
  assert.deepEqual([proposal.warnings[0].code, proposal.warnings[0].paths], ["TWIN_PATH", ["Notes.md"]]);
  assert.deepEqual(Object.keys(await room.files.snapshot()).sort(), ["Notes.md", "src/a.ts"]);
  assert.equal((await room.approve(proposal.id)).status, "success");
  assert.equal(await room.files.read("notes.md"), "two\n");
  assert.equal(await room.files.read("Notes.md"), "one\n");
});
