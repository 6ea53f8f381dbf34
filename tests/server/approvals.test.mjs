/** Portable approvals: the table that the crate's `verify_approval` goes through too (`tests/approval.rs`). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createRooms, memoryStorage, verifyApproval } from "genui-patch/server";
import { counter } from "./harness.mjs";
import { authorize } from "./rooms.mjs";

const { now, rows } = JSON.parse(readFileSync(new URL("../fixtures/approvals.json", import.meta.url), "utf8"));

test("approvals", async (context) => {
  const time = Date.parse(now);
  context.mock.method(Date, "now", () => time);
  for (const { name, valid, approval, ...check } of rows) {
    if (valid === "error") await assert.rejects(verifyApproval(approval, check), { code: "INVALID_ARGUMENT" }, name);
    else assert.equal(await verifyApproval(approval, check), valid, name);
  }
});

test("a server's approvals end after approvalAge", async () => {
  const keys = ["a key of at least thirty-two characters"];
  const storage = memoryStorage();
  const rooms = createRooms({ storage, authorize, keys, approvalAge: 60_000 });
  const room = await rooms.room("a");
  const { proposal } = await room.propose(counter);
  await room.approve(proposal.id);
  const approval = await room.approval(proposal.id);
  assert.equal(Date.parse(approval.expires) - Date.parse(approval.time), 60_000);
  const check = { keys, call: counter, revision: proposal.entry };
  assert.equal(await verifyApproval(approval, check), true);
  const { expires: _, ...endless } = approval;
  assert.equal(await verifyApproval(endless, check), false, "the end is signed");
  for (const approvalAge of [0, -1, Number.NaN, "1 h"])
    assert.throws(() => createRooms({ storage, authorize, keys, approvalAge }), { code: "INVALID_ARGUMENT" });
  await rooms.close();
});
