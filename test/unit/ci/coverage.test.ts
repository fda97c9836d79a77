import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureCoverage } from "../../../.ci/coverage.ts";

/** A project of one file with twenty lines, and reports of groups that have run some of them. */
async function measure(...groups: { file?: string; run: number[] }[]) {
  const root = await mkdtemp(join(tmpdir(), "sett-covered-"));
  try {
    await Bun.write(join(root, "lib/one.ts"), "console.log(1);\n".repeat(20));
    const reports = groups.map(async ({ file = "lib/one.ts", run }, index) => {
      const lines = Array.from(
        { length: 20 },
        (_, line) => `DA:${line + 1},${run.includes(line + 1) ? 3 : 0}`,
      );
      await Bun.write(
        join(root, `group-${index}/lcov.info`),
        `TN:\nSF:${file}\n${lines.join("\n")}\nend_of_record\n`,
      );
      return join(root, `group-${index}`);
    });
    return await measureCoverage(root, await Promise.all(reports));
  } finally {
    await rm(root, { recursive: true });
  }
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("a line counts that any of the groups has run", async () => {
  const { isEnough, words } = await measure({ run: lines(1, 10) }, { run: lines(8, 17) });
  expect(isEnough).toBe(true);
  expect(words).toBe("85.0 % of 20 lines of lib and apps were run; at least 85 % are wanted");
});

test("less than 85 % of the lines is not enough", async () => {
  expect(await measure({ run: lines(1, 16) })).toMatchObject({
    isEnough: false,
    words: expect.stringContaining("80.0 %"),
  });
});

test("a file that no test has loaded counts as not run, and the tests' own files not at all", async () => {
  const { isEnough, words } = await measure({ file: "test/one.test.ts", run: lines(1, 20) });
  expect(isEnough).toBe(false);
  expect(words).toStartWith("0.0 % of 20 lines");
});

test("a group that has left no report is named", async () => {
  expect(await measureCoverage("/tmp", ["/nowhere/unit"])).toEqual({
    isEnough: false,
    words: "nothing says which lines the unit tests have run",
  });
});
