// Every command that shows something, on a terminal of 80 columns: no word is broken over two rows.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { AskingSett, failingGoal, reportGoal } from "../../support/cli/asking-sett.ts";
import { settOnTerminal } from "../../support/cli/pseudo-terminal.ts";
import { waitFor } from "../../support/wait-for.ts";

const longGoal =
  "Which of the doors of the house at the end of the road is it to be, and in which colour is it wanted?";

let sett: AskingSett;
let ids: Record<"question" | "report", string>;

beforeAll(async () => {
  sett = await AskingSett.start();
  const { question } = await sett.ask(longGoal);
  await sett.postGoal(failingGoal);
  const { goal_id } = await sett.postGoal(reportGoal);
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
  ["budget"],
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
  ["doctor"],
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

test("a person at a terminal of 80 columns reads a goal's failure once, a program every line, and no word is broken", async () => {
  await using sett = await AskingSett.start();
  const { folder: cwd, env } = sett.at;
  await using forage = settOnTerminal(["forage", "--watch", "--goal", failingGoal], {
    cwd,
    env,
    columns: 80,
  });
  expect(await forage.exited).toBe(3);
  const seen = forage.screen.rows.map((row) => row.trim()).join(" ");
  expect(seen.match(/It cannot be done\./g)).toHaveLength(1);
  expect(seen).not.toContain("bids ignore");
  expect(seen).toMatch(/ignored by (?:critic, lead|lead, critic) /);
  expect(seen).toMatch(/Goal [0-9a-f]{8} failed\. +took +\d:\d\d +→ sett unearth [0-9a-f]{8}$/);
  expect(forage.screen.lines).toEqual(forage.screen.rows);

  await using watch = settOnTerminal(["watch", "--no-follow"], { cwd, env, columns: 80 });
  expect(await watch.exited).toBe(0);
  expect(watch.screen.lines).toEqual(watch.screen.rows);
  expect(watch.screen.rows.join("\n")).not.toContain("bids ignore");
  const piped = await sett.at.need("watch", "--no-follow");
  expect(piped.match(/bids ignore/g)?.length).toBeGreaterThan(0);
  expect(piped.trimEnd().split("\n")).toHaveLength(
    (await sett.at.need("watch", "--no-follow", "-o", "jsonl")).trimEnd().split("\n").length,
  );
  await using bids = settOnTerminal(["watch", "--no-follow", "--type", "bid_placed"], {
    cwd,
    env,
    columns: 80,
  });
  expect(await bids.exited).toBe(0);
  expect(bids.screen.rows.join("\n")).toContain("bids ignore");
}, 120_000);
