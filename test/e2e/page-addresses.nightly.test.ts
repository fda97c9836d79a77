// Addresses that name nothing, in Chromium: each says so under a heading, and the next address
// works.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { accessibilityProblems, TestBrowser } from "../support/page/browser.ts";
import { startPageScene } from "../support/page/page-scene.ts";

setDefaultTimeout(600_000);

let browser: TestBrowser;
let scene: Awaited<ReturnType<typeof startPageScene>>;
beforeAll(async () => {
  browser = await TestBrowser.launch();
  scene = await startPageScene({});
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
  expect(browser.problems).toEqual([]);
});

const nowhere = [
  ["#/goals/%", "There is no such view"],
  ["#/goals/00000000", "Goal 00000000"],
  ["#/goals/%E0%A4%A", "There is no such view"],
  ["#/moon", "There is no such view"],
  ["#/goals/zzzz", "Goal zzzz"],
] as const;

test.each(nowhere)("the address %s has a heading, and a way on", async (address, heading) => {
  const page = await browser.open(scene.page.address("#/inbox"));
  await page.evaluate((hash) => {
    location.hash = hash;
  }, address);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "All goals" }).click();
  await page.getByRole("heading", { level: 1, name: "Goals" }).waitFor();
});

test("a view that fails says so in its place, and the next address works", async () => {
  const goal = await scene.clan.postGoal("Fail to be drawn");
  const page = await browser.open(scene.page.address("#/inbox"));
  await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
  // The view of a goal needs this to write a number: it fails in the midst of drawing.
  await page.evaluate(() => {
    Number.prototype.toLocaleString = () => {
      throw new Error("no such locale");
    };
  });
  const open = (hash: string) => page.evaluate((next) => location.assign(next), hash);
  await open(`#/goals/${goal.id}`);
  await page.getByRole("heading", { level: 1, name: "This view has failed" }).waitFor();
  await page.getByRole("alert").getByText("no such locale").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.evaluate(() => {
    Number.prototype.toLocaleString = function () {
      return String(this);
    };
  });
  await open(`#/goals/${goal.id}?view=list`);
  await page.getByRole("heading", { level: 1, name: "Fail to be drawn" }).waitFor();
});
