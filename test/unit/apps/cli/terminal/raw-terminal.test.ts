import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

setDefaultTimeout(120_000);

const module = join(import.meta.dir, "../../../../../apps/cli/terminal/raw-terminal.ts");

test("a program that reads no more ends, though its input stays open", async () => {
  const program = [
    `import { leaveInput } from ${JSON.stringify(module)};`,
    "void (async () => { for await (const _ of process.stdin); })();",
    "setTimeout(() => { leaveInput(); process.exitCode = 7; }, 1);",
  ].join("\n");
  const child = Bun.spawn([process.execPath, "-e", program], { stdin: "pipe" });
  expect(await child.exited).toBe(7);
});
