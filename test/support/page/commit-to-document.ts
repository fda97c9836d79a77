// The time from the commit of an event until a person sees what it brings.
import { LogicalId } from "../../../lib/model/ids.ts";
import { newArtefactId, sampleArtefact } from "../records/sample.ts";
import { waitFor } from "../wait-for.ts";
import type { TestBrowser } from "./browser.ts";
import { startPageScene } from "./page-scene.ts";

/**
 * Milliseconds from the commit of an artefact to its card in the document of a page that shows its
 * goal, so many times: few enough that all cards are in view.
 */
export async function commitToDocumentMs(browser: TestBrowser, count: number): Promise<number[]> {
  await using scene = await startPageScene({});
  const goal = await scene.clan.postGoal("Watched");
  const address = scene.page.address(`#/goals/${goal.id}?view=graph`);
  const page = await browser.open(address, { moves: true });
  await page.getByRole("banner").getByText("live", { exact: true }).waitFor();
  await page.locator(".card[data-id]").first().waitFor();
  await page.evaluate(() => {
    const seen: Record<string, number> = {};
    Object.assign(globalThis, { seen });
    new MutationObserver(() => {
      for (const card of document.querySelectorAll<HTMLElement>(".card[data-id]"))
        seen[card.dataset.id ?? ""] ??= Date.now();
    }).observe(document.body, { childList: true, subtree: true });
  });
  const times: number[] = [];
  for (let number = 0; number < count; number++) {
    const id = newArtefactId();
    const about = {
      id,
      goal_id: goal.goal_id,
      source_artefacts: [goal.id],
      logical_id: LogicalId.parse(id),
      type: "Result",
    };
    const made = sampleArtefact({
      ...about,
      produced_by_role: "coder",
      produced_by_agent: "coder",
    });
    await scene.clan.board.createArtefact(made, "person:test");
    const committedAt = Date.now();
    const seenAt = await waitFor("the card", () =>
      page.evaluate((wanted) => Reflect.get(globalThis, "seen")[wanted] as number | undefined, id),
    );
    times.push(seenAt - committedAt);
  }
  return times;
}
