// A worker that lasts, and when it leaves.
import { expect, setDefaultTimeout, test } from "bun:test";
import { workUntilIdle } from "../../../../../apps/cub/work/work-until-idle.ts";
import { cubScene } from "../../../../support/cub/scene.ts";

setDefaultTimeout(120_000);

const never = { stop: new AbortController().signal, kill: new AbortController().signal };

test("with work that does not end it leaves when its turn is over, and never with work in hand", async () => {
  let now = 0;
  await using scene = await cubScene({
    tool: () => {
      now += 40;
      return { artefact_type: "Report", artefact_payload: "", summary: "" };
    },
  });
  const { standIn, agent, deps } = scene;
  const claims = [];
  for (let count = 0; count < 4; count++)
    claims.push(await standIn.openGranted(await standIn.post(), agent));
  const clock = { ...deps.clock, passedMs: () => now };
  await workUntilIdle({ ...deps, clock }, { idleMs: 400, turnMs: 60 }, never);
  const states = claims.map(async (claim) => (await standIn.grantOf(claim, agent))?.state);
  expect(await Promise.all(states)).toEqual(["done", "done", "queued", "queued"]);
  expect(scene.lines.at(-1)).toMatchObject({
    msg: "Worker ends",
    reason: "others may have its place",
  });
});

test("without work it leaves after its time to rest", async () => {
  await using scene = await cubScene();
  const { standIn, agent, deps } = scene;
  const claim = await standIn.openGranted(await standIn.post(), agent);
  await workUntilIdle(deps, { idleMs: 3_000 }, never);
  expect((await standIn.ended(claim, agent)).state).toBe("done");
  expect(scene.lines.at(-1)).toMatchObject({ msg: "Worker ends", reason: "no work has come" });
});
