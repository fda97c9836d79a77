// What is ended with a grant, where the cub is process 1: here of a pid namespace, in its container of that.
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const isAlone = ["--pid", "--fork", "--mount-proc", "--kill-child"];
const canBeAlone = process.platform === "linux" && spawnSync("unshare", [...isAlone, "true"]).status === 0;

test.if(canBeAlone)("what the cub's own git has left behind is ended, and a git that has not ended is spared", () => {
  const program = join(import.meta.dir, "../../support/cub/clean-slate-alone.ts");
  const { stdout, stderr } = spawnSync("unshare", [...isAlone, process.execPath, program], { encoding: "utf8", timeout: 30_000 });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({ before: 4, inOwnGroup: 3, spared: true, command: "sleep", exitCode: null });
});
