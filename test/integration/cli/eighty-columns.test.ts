// Every command that shows something, on a terminal of 80 columns: no word stands in two rows.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { AskingSett, failingGoal, reportGoal } from "../../support/cli/asking-sett.ts";
import { settOnTerminal } from "../../support/cli/pseudo-terminal.ts";
import { waitFor } from "../../support/wait-for.ts";

const longGoal = "Which of the doors of the house at the end of the road is it to be, and in which colour is it wanted?";

let sett: AskingSett;
let ids: Record<"question" | "report", string>;

beforeAll(async () => {
  sett = await AskingSett.start();
  const { question } = await sett.ask(longGoal);
  await sett.stateGoal(failingGoal);
  const { goal_id } = await sett.stateGoal(reportGoal);
  const report = await waitFor("an approval", async () => {
    const listed = JSON.parse(await sett.at.need("questions", "--json", "--goal", goal_id));
    return listed[0]?.id;
  });
  ids = { question, report };
}, 120_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

test.each([
  ["watch --no-follow"],
  ["status"],
  ["hoard"],
  ["graph"],
  ["questions"],
  ["questions --goal nowhere"],
  ["hoard QUESTION"],
  ["unearth QUESTION"],
  ["unearth REPORT"],
  ["answer QUESTION"],
  ["approve QUESTION"],
  ["watch --since yesterday --no-follow"],
  ["watch --type bid-plcaed"],
  ["logs coder"],
  ["forage --watch --goal Fail"],
  ["--help"],
  ["watch --help"],
])(
  "sett %s",
  async (line) => {
    const words = line.replace("QUESTION", ids.question).replace("REPORT", ids.report).split(" ");
    const env = { ...sett.at.env, EDITOR: "true" };
    await using shown = settOnTerminal(words, { cwd: sett.at.folder, env, columns: 80 });
    await shown.exited;
    expect(shown.screen.rows.length).toBeGreaterThan(0);
    expect(shown.screen.brokenWords).toEqual([]);
  },
  120_000,
);
