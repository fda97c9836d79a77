import { expect, test } from "bun:test";
import { readWatches } from "../../../../../apps/cli/doctor/read-watches.ts";
import { waitFor } from "../../../../support/wait-for.ts";

/** Takes watches of files, says so, and keeps them. */
const greedy = `
import { dlopen } from "bun:ffi";
const { symbols } = dlopen("libc.so.6", { inotify_init: { args: [], returns: "i32" } });
for (let n = 0; n < 30; n++) symbols.inotify_init();
console.log("taken");
setInterval(() => {}, 1000);
`;

test("the process that has the most watches of files is named", async () => {
  const child = Bun.spawn([process.execPath, "-e", greedy], { stdout: "pipe" });
  try {
    await waitFor(
      "its watches",
      async () => (await child.stdout.getReader().read()).value !== undefined,
    );
    const watches = readWatches();
    expect(watches?.limit).toBeGreaterThan(0);
    expect(watches?.used).toBeGreaterThanOrEqual(30);
    expect(watches?.most?.count).toBeGreaterThanOrEqual(30);
  } finally {
    child.kill();
    await child.exited;
  }
});
