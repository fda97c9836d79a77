// A commit on record that is not to be had, because an agent has taken it away, stays so for as
// long as its goal is on the blackboard.
import { expect, test } from "bun:test";
import { CommitHash } from "../../../lib/model/ids.ts";
import { onGoal, Sett } from "../../support/cli/sett.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { derived } from "../../support/records/lineage.ts";
import { playAgent } from "../../support/world/played-agent.ts";

test("hoard says in one line how many are missing, and unearth why", async () => {
  await using at = await Workspace.create();
  await using board = await at.board();
  const goal = derived([], { metadata: { summary: "Paint the door" } });
  const lost = (digit: string) =>
    derived([goal], {
      type: "CodeCommit",
      metadata: { commit: CommitHash.parse(digit.repeat(40)) },
      payload: digit.repeat(40),
    });
  const [first, second] = [lost("a"), lost("b")];
  await board.createArtefact(goal, "hand");
  await board.createArtefact(first, "hand");
  const one = await at.sett("hoard");
  expect([one.code, one.err]).toEqual([
    0,
    `! A commit on record is not fetched. Why: sett unearth ${first.id.slice(0, 8)}\n`,
  ]);
  await board.createArtefact(second, "hand");
  for (const words of [["hoard"], ["hoard", goal.id], ["hoard", "--json"]]) {
    const { code, err } = await at.sett(...words);
    expect([code, err]).toEqual([
      0,
      `! 2 commits on record are not fetched. Why: sett unearth ${first.id.slice(0, 8)}\n`,
    ]);
  }
  const { err } = await at.sett("unearth", second.id);
  expect(err).toContain(
    `The commit bbbbbbbbbbbb on record is not fetched as refs/sett/demo/${second.id}: `,
  );
  expect(err).not.toContain("aaaaaaaaaaaa");
});

test("forage --watch offers no merge of a commit that is not fetched, and says how to fetch it", async () => {
  await using at = await Workspace.create();
  const commit = CommitHash.parse("c".repeat(40));
  await using clan = await Sett.start(at, { coder: { external: true, ...onGoal("exclusive") } });
  const stop = new AbortController();
  const result = { structural_type: "Terminal", type: "CodeCommit", payload: commit } as const;
  const work = async () => ({ ...result, metadata: { commit } });
  const playing = playAgent(clan.board, "coder", { bid: () => undefined, work }, stop.signal);
  const { code, err } = await clan.sett("forage", "--watch", "--goal", "Paint the door");
  expect([code, err]).toEqual([
    0,
    expect.stringContaining("cccccccccccc on record is not fetched"),
  ]);
  expect(err).not.toContain("sett merge");
  expect(err).toContain("When that is put right, fetch what is missing: sett hoard");
  expect(err).toContain("sett unearth");
  stop.abort();
  await playing;
}, 120_000);
