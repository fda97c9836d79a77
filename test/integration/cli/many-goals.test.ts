// Shows what hoard and status show of many goals: the newest, all that is open, and the rest on
// request.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { acquireLeaderLease } from "../../support/blackboard/scene.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { newArtefactId, sampleArtefact } from "../../support/records/sample.ts";

const goals = Array.from({ length: 60 }, (_, index) =>
  sampleArtefact({ payload: `Goal ${index}`, metadata: { summary: `Goal ${index}` } }),
);
const rare = goals
  .slice(0, 3)
  .map((goal, index) => resultOf(goal, { type: "Rare", metadata: { summary: `Rare ${index}` } }));
/** In the order in which they were posted: the rare ones are old. */
const posted = [...goals.slice(0, 3), ...rare, ...goals.slice(3)];
let at: Workspace;

beforeAll(async () => {
  at = await Workspace.create();
  await using board = await at.board();
  for (const artefact of posted) await board.createArtefact(artefact, "person:Ada");
}, 120_000);

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

const summaries = (text: string): string[] => [...(text.match(/(?:Goal|Rare) \d+/g) ?? [])];
const summariesOf = (artefacts: readonly Artefact[]) =>
  artefacts.map(({ metadata }) => metadata.summary ?? "");

test("hoard shows the newest 50, the newest last, and how to see more", async () => {
  const { code, out, err } = await at.sett("hoard");
  expect([code, summaries(out)]).toEqual([0, summariesOf(posted.slice(-50))]);
  expect(err).toContain("… 13 older artefacts: sett hoard --limit N, or --all");
}, 120_000);

test("hoard --limit shows as many as it says, --all every one", async () => {
  const few = await at.sett("hoard", "--limit", "3");
  expect([few.code, summaries(few.out)]).toEqual([0, summariesOf(posted.slice(-3))]);
  const all = await at.sett("hoard", "--all");
  expect([all.code, summaries(all.out), all.err]).toEqual([0, summariesOf(posted), ""]);
}, 120_000);

test("hoard --type looks as far back as it has to", async () => {
  const two = await at.sett("hoard", "--type", "Rare", "--limit", "2");
  expect([two.code, summaries(two.out)]).toEqual([0, ["Rare 1", "Rare 2"]]);
  expect(two.err).toContain("There may be older ones: sett hoard --limit N, or --all");
  const all = await at.sett("hoard", "--type", "Rare");
  expect([summaries(all.out), all.err]).toEqual([["Rare 0", "Rare 1", "Rare 2"], ""]);
}, 120_000);

test("hoard --json has every one, unless there is a limit", async () => {
  expect(JSON.parse(await at.need("hoard", "--json"))).toEqual(posted);
  expect(JSON.parse(await at.need("hoard", "--json", "--limit", "2"))).toEqual(posted.slice(-2));
}, 120_000);

test("an invalid limit is wrong use", async () => {
  for (const words of [
    ["--limit", "0"],
    ["--limit", "many"],
    ["--limit", "5", "--all"],
  ]) {
    for (const command of ["hoard", "status"])
      expect((await at.sett(command, ...words)).code).toBe(2);
  }
}, 120_000);

test("status shows the newest goals, and older ones that wait for a person", async () => {
  await using board = await at.board();
  const waiting = goals[5] ?? sampleArtefact();
  const question = resultOf(waiting, {
    structural_type: "Question",
    type: "Question",
    payload: "Which?",
  });
  await board.createArtefact(question, "person:Ada");
  await board.askPeople({ question: question.id, epoch: await acquireLeaderLease(board) });

  const usual = await at.need("status");
  expect(summaries(usual)).toEqual(summariesOf([waiting, ...goals.slice(-15)]));
  expect(usual).toContain("… 44 older goals");
  expect(summaries(await at.need("status", "--limit", "2"))).toEqual(
    summariesOf([waiting, ...goals.slice(-2)]),
  );
  expect(summaries(await at.need("status", "--all"))).toEqual(summariesOf(goals));
  const goalsOf = (text: string) => JSON.parse(text).goals.map(({ id }: { id: string }) => id);
  expect(goalsOf(await at.need("status", "--json"))).toEqual(goals.map(({ id }) => id));
  const few = JSON.parse(await at.need("status", "--json", "--limit", "1"));
  expect(few).toMatchObject({
    instance: expect.any(String),
    goals: [{ id: waiting.id }, { id: goals.at(-1)?.id }],
    agents: [],
  });
}, 120_000);

function resultOf(goal: Artefact, over: Partial<Artefact>): Artefact {
  return sampleArtefact({
    id: newArtefactId(),
    goal_id: goal.goal_id,
    source_artefacts: [goal.id],
    ...over,
  });
}
