// A person's own version of an artefact ends the work on the one before it, also what begins in the
// same moment.
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { newArtefactId, sampleArtefact } from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { ada, ending, startClanOn, wants } from "../../support/world/people.ts";

setDefaultTimeout(600_000);

const redis = await startRedisServer();
afterAll(() => redis[Symbol.asyncDispose]());

test("a rework that a review asks for while the version is taken up ends as well", async () => {
  const isReviewed = Promise.withResolvers<void>();
  const isOver = Promise.withResolvers<void>();
  let draft: Artefact | undefined;
  /** The review comes between the list of the claims that end and their end. */
  const within = (board: Blackboard): Blackboard => ({
    ...board,
    claimsOfArtefact: async (id) => {
      const found = await board.claimsOfArtefact(id);
      if (id !== draft?.id) return found;
      draft = undefined;
      isReviewed.resolve();
      await waitFor("the rework", async () => (await board.claimsOfArtefact(id)).has("rework:1"));
      return found;
    },
  });
  const report = (artefact_type: string, more = {}) => ({
    ...{ artefact_type, artefact_payload: "draft", summary: "" },
    ...more,
  });
  await using clan = await startClanOn(
    redis,
    {
      writer: {
        ...wants("GoalDefined", "exclusive"),
        tool: async () => {
          // A rework whose result came first would have failed, since its version is taken.
          if ((clan.inputs.get("writer")?.length ?? 0) > 1) await isOver.promise;
          return report("Draft");
        },
      },
      critic: {
        ...wants("Draft", "review"),
        tool: async ({ target_artefact: { version } }) => {
          if (version === 1) await isReviewed.promise;
          const artefact_payload = version === 1 ? "Longer" : "{}";
          return report("Review", { structural_type: "Review", artefact_payload });
        },
      },
      printer: { ...wants("Draft", "exclusive"), tool: () => ending("Printed") },
    },
    {},
    within,
  );
  const goal = await clan.postGoal("Write a book");
  const first = await clan.made(goal, ({ type }) => type === "Draft");
  await waitFor("the review", () => (clan.inputs.get("critic")?.length ?? 0) > 0);
  draft = first;
  const version = { logical_id: first.logical_id, version: 2, source_artefacts: [first.id] };
  await clan.board.createArtefact(
    sampleArtefact({
      ...{ ...version, id: newArtefactId(), type: "Draft", goal_id: goal.goal_id },
      ...{ payload: "Much longer", claim_id: "", produced_by_role: "user", produced_by_agent: "" },
    }),
    ada,
  );
  await clan.made(goal, ({ payload }) => payload === "Printed");
  isOver.resolve();
  const claims = [...(await clan.board.claimsOfArtefact(first.id)).entries()];
  expect(claims.map(([cause]) => cause)).toEqual(["standard", "rework:1"]);
  for (const [cause, id] of claims) {
    const { claim } = (await clan.board.readClaim(id)) ?? {};
    expect([cause, claim?.status, claim?.termination_reason]).toEqual([
      cause,
      "terminated",
      cause === "standard" ? "Feedback from critic" : "Version 2 was posted in its place.",
    ]);
  }
});
