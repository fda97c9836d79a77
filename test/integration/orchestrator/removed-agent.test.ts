// An agent that is taken out of sett.yml while it has work in hand.
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sampleAgent } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { startClan } from "../../support/world/redis-clan.ts";

setDefaultTimeout(600_000);

const report = `echo '{"artefact_type":"Report","artefact_payload":"","summary":""}'`;

test("a removed agent ends what it has begun; what it had not begun fails and says so; no claim waits for its bids", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-removed-"));
  const bids = [{ on: "GoalDefined", bid: "claim" as const }];
  const leaver = { bids, script: `until [ -e ${folder}/go ]; do sleep 0.02; done; ${report}` };
  const stayer = { bids, script: report };
  await using clan = await startClan({ leaver, stayer });
  const begun = await clan.postGoal("begun");
  await waitFor("the leaver to be at work", async () =>
    (await clan.events("grant_started")).some(({ agent }) => String(agent) === "leaver"),
  );
  const queued = await clan.postGoal("queued");
  await waitFor("its next grant", async () => (await clan.claimOn(queued)).grants.length === 2);

  await clan.board.registerAgents([sampleAgent("stayer", { bids })], "person:Ada", { exact: true });
  const failed = await clan.settled(queued);
  const failure = failed.find(({ structural_type }) => structural_type === "Failure");
  expect(failure).toMatchObject({
    type: "AgentRemoved",
    metadata: { summary: "Agent leaver was removed before it could do its work." },
  });
  expect((await clan.claimOn(queued)).claim.status).toBe("terminated");
  // As where the agent itself reports it, its event names the Failure.
  expect((await clan.events("grant_failed")).map(({ artefact_id }) => artefact_id)).toEqual([
    failure?.id,
  ]);

  const later = await clan.settled(await clan.postGoal("later"));
  expect(later.map(({ produced_by_agent }) => String(produced_by_agent))).toEqual(["", "stayer"]);
  // However long after its removal.
  const { claim } = await clan.claimOn(begun);
  const leasedUntil = async () =>
    Number(await clan.hand("ZSCORE", "due:lease", `lease:${claim.id}:leaver:1`));
  const first = await leasedUntil();
  for (const renewals of [1, 2])
    await waitFor(
      "its lease to be renewed",
      async () => (await leasedUntil()) > first + renewals * 2_000,
    );
  await writeFile(join(folder, "go"), "");
  const ended = await clan.settled(begun);
  expect(ended.map(({ type }) => type)).toEqual(["GoalDefined", "Report", "Report"]);
  expect((await clan.claimOn(begun)).claim.status).toBe("complete");
  await rm(folder, { recursive: true });
});

test("an agent that is only expected bids on nothing, no claim waits for it, and nothing fails when it does not come", async () => {
  const bids = [{ on: "GoalDefined", bid: "claim" as const }];
  await using clan = await startClan({ stayer: { bids, script: report } });
  const agents = await clan.board.listAgents();
  await clan.board.expectAgents([...agents, sampleAgent("newcomer", { bids })], "person:Ada");
  await clan.startCub("newcomer", "sleep 60");
  await waitFor(
    "the newcomer's sign of life",
    async () => (await clan.board.listStatuses()).size === 2,
  );
  const goal = await clan.postGoal("meanwhile");
  const [, made] = await clan.settled(goal);
  expect(made).toMatchObject({ type: "Report", produced_by_agent: "stayer" });
  expect((await clan.claimOn(goal)).claim.electorate.map(String)).toEqual(["stayer"]);
  await clan.board.registerAgents(agents, "person:Ada", { exact: true });
  const after = await clan.settled(await clan.postGoal("after"));
  expect(
    [...after, ...(await clan.artefactsOf(goal))].filter(
      ({ structural_type }) => structural_type === "Failure",
    ),
  ).toEqual([]);
  expect(await clan.events("agent_removed")).toEqual([]);
});
