import assert from "node:assert/strict";
import { test } from "node:test";
import { split } from "./split";

test("shares add up to the amount", () => {
  assert.deepEqual(split(10000, 3), [3334, 3333, 3333]);
});

test("an even amount splits evenly", () => {
  assert.deepEqual(split(100, 2), [50, 50]);
});
