import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countBunTests } from "../../../.ci/bun-tests.ts";

/** Runs a suite with this body in one file, beside an empty one, in a project of its own. */
async function count(workers: number, body: string, limitMs = 120_000) {
  const root = await mkdtemp(join(tmpdir(), "sett-counted-"));
  try {
    await Bun.write(
      join(root, "test/one.test.ts"),
      `import { expect, test } from "bun:test";\n${body}`,
    );
    await Bun.write(join(root, "test/two.test.ts"), "");
    return await countBunTests({
      root,
      include: ["*.test.ts"],
      timeoutMs: 60_000,
      limitMs,
      workers,
      output: "ignore",
    });
  } finally {
    await rm(root, { recursive: true });
  }
}

const good = `test("good", () => {});`;
const bad = `test("bad", () => expect(1).toBe(2));`;

describe.each([1, 2])("with %d workers", (workers) => {
  const countOf = (body: string, limitMs?: number) => count(workers, body, limitMs);
  /** One process leaves its report at its end only; a worker may have said before what passed. */
  const reported = workers === 1 ? 0 : expect.any(Number);

  test("passed, failed and skipped tests are counted", async () => {
    expect(await countOf(`${good} ${good} ${bad} test.skip("later", () => {});`)).toMatchObject({
      passed: 2,
      failed: 1,
      skipped: 1,
    });
  });

  test("a failed test is named with its place and its error", async () => {
    const { failures } = await countOf(
      `${good}\ntest('"<less>" & more', () => { throw new Error("broken\\ntwice"); });`,
    );
    expect(failures).toEqual([
      expect.stringMatching(/^test\/one\.test\.ts:3 "<less>" & more\nError: broken\ntwice\n +at /),
    ]);
  });

  test.each(["beforeAll", "afterAll"])("so is a file whose %s fails", async (hook) => {
    const { failed, failures } = await countOf(
      `${good}\nimport { ${hook} } from "bun:test";\n${hook}(() => { throw new Error("broken"); });`,
    );
    expect(failed).toBe(1);
    expect(failures).toEqual([
      expect.stringMatching(/^test\/one\.test\.ts before or after its tests\nError: broken\n +at /),
    ]);
  });

  test("each failure of a run is named", async () => {
    for (const body of [
      'throw new Error("broken");',
      'test("leaves", () => process.exit(0));',
      'test("crashes", async () => { process.kill(process.pid, "SIGSEGV"); await new Promise(() => {}); });',
    ]) {
      const { failed, failures = [] } = await countOf(body);
      expect([failed, failures.length, failures.join("").length > 20]).toEqual([1, 1, true]);
    }
  });

  test("a test that ends the whole process is a failure, even with exit code 0", async () => {
    expect(await countOf(`${good} test("leaves", () => process.exit(0)); ${good}`)).toMatchObject({
      passed: reported,
      failed: 1,
    });
  });

  test("a file that cannot be loaded is a failure", async () => {
    expect((await countOf(`throw new Error("broken");`)).failed).toBe(1);
  });

  test("an error outside of tests is a failure", async () => {
    expect(
      (
        await countOf(
          `${good} setTimeout(() => { throw new Error("late"); }, 1); test("waits", () => Bun.sleep(50));`,
        )
      ).failed,
    ).toBe(1);
  });

  test("a group that takes too long is ended and counts as failed", async () => {
    expect(await countOf(`${good} test("hangs", () => { while (true) {} });`, 4_000)).toMatchObject(
      {
        passed: reported,
        failed: 1,
      },
    );
  });

  test("a group without any test is a failure", async () => {
    expect(await countOf("")).toMatchObject({ passed: 0, failed: 1 });
  });
});
