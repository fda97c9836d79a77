// Shows what a person types that cannot be sent, and where the keyboard goes on after something is
// closed, in Chromium.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { TestBrowser } from "../support/page/browser.ts";
import { startPageScene } from "../support/page/page-scene.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

let browser: TestBrowser;
let scene: Awaited<ReturnType<typeof startPageScene>>;
beforeAll(async () => {
  browser = await TestBrowser.launch();
  const asks = () => ({
    structural_type: "Question",
    artefact_type: "Question",
    artefact_payload: "Which one?",
    summary: "",
  });
  scene = await startPageScene({
    planner: { bids: [{ on: "Idea", bid: "exclusive" }], tool: asks },
  });
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
  expect(browser.problems).toEqual([]);
});

test.each(["the button", "the keys"])(
  "a goal of blanks is refused with a reason, by %s",
  async (way) => {
    const page = await browser.open(scene.page.address("#/new"));
    const text = page.getByLabel("What is to be achieved");
    await text.fill(" \n\t ");
    if (way === "the keys") await text.press("Control+Enter");
    else await page.getByRole("button", { name: "State the goal" }).click();
    await page
      .getByRole("alert")
      .getByText("The goal has only blanks. Write what is to be achieved.")
      .waitFor();
    expect(await text.evaluate((element) => element === document.activeElement)).toBe(true);
    await text.fill("A goal");
    expect(await page.getByRole("alert").count()).toBe(0);
  },
);

test("a draft of a goal outlives a reload, and a commit that there is not is refused with a sentence", async () => {
  const page = await browser.open(scene.page.address("#/new"));
  await page.getByLabel("What is to be achieved").fill("A goal\nof two lines");
  await page.getByLabel("Commit").fill("no-such-branch");
  await page.reload();
  const text = page.getByLabel("What is to be achieved");
  await waitFor("the draft", async () => (await text.inputValue()) === "A goal\nof two lines");
  await page.getByRole("button", { name: "State the goal" }).click();
  await page.getByRole("alert").getByText("sees no repository").waitFor();
  expect(await page.getByLabel("Commit").inputValue()).toBe("no-such-branch");
});

test.each([360, 1_280])(
  "Escape in the inbox returns to the entry that was open, %d px wide",
  async (width) => {
    await scene.clan.postGoal("A plan", { type: "Idea" });
    const page = await browser.open(scene.page.address("#/inbox"), { width });
    const entry = page.getByRole("button", { name: /Which one/ }).first();
    await entry.click();
    await page
      .getByRole("button", { name: /Close|Back/ })
      .or(page.locator(".inbox-pane article"))
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    await page.locator('.inbox[data-open="false"]').waitFor();
    expect(await entry.evaluate((element) => element === document.activeElement)).toBe(true);
  },
);
