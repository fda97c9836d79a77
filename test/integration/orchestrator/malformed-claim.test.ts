// A claim whose record a person has broken with plain Redis commands, among sound ones.
import { expect, setDefaultTimeout, test } from "bun:test";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { isEnded } from "../../../lib/model/claim.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleAgent } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { statusOf } from "../../support/world/people.ts";
import { type RedisClan, startClan } from "../../support/world/redis-clan.ts";

setDefaultTimeout(600_000);

/** Its command has not said anything. */
const bidder = { bids_by_command: true as const };
const witness = sampleAgent("witness", { bids: [{ on: "Never", bid: "review" }] });

/** A goal whose claim cannot be read, and one behind it; both wait for a bid. */
async function withBroken(clan: RedisClan) {
  const [broken, other] = [await clan.postGoal("broken"), await clan.postGoal("other")];
  const [{ claim }] = [await clan.claimOn(broken), await clan.claimOn(other)];
  const electorate = await clan.hand("HGET", `claim:${claim.id}`, "electorate");
  await clan.hand("HSET", `claim:${claim.id}`, "electorate", "{");
  return {
    broken,
    other,
    claim,
    mend: () => clan.hand("HSET", `claim:${claim.id}`, "electorate", electorate),
  };
}
const isOver = async (clan: RedisClan, goal: Artefact) =>
  isEnded((await clan.claimOn(goal)).claim.status);
const cancel = (clan: RedisClan, { goal_id }: Artefact) =>
  clan.board.logEvent({ type: "cancel_requested", goal_id }, "person:test");

test("it keeps no other from being looked at, and is said where goals are", async () => {
  await using clan = await startClan({ silent: bidder });
  const { broken, other, claim } = await withBroken(clan);
  // A decision about the other claim finds that it waits for no agent any more.
  await clan.board.registerAgents(
    [witness, sampleAgent("silent", { human: true })],
    "person:test",
    { exact: false },
  );
  await waitFor("the end of the other", () => isOver(clan, other));
  expect(await statusOf(clan, broken)).toMatchObject({
    state: "running",
    waitingFor: [
      {
        kind: "repair",
        claim: claim.id,
        problem: expect.stringContaining(`claim:${claim.id} is malformed`),
      },
    ],
  });
  expect((await statusOf(clan, other)).state).toBe("stalled");
});

nightly(
  "other goals can be cancelled, and it ends with its own goal once it is repaired",
  async () => {
    await using clan = await startClan({ silent: bidder });
    const { broken, other, mend } = await withBroken(clan);
    await cancel(clan, other);
    await waitFor("the end of the other", () => isOver(clan, other));
    await cancel(clan, broken);
    await waitFor(
      "the end of its goal",
      async () => (await clan.events("goal_ended")).length === 2,
    );
    await mend();
    // Has all claims looked at without waiting for the next round.
    await clan.board.registerAgents([witness], "person:test", { exact: false });
    await waitFor("the end of its claim", () => isOver(clan, broken));
    expect((await clan.claimOn(broken)).claim.termination_reason).toBe("The goal was cancelled.");
  },
);

test("it keeps no other claim waiting when the instance goes on after a pause", async () => {
  await using clan = await startClan({ silent: bidder });
  const { claim, other } = await withBroken(clan);
  await clan.hand("HSET", `grants:${claim.id}`, "silent", "{");
  await clan.board.logEvent({ type: "pause_requested" }, "person:test");
  await waitFor("the pause", () => clan.board.readPause());
  await clan.board.logEvent({ type: "resume_requested" }, "person:test");
  await waitFor("the end of the pause", async () => (await clan.board.readPause()) === undefined);
  await cancel(clan, other);
  await waitFor("the end of the other", () => isOver(clan, other));
});
