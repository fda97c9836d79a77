// A command takes all memory by so many small processes that the kernel ends the agent instead: it
// lowers what makes it the first choice.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { bidByName, obedient } from "../support/sett/obedient-agent.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("greedy", obedient),
    "sett.yml": settYml({
      greedy: `    resources: { limits: { memory: 256M, pids: 300 } }\n    timeout: 60s\n${bidByName("greedy")}`,
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

const attack = [
  "for p in $$ $PPID; do echo 500 > /proc/$p/oom_score_adj; done",
  "for n in $(seq 60); do (x=$(head -c 12M /dev/zero | tr '\\0' x); sleep 30; : $x) & done",
  "wait",
].join("; ");

test("the Failure of the lost attempt blames nothing, `sett doctor` knows what it was, and the agent works on", async () => {
  const goal = await sett.forage(`greedy: ${attack}`);
  const failure = await waitFor(
    "the Failure",
    async () =>
      (await sett.artefacts(goal)).find(({ structural_type }) => structural_type === "Failure"),
    { everyMs: 200, happened: async () => JSON.stringify((await sett.events(goal)).slice(-5)) },
  );
  expect([failure.type, failure.payload]).toEqual([
    "AttemptLost",
    expect.stringContaining("attempt 1 is lost. `sett doctor` and `sett logs greedy` may say why."),
  ]);
  const { out } = await sett.sett("doctor", "--json");
  const findings: { subject: string; check: string; found: string }[] = JSON.parse(out).findings;
  const state = findings.find(
    ({ subject, check }) => subject === "agent greedy" && check === "state",
  );
  expect(state?.found).toContain("it ran out of memory");
  await sett.need("forage", "--watch", "--goal", "greedy: echo fine");
});
