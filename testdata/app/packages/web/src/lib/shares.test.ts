import assert from "node:assert/strict";
import { test } from "node:test";
import { shareLabels } from "./shares";

test("the labels show shares that add up", () => {
  assert.deepEqual(shareLabels(10000, ["Ada", "Ben", "Cleo"]), ["Ada: 33.34", "Ben: 33.33", "Cleo: 33.33"]);
});
