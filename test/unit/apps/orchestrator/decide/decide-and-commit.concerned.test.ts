// Shows what concerns a goal, an agent or a pause touches the claims that it concerns, and reads no
// other open claim.
import { expect, test } from "bun:test";
import { ClaimOpener } from "../../../../../apps/orchestrator/claims/claim-opener.ts";
import { Questions } from "../../../../../apps/orchestrator/claims/questions.ts";
import { Reconciler } from "../../../../../apps/orchestrator/claims/reconcile.ts";
import { Requests } from "../../../../../apps/orchestrator/claims/requests.ts";
import { Decider } from "../../../../../apps/orchestrator/decide/decide-and-commit.ts";
import { leaderParts } from "../../../../../apps/orchestrator/decide/leader-parts.ts";
import { EventHandler } from "../../../../../apps/orchestrator/log/handle-event.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import type { EventType, SettEvent } from "../../../../../lib/model/event.ts";
import { type ClaimId, InstanceName } from "../../../../../lib/model/ids.ts";
import { readsOf } from "../../../../support/blackboard/counted-reads.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { acquireLeaderLease, postGoal, user } from "../../../../support/blackboard/scene.ts";
import { agentName, sampleAgent, sampleClaim } from "../../../../support/records/sample.ts";
import { leaderDeps } from "../../../../support/world/deps.ts";

const agents = ["coder", "tester", "critic"].map((name) =>
  sampleAgent(name, { bids_by_command: true }),
);
const [coder, tester] = [agentName("coder"), agentName("tester")];

/** A handler of events, a look at all claims, and the claims that they read. */
async function createScene() {
  const memory = blackboardInMemory({ instance: InstanceName.parse("test") });
  const { board, read } = readsOf(await memory.open());
  await board.registerAgents(agents, user, { exact: true });
  const epoch = await acquireLeaderLease(board);
  const deps = leaderDeps(epoch, { board });
  const parts = leaderParts(deps);
  const { agentCache, pause } = parts;
  const decider = new Decider(deps, parts);
  const questions = new Questions(deps, agentCache, decider);
  const requests = new Requests(deps, agentCache, questions, pause);
  const opener = new ClaimOpener(deps, { ...parts, decider, onAsked: () => {} });
  const handler = new EventHandler(deps, { agentCache, decider, opener, questions, requests });
  const reconciler = new Reconciler(deps, { decider, questions, presence: parts.presence });
  return {
    board,
    memory,
    epoch,
    read,
    reconciler,
    /** The newest event of this type is handled. */
    async handle(type: EventType) {
      const event = (await board.readEvents("0", 10_000)).findLast((one) => one.type === type);
      read.clear();
      await handler.handle(event as SettEvent, deps.board.asOf());
    },
    async open(
      electorate: readonly string[],
      goal?: Artefact,
    ): Promise<{ id: ClaimId; goal: Artefact }> {
      const about = goal ?? (await postGoal(board));
      const claim = sampleClaim(about, electorate);
      await board.openClaim({
        open: { claim, cause: `retry:${claim.id}`, grants: [] },
        epoch,
        bidDeadlineMs: 60_000,
      });
      return { id: claim.id, goal: about };
    },
    statusOf: async (id: ClaimId) => (await board.readClaim(id))?.claim.status,
  };
}

test("the end of a goal reads the claims of this goal", async () => {
  const { board, epoch, handle, open, read, statusOf } = await createScene();
  const { id, goal } = await open(["coder"]);
  const second = await open(["coder"], goal);
  const others = [await open(["coder"]), await open(["tester"])];
  await board.endGoal({ goal: goal.goal_id, ending: "cancelled", by: user, epoch });
  await handle("goal_ended");
  expect([...read].sort()).toEqual([id, second.id].sort());
  expect(await Promise.all([id, second.id].map(statusOf))).toEqual(["terminated", "terminated"]);
  for (const other of others) expect(await statusOf(other.id)).toBe("pending_review");
});

