import { describe, expect, test } from "bun:test";
import { CageProof, whatOthersRead } from "../../../../../apps/cub/container/cage.ts";

const git = { path: Bun.which("git") ?? "git", env: { PATH: process.env.PATH } };

describe("the look at a process from outside", () => {
  test("finds one whose environment others can read", async () => {
    const child = Bun.spawn(["sleep", "60"]);
    try {
      expect(await whatOthersRead(git, child.pid)).toMatch(
        /^A command could look into the cub: another process has read \/proc\/\d+\/\w+\.$/,
      );
    } finally {
      child.kill();
    }
  });

  test("fails where there is nothing to see", async () => {
    await expect(whatOthersRead(git, 2 ** 22 + 1)).rejects.toThrow();
  });
});

test("what cannot be tried does not count as proven", async () => {
  const proof = new CageProof({ network: "open", limits: {} }, { path: "/there/is/none", env: {} });
  await proof.prove();
  expect(proof.problem).toStartWith("It cannot be tried whether the container confines commands:");
});

test("a cub that cannot ask the kernel says so, and claims no way to a network", async () => {
  const cage = Bun.resolveSync("../../../../../apps/cub/container/cage.ts", import.meta.dir);
  const script = `
    const { CageProof } = await import(${JSON.stringify(cage)});
    const proof = new CageProof({ network: "none", limits: {} }, ${JSON.stringify(git)});
    await proof.prove();
    console.log(proof.problem);`;
  const env = { ...process.env, BUN_JSC_useJIT: "0" };
  const { stdout } = Bun.spawnSync([process.execPath, "-e", script], { env });
  expect(stdout.toString()).toContain("cannot ask the kernel for a way to a network");
});
