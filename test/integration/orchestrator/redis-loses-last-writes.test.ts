// A Redis that crashes may lose what it acknowledged last, while the orchestrator, which knows
// better, lives on.
import { expect, setDefaultTimeout, test } from "bun:test";
import { stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { ClaimCommit } from "../../../lib/blackboard/port/claims.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName, sampleArtefact } from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Clan, Member } from "../../support/world/clan.ts";
import {
  ada,
  answer,
  askedOfPeople,
  asking,
  ending,
  grantOf,
  startClanOn,
  terminalOf,
  wants,
} from "../../support/world/people.ts";

setDefaultTimeout(600_000);

/**
 * A Redis that writes each command before it acknowledges it, so that a test can say which were the
 * last.
 */
async function startForgetfulRedis() {
  const redis = await startRedisServer();
  await redis.cli("CONFIG", "SET", "appendfsync", "always");
  const log = join(redis.folder, "appendonlydir", "appendonly.aof.1.incr.aof");
  return {
    redis,
    written: async () => (await stat(log)).size,
    /** It crashes, and comes back without what it wrote after `size`. */
    async lose(size: number, meanwhile?: () => Promise<unknown>) {
      await redis.kill();
      await truncate(log, size);
      await meanwhile?.();
      await redis.start();
    },
    [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
  };
}

/** `before` runs once, in the orchestrator's way to its first commit that is like this. */
function interceptCommit(isIt: (commit: ClaimCommit) => boolean, before: () => Promise<unknown>) {
  let hasRun = false;
  return (board: Blackboard): Blackboard => ({
    ...board,
    commitClaim: async (commit) => {
      if (!hasRun && isIt(commit)) {
        hasRun = true;
        await before();
      }
      return board.commitClaim(commit);
    },
  });
}

async function cursorIsAtEnd({ board }: Clan): Promise<void> {
  await waitFor(
    "the cursor",
    async () => (await board.readLeader())?.cursor === (await board.endOfEvents()),
  );
}

test("what the orchestrator did last is done again where a crash of Redis has lost it", async () => {
  await using forgetful = await startForgetfulRedis();
  let sizeBefore = 0;
  const noting = (board: Blackboard): Blackboard => ({
    ...board,
    openClaim: async (order) => {
      sizeBefore ||= await forgetful.written();
      return board.openClaim(order);
    },
  });
  // No agent bids, so that the claim stays open.
  await using clan = await startClanOn(forgetful.redis, { coder: {} }, {}, noting);
  const { board } = clan;
  const goal = await clan.postGoal();
  const claimed = async () => (await board.claimsOfArtefact(goal.id)).get("standard");
  const first = await waitFor("the claim", claimed);
  await cursorIsAtEnd(clan);
  await forgetful.lose(sizeBefore);
  expect(await waitFor("the claim once more", claimed)).not.toBe(first);
  const opened = (await board.readEvents("0", 100)).filter(({ type }) => type === "claim_opened");
  expect(opened).toHaveLength(1);
});

nightly(
  "bids that took the place of lost ones are heard, although the claim has come to the same rev",
  async () => {
    await using forgetful = await startForgetfulRedis();
    const scene: {
      clan?: Clan;
      bid?: (agent: string, word: "exclusive" | "ignore") => Promise<unknown>;
      size: number;
    } = {
      size: 0,
    };
    const loseBids = async () => {
      await forgetful.lose(scene.size);
      await scene.bid?.("tester", "exclusive");
      await scene.bid?.("coder", "ignore");
    };
    // Their rules say nothing in advance.
    const bidder = { bids_by_command: true as const };
    const intercept = interceptCommit(({ set }) => set.bidding === "closed", loseBids);
    await using clan = await startClanOn(
      forgetful.redis,
      { coder: bidder, tester: bidder },
      {},
      intercept,
    );
    const goal = await clan.postGoal();
    const { claim } = await clan.claimOn(goal);
    scene.bid = (agent, word) =>
      clan.board.placeBid({ claim: claim.id, agent: agentName(agent), word });
    await cursorIsAtEnd(clan);
    scene.size = await forgetful.written();
    await scene.bid("coder", "exclusive");
    await scene.bid("tester", "ignore");
    const granted = await waitFor("the grant", async () => {
      const { grants } = await clan.claimOn(goal);
      return grants.length > 0 && grants;
    });
    expect(granted.map(({ agent }) => String(agent))).toEqual(["tester"]);
  },
);

test("an answer that was lost is not what its question's agent goes on with", async () => {
  await using forgetful = await startForgetfulRedis();
  let size = 0;
  const hasDialogue = ({ grants }: ClaimCommit) =>
    grants.some(({ dialogue = [] }) => dialogue.length > 0);
  const intercept = interceptCommit(hasDialogue, () => forgetful.lose(size));
  const tool: Member["tool"] = ({ additional_context }) =>
    additional_context.length === 0
      ? asking("which?")
      : ending(additional_context.map(({ payload }) => payload).join());
  const members = { coder: { ...wants("GoalDefined", "exclusive"), tool } };
  await using clan = await startClanOn(
    forgetful.redis,
    members,
    { clarification: "human" },
    intercept,
  );
  const goal = await clan.postGoal();
  const question = await askedOfPeople(clan, "which?");
  await cursorIsAtEnd(clan);
  size = await forgetful.written();
  const lost = await answer(clan, question, "the lost one");
  expect(lost.outcome.outcome).toBe("answered");
  await waitFor(
    "the question to be open again",
    async () => (await clan.board.answersOf([question.id]))[0] === undefined,
  );
  const { artefact } = await answer(clan, question, "the other one");
  expect((await terminalOf(clan, goal)).payload).toBe("which?,the other one");
  expect((await grantOf(clan, goal, "coder"))?.dialogue).toEqual([question.id, artefact.id]);
});

test.each([
  ["running", "the start is on record"],
  ["queued", "the start is lost as well"],
] as const)(
  "a result that was acknowledged and lost is on record again, the same one, where its grant is %s again: %s",
  async (state) => {
    await using forgetful = await startForgetfulRedis();
    const scene: { clan?: Clan; goal?: Artefact; size: number; runs: number } = {
      size: 0,
      runs: 0,
    };
    const noting = (board: Blackboard): Blackboard => ({
      ...board,
      beginWork: async (order) => {
        if (state === "queued") scene.size ||= await forgetful.written();
        return board.beginWork(order);
      },
    });
    const tool: Member["tool"] = async () => {
      scene.runs += 1;
      const { clan, goal } = scene;
      if (clan !== undefined && goal !== undefined && state === "running") {
        await waitFor(
          "the start",
          async () => (await grantOf(clan, goal, "coder"))?.state === state,
        );
        scene.size ||= await forgetful.written();
      }
      return ending("done");
    };
    await using clan = await startClanOn(
      forgetful.redis,
      { coder: { ...wants("GoalDefined", "exclusive"), tool } },
      {},
      noting,
    );
    scene.clan = clan;
    const goal = sampleArtefact();
    scene.goal = goal;
    await clan.board.createArtefact(goal, ada);
    const first = await terminalOf(clan, goal);
    await waitFor("the end", async () => (await grantOf(clan, goal, "coder"))?.state === "done");
    await cursorIsAtEnd(clan);
    await forgetful.lose(scene.size);
    // The record dates a result by the message that brought it.
    const again = await waitFor(
      "the result",
      () => clan.board.readArtefact(first.id),
      clan.patience,
    );
    expect(again).toEqual({ ...first, created_at: again.created_at });
    const grant = await grantOf(clan, goal, "coder");
    expect(grant).toMatchObject({
      state: "done",
      attempt: 1,
      artefact_ids: [first.id],
      run_id: expect.any(String),
    });
    expect(scene.runs).toBe(1);
    const types = (await clan.board.readEvents("0", 1_000)).map(({ type }) => type);
    expect(types.filter((type) => type === "grant_failed" || type === "mail_refused")).toEqual([]);
  },
);

nightly(
  "no grant begins on the connection that shows the loss before its result is on record again",
  async () => {
    await using forgetful = await startForgetfulRedis();
    const scene = { size: 0, runs: 0, asked: 0 };
    const early = Promise.withResolvers<ClaimId[]>();
    // The follower of the queue has a connection of its own, which may be there before the other
    // one.
    const readsEarly = (board: Blackboard): Blackboard => ({
      ...board,
      beginWork: async (order) => {
        scene.asked += 1;
        scene.size ||= await forgetful.written();
        return board.beginWork(order);
      },
      async *followGrants(agent, signal) {
        const grants = board.followGrants(agent, signal)[Symbol.asyncIterator]();
        let next = grants.next();
        for (const waiting = [early.promise]; ; ) {
          const read = await Promise.race([next, ...waiting]);
          if (Array.isArray(read)) {
            waiting.pop();
            yield read;
          } else if (read.done) return;
          else {
            next = grants.next();
            yield read.value;
          }
        }
      },
    });
    const tool: Member["tool"] = async () => {
      scene.runs += 1;
      return ending("done");
    };
    const members = { coder: { ...wants("GoalDefined", "exclusive"), tool } };
    await using clan = await startClanOn(forgetful.redis, members, {}, readsEarly);
    const goal = sampleArtefact();
    await clan.board.createArtefact(goal, ada);
    const first = await terminalOf(clan, goal);
    await waitFor("the end", async () => (await grantOf(clan, goal, "coder"))?.state === "done");
    await cursorIsAtEnd(clan);
    const { claim } = await clan.claimOn(goal);
    const before = scene.asked;
    await forgetful.lose(scene.size, async () => {
      early.resolve([claim.id]);
      await waitFor("the cub that asks for the grant", () => scene.asked > before);
    });
    await waitFor("the result", () => clan.board.readArtefact(first.id), clan.patience);
    expect(await grantOf(clan, goal, "coder")).toMatchObject({ state: "done", attempt: 1 });
    expect(scene.runs).toBe(1);
  },
);
