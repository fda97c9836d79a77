// Reviewers that are asked only when others have approved, on a real Redis.
import { afterAll, expect, test } from "bun:test";
import { findJudged } from "../../../lib/client/actions/judge.ts";
import { readInquiries } from "../../../lib/client/facts/inquiries.ts";
import { eventLine } from "../../../lib/client/render/event-line.ts";
import { createStyle } from "../../../lib/client/text/style.ts";
import { suggestFor } from "../../../lib/client/text/suggest.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Clan, Member } from "../../support/world/clan.ts";
import {
  ada,
  decide,
  ending,
  grantOf,
  startClanOn,
  terminalOf,
  wants,
} from "../../support/world/people.ts";

const redis = await startRedisServer();
afterAll(() => redis[Symbol.asyncDispose]());

test("a person is asked about no version that a check rejects, and about the next one when all checks have approved", async () => {
  const mayApprove = Promise.withResolvers<void>();
  const coder: Member = {
    ...wants("GoalDefined", "exclusive"),
    tool: () => ({ artefact_type: "Code", artefact_payload: "code", summary: "" }),
  };
  const compile: Member = {
    ...wants("Code", "review"),
    tool: async ({ target_artefact: { version } }) => {
      if (version === 2) await mayApprove.promise;
      return { structural_type: "Review", payload: version === 1 ? "It does not compile." : "{}" };
    },
  };
  const owner: Member = {
    human: true,
    bids: [{ on: "Code", bid: "review", after: ["compile"] }],
  };
  const packer: Member = { ...wants("Code", "exclusive"), tool: () => ending("packed") };
  await using clan: Clan = await startClanOn(redis, { coder, compile, owner, packer });
  const { board } = clan;
  const goal = await clan.postGoal();
  const first = await clan.made(goal, ({ type }) => type === "Code");
  const second = await clan.made(goal, ({ type, version }) => type === "Code" && version === 2);
  expect(await grantOf(clan, first, "owner")).toBeUndefined();
  await waitFor(
    "compile to be at work",
    async () => (await grantOf(clan, second, "compile"))?.state === "running",
    clan.patience,
  );

  expect((await clan.claimOn(second)).claim.reviews_after).toMatchObject([
    { agent: "owner", after: ["compile"] },
  ]);
  expect(await readInquiries(board)).toEqual([]);
  expect(
    findJudged(board, second.id, { speaker: "owner", actor: ada, suggest: suggestFor(undefined) }),
  ).rejects.toThrow(
    /does not wait for a person's verdict; it waits for `compile`.*, and for the review of `owner`, which waits for `compile`/,
  );

  mayApprove.resolve();
  await waitFor(
    "the person to be asked",
    async () => (await grantOf(clan, second, "owner"))?.state === "waiting",
    clan.patience,
  );
  expect(await decide(clan, second, "owner", "{}")).toEqual({ outcome: "recorded" });
  await terminalOf(clan, goal);
  const lines = (await board.readEvents("0", 1_000)).map((event) =>
    eventLine(event, createStyle(false)),
  );
  const closed = lines.filter((line) =>
    /closes the bidding.*; asks owner after compile/.test(line),
  );
  expect(closed).toHaveLength(2);
});
