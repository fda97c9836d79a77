// A goal is cancelled in each phase of its claim, in real containers: its tools are stopped, and
// everything is on record.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { pauseContainer } from "../support/docker/pause-container.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

/** Sleeps where the goal names its phase, and goes on at once where it does not. */
const sleeper = (phase: string, output: string) => `
if jq -r .target_artefact.payload | grep -q ${phase}; then sleep 300; fi
jq -n '${output}'`;

let sett: SettWorkspace;

beforeAll(async () => {
  const report = (type: string) => `{artefact_type: "${type}", artefact_payload: "", summary: ""}`;
  const on = (bid: string) => `    bids:\n      - { on: GoalDefined, bid: ${bid} }\n`;
  const word = 'if .type == "GoalDefined" then "exclusive" else "ignore" end';
  const coder = `    bid_command: ${JSON.stringify(["jq", "-r", word])}\n`;
  sett = await SettWorkspace.create({
    ...scriptAgent("reviewer", sleeper("reviewing", '{structural_type: "Review", payload: {}}')),
    ...scriptAgent("checker", sleeper("checking", report("Check"))),
    ...scriptAgent("coder", sleeper("working", report("Code"))),
    "sett.yml": settYml({
      reviewer: on("review"),
      checker: on("claim"),
      coder,
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

const happened = (goal: string, type: string, agent: string | undefined) =>
  waitFor(
    `${type} of ${agent}`,
    async () =>
      (await sett.events(goal)).some((event) => event.type === type && event.agent === agent),
    { everyMs: 100 },
  );

async function isSleeping(agent: string): Promise<boolean> {
  return (await $`docker top sett-${sett.name}-agent-${agent}`.text()).includes("sleep 300");
}

async function expectCancelled(goal: string): Promise<void> {
  const { code, err } = await sett.sett("cancel", goal);
  expect([code, err]).toEqual([0, expect.any(String)]);
  const { goals } = JSON.parse(await sett.need("status", "--json", "--goal", goal));
  expect(goals[0].state).toBe("cancelled");
  expect(goals[0].open_claims).toEqual([]);
  const events = await sett.events(goal);
  expect(events.find(({ type }) => type === "cancel_requested")?.actor).toBe(
    "person:Ada Lovelace <ada@sett.invalid>",
  );
  expect(events.filter(({ type }) => type === "claim_terminated").length).toBeGreaterThan(0);
}

for (const [phase, payload, agent] of [
  ["review", "reviewing", "reviewer"],
  ["parallel", "checking", "checker"],
  ["exclusive", "working", "coder"],
] as const) {
  test(`in the ${phase} phase: the running tool is stopped`, async () => {
    const goal = await sett.forage(payload);
    await happened(goal, "grant_started", agent);
    await waitFor("the tool", () => isSleeping(agent));
    await expectCancelled(goal);
    await waitFor("the end of the tool", async () => !(await isSleeping(agent)));
  });
}

test("while a bid is waited for", async () => {
  await pauseContainer(`sett-${sett.name}-agent-coder`);
  try {
    const goal = await sett.forage("bidding");
    await happened(goal, "bids_placed", undefined);
    expect((await sett.events(goal)).map(({ type }) => type)).not.toContain("bidding_closed");
    await expectCancelled(goal);
  } finally {
    await $`docker unpause sett-${sett.name}-agent-coder`.quiet();
  }
});
