// Measures reading where a sett has a long history: goals that are over, each with a claim, a
// result and reviews.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import type { Blackboard } from "../../lib/blackboard/port/blackboard.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { AgentName, InstanceName } from "../../lib/model/ids.ts";
import { newArtefactId, sampleArtefact, sampleClaim } from "../support/records/sample.ts";
import type { RedisServer } from "../support/redis/redis-server.ts";
import { root } from "../support/root.ts";

const main = join(root, "apps/cli/main.ts");
const artefactsPerGoal = 10;
const goalsAtOnce = 100;
const instance = InstanceName.parse("past");

export const readings = [
  ["hoard", ["hoard"]],
  ["hoard_all", ["hoard", "--all"]],
  ["hoard_json", ["hoard", "--json"]],
  ["status", ["status"]],
  ["status_all", ["status", "--all"]],
  ["status_json", ["status", "--json"]],
  ["watch", ["watch", "--no-follow"]],
] as const;

/** Fills a fresh Redis with about so many artefacts. */
export async function fillHistory(
  { url }: Pick<RedisServer, "url">,
  artefacts: number,
): Promise<void> {
  await using board = await connectBlackboard({ url, instance });
  const leader = await board.acquireLeaderLease({
    holder: "bench",
    leaseMs: 60_000,
    restarted: true,
  });
  if (leader.outcome !== "held") throw new Error("The leader lease is taken.");
  const goals = Math.ceil(artefacts / artefactsPerGoal);
  for (let made = 0; made < goals; made += goalsAtOnce) {
    const some = Math.min(goalsAtOnce, goals - made);
    await Promise.all(Array.from({ length: some }, () => addGoal(board, leader.epoch)));
  }
  await board.moveCursor(leader.epoch, await board.endOfEvents());
}

/** Seconds, and the most memory in MB, of one `sett` from its start to its end. */
export async function measure({ url }: Pick<RedisServer, "url">, words: readonly string[]) {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    REDIS_URL: url,
    SETT_INSTANCE_NAME: instance,
  };
  const began = performance.now();
  const child = Bun.spawn([process.execPath, "run", main, ...words], {
    env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await child.exited) !== 0) throw new Error(`sett ${words.join(" ")} failed.`);
  return {
    seconds: (performance.now() - began) / 1000,
    megabytes: (child.resourceUsage()?.maxRSS ?? 0) / 1024 ** 2,
  };
}

async function addGoal(board: Blackboard, epoch: number): Promise<void> {
  const goal = sampleArtefact({
    payload: "Write about the door",
    metadata: { summary: "Write about the door" },
  });
  await board.createArtefact(goal, "person:bench");
  const agent = AgentName.parse("writer");
  const claim = sampleClaim(goal, [agent]);
  await board.openClaim({
    open: { claim, cause: "standard", grants: [] },
    epoch,
    bidDeadlineMs: 60_000,
  });
  const made = {
    goal_id: goal.goal_id,
    source_artefacts: [goal.id],
    produced_by_agent: agent,
    produced_by_role: agent,
  };
  const results = Array.from({ length: artefactsPerGoal - 1 }, (_, index) => {
    const kind = index === 0 ? ("Terminal" as const) : ("Review" as const);
    const over = {
      id: newArtefactId(),
      structural_type: kind,
      type: kind,
      payload: "{}",
      metadata: { summary: "Said" },
    };
    return sampleArtefact({ ...made, ...over });
  });
  for (const result of results) await board.createArtefact(result, `agent:${agent}`);
  await board.commitClaim({
    claim: claim.id,
    epoch,
    expectedRev: 0,
    readOn: board.connectionNumber(),
    commitId: randomUUID(),
    set: { status: "complete", bidding: "closed" },
    bids: [{ agent, word: "ignore" }],
    grants: [],
    artefacts: [],
    claims: [],
    due: { set: [], clear: [] },
    events: [
      { type: "claim_completed", goal_id: goal.goal_id, claim_id: claim.id, artefact_id: goal.id },
    ],
  });
}
