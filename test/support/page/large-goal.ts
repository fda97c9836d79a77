// A goal with thousands of artefacts, as a graph that a page shows.
import type { Page } from "playwright-core";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { LogicalId } from "../../../lib/model/ids.ts";
import { newArtefactId, sampleArtefact } from "../records/sample.ts";
import type { TestBrowser } from "./browser.ts";
import { startPageScene } from "./page-scene.ts";

type LargeGoal = AsyncDisposable & {
  page: Page;
  /** The middle of the graph, in pixels of the page. */
  middle: { x: number; y: number };
  /** Adds so many artefacts. */
  grow(count: number): Promise<void>;
  /** Resolves when the graph has so many artefacts, the goal among them. */
  untilItems(count: number): Promise<void>;
};

/** The graph of a goal with so many artefacts, all of it in view. */
export async function openLargeGoal(
  browser: TestBrowser,
  artefacts: number,
  window = { width: 1_440, height: 900 },
): Promise<LargeGoal> {
  const scene = await startPageScene({}, { artefacts_per_goal: 100_000 });
  try {
    const goal = await scene.clan.postGoal("Many");
    await grow(scene.clan.board, goal, artefacts);
    const view = { ...window, moves: true };
    const page = await browser.open(scene.page.address(`#/goals/${goal.id}?view=graph`), view);
    const untilItems = (count: number) =>
      page.locator(`.graph[data-items="${count}"]`).waitFor({ timeout: 120_000 });
    await untilItems(artefacts + 1);
    const box = await page.locator(".graph").boundingBox();
    return {
      page,
      middle: {
        x: (box?.x ?? 0) + (box?.width ?? 0) / 2,
        y: (box?.y ?? 0) + (box?.height ?? 0) / 2,
      },
      grow: (count) => grow(scene.clan.board, goal, count),
      untilItems,
      [Symbol.asyncDispose]: async () => {
        // A page that is left open draws on, and each one makes the tests after it slower.
        await page.context().close();
        await scene[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await scene[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Adds artefacts, each from one of the last forty; every seventh is a review, some are new
 * versions.
 */
async function grow(board: Blackboard, goal: Artefact, count: number): Promise<void> {
  const recent: Artefact[] = [goal];
  const all: Artefact[] = [];
  for (let number = 0; number < count; number++) {
    const source = recent[(number * 7) % recent.length] ?? goal;
    const isReview = number % 7 === 6;
    const isVersion =
      number % 5 === 4 &&
      source.type === "Result" &&
      !all.some(
        ({ logical_id, version }) => logical_id === source.logical_id && version > source.version,
      );
    const id = newArtefactId();
    const made = sampleArtefact({
      ...{
        id,
        goal_id: goal.goal_id,
        source_artefacts: [source.id],
        produced_by_role: "coder",
        produced_by_agent: "coder",
      },
      ...{
        structural_type: isReview ? "Review" : "Standard",
        type: isReview ? "Review" : "Result",
        payload: isReview ? "{}" : `{"number":${number}}`,
      },
      ...(isVersion && !isReview
        ? { logical_id: source.logical_id, version: source.version + 1 }
        : { logical_id: LogicalId.parse(id) }),
      metadata: { summary: `Result ${number} of ${count}` },
    });
    const { outcome } = await board.createArtefact(made, "person:test");
    if (outcome === "refused") throw new Error("The artefact was refused.");
    all.push(made);
    if (!isReview) recent.push(made);
    if (recent.length > 40) recent.shift();
  }
}
