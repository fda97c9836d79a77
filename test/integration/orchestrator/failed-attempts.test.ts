// Shows what stays on record of an attempt that failed, while the next one is waited for.
import { expect, test } from "bun:test";
import { CommitHash } from "../../../lib/model/ids.ts";
import { waitFor } from "../../support/wait-for.ts";
import { startClan } from "../../support/world/redis-clan.ts";

test("a failed attempt keeps the record of its inputs when another follows", async () => {
  const writer = {
    bids: [{ on: "GoalDefined", bid: "exclusive" as const }],
    script: `echo '{"artefact_type":"Draft","artefact_payload":"","summary":""}'`,
  };
  const editor = {
    bids: [{ on: "Draft", bid: "exclusive" as const }],
    script: "exit 1",
    retries: 10,
  };
  await using clan = await startClan({ writer, editor });
  const commit = CommitHash.parse("a".repeat(40));
  const goal = await clan.postGoal("hello", { metadata: { commit } });
  const draft = await waitFor("the draft", async () => (await clan.artefactsOf(goal))[1]);
  // A reader that is too late for one attempt finds the next, and each waits longer.
  const failed = await waitFor("an attempt to be tried again", async () => {
    const grant = (await clan.claimOn(draft)).grants[0];
    return grant?.state === "failed" && grant.retry_at !== undefined && grant;
  });
  expect(failed).toMatchObject({ context_ids: [goal.id], base_commit: commit });
});
