import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCents } from "./money";

test("cents have two digits", () => {
  assert.equal(formatCents(1205), "12.05");
});
