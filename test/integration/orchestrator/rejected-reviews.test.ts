// A review that rejects: people are not asked for a verdict that is not needed, and reviewers at
// work are heard.
import { afterAll, expect, test } from "bun:test";
import { phaseStrip } from "../../../apps/cli/render/phase-strip.ts";
import { symbolsFor } from "../../../apps/cli/render/symbols.ts";
import { findJudged } from "../../../lib/client/actions/judge.ts";
import { readInquiries } from "../../../lib/client/facts/inquiries.ts";
import { eventLine } from "../../../lib/client/render/event-line.ts";
import { createStyle } from "../../../lib/client/text/style.ts";
import { suggestFor } from "../../../lib/client/text/suggest.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Clan, Member } from "../../support/world/clan.ts";
import {
  ada,
  decide,
  grantOf,
  lead,
  packager,
  planner,
  startClanOn,
  terminalOf,
  wants,
} from "../../support/world/people.ts";

const redis = await startRedisServer();
afterAll(() => redis[Symbol.asyncDispose]());

/**
 * Reviews the first version with this, and approves the second; `until` it may answer. `begun` is
 * called when it is at work.
 */
const reviewer = (
  payload: string,
  until: Promise<void> = Promise.resolve(),
  begun: () => void = () => {},
): Member => ({
  ...wants("Plan", "review"),
  tool: async ({ target_artefact: { version } }) => {
    begun();
    if (version === 1) await until;
    return { structural_type: "Review", payload: version === 1 ? payload : "{}" };
  },
});

const drawing = { style: createStyle(false), symbols: symbolsFor({ LANG: "C" }) };
/** As `sett status` draws it: `<` rejects, `+` done, `-` withdrawn, `*` at work, `.` to come. */
const drawn = (snapshot: ClaimSnapshot) => phaseStrip(snapshot, "names", drawing);

test("it is drawn as one; a person's request is withdrawn at once and says so, and a reviewer at work finishes and is heard", async () => {
  const slowly = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const [quick, slow] = [
    reviewer("No date.", begun.promise),
    reviewer("No name.", slowly.promise, begun.resolve),
  ];
  const members = { lead, planner, packager, quick, slow };
  await using clan: Clan = await startClanOn(redis, members);
  const goal = await clan.postGoal();
  const first = await clan.made(goal, ({ type }) => type === "Plan");
  await waitFor(
    "the withdrawal",
    async () => (await grantOf(clan, first, "lead"))?.state === "cancelled",
    clan.patience,
  );

  const claim = await clan.claimOn(first);
  expect(claim.claim.status).toBe("pending_review");
  expect(drawn(claim)).toBe("review -lead <quick *slow -> exclusive .packager");
  const { board } = clan;
  expect(await readInquiries(board)).toEqual([]);
  const suggest = suggestFor(undefined);
  const why =
    /^Plan \w+ needs no verdict of lead any more: quick rejected it, so no person's verdict is needed any more\.$/;
  expect(findJudged(board, first.id, { speaker: "lead", actor: ada, suggest })).rejects.toThrow(
    why,
  );
  const lines = (await board.readEvents("0", 1_000)).map((event) =>
    eventLine(event, createStyle(false)),
  );
  expect(lines.filter((line) => /rejects what claim \w+ is about$/.test(line))).toHaveLength(1);
  expect(lines.join("\n")).toMatch(/cancels the work of lead on claim \w+: quick rejected it/);

  slowly.resolve();
  const second = await clan.made(goal, ({ type, version }) => type === "Plan" && version === 2);
  const feedback = (await board.readArtefacts(second.source_artefacts)).map(
    ({ payload }) => payload,
  );
  expect(feedback).toEqual(expect.arrayContaining(["No date.", "No name."]));
  // The person is asked about the next version.
  expect(await decide(clan, second, "lead", "{}")).toEqual({ outcome: "recorded" });
  await terminalOf(clan, goal);
});

test("where a person rejects, another person is not asked any more, and the reviewer that approved is drawn as done", async () => {
  const members = {
    lead,
    owner: { ...lead, role: "owner" },
    planner,
    packager,
    quick: reviewer("{}"),
  };
  await using clan: Clan = await startClanOn(redis, members);
  const goal = await clan.postGoal();
  const first = await clan.made(goal, ({ type }) => type === "Plan");
  await waitFor(
    "the review",
    async () => (await grantOf(clan, first, "quick"))?.state === "done",
    clan.patience,
  );
  await decide(clan, first, "lead", '{"reason":"Not on a Friday."}');
  await clan.made(goal, ({ type, version }) => type === "Plan" && version === 2);
  const claim = await clan.claimOn(first);
  expect(claim.claim).toMatchObject({
    status: "terminated",
    termination_reason: "Feedback from lead",
  });
  expect(drawn(claim)).toContain("-owner +quick");
});

test("an agent that is away holds up no rework: its review is withdrawn before it has begun", async () => {
  const away: Member = { ...wants("Plan", "review"), external: true };
  const members = { planner, packager, quick: reviewer("No date."), away };
  await using clan: Clan = await startClanOn(redis, members);
  const goal = await clan.postGoal();
  const first = await clan.made(goal, ({ type }) => type === "Plan");
  const second = await clan.made(goal, ({ type, version }) => type === "Plan" && version === 2);
  const { claim, grants } = await clan.claimOn(first);
  expect(claim.termination_reason).toBe("Feedback from quick");
  expect(grants.find(({ agent }) => agent === "away")).toMatchObject({ state: "cancelled" });
  expect(second.source_artefacts).toHaveLength(2);
});
