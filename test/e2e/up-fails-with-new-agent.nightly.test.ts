// A `sett up` that fails, or is given up, on a sett at work: no agent's work is lost with what it
// had started.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { $ } from "bun";
import { pauseContainer } from "../support/docker/pause-container.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

const onGoals = (bid: string) => `    bids: [{ on: GoalDefined, bid: ${bid} }]\n`;
const worker = { worker: onGoals("exclusive") };
/**
 * An agent that would join the work on every goal and never end it, and one whose cub hardly gets
 * on.
 */
const newcomers = {
  ...worker,
  helper: onGoals("claim"),
  snail: `    resources: { limits: { cpus: 0.01 } }\n${onGoals("ignore")}`,
};
let sett: SettWorkspace;

beforeAll(async () => {
  const report = `cat > /dev/null; echo '{"artefact_type":"Done","artefact_payload":"","summary":""}'`;
  sett = await SettWorkspace.create({
    ...scriptAgent("worker", report),
    ...scriptAgent("helper", "sleep 600"),
    ...scriptAgent("snail", report),
    "sett.yml": settYml(worker),
  });
  await sett.up();
}, 300_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

test("agents that are new are asked for nothing before all is well, and leave without a trace when it is not", async () => {
  await sett.write({ "sett.yml": settYml(newcomers) });
  await sett.commit("Change the sett");
  await using up = sett.start("up", "--name", sett.name);
  await up.untilErr("helper: is ready");
  await up.untilErr("snail: starting");
  // For as long as all of this takes.
  const snail = `sett-${sett.name}-agent-snail`;
  await pauseContainer(snail);
  const goal = await sett.forage("meanwhile");
  const done = () =>
    waitFor("the end", async () => (await sett.artefacts(goal)).length === 2, { everyMs: 100 });
  const ended = await done().catch((error: unknown) => error);
  await $`docker unpause ${snail}`.quiet();
  up.signal("SIGINT");
  expect(await up.exited).toBe(130);
  expect({ ended, types: (await sett.artefacts(goal)).map(({ type }) => type) }).toEqual({
    ended: true,
    types: ["GoalDefined", "Done"],
  });
  const log = await sett.need("watch", "--no-follow", "-o", "jsonl");
  for (const name of ["helper", "snail"]) expect(log).not.toContain(`"${name}"`);
}, 300_000);
