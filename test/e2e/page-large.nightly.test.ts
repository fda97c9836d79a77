// The page with 10 000 artefacts in a goal. How long it works for a frame, `just bench` measures.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { TestBrowser } from "../support/page/browser.ts";
import { openLargeGoal } from "../support/page/large-goal.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

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

const overlaps = (page: Page, what: string) =>
  page.evaluate((selector) => {
    const over = document.querySelector(selector)?.getBoundingClientRect();
    const pane = document.querySelector(".react-flow")?.getBoundingClientRect();
    if (over === undefined || pane === undefined) return undefined;
    return [...document.querySelectorAll(".card[data-id]")].flatMap((card) => {
      const { left, right, top, bottom: end } = card.getBoundingClientRect();
      const bottom = Math.min(end, pane.bottom);
      const isOver =
        left < over.right && right > over.left && top < over.bottom && bottom > over.top;
      return isOver ? [card.textContent] : [];
    });
  }, what);

for (const [count, width, height] of [
  [7, 1_440, 900],
  [16, 1_440, 900],
  [24, 1_440, 900],
  [36, 1_440, 900],
  [90, 1_440, 900],
  [200, 1_440, 900],
  [130, 1_280, 720],
  [130, 1_920, 1_080],
  [8, 390, 844],
  [40, 390, 844],
] as const)
  test(`at ${width} pixels neither the map nor the buttons are over one of ${count} cards`, async () => {
    await using goal = await openLargeGoal(browser, count, { width, height });
    const { page } = goal;
    await page.locator(".card[data-id]").first().waitFor();
    // A first fit is not animated: it has been made with the cards' first frame.
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    expect(await overlaps(page, ".graph-controls")).toEqual([]);
    const map = await overlaps(page, ".minimap");
    expect(map ?? []).toEqual([]);
    if (count >= 200) expect(map).toBeDefined();
  });
