// Agents that are asked to bid, one of which has no heartbeat, in the blackboard's own time.
import { expect, test } from "bun:test";
import { ContactClock } from "../../../../../apps/orchestrator/deadlines/contact-clock.ts";
import { SilentBidders } from "../../../../../apps/orchestrator/deadlines/silent-bidders.ts";
import { Decider } from "../../../../../apps/orchestrator/decide/decide-and-commit.ts";
import { leaderParts } from "../../../../../apps/orchestrator/decide/leader-parts.ts";
import type { AgentRegistration } from "../../../../../lib/model/agent.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { openClaim } from "../../../../support/blackboard/scene.ts";
import { agentName, sampleAgent } from "../../../../support/records/sample.ts";
import { leaderDeps } from "../../../../support/world/deps.ts";

const coder = agentName("coder");

/** A claim that asks `coder`, and a second that passes when the test says so. */
async function createScene(over: Partial<AgentRegistration>) {
  let nowMs = performance.now() + 3_600_000;
  const memory = blackboardInMemory({ instance: InstanceName.parse("test"), now: () => nowMs });
  const board = await memory.open();
  await board.registerAgents(
    [sampleAgent("coder", { bids_by_command: true, ...over })],
    "person:test",
    { exact: true },
  );
  const { claim, epoch } = await openClaim(board, ["coder"]);
  const deps = leaderDeps(epoch, {
    board,
    clock: { now: () => new Date(nowMs), passedMs: () => nowMs },
  });
  const parts = leaderParts(deps);
  const { agentCache, known } = parts;
  const decider = new Decider(deps, parts);
  const contact = new ContactClock(board, () => nowMs);
  const bidders = new SilentBidders(deps, { agentCache, known, decider, contact });
  bidders.watch(claim.id);
  const pass = async (seconds: number, isAlive = false) => {
    for (let second = 0; second < seconds; second++) {
      nowMs += 1_000;
      contact.tick(nowMs);
      if (isAlive) await board.reportStatus(coder, { at: Math.round(nowMs), state: "idle" });
      await bidders.runOnce();
    }
  };
  const bids = async () => (await board.readClaim(claim.id))?.claim.bids.map(({ word }) => word);
  return { pass, bids };
}

test("one that may be ignored is, ten seconds after its last sign of life, and not before", async () => {
  const { pass, bids } = await createScene({ on_missing_bid: "ignore" });
  await pass(30, true);
  await pass(9);
  expect(await bids()).toEqual([]);
  await pass(2);
  expect(await bids()).toEqual(["ignore"]);
});

test("one that sett.yml wants to be waited for is waited for", async () => {
  const { pass, bids } = await createScene({ on_missing_bid: "wait" });
  await pass(60);
  expect(await bids()).toEqual([]);
});

test("one that takes part by hand has no heartbeat, and is not judged by it", async () => {
  const { pass, bids } = await createScene({ external: true, on_missing_bid: "ignore" });
  await pass(60);
  expect(await bids()).toEqual([]);
});
