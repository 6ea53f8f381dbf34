/** Portable approvals: the table that the crate's `verify_approval` goes through too (`tests/approval.rs`). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { verifyApproval } from "genui-patch/server";

const { now, rows } = JSON.parse(readFileSync(new URL("../fixtures/approvals.json", import.meta.url), "utf8"));

test("approvals", async (context) => {
  const time = Date.parse(now);
  context.mock.method(Date, "now", () => time);
  for (const { name, valid, approval, ...check } of rows) {
    if (valid === "error") await assert.rejects(verifyApproval(approval, check), { code: "INVALID_ARGUMENT" }, name);
    else assert.equal(await verifyApproval(approval, check), valid, name);
  }
});
