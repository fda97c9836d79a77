import { expect, test } from "bun:test";
import { oneAtATime } from "../../../../apps/api/one-at-a-time.ts";
import { errorOf } from "../../../support/error-of.ts";

test("calls run one after the other, and a few wait", async () => {
  let running = 0;
  const ends: (() => void)[] = [];
  const run = oneAtATime(async (n: number) => {
    running += 1;
    await new Promise<void>((resolve) => ends.push(resolve));
    running -= 1;
    if (n === 1) throw new Error("No");
    return n;
  });
  const calls = [1, 2, 3, 4, 5].map((n) => run(n).catch(() => 0));
  expect(await errorOf(run(6))).toMatchObject({ code: "too-many-requests" });
  for (const end of calls.keys()) {
    while (ends.length <= end) await Promise.resolve();
    expect(running).toBe(1);
    ends[end]?.();
    await calls[end];
  }
  expect(await Promise.all(calls)).toEqual([0, 2, 3, 4, 5]);
});
