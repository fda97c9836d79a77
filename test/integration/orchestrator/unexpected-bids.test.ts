// Bids of strangers and second bids, agents that want everything, and agents of one name: claims go
// on undisturbed.
import { expect, setDefaultTimeout, test } from "bun:test";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { type RedisClan, startClan } from "../../support/world/redis-clan.ts";

setDefaultTimeout(600_000);

const answer = (type: string) =>
  `echo '{"artefact_type":"${type}","artefact_payload":"","summary":""}'`;
const forGoals = {
  bids: [{ on: "GoalDefined", bid: "exclusive" as const }],
  script: answer("Report"),
};

test("strangers' bids, second bids and bids after the grant change nothing", async () => {
  await using clan = await startClan({ coder: forGoals, person: { bids_by_command: true } });
  const goal = await clan.postGoal("hello");
  const { claim } = await clan.claimOn(goal);
  const bids = `claim:${claim.id}:bids`;
  const bid = (agent: string, word: "exclusive" | "ignore") =>
    clan.board.placeBid({ claim: claim.id, agent: agentName(agent), word });
  await waitFor(
    "the coder's bid",
    async () => (await clan.hand("HGET", bids, "coder")) === "exclusive",
  );

  expect(await bid("coder", "ignore")).toEqual({ outcome: "placed", word: "exclusive" });
  expect(await bid("stranger", "exclusive")).toMatchObject({ outcome: "refused" });
  expect(await clan.hand("HGETALL", bids)).toBe("coder\nexclusive");

  await bid("person", "ignore");
  const report = await waitFor("the report", async () => (await clan.artefactsOf(goal))[1]);
  expect(await bid("person", "exclusive")).toEqual({
    outcome: "refused",
    reason: `The bidding on claim ${claim.id} is closed.`,
  });
  const next = await clan.claimOn(report);
  await clan.board.placeBid({ claim: next.claim.id, agent: agentName("person"), word: "ignore" });
  expect(await clan.settled(goal)).toHaveLength(2);
  expect((await clan.board.readClaim(claim.id))?.grants.map(({ agent }) => String(agent))).toEqual([
    "coder",
  ]);
});

/** Each works on whatever the others make. */
const greedy = (bid: "exclusive" | "claim" | "review") => ({
  bids: [{ on: "*", bid }],
  script: answer("Report"),
});

nightly.each(["exclusive", "claim"] as const)(
  "agents that bid %s on everything are stopped by the limit, and the next goal is worked on like the first",
  async (word) => {
    await using clan = await startClan(
      { one: greedy(word), two: greedy(word) },
      { policy: { artefacts_per_goal: 12 } },
    );
    for (const text of ["hello", "again"]) {
      const goal = await clan.postGoal(text);
      await waitFor(
        "the end of the goal",
        async () => (await clan.board.readGoal(goal.goal_id)).ended,
      );
      await waitFor(
        "the last claim to end",
        async () => (await clan.board.listOpenClaims()).length === 0,
      );
      const limits = (await clan.artefactsOf(goal)).filter(
        ({ type }) => type === "ArtefactLimitExceeded",
      );
      expect(limits.map(({ payload }) => payload)).toEqual([
        expect.stringContaining("limits.artefacts_per_goal is 12"),
      ]);
      expect(await countAfterAWhile(clan, goal)).toBe((await clan.artefactsOf(goal)).length);
    }
  },
);

nightly(
  "agents that review everything, reviews of their own role's work left out, do not go round in circles",
  async () => {
    const critic = {
      bids: [{ on: "*", bid: "review" as const }],
      script: `echo '{"structural_type":"Review","payload":{}}'`,
    };
    await using clan = await startClan({ one: critic, two: critic, coder: forGoals });
    const artefacts = await clan.settled(await clan.postGoal("hello"));
    // Two on the goal, two on the report; none on reviews.
    expect(artefacts.map(({ type }) => type).toSorted()).toEqual([
      ...["GoalDefined", "Report"],
      ...["Review", "Review", "Review", "Review"],
    ]);
  },
);

/**
 * Once another goal's claim has been opened and closed, so that the orchestrator has followed the
 * log past this one.
 */
async function countAfterAWhile(clan: RedisClan, goal: Artefact): Promise<number> {
  const end = await clan.board.endOfEvents();
  await waitFor(
    "the log to be followed",
    async () => ((await clan.board.readLeader())?.cursor ?? "0") >= end,
  );
  return (await clan.artefactsOf(goal)).length;
}

test("two agents of one role bid both, and neither is asked about what the other has made", async () => {
  const script = `jq -c 'if .claim_type == "review" then {structural_type: "Review", payload: {}}
    else {artefact_type: "Report", artefact_payload: "", summary: ""} end'`;
  const bids = [
    { on: "GoalDefined", bid: "claim" as const },
    { on: "*", bid: "review" as const },
  ];
  await using clan = await startClan({
    one: { role: "twin", bids, script },
    two: { role: "twin", bids, script },
  });
  const artefacts = await clan.settled(await clan.postGoal("hello"));
  expect(
    artefacts
      .map(({ type, produced_by_role, produced_by_agent }) => [
        type,
        produced_by_role,
        produced_by_agent,
      ])
      .toSorted(),
  ).toEqual([
    ["GoalDefined", "user", ""],
    ["Report", "twin", "one"],
    ["Report", "twin", "two"],
  ]);
});

test("two cubs under one name share its work: each grant is run once", async () => {
  await using clan = await startClan({ coder: forGoals });
  await clan.startCub("coder", forGoals.script);
  const goals = await Promise.all(
    Array.from({ length: 20 }, (_, number) => clan.postGoal(`goal ${number}`)),
  );
  for (const goal of goals) expect(await clan.settled(goal)).toHaveLength(2);
  expect(await clan.events("grant_started")).toHaveLength(20);
  expect(await clan.events("grant_done")).toHaveLength(20);
  expect(await clan.events("result_refused")).toEqual([]);
});
