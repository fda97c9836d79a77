// The page with 10 000 artefacts in a goal. How long it works for a frame, `just bench` measures.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { TestBrowser } from "../support/page/browser.ts";
import { openLargeGoal } from "../support/page/large-goal.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(400_000);

const artefacts = 10_000;

let browser: TestBrowser;
beforeAll(async () => {
  browser = await TestBrowser.launch();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  expect(browser.problems).toEqual([]);
});

test(`a goal with ${artefacts} artefacts can be looked at as a whole, walked through, and read as a list, while it grows`, async () => {
  await using goal = await openLargeGoal(browser, artefacts);
  const { page, middle } = goal;
  const cards = page.locator(".card[data-id]");
  // There are no cards to read from afar.
  expect(await cards.count()).toBe(0);
  await page.locator(".graph").focus();
  await page.keyboard.press("Home");
  await cards.first().waitFor();
  const current = () => page.getByRole("application").getByRole("status").textContent();
  const before = await current();
  await page.keyboard.press("ArrowRight");
  await waitFor("the next artefact", async () => (await current()) !== before);
  expect(await current()).toContain("Result version");
  expect(await cards.count()).toBeLessThan(500);
  await page.mouse.move(middle.x, middle.y);
  for (let turn = 0; turn < 30; turn++) await page.mouse.wheel(0, 100);
  await cards.first().waitFor({ state: "detached" });
  await goal.grow(20);
  await goal.untilItems(artefacts + 21);
  await page.getByRole("button", { name: "List" }).click();
  const rows = page.locator(".artefact-row");
  await rows.first().waitFor();
  const top = await rows.first().textContent();
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.wheel(0, -30_000);
  await waitFor("earlier rows", async () => (await rows.first().textContent()) !== top);
  // Only the rows in view are in the document.
  expect(await rows.count()).toBeLessThan(200);
});
