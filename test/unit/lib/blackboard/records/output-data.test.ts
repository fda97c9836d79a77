import { expect, test } from "bun:test";
import { outputData, outputOf } from "../../../../../lib/blackboard/records/output-data.ts";

const digest = (letter: string) => letter.repeat(64);

test("an event names what was printed, and it is read from it again", () => {
  const output = {
    stdout: { digest: digest("a"), bytes: 3 },
    stderr: { digest: digest("b"), bytes: 30_000_000, left_out: 13_000_000 },
  };
  const data = outputData(output);
  expect(data).toEqual({
    stdout: digest("a"),
    stdout_bytes: 3,
    stderr: digest("b"),
    stderr_bytes: 30_000_000,
    stderr_left_out: 13_000_000,
  });
  expect(outputOf({ phase: "exclusive", ...data })).toEqual(output);
  expect([outputData(undefined), outputOf({ stderr: "none" }), outputOf(undefined)]).toEqual([
    {},
    undefined,
    undefined,
  ]);
});
