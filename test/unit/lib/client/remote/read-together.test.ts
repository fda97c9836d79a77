import { expect, test } from "bun:test";
import { readTogether } from "../../../../../lib/client/remote/read-together.ts";
import { SettError } from "../../../../../lib/model/errors.ts";

/** Answers each call with its first argument, and notes how it was asked for. */
function reader(failing?: SettError) {
  const requests: string[] = [];
  const read = readTogether<string>({
    async alone(name, [value]) {
      requests.push(name);
      if (value === "wrong") throw new SettError("usage", "This one is wrong.");
      return value;
    },
    async together(calls) {
      requests.push(`${calls.length} together`);
      if (failing !== undefined) throw failing;
      return calls.map(([, [value]]) => value);
    },
  });
  return { requests, read };
}

test("reads of the same time are few requests, and one alone is as it was", async () => {
  const { requests, read } = reader();
  const values = Array.from({ length: 250 }, (_, at) => at);
  expect(await Promise.all(values.map((value) => read("readGoal", [value])))).toEqual(values);
  expect(await read("readPause", ["later"])).toBe("later");
  expect(requests).toEqual(["100 together", "100 together", "50 together", "readPause"]);
});

test("where one of them is refused, each has its own answer", async () => {
  const { requests, read } = reader(new SettError("usage", "One of them is wrong."));
  const [good, bad] = await Promise.allSettled([
    read("readGoal", ["good"]),
    read("readGoal", ["wrong"]),
  ]);
  expect([good, bad]).toMatchObject([
    { value: "good" },
    { reason: { message: "This one is wrong." } },
  ]);
  expect(requests).toEqual(["2 together", "readGoal", "readGoal"]);
});

test("what would refuse each of them is not asked again", async () => {
  const { requests, read } = reader(new SettError("api-unreachable", "The API does not answer."));
  const results = await Promise.allSettled([read("readGoal", [1]), read("readGoal", [2])]);
  expect(results).toMatchObject([
    { reason: { code: "api-unreachable" } },
    { reason: { code: "api-unreachable" } },
  ]);
  expect(requests).toEqual(["2 together"]);
});
