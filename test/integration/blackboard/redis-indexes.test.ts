// The indexes of open claims by agent, in Redis: they agree with the records, whatever has happened
// to the claims.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { Grant } from "../../../lib/model/claim.ts";
import { missingBidders } from "../../../lib/model/claim.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { openRedisBench } from "../../support/blackboard/redis-bench.ts";
import {
  acquireLeaderLease,
  at,
  commitOf,
  done,
  openClaim,
  postGoal,
  queued,
  queueGrant,
  resultOf,
  running,
  user,
} from "../../support/blackboard/scene.ts";
import { agentName, sampleAgent, sampleClaim } from "../../support/records/sample.ts";
import { type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";

setDefaultTimeout(120_000);
let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const agents = ["coder", "tester"].map(agentName);

/** As the records of the open claims say it. */
async function fromRecords(board: Blackboard) {
  const snapshots = await board.readClaims(await board.listOpenClaims());
  return agents.map((agent) => ({
    asked: snapshots.filter(
      ({ claim }) => claim.bidding === "open" && missingBidders(claim).includes(agent),
    ),
    work: snapshots.filter(({ grants }) =>
      grants.some(
        (grant) => grant.agent === agent && grant.state !== "done" && grant.state !== "cancelled",
      ),
    ),
  }));
}

async function expectToAgree(board: Blackboard): Promise<void> {
  const expected = await fromRecords(board);
  for (const [index, agent] of agents.entries()) {
    for (const concern of ["asked", "work"] as const)
      expect(await board.listClaimsOf(agent, concern)).toEqual(
        (expected[index]?.[concern] ?? []).map(({ claim }) => claim.id),
      );
  }
}

const steps = [
  "open",
  "bid",
  "impose",
  "close",
  "grant",
  "accept",
  "finish",
  "fail",
  "cancel",
  "terminate",
] as const;

test("they agree with the records after any work", async () => {
  const step = fc.record({
    what: fc.constantFrom(...steps),
    which: fc.nat(20),
    who: fc.constantFrom(...agents),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (plan) => {
      await using bench = await openRedisBench(server);
      const { board } = bench;
      const epoch = await acquireLeaderLease(board);
      const goal = await postGoal(board);
      const claims: ClaimId[] = [];
      for (const [place, { what, which, who }] of plan.entries()) {
        const id = claims[which % Math.max(1, claims.length)];
        if (what === "open" || id === undefined) {
          const claim = sampleClaim(goal, agents);
          claims.push(claim.id);
          await board.openClaim({
            open: { claim, cause: `retry:${place}`, grants: [] },
            epoch,
            bidDeadlineMs: 60_000,
          });
          continue;
        }
        const snapshot = await board.readClaim(id);
        if (snapshot === undefined) continue;
        const { claim } = snapshot;
        const grant = snapshot.grants.find(({ agent }) => agent === who);
        const commit = (over: Parameters<typeof commitOf>[3]) =>
          board.commitClaim(commitOf(id, epoch, claim.rev, over));
        const set = (grants: Grant[]) => commit({ grants });
        const attempt = grant?.attempt ?? 0;
        const isEnded = claim.status === "terminated";
        if (what === "bid") await board.placeBid({ claim: id, agent: who, word: "claim" });
        else if (isEnded) continue;
        else if (what === "impose") await commit({ bids: [{ agent: who, word: "ignore" }] });
        else if (what === "close") await commit({ set: { bidding: "closed" } });
        else if (what === "grant") await set([queued(who, attempt + 1)]);
        else if (what === "accept")
          await board.acceptGrant({ claim: id, grant: running(who, attempt), leaseMs: 60_000 });
        else if (what === "finish")
          await board.finishGrant(done(id, resultOf(goal, claim), running(who, attempt)));
        else if (what === "cancel" && grant !== undefined)
          await set([{ ...queued(who, attempt), state: "cancelled", ended_at: at, reason: "" }]);
        else if (what === "fail") {
          const artefact = resultOf(goal, claim, {
            structural_type: "Failure",
            type: "ToolFailed",
          });
          const result = { outcome: "failed", artefact, reason: "" } as const;
          await board.finishGrant({ claim: id, grant: running(who, attempt), endedAt: at, result });
        } else if (what === "terminate")
          await commit({
            set: { status: "terminated", bidding: "closed", termination_reason: "" },
          });
      }
      await expectToAgree(board);
    }),
    { numRuns: 15 },
  );
});

test("claims that an older version has opened are indexed when a leader takes over, a page at a time", async () => {
  await using bench = await openRedisBench(server);
  const { board } = bench;
  const bidding = [await openClaim(board, ["coder", "tester"]), await openClaim(board, ["tester"])];
  await board.placeBid({
    claim: bidding[0]?.claim.id as ClaimId,
    agent: agentName("coder"),
    word: "claim",
  });
  const { claim, epoch } = await queueGrant(board);
  const broken = await queueGrant(board);
  await server.cli("HSET", bench.key(`grants:${broken.claim.id}`), "coder", "{");
  await server.cli("HDEL", bench.key(`claim:${broken.claim.id}`), "electorate");
  for (const agent of agents)
    for (const index of ["asked", "work", "queued"])
      await server.cli("DEL", bench.key(`agent:${agent}:${index}`));
  const now = broken.epoch;
  expect(now).toBeGreaterThan(epoch);
  for (const left of [3, 2, 1, 0, 0])
    expect(await board.indexClaims({ epoch: now, limit: 1 })).toEqual({ outcome: "indexed", left });
  await server.cli("HSET", bench.key(`claim:${broken.claim.id}`), "electorate", "[]");
  await server.cli("HDEL", bench.key(`grants:${broken.claim.id}`), "coder");
  await expectToAgree(board);
  expect(await board.listClaimsOf(agentName("tester"), "asked")).toHaveLength(2);
  for await (const claims of board.followGrants(agentName("coder"), new AbortController().signal)) {
    expect(claims).toContain(claim.id);
    break;
  }
});

test("indexing leaves what is queued in its order, and queues nothing of a goal that was ended", async () => {
  await using bench = await openRedisBench(server);
  const { board } = bench;
  const scenes = [];
  for (let count = 0; count < 4; count += 1) scenes.push(await queueGrant(board));
  const queued = () => server.cli("ZRANGE", bench.key("agent:coder:queued"), "0", "-1");
  const ids = scenes.map(({ claim }) => claim.id);
  expect((await queued()).split("\n")).toEqual(ids);
  const { goal, epoch = 0 } = scenes.at(-1) ?? {};
  if (goal === undefined) throw new Error("There are four.");
  expect(await board.indexClaims({ epoch, limit: 10 })).toEqual({ outcome: "indexed", left: 0 });
  expect((await queued()).split("\n")).toEqual(ids);
  await board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
  await server.cli("DEL", bench.key("agent:coder:queued"));
  await server.cli("HDEL", bench.key("orchestrator"), "unindexed");
  expect(await board.indexClaims({ epoch, limit: 10 })).toEqual({ outcome: "indexed", left: 0 });
  expect((await queued()).split("\n").toSorted()).toEqual(ids.slice(0, -1).toSorted());
});

test("a follower whose function Redis refuses ends with the error", async () => {
  await using bench = await openRedisBench(server);
  await bench.board.registerAgents([sampleAgent("coder")], user, { exact: true });
  await server.cli("SET", bench.key("agent:coder:out"), "no stream");
  const following = async () => {
    for await (const _ of bench.board.followMail(new AbortController().signal, () => false));
  };
  await expect(following()).rejects.toMatchObject({
    code: "blackboard-refused",
    message: expect.stringContaining("WRONGTYPE"),
  });
});
