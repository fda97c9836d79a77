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
  postGoal,
  queued,
  resultOf,
  running,
  user,
} from "../../support/blackboard/scene.ts";
import { agentName, sampleAgent, sampleClaim } from "../../support/records/sample.ts";
import { type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";

setDefaultTimeout(600_000);
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

test("a key of another type keeps a whole decision from being written, and the refusal names it", async () => {
  await using bench = await openRedisBench(server);
  const { board } = bench;
  const epoch = await acquireLeaderLease(board);
  const goal = await postGoal(board);
  const state = async () => ({
    claims: [await board.readClaim(claim.id), await board.readClaim(other.id)],
    keys: JSON.parse(await server.cli("--json", "KEYS", bench.key("*"))).toSorted(),
    logged: await server.cli("XLEN", bench.key("events")),
  });
  const claim = sampleClaim(goal, [agentName("coder")]);
  const other = sampleClaim(goal, [], { kind: "rework", status: "pending_exclusive" });
  const open = { epoch, bidDeadlineMs: 60_000 };
  await board.openClaim({ ...open, open: { claim, cause: "standard", grants: [] } });
  const decide = () =>
    board.commitClaim(
      commitOf(claim.id, epoch, 0, {
        bids: [{ agent: agentName("coder"), word: "exclusive" }],
        grants: [queued("coder")],
        claims: [{ claim: other, cause: "rework:1", grants: [queued("tester")] }],
      }),
    );
  for (const name of ["coder:grants", "coder:queued", "coder:work", "tester:grants"]) {
    const key = bench.key(`agent:${name}`);
    await server.cli("SET", key, "a person's own");
    const before = await state();
    await expect(decide()).rejects.toMatchObject({
      code: "blackboard-refused",
      message: expect.stringContaining(`The key ${key} is a string and was a `),
    });
    expect(await state()).toEqual(before);
    await server.cli("DEL", key);
  }
  expect(await decide()).toEqual({ outcome: "committed", rev: 1 });
});
