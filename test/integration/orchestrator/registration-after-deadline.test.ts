// Claims whose deadline for bids has passed, and a `sett up` after it that says more about a silent
// agent.
import { expect, setDefaultTimeout, test } from "bun:test";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleAgent } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { startClan } from "../../support/world/redis-clan.ts";

setDefaultTimeout(600_000);

const report = { artefact_type: "Report", artefact_payload: "", summary: "" };
const coder = { bids: [{ on: "GoalDefined", bid: "exclusive" as const }], tool: () => report };

const later: [what: string, over: Partial<AgentRegistration>, word: string][] = [
  ["rules", { bids: [{ on: "GoalDefined", bid: "ignore" }] }, "ignore"],
  ["on_missing_bid: ignore", { bids_by_command: true, on_missing_bid: "ignore" }, "ignore"],
  ["that it is a person", { human: true, bids: [{ on: "Plan", bid: "review" }] }, "ignore"],
];

nightly.each(later)(
  "a silent agent is waited for no longer once it is given %s",
  async (_what, over, word) => {
    await using clan = await startClan(
      { coder, silent: { bids_by_command: true } },
      { policy: { bid_deadline_ms: 50 }, contactMs: 0 },
    );
    const goal = await clan.postGoal();
    const { claim } = await clan.claimOn(goal);
    const isJudged = async () => (await clan.hand("ZSCORE", "due:bids", `bids:${claim.id}`)) === "";
    await waitFor("the deadline to be judged", isJudged);
    expect((await clan.claimOn(goal)).claim.bidding).toBe("open");
    await clan.board.registerAgents([sampleAgent("silent", over)], "person:test", { exact: false });
    const made = await clan.settled(goal);
    expect(made.map(({ type }) => type)).toEqual(["GoalDefined", "Report"]);
    expect(
      (await clan.claimOn(goal)).claim.bids.find(({ agent }) => String(agent) === "silent")?.word,
    ).toBe(word as never);
  },
);

test("who becomes a person is not waited for even before the deadline", async () => {
  await using clan = await startClan(
    { coder, silent: { bids_by_command: true } },
    { policy: { bid_deadline_ms: 600_000 } },
  );
  const goal = await clan.postGoal();
  await waitFor("the coder's bid", async () => (await clan.claimOn(goal)).claim.bids.length === 1);
  await clan.board.registerAgents([sampleAgent("silent", { human: true })], "person:test", {
    exact: false,
  });
  expect((await clan.settled(goal)).map(({ type }) => type)).toEqual(["GoalDefined", "Report"]);
});
