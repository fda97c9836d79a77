// `npm run demo -- --llm`: two agents that are prompts reach a goal by recorded calls, with a
// question, a rework and a commit.
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { nightly } from "../support/nightly.ts";
import { root } from "../support/root.ts";

setDefaultTimeout(300_000);

/** Leaves out the build that comes first: the programs are there, and other tests use them. */
const show = (runtime: string) => `
  import { showModels } from ${JSON.stringify(join(root, ".ci/llm-demo/show-models.ts"))};
  await showModels({ isKept: false, runtime: ${JSON.stringify(runtime)} });`;

async function runDemo(runtime: string) {
  const home = await mkdtemp(join(tmpdir(), "sett-llm-demo-"));
  try {
    const { ANTHROPIC_API_KEY: _, ...env } = process.env;
    // People see both streams, in the order in which they are written.
    const child = Bun.spawn(
      ["sh", "-c", 'exec "$0" --eval "$1" 2>&1', process.execPath, show(runtime)],
      {
        cwd: root,
        env: { ...env, XDG_STATE_HOME: join(home, "state") },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const [out, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    return { out, code };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

for (const runtime of ["docker", "process"]) {
  const daily = runtime === "process" ? test : nightly;
  daily(
    `a coder and a reviewer reach their goal in a replay, without a key (${runtime})`,
    async () => {
      const { out, code } = await runDemo(runtime);
      expect(code, out.slice(-3_000)).toBe(0);
      expect(out).toContain("THIS IS A REPLAY. No language model is asked");
      const steps = [
        /coder +bids exclusive on claim \w+: The goal asks for a change/,
        /coder +asks \w+ +“How many characters may a slug have/,
        /posts Answer \w+ +“At most 30 characters/,
        /coder +posts CodeCommit \w+ +“/,
        /reviewer +posts Review \w+ +“A first word of more than 30 characters breaks the limit”/,
        /coder +posts CodeCommit \w+ version 2/,
        /reviewer +posts Review \w+ +“The long first word is cut/,
        /Goal \w+ is settled/,
        /strong +20 /,
        /\+check donaudampfschifffahrtsgesellsc/,
        /calls finish/,
      ];
      const places = steps.map((step) => out.search(step));
      expect(places.filter((place) => place === -1)).toEqual([]);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      // The tests of the repository ran, and the last result is a pass.
      expect(out).toMatch(/run answers\n +Exit code 0\n +0 failed/);
    },
  );
}
