// How long the page's own thread works for a frame, with ten thousand artefacts in a goal.
import type { TestBrowser } from "../support/page/browser.ts";
import { FrameTimes } from "../support/page/frame-times.ts";
import { openLargeGoal } from "../support/page/large-goal.ts";

const artefacts = 10_000;

/**
 * For each gesture the 95th percentile in milliseconds of the processor, as
 * `page_frame_GESTURE_ms_p95`.
 */
export async function frameFigures(browser: TestBrowser): Promise<Record<string, number>> {
  await using goal = await openLargeGoal(browser, artefacts);
  const { page, middle } = goal;
  const frames = await FrameTimes.of(page);
  const wheel = async (by: number, times: number) => {
    for (let turn = 0; turn < times; turn++) {
      await page.mouse.wheel(0, by);
      await frames.next();
    }
  };
  const drag = async (times: number) => {
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down();
    for (let step = 0; step < times; step++) {
      await page.mouse.move(middle.x - 9 * step, middle.y - 3 * step);
      await frames.next();
    }
    await page.mouse.up();
  };
  await page.mouse.move(middle.x, middle.y);
  await frames.during("zoom", () => wheel(-100, 6));
  await frames.during("move_all", () => drag(30));
  await page.locator(".graph").focus();
  await page.keyboard.press("Home");
  await page.locator(".card[data-id]").first().waitFor();
  await frames.during("move_cards", () => drag(60));
  await frames.during("walk", async () => {
    await page.locator(".graph").focus();
    for (let step = 0; step < 30; step++) {
      await page.keyboard.press(step % 3 === 0 ? "ArrowDown" : "ArrowRight");
      await frames.next();
    }
  });
  await frames.during("zoom_out", () => wheel(100, 30));
  await frames.during("grow", async () => {
    const grown = goal.grow(20);
    const isShown = () => page.locator(`.graph[data-items="${artefacts + 21}"]`).count();
    while ((await isShown()) === 0) await frames.next();
    await grown;
  });
  await frames.during("list", async () => {
    await page.getByRole("button", { name: "List" }).click();
    await page.locator(".artefact-row").first().waitFor();
    await page.mouse.move(middle.x, middle.y);
    await wheel(-3_000, 40);
  });
  console.log(frames.report());
  return Object.fromEntries(frames.high().map(([name, ms]) => [`page_frame_${name}_ms_p95`, ms]));
}
