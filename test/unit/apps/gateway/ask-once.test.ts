import { expect, test } from "bun:test";
import { retryAfterOf } from "../../../../apps/gateway/ask-once.ts";

const now = () => Date.parse("2026-01-01T00:00:00Z");

test.each([
  [{ "retry-after": "3" }, 3_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "-1" }, 0],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" }, 9_000],
  [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after-ms": "20", "retry-after": "3" }, 20],
  [{}, undefined],
] as [Record<string, string>, number | undefined][])("%o asks to wait %p ms", (headers, ms) => {
  expect(retryAfterOf(new Headers(headers), now)).toBe(ms);
});
