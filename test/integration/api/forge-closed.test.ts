import { expect, setDefaultTimeout, test } from "bun:test";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { ForgeScene } from "../../support/forge/forge-scene.ts";
import { commitFiles } from "../../support/git/sample-repository.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);

const versions = (_base: string, path: string) =>
  ["one", "two"].map((word) => commitFiles(path, { "door.txt": `${word}\n` }, `Write ${word}`));

async function open() {
  const scene = await ForgeScene.open({ work: versions, settings: { checks: "none" } });
  const goal = await scene.postGoal();
  const made = await scene.waiting(goal);
  await scene.look();
  return { scene, goal, made };
}

async function pauseOf(scene: ForgeScene, { goal_id }: Artefact): Promise<string | undefined> {
  return (await scene.clan.board.readPausedGoals()).get(goal_id)?.by;
}

async function reasons(scene: ForgeScene): Promise<string[]> {
  const requests = (await scene.clan.events()).filter(({ type }) => type.endsWith("_requested"));
  return requests.map(({ type, data }) => `${type} ${String(data?.reason)}`);
}

async function waitForPause(scene: ForgeScene, goal: Artefact, is: boolean): Promise<void> {
  const what = is ? "the pause" : "the goal to go on";
  await waitFor(what, async () => ((await pauseOf(scene, goal)) !== undefined) === is);
}

test("a pull request that a stranger closes pauses its goal, which goes on when it is opened again", async () => {
  const { scene, goal, made } = await open();
  await using _ = scene;
  scene.forge.close("stale-bot", "No activity for 60 days.");
  await scene.look();
  await waitForPause(scene, goal, true);
  const why =
    "Pull request 1 was closed at the forge by stale-bot, who is none of its people: No activity for 60 days.";
  expect(await reasons(scene)).toEqual([`pause_requested ${why}`]);
  expect(await pauseOf(scene, goal)).toBe("forge:hub");
  scene.restart();
  await scene.look();
  expect(await reasons(scene)).toHaveLength(1);
  expect(await scene.grant(made)).toBe("waiting");
  scene.forge.reopen("mallory");
  await scene.look();
  await waitForPause(scene, goal, false);
  scene.forge.review({ login: "ada-l", state: "APPROVED" });
  await scene.look();
  expect((await scene.review(made)).payload).toBe("{}");
  expect(await reasons(scene)).toHaveLength(2);
});

test("a person who closes a pull request cancels its goal with her words, also after another's closing", async () => {
  const { scene, goal } = await open();
  await using _ = scene;
  scene.forge.close("stale-bot");
  await scene.look();
  await waitForPause(scene, goal, true);
  scene.forge.reopen("Ada-L");
  scene.forge.close("Ada-L", "We do it by hand, @bob.");
  await scene.look();
  const ended = await waitFor("the end of the goal", async () =>
    (await scene.clan.events()).find(({ type }) => type === "goal_ended"),
  );
  expect(ended).toMatchObject({
    goal_id: goal.goal_id,
    data: { ending: "cancelled", by: "forge:hub" },
  });
  expect((await reasons(scene)).at(-1)).toBe(
    "cancel_requested Pull request 1 was closed at the forge by ada (Ada-L): We do it by hand, (at) bob.",
  );
});

test("a goal that a person resumes beside a closed pull request is not paused again: its next version opens it", async () => {
  const { scene, goal, made } = await open();
  await using _ = scene;
  scene.forge.close("stale-bot");
  await scene.look();
  await waitForPause(scene, goal, true);
  const { goal_id } = goal;
  await scene.clan.board.logEvent({ type: "resume_requested", goal_id }, "person:Ada");
  await waitForPause(scene, goal, false);
  await scene.look();
  expect((await scene.steps()).at(-1)).toContain("was closed at the forge, and is still closed");
  expect(await pauseOf(scene, goal)).toBeUndefined();
  await scene.verdict(made, "pull-request", "Better.");
  await scene.waiting(goal, 2);
  await scene.look();
  expect(scene.forge.pulls.map(({ state }) => state)).toEqual(["open"]);
});

test("a pull request that is closed while the next version is made is not opened again", async () => {
  const { scene, goal, made } = await open();
  await using _ = scene;
  scene.forge.review({ login: "ada-l", state: "CHANGES_REQUESTED", body: "Better." });
  await scene.look();
  await scene.review(made);
  scene.forge.close("ada-l");
  await scene.waiting(goal, 2);
  await scene.look();
  await waitFor("the end of the goal", async () =>
    (await scene.clan.events()).some(({ type }) => type === "goal_ended"),
  );
  expect(scene.forge.pulls.map(({ state }) => state)).toEqual(["closed"]);
  expect(scene.forge.pushes).toBe(1);
});
