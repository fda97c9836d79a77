import { expect, test } from "bun:test";
import { FewAtOnce } from "../../../../apps/api/few-at-once.ts";
import { errorOf } from "../../../support/error-of.ts";

for (const max of [1, 2, 3])
  test(`of many calls ${max} run at once, in their order, and a few wait`, async () => {
    const few = new FewAtOnce("draws other pictures", { max, maxWaiting: 4 });
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    let running = 0;
    const job = (n: number) => async () => {
      begun.push(n);
      running += 1;
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
      if (n === 1) throw new Error("No");
      return n;
    };
    const numbers = Array.from({ length: max + 4 }, (_, index) => index + 1);
    const calls = numbers.map((n) => few.run(job(n)).catch(() => 0));
    const refused = await errorOf(few.run(job(99)));
    expect(refused).toMatchObject({
      code: "too-many-requests",
      message: "The API draws other pictures now.",
    });
    for (const end of calls.keys()) {
      while (ends.length <= end) await Promise.resolve();
      expect(running).toBe(Math.min(max, calls.length - end));
      ends[end]?.();
      await calls[end];
      for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    }
    expect(await Promise.all(calls)).toEqual(numbers.map((n) => (n === 1 ? 0 : n)));
    expect(begun).toEqual(numbers);
    expect(await few.run(async () => "again")).toBe("again");
  });
