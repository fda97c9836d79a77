// Whatever is suggested to be typed reaches the instance that the person has named.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { openClaimLines } from "../../../apps/cli/render/open-claims.ts";
import { symbolsFor } from "../../../apps/cli/render/symbols.ts";
import { createStyle } from "../../../lib/client/text/style.ts";
import { suggestFor } from "../../../lib/client/text/suggest.ts";
import { openClaim, situation, waitingForApproval } from "../../support/claims/sample-claims.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { sampleArtefact } from "../../support/records/sample.ts";

const goal = sampleArtefact();
const large = sampleArtefact({
  goal_id: goal.goal_id,
  source_artefacts: [goal.id],
  payload: "line\n".repeat(20),
});
const review = sampleArtefact({ structural_type: "Review", type: "Review", goal_id: goal.goal_id });
const unknown = crypto.randomUUID();
let at: Workspace;

/** A goal that was cancelled, on an instance that is paused and left alone. */
beforeAll(async () => {
  at = await Workspace.create();
  await using board = await at.board();
  for (const artefact of [goal, large, review]) await board.createArtefact(artefact, "person:Ada");
  const leader = await board.acquireLeaderLease({ holder: "one", leaseMs: 1, restarted: true });
  if (leader.outcome !== "held") throw new Error("The leader lease is taken.");
  await board.setPaused({
    paused: true,
    by: "person:Ada",
    at: new Date().toISOString(),
    epoch: leader.epoch,
  });
  await board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch: leader.epoch });
}, 120_000);

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

function suggestions(text: string): string[] {
  return [...text.matchAll(/\bsett [a-z]+[^`\n]*/g)].map(([command]) => command);
}

test.each([
  [["answer", unknown, "Red"]],
  [["approve", unknown]],
  [["approve", review.id]],
  [["cancel", unknown]],
  [["cancel", goal.id]],
  [["cancel", "12345"]],
  [["hoard", unknown]],
  [["hoard", large.id]],
  [["pause"]],
  [["questions", "--timeout", "3s"]],
  [["retry", goal.id]],
  [["status"]],
  [["unearth", "12345"]],
  [["watch", "--agent", "No agent"]],
])(
  "sett %j names it in what it suggests",
  async (words) => {
    const { out, err } = await at.sett(...words, "--name", "demo");
    const suggested = suggestions(out + err);
    expect(suggested).not.toEqual([]);
    for (const command of suggested) expect(command).toContain(" --name demo");
  },
  120_000,
);

test.each([["graph"], ["hoard"], ["status"]])(
  "sett %s names one in which nothing has happened yet",
  async (command) => {
    const { out, err } = await at.sett(command, "--name", "empty");
    expect(suggestions(out + err)).toContain('sett forage --goal "…" --name empty');
  },
  120_000,
);

test("so do claims that find no room on the terminal", () => {
  const open = openClaim({ ada: "review" }, { bidding: "closed" }, [waitingForApproval("ada")]);
  const around = situation(["ada"], { suggest: suggestFor("demo") });
  const claims = [open, open].map((each) => ({ ...each, about: undefined }));
  const drawing = { style: createStyle(false), symbols: symbolsFor({ LANG: "C.UTF-8" }) };
  expect(
    openClaimLines({ claims, situation: around }, { columns: 100, rows: 3 }, drawing).at(-1),
  ).toEndWith("and 1 more: sett status --name demo");
});
