// Redis and the orchestrator are killed in the middle of a run, and nothing is lost.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { $ } from "bun";
import type { Artefact } from "../../lib/model/artefact.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

/**
 * Three links: each takes the one before it; the work of a link lasts until the test lets it go.
 */
const link = (next: string) =>
  `cat > /dev/null; until [ -e /tmp/go ]; do sleep 0.1; done; rm /tmp/go; echo '{"artefact_type":"${next}","artefact_payload":"${next}","summary":""}'`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("first", link("One")),
    ...scriptAgent("second", link("Two")),
    ...scriptAgent(
      "third",
      `cat > /dev/null; echo '{"structural_type":"Terminal","artefact_type":"End","artefact_payload":"end","summary":""}'`,
    ),
    "sett.yml": settYml({
      first: "    bids:\n      - { on: GoalDefined, bid: exclusive }\n",
      second: "    bids:\n      - { on: One, bid: exclusive }\n",
      third: "    bids:\n      - { on: Two, bid: exclusive }\n",
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

const running = (goal: string, agent: string) =>
  waitFor(
    `${agent} to run`,
    async () =>
      (await sett.events(goal)).some(
        (event) => event.type === "grant_started" && event.agent === agent,
      ),
    { everyMs: 100 },
  );

const letGo = (agent: string) =>
  $`docker exec sett-${sett.name}-agent-${agent} touch /tmp/go`.quiet();

const atEnd = (goal: string) =>
  waitFor(
    "the end of the chain",
    async () => {
      // While Redis is away the CLI says so and fails; the test looks again.
      const { code, out } = await sett.look("hoard", "--json", "--goal", goal);
      if (code !== 0) return undefined;
      const artefacts: Artefact[] = JSON.parse(out);
      return artefacts.some((artefact) => artefact.type === "End") ? artefacts : undefined;
    },
    { everyMs: 200 },
  );

async function expectWholeChain(goal: string): Promise<void> {
  const artefacts = await atEnd(goal);
  expect(artefacts.map((artefact) => artefact.type)).toEqual(["GoalDefined", "One", "Two", "End"]);
  expect(artefacts.at(-1)?.source_artefacts).toContain(artefacts[0]?.id);
  await waitFor("the last claim to complete", async () => {
    const events = await sett.events(goal);
    return events.filter((event) => event.type === "claim_completed").length === 3;
  });
  const events = await sett.events(goal);
  for (const type of ["claim_opened", "grant_done", "claim_completed"])
    expect(events.filter((event) => event.type === type)).toHaveLength(3);
  expect(
    events.filter((event) => event.type === "grant_failed" || event.type === "claim_terminated"),
  ).toEqual([]);
}

test("a Redis that is killed while a tool runs comes back, and the whole chain is there once", async () => {
  const goal = await sett.forage("survive Redis");
  await running(goal, "first");
  await sett.killRedis();
  await Promise.all(["first", "second"].map(letGo));
  await expectWholeChain(goal);
});

test("an orchestrator that is killed while a tool runs comes back with the next epoch, and the whole chain is there once", async () => {
  const goal = await sett.forage("survive the orchestrator");
  await letGo("first");
  await running(goal, "second");
  await sett.kill("orchestrator");
  await letGo("second");
  await expectWholeChain(goal);
  const epochs = (await sett.events(goal))
    .map((event) => event.actor)
    .filter((actor) => actor.startsWith("orchestrator:"));
  expect(new Set(epochs).size).toBeGreaterThan(1);
});
