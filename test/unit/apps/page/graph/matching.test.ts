import { expect, test } from "bun:test";
import type { ArtefactNode } from "../../../../../apps/page/data/goal-graph.ts";
import { matchingNodes } from "../../../../../apps/page/graph/matching.ts";

const none = { words: "", agent: "", type: "", state: "" };
const made = (id: string, more: object = {}) => ({
  ...{ id, type: "Draft", version: 1, structural_type: "Standard", metadata: {}, claims: [] },
  ...{ produced_by_agent: "coder", produced_by_role: "coder" },
  ...more,
});
const running = {
  ...{ status: "pending_review", kind: "standard", bidding: "closed", bids: [] },
  grants: [{ agent: "reviewer", phase: "review", state: "running" }],
};
const reviewed = (status: string, ...reviews: object[]) => ({
  ...{ status, kind: "standard", bidding: "closed", bids: [] },
  grants: reviews.map((review) => ({ agent: "one", phase: "review", state: "done", ...review })),
});
const nodes = [
  made("a", { metadata: { summary: "Add the Flag", commit: "4277f0e1" } }),
  made("b", { version: 2, claims: [running] }),
  made("c", { type: "Failure", structural_type: "Failure", produced_by_agent: "" }),
  made("d", { type: "Review", structural_type: "Review", verdict: "feedback" }),
] as unknown as ArtefactNode[];
const found = (over: object) => [...(matchingNodes(nodes, { ...none, ...over }) ?? [])].join("");

test("nothing asked for filters nothing", () => {
  expect(matchingNodes(nodes, none)).toBeUndefined();
});

test.each([
  [{ words: "flag ADD" }, "a"],
  [{ words: "v2" }, "b"],
  [{ words: "flag nowhere" }, ""],
  [{ words: "4277F" }, "a"],
  [{ words: "77" }, ""],
  [{ words: "277f" }, ""],
  [{ agent: "reviewer" }, "b"],
  [{ agent: "coder" }, "abcd"],
  [{ type: "Failure" }, "c"],
  [{ state: "at work" }, "b"],
  [{ state: "failed" }, "c"],
  [{ state: "sent back" }, "d"],
  [{ type: "Draft", words: "add" }, "a"],
])("%j finds %p", (filter, expected) => {
  expect(found(filter)).toBe(expected);
});

test.each([
  ["each reviewer has approved", reviewed("pending_parallel", {}, {}), true],
  [
    "one reviewer has approved, and another has not answered",
    reviewed("pending_review", {}),
    false,
  ],
  ["a reviewer is asked still", reviewed("pending_review", {}, { state: "waiting" }), false],
  ["a reviewer has sent it back", reviewed("terminated", {}, { rejects: true }), false],
  ["a reviewer has failed", reviewed("terminated", {}, { state: "failed" }), false],
])("approved is only what nothing is missing of: %s", (_, claim, isFound) => {
  const one = [made("a", { claims: [claim] })] as unknown as ArtefactNode[];
  expect(matchingNodes(one, { ...none, state: "approved" })?.has("a")).toBe(isFound);
});
