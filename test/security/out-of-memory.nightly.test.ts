// A command takes all memory by so many small processes that the kernel would end the agent: it
// lowers what makes it the first choice.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { bidByName, obedient } from "../support/sett/obedient-agent.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("greedy", obedient),
    "sett.yml": settYml({
      greedy: `    resources: { limits: { memory: 256M, pids: 300 } }\n    timeout: 10m\n${bidByName("greedy")}`,
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

const lowered = "for p in $$ $PPID; do echo 500 > /proc/$p/oom_score_adj; done";

/** Many small ones, a few in the time of a look. */
const slow = [
  lowered,
  "mkfifo /tmp/never",
  "for n in $(seq 280); do (x=$(head -c 1M /dev/zero | tr '\\0' x); read y < /tmp/never; : $x) & sleep 0.02; done",
  "wait",
].join("; ");

/** Faster than the cub can look. */
const fast = [
  lowered,
  "for n in $(seq 60); do (x=$(head -c 12M /dev/zero | tr '\\0' x); sleep 30; : $x) & done",
  "wait",
].join("; ");

async function failureOf(attack: string) {
  const goal = await sett.forage(`greedy: ${attack}`);
  const { type, payload } = await waitFor(
    "the Failure",
    async () =>
      (await sett.artefacts(goal)).find(({ structural_type }) => structural_type === "Failure"),
    { everyMs: 200, happened: async () => JSON.stringify((await sett.events(goal)).slice(-5)) },
  );
  return { type, payload };
}

const namesLimit = {
  type: "ToolExecutionFailure",
  payload: expect.stringContaining(
    "needed more memory than `resources.limits.memory` allows, which is 256 MiB.",
  ),
};

const container = () => `sett-${sett.name}-agent-greedy`;
const restarts = async () =>
  Number(await $`docker inspect --format ${"{{.RestartCount}}"} ${container()}`.text());

test("its cub ends the command before the kernel ends the cub, and the Failure names the limit", async () => {
  expect(await failureOf(slow)).toEqual(namesLimit);
  expect(await restarts()).toBe(0);
  await sett.need("forage", "--watch", "--goal", "greedy: echo fine");
});

test("where the kernel was faster, the Failure blames nothing, `sett doctor` knows what it was, and the agent works on", async () => {
  const failure = await failureOf(fast);
  // Which of the two it was is up to the kernel.
  if ((await restarts()) === 0) return expect(failure).toEqual(namesLimit);
  expect(failure).toEqual({
    type: "AttemptLost",
    payload: expect.stringContaining(
      "attempt 1 is lost. `sett doctor` and `sett logs greedy` may say why.",
    ),
  });
  const { out } = await sett.sett("doctor", "--json");
  const findings: { subject: string; check: string; found: string }[] = JSON.parse(out).findings;
  const state = findings.find(
    ({ subject, check }) => subject === "agent greedy" && check === "state",
  );
  expect(state?.found).toContain("it ran out of memory");
  await sett.need("forage", "--watch", "--goal", "greedy: echo fine");
});
