// Shows what the page says of goals that no person has stated, and of goals that there are not, in
// Chromium.
import { expect, setDefaultTimeout, test } from "bun:test";
import { TestBrowser } from "../support/page/browser.ts";
import { startPageScene } from "../support/page/page-scene.ts";
import { derived } from "../support/records/lineage.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

test("a goal that a trigger has stated is marked in the list and in its own view", async () => {
  await using browser = await TestBrowser.launch();
  await using scene = await startPageScene({});
  const { board } = scene.clan;
  const nightly = await scene.clan.postGoal("Sweep");
  await scene.clan.postGoal("Paint the door");
  await board.recordTrigger({
    ...{
      record: { goal: nightly.goal_id },
      mark: "trigger",
      value: "nightly",
      actor: "trigger:nightly",
    },
    event: {
      type: "trigger_fired",
      goal_id: nightly.goal_id,
      data: { kind: "cron", cause: "2026-11-24T02:00:00.000Z" },
    },
  });
  const page = await browser.open(scene.page.address("#/goals"));
  await page.getByText("by trigger nightly").waitFor();
  expect(await page.getByText("by trigger").count()).toBe(1);
  // What is looked for is in the address, which can be kept.
  await page.getByLabel("Search the goals").fill("paint");
  await page.getByText("by trigger nightly").waitFor({ state: "detached" });
  await page.getByRole("link", { name: /Paint the door/ }).waitFor();
  expect(page.url()).toEndWith("#/goals?q=paint");
  await page.getByRole("link", { name: "Clear" }).click();
  await page.getByLabel("By").selectOption("trigger nightly");
  await page.getByRole("link", { name: /Paint the door/ }).waitFor({ state: "detached" });
  await page.getByText("by trigger nightly").click();
  await page.getByText(/^stated .* by trigger nightly$/).waitFor();
  // Each window says which goal it has.
  await waitFor("the goal in the title", async () => (await page.title()).startsWith("Sweep · "));
  await page.getByRole("navigation").getByRole("link", { name: "Goals" }).click();
  await waitFor("the view in the title", async () => (await page.title()).startsWith("Goals · "));
});

test("of a goal that does not exist a person learns which view helps, and no request", async () => {
  await using browser = await TestBrowser.launch();
  await using scene = await startPageScene({});
  const page = await browser.open(scene.page.address("#/goals/ffffffff"));
  await page.getByRole("alert").getByText("The view Goals lists the goals.").waitFor();
  expect(await page.getByRole("alert").textContent()).not.toMatch(/\/v1\/|GET/);
});

test("a goal names its artefacts that cannot be shown, since a person has changed their records by hand", async () => {
  await using browser = await TestBrowser.launch();
  await using scene = await startPageScene({});
  const { board } = scene.clan;
  const goal = await scene.clan.postGoal("Sweep");
  const draft = derived([goal], { type: "Draft", metadata: { summary: "A draft" } });
  await board.createArtefact(draft, "hand");
  await scene.redis.cli("HDEL", `sett:${board.instance}:artifact:${draft.id}`, "type");
  const page = await browser.open(scene.page.address(`#/goals/${goal.goal_id}`));
  const alert = page
    .getByRole("alert")
    .filter({ hasText: `Artefact ${draft.id.slice(0, 8)} cannot be shown` });
  await alert.waitFor();
  expect(await alert.textContent()).toContain("`sett doctor` lists what was changed by hand");
});
