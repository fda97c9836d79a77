import { expect, test } from "bun:test";
import { spanIdOf, spanKeys, traceIdOf, traceparentOf } from "../../../../lib/model/trace-ids.ts";

const goal = "8f14e45f-ceea-467f-9d6a-1c2b3d4e5f60";
const claim = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d";

test("the id of a trace is the goal's, as 32 hexadecimal digits", () => {
  expect(traceIdOf(goal)).toBe("8f14e45fceea467f9d6a1c2b3d4e5f60");
});

test("the id of a span is the beginning of the SHA-256 of its key, which any shell can make", () => {
  // printf %s claim:0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d | sha256sum | cut -c1-16
  expect(spanIdOf(spanKeys.claim(claim))).toBe("89cd1f8f2aacff0a");
});

test("each span of a claim has an id of its own, and each attempt", () => {
  const ids = [
    spanKeys.claim(claim),
    spanKeys.bids(claim),
    spanKeys.grant(claim, "coder"),
    ...[1, 2].flatMap((attempt) => [
      spanKeys.attempt(claim, "coder", attempt),
      spanKeys.tool(claim, "coder", attempt),
    ]),
  ].map(spanIdOf);
  expect(new Set(ids).size).toBe(ids.length);
});

test("a command's traceparent names the trace of its goal and the span of its run", () => {
  const traceparent = traceparentOf({ goal, claim, agent: "coder", attempt: 2 });
  expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  expect(traceparent).toBe(`00-${traceIdOf(goal)}-${spanIdOf(`tool:${claim}:coder:2`)}-01`);
});
