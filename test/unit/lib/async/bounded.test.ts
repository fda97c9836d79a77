import { expect, test } from "bun:test";
import { Bounded } from "../../../../lib/async/bounded.ts";

/** Jobs that each end when the test says so. */
function jobs() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    job: (name: string) => () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    },
    end: (name: string) => ends.get(name)?.(),
  };
}

test("a job above the maximum begins when another ends", async () => {
  const bounded = new Bounded(() => 2);
  const { begun, job, end } = jobs();
  await bounded.start(job("a"));
  await bounded.start(job("b"));
  const third = bounded.start(job("c"));
  await Promise.race([third, new Promise(setImmediate)]);
  expect(begun).toEqual(["a", "b"]);
  end("b");
  await third;
  expect(begun).toEqual(["a", "b", "c"]);
});

test("the maximum is asked for at each start: a lower one lets running jobs end first", async () => {
  let max = 2;
  const bounded = new Bounded(() => max);
  const { begun, job, end } = jobs();
  await bounded.start(job("a"));
  await bounded.start(job("b"));
  max = 1;
  const third = bounded.start(job("c"));
  end("a");
  await Promise.race([third, new Promise(setImmediate)]);
  expect(begun).toEqual(["a", "b"]);
  end("b");
  await third;
  expect(begun).toEqual(["a", "b", "c"]);
});

test("it is settled once every started job has ended", async () => {
  const bounded = new Bounded(() => 2);
  const { job, end } = jobs();
  await bounded.start(job("a"));
  await bounded.start(job("b"));
  let isSettled = false;
  const settled = bounded.settled().then(() => {
    isSettled = true;
  });
  end("a");
  await new Promise(setImmediate);
  expect(isSettled).toBe(false);
  end("b");
  await settled;
});
