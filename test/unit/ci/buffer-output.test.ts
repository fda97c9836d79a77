import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const script = `
import { withBufferedOutput } from ${JSON.stringify(join(import.meta.dir, "../../../.ci/buffer-output.ts"))};
const say = (words) => (output) => Bun.spawn(["sh", "-c", words], { stdio: ["ignore", output, output] }).exited;
const slow = withBufferedOutput("── slow ──", say("echo begins; until [ -e $GO ]; do sleep 0.02; done; echo goes on; exit 3"));
const quick = withBufferedOutput("── quick ──", say("echo one; echo two >&2"));
await quick.then(() => Bun.write(process.env.GO, ""));
console.log(JSON.stringify(await Promise.all([slow, quick])));
`;

test("what runs beside each other is shown one after the other, when it is over, with its errors", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-held-back-"));
  const env = { ...process.env, GO: join(folder, "go") };
  const bun = Bun.spawn([process.execPath, "-e", script], {
    env,
    stdout: "pipe",
    stderr: "inherit",
  });
  expect(await new Response(bun.stdout).text()).toBe(
    "── quick ──\none\ntwo\n── slow ──\nbegins\ngoes on\n[3,0]\n",
  );
  await rm(folder, { recursive: true });
});
