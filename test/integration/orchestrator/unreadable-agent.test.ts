// An agent whose registration cannot be read, as after an upgrade in which another version has
// written it.
import { expect, setDefaultTimeout, test } from "bun:test";
import { AgentCache } from "../../../apps/orchestrator/decide/agent-cache.ts";
import type { Grant } from "../../../lib/model/claim.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { agentName, sampleAgent } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { startClan } from "../../support/world/redis-clan.ts";

setDefaultTimeout(600_000);

const report = { artefact_type: "Report", artefact_payload: "", summary: "" };
const onGoal = { bids: [{ on: "GoalDefined", bid: "claim" as const }] };

test("no grant fails for it, and once it can be read again it goes on", async () => {
  const { promise: unreadable, resolve: go } = Promise.withResolvers<void>();
  const helper = { ...onGoal, tool: () => unreadable.then(() => report) };
  // Nothing runs for it yet.
  await using clan = await startClan({ helper, newer: onGoal });
  const newer = sampleAgent("newer", onGoal);
  const goal = await clan.postGoal();
  await clan.board.placeBid({
    claim: (await clan.claimOn(goal)).claim.id,
    agent: newer.name,
    word: "claim",
  });
  const isAtWork = ({ agent, state }: Grant) => String(agent) === "helper" && state === "running";
  await waitFor("the helper to be at work", async () =>
    (await clan.claimOn(goal)).grants.some(isAtWork),
  );
  await clan.hand(
    "HSET",
    "agents",
    newer.name,
    JSON.stringify({ ...newer, strategy: "of a later version" }),
  );
  // Has the orchestrator look at all of them again.
  await clan.board.registerAgents([sampleAgent("witness", onGoal)], "person:test", {
    exact: false,
  });
  const next = await clan.claimOn(await clan.postGoal());
  expect(next.claim.electorate.map(String)).toEqual(["helper", "newer", "witness"]);
  go();
  await waitFor("the helper's work", async () =>
    (await clan.claimOn(goal)).grants.some(({ state }) => state === "done"),
  );
  await clan.board.registerAgents([newer], "person:test", { exact: false });
  await clan.startCub("newer", () => report);
  const isDone = async () => (await clan.claimOn(goal)).claim.status === "complete";
  await waitFor("the end of the claim", isDone);
  expect((await clan.artefactsOf(goal)).map(({ type }) => type)).toEqual([
    "GoalDefined",
    "Report",
    "Report",
  ]);
});

test("the log says once what is wrong with it", async () => {
  const lines: string[] = [];
  const log = createJsonLog(
    (line) => lines.push(line),
    () => new Date(),
  );
  const unreadable = { text: "{", problem: "it is not JSON" };
  let agents = [{ ...sampleAgent("coder"), unreadable }];
  const cache = new AgentCache({ board: { listAgents: async () => agents }, log });
  for (let look = 0; look < 3; look++) {
    await cache.list();
    cache.forget();
  }
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { agent: agentName("coder"), problem: "it is not JSON" },
  ]);
  agents = [{ ...sampleAgent("coder"), unreadable: { text: "[]", problem: "it is no object" } }];
  await cache.list();
  expect(lines.map((line) => JSON.parse(line).problem)).toEqual([
    "it is not JSON",
    "it is no object",
  ]);
});
