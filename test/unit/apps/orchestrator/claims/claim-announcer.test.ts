// A claim that waits for a bid, for a day of the blackboard's own time.
import { expect, test } from "bun:test";
import { ClaimAnnouncer } from "../../../../../apps/orchestrator/claims/claim-announcer.ts";
import { ContactClock } from "../../../../../apps/orchestrator/deadlines/contact-clock.ts";
import { handleDue } from "../../../../../apps/orchestrator/deadlines/handle-due.ts";
import { Decider } from "../../../../../apps/orchestrator/decide/decide-and-commit.ts";
import { leaderParts } from "../../../../../apps/orchestrator/decide/leader-parts.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { events, openClaim } from "../../../../support/blackboard/scene.ts";
import { agentName, sampleAgent } from "../../../../support/records/sample.ts";
import { leaderDeps } from "../../../../support/world/deps.ts";

/**
 * A claim that lacks a bid of `hand`, and an orchestrator that handles what is due when the test
 * says so.
 */
async function createScene() {
  let nowMs = Date.now();
  const memory = blackboardInMemory({ instance: InstanceName.parse("test"), now: () => nowMs });
  const board = await memory.open();
  const clock = { now: () => new Date(nowMs), passedMs: () => nowMs };
  const lines: string[] = [];
  const log = createJsonLog((line) => lines.push(line), clock.now);
  await board.registerAgents(
    [sampleAgent("coder"), sampleAgent("hand", { external: true })],
    "person:test",
    { exact: true },
  );
  const { claim, epoch } = await openClaim(board, ["coder", "hand"]);
  const deps = leaderDeps(epoch, { board, clock, log });
  await board.placeBid({ claim: claim.id, agent: agentName("coder"), word: "claim" });
  const decider = new Decider(deps, leaderParts(deps));
  const handlers = { decider, announcer: new ClaimAnnouncer(deps, () => {}) };
  const contact = new ContactClock(board, () => nowMs);
  const pass = async (seconds: number, stepSeconds = 1) => {
    for (let second = 0; second < seconds; second += stepSeconds) {
      nowMs += stepSeconds * 1_000;
      await handleDue(deps, handlers, contact, 0);
    }
  };
  const announcements = () => memory.hand.countAnnouncements();
  return { board, pass, announcements, lines };
}

test("it is announced a few times on its first day, to the agent whose bid is missing, and logged once", async () => {
  const { board, pass, announcements, lines } = await createScene();
  await pass(60);
  // An agent that has just lost contact is not left waiting.
  expect(announcements()).toBeGreaterThan(3);
  await pass(24 * 60 * 60, 30);
  expect(announcements()).toBeLessThan(40);
  expect(await events(board, "claim_announced")).toHaveLength(1);
  expect(lines.filter((line) => line.includes("Announced claim again"))).toHaveLength(1);
  for await (const [, ...again] of board.followAnnouncements("0", AbortSignal.timeout(60_000))) {
    for (const { missing } of again) expect(missing).toEqual([agentName("hand")]);
    break;
  }
});
