import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

setDefaultTimeout(120_000);

const module = join(import.meta.dir, "../../../../../apps/cli/terminal/output.ts");

test("a program that has had no time for signals knows how wide its terminal has become", async () => {
  // A read that blocks leaves the event loop no turn in which the signal would be heeded.
  const program = `
    import { readSync, writeSync } from "node:fs";
    import { createOutput } from ${JSON.stringify(module)};
    const output = createOutput(process.stdout, {}, { onClosed() {}, onFailed() {} });
    writeSync(1, "before " + output.columns + "\\n");
    readSync(0, new Uint8Array(8));
    writeSync(1, "after " + output.columns + "\\n");`;
  let seen = "";
  const child = Bun.spawn([process.execPath, "-e", program], {
    terminal: {
      cols: 100,
      rows: 24,
      data: (terminal, data) => {
        seen += new TextDecoder().decode(data);
        if (!seen.includes("before 100") || seen.includes("after")) return;
        terminal.resize(40, 24);
        terminal.write("\n");
      },
    },
  });
  expect(await child.exited).toBe(0);
  expect(seen).toContain("after 40");
});
