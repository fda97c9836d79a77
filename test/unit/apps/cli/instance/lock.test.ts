// Shows who is named when another `sett up` is at work, and how a command ends that has lost its
// lock.
import { expect, test } from "bun:test";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { isTakenOver, LockedWork, requireLock } from "../../../../../apps/cli/instance/lock.ts";
import { aborted } from "../../../../../lib/async/sleep.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { identify } from "../../../../../lib/process/process-id.ts";
import { acquireLock } from "../../../../../lib/runtime/process/file-lock.ts";
import { fakeShell } from "../../../../support/cli/fake-shell.ts";
import { root } from "../../../../support/root.ts";

const source = join(root, "apps/cli/instance/lock.ts");

test("the holder of an instance is known by number where the machine has no name for it", () => {
  const program = `
    import { lockInstance } from ${JSON.stringify(source)};
    const lock = async (_, by) => (console.log(by), { outcome: "held", async [Symbol.asyncDispose]() {} });
    await using held = await lockInstance({ apply: { lock } }, "demo");`;
  const { PATH = "" } = process.env;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", program], { env: { PATH } });
  expect(stdout.toString()).toStartWith(`user ${process.getuid?.()} on `);
});

test("work whose lock another process has taken is interrupted, and fails with that", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-lost-lock-"));
  const path = join(folder, "lock");
  const work = new LockedWork(fakeShell());
  const { interrupted } = work.shell;
  const lock = await acquireLock(path, "me", 10);
  if (lock.outcome === "taken") throw new Error("It is taken.");
  const job = work.under(lock, InstanceName.parse("demo"), async () => {
    expect(() => requireLock(interrupted)).not.toThrow();
    const others = { ...identify(process.pid), who: "Bob", lock: "his" };
    await writeFile(`${path}.new`, JSON.stringify(others));
    await rename(`${path}.new`, path);
    await aborted(interrupted);
    throw new Error("Interrupted.");
  });
  const failure = await job.catch((error: unknown) => error);
  expect(() => requireLock(interrupted)).toThrow("The lock of demo was lost");
  expect(failure).toMatchObject({
    code: "instance-taken",
    message: expect.stringMatching(
      /^The lock of demo was lost: .* another command has it now, by Bob\.$/,
    ),
  });
  expect(isTakenOver(interrupted)).toBe(true);
  await rm(folder, { recursive: true });
});