test("an agent that leaves touches the claims in which it is asked or has work", async () => {
  const { board, handle, open, read } = await createScene();
  const unheard = await open(["coder", "tester"]);
  await open(["tester"]);
  const bid = await open(["coder", "tester"]);
  await board.placeBid({ claim: bid.id, agent: coder, word: "ignore" });
  await board.registerAgents(agents.slice(1), user, { exact: true });
  await handle("agent_removed");
  expect([...read]).toEqual([unheard.id]);
  expect((await board.readClaim(unheard.id))?.claim.bids).toEqual([
    { agent: coder, word: "ignore" },
  ]);
});

test("an agent with new rules touches the claims in which it is asked", async () => {
  const { board, handle, open, read, statusOf } = await createScene();
  const { id } = await open(["coder"]);
  await open(["tester"]);
  await board.registerAgents(
    [{ ...sampleAgent("coder"), human: true, bids: [{ on: "*", bid: "ignore" }] }],
    user,
    {
      exact: false,
    },
  );
  await handle("agent_registered");
  expect([...read]).toEqual([id]);
  expect(await statusOf(id)).toBe("complete");
});

test("the end of a pause touches the claims that it kept from going on", async () => {
  const { board, epoch, handle, open, read, reconciler, statusOf } = await createScene();
  const pause = (paused: boolean) =>
    board.setPaused({ paused, by: user, at: new Date().toISOString(), epoch });
  await pause(true);
  const { id } = await open(["coder"]);
  const waiting = await open(["tester"]);
  const lost = await open(["coder"]);
  await board.placeBid({ claim: lost.id, agent: coder, word: "claim" });
  await reconciler.lookAtAll(true);
  await board.placeBid({ claim: id, agent: coder, word: "claim" });
  await handle("bid_placed");
  expect(await Promise.all([id, lost.id, waiting.id].map(statusOf))).toEqual(
    Array(3).fill("pending_review"),
  );
  await pause(false);
  await board.logEvent({ type: "resume_requested" }, user);
  await handle("resume_requested");
  await handle("instance_resumed");
  expect([...read].sort()).toEqual([id, lost.id].sort());
  expect(await Promise.all([id, lost.id].map(statusOf))).toEqual([
    "pending_parallel",
    "pending_parallel",
  ]);
  expect(await board.listClaimsOf(tester, "asked")).toEqual([waiting.id]);
});

test("a round goes through the open claims in parts, and misses none while others end", async () => {
  const { board, epoch, open, read, reconciler } = await createScene();
  const ids: ClaimId[] = [];
  for (let count = 0; count < 230; count++) ids.push((await open(["coder"])).id);
  const parts: number[] = [];
  const seen = new Set<ClaimId>();
  for (let isOver = false; !isOver; ) {
    read.clear();
    isOver = await reconciler.lookAtNext(false);
    parts.push(read.size);
    for (const id of read) seen.add(id);
    // Some of the oldest end between the parts.
    for (const id of ids.slice(parts.length * 10, parts.length * 10 + 10)) {
      const goal = (await board.readClaim(id))?.claim.goal_id;
      if (goal === undefined) continue;
      const set = { status: "terminated", bidding: "closed", termination_reason: "" } as const;
      const nothing = {
        bids: [],
        grants: [],
        artefacts: [],
        claims: [],
        due: { set: [], clear: [] },
        events: [],
      };
      const readOn = board.connectionNumber();
      await board.commitClaim({
        claim: id,
        epoch,
        expectedRev: 0,
        readOn,
        commitId: `end ${id}`,
        set,
        ...nothing,
      });
    }
  }
  expect(Math.max(...parts)).toBeLessThanOrEqual(100);
  const open230 = await board.listOpenClaims();
  expect(open230.filter((id) => !seen.has(id))).toEqual([]);
  read.clear();
  await reconciler.lookAtAll(false);
  expect(read.size).toBe(open230.length);
});

test("a round ends the claims of a goal that was ended while they could not be read", async () => {
  const { board, epoch, handle, memory, open, reconciler, statusOf } = await createScene();
  const { id, goal } = await open(["coder"]);
  memory.hand.breakClaim(id);
  await board.endGoal({ goal: goal.goal_id, ending: "cancelled", by: user, epoch });
  await handle("goal_ended");
  memory.hand.mendClaim(id);
  expect(await statusOf(id)).toBe("pending_review");
  await reconciler.lookAtNext(false);
  expect(await statusOf(id)).toBe("terminated");
});
