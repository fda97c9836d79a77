// Shows who is named when another `sett up` is at work.
import { expect, test } from "bun:test";
import { join } from "node:path";
import process from "node:process";
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
