import { expect, test } from "bun:test";
import { GoalId } from "../../../lib/model/ids.ts";
import { acquireLeaderLease } from "../../support/blackboard/scene.ts";
import { nightly } from "../../support/nightly.ts";
import { TriggerScene } from "../../support/triggers/trigger-scene.ts";

const daily = {
  ...{ kind: "cron", name: "daily", cron: "0 3 * * *", time_zone: "UTC", missed: "once" },
  goal: "Sweep, for {{ time }}",
};
const at = (day: number) => `2026-11-${day}T03:00:00.000Z`;

/** As an orchestrator ends it. */
async function end({ board }: TriggerScene, goal: string | undefined) {
  await board.endGoal({
    goal: GoalId.parse(goal),
    ending: "cancelled",
    epoch: await acquireLeaderLease(board),
  });
}

test("a run states its goal once, on record, and none before its time", async () => {
  await using scene = await TriggerScene.open();
  const looks = await scene.start([daily]);
  await looks.look();
  scene.now = "2026-11-21T02:59:59Z";
  await looks.look();
  expect(await scene.goals()).toEqual([]);
  scene.now = "2026-11-21T03:00:01Z";
  await looks.look();
  await looks.look();
  const [goal, ...more] = await scene.goals();
  expect(more).toEqual([]);
  expect(goal).toMatchObject({
    type: "GoalDefined",
    payload: `Sweep, for ${at(21)}`,
    metadata: { commit: scene.repository.base },
  });
  expect(await scene.events()).toEqual([
    { type: "trigger_fired", actor: "trigger:daily", cause: at(21), goal: String(goal?.id) },
  ]);
});

test("a program that starts again neither repeats a run nor loses one", async () => {
  await using scene = await TriggerScene.open();
  await (await scene.start([daily])).look();
  scene.now = "2026-11-21T03:00:30Z";
  await (await scene.start([daily])).look();
  const [first] = await scene.goals();
  await (await scene.start([daily])).look();
  expect(await scene.goals()).toHaveLength(1);
  await end(scene, first?.id);
  // Four days later: one goal makes up for all runs that were missed.
  scene.now = "2026-11-25T12:00:00Z";
  await (await scene.start([daily])).look();
  expect((await scene.goals()).map(({ payload }) => payload)).toEqual([
    `Sweep, for ${at(21)}`,
    `Sweep, for ${at(25)}`,
  ]);
  const fired = (await scene.board.readEvents("0", 1_000)).filter(
    ({ type }) => type === "trigger_fired",
  );
  expect(fired.map(({ data }) => data?.missed)).toEqual([undefined, 4]);
});

test("with `skip`, missed runs are on record and state no goal", async () => {
  await using scene = await TriggerScene.open();
  const looks = await scene.start([{ ...daily, missed: "skip" }]);
  await looks.look();
  scene.now = "2026-11-23T12:00:00Z";
  await looks.look();
  await (await scene.start([{ ...daily, missed: "skip" }])).look();
  expect(await scene.goals()).toEqual([]);
  const reason = "3 runs were missed: nothing looked at the time, and `missed` is `skip`.";
  expect(await scene.events()).toEqual([
    { type: "trigger_skipped", actor: "trigger:daily", cause: at(23), reason },
  ]);
});

test("with `skip`, missed runs are also on record where the next one is on time", async () => {
  await using scene = await TriggerScene.open();
  const looks = await scene.start([{ ...daily, missed: "skip" }]);
  await looks.look();
  scene.now = "2026-11-23T03:00:05Z";
  await looks.look();
  const goals = await scene.goals();
  expect(goals.map(({ payload }) => payload)).toEqual([`Sweep, for ${at(23)}`]);
  const reason = "2 runs were missed: nothing looked at the time, and `missed` is `skip`.";
  expect(await scene.events()).toEqual([
    { type: "trigger_skipped", actor: "trigger:daily", cause: at(22), reason },
    { type: "trigger_fired", actor: "trigger:daily", cause: at(23), goal: String(goals[0]?.id) },
  ]);
});

nightly(
  "a goal that waits for long makes an event a day of a run a minute, and a restart no more of them",
  async () => {
    await using scene = await TriggerScene.open();
    const minutely = { ...daily, cron: "* * * * *" };
    const looks = await scene.start([minutely]);
    scene.now = "2026-11-21T03:00:00Z";
    await looks.look();
    for (const minute of ["01", "02", "03", "04"]) {
      scene.now = `2026-11-21T03:${minute}:30Z`;
      await (minute === "03" ? await scene.start([minutely]) : looks).look();
    }
    const skipped = async () =>
      (await scene.events())
        .filter(({ type }) => type === "trigger_skipped")
        .map(({ cause }) => cause);
    expect(await skipped()).toHaveLength(1);
    scene.now = "2026-11-22T03:02:30Z";
    await looks.look();
    scene.now = "2026-11-22T03:03:30Z";
    await looks.look();
    expect(await skipped()).toHaveLength(2);
  },
);

test("a run is skipped while the goal of the last one is not at rest", async () => {
  await using scene = await TriggerScene.open();
  const looks = await scene.start([daily]);
  await looks.look();
  for (const day of [21, 22]) {
    scene.now = `2026-11-${day}T03:00:05Z`;
    await looks.look();
  }
  const [goal] = await scene.goals();
  expect(await scene.goals()).toHaveLength(1);
  const reason = `The goal of the last run, ${goal?.id}, is still running.`;
  expect((await scene.events()).at(-1)).toEqual({
    type: "trigger_skipped",
    actor: "trigger:daily",
    cause: at(22),
    reason,
  });
  await end(scene, goal?.id);
  scene.now = "2026-11-23T03:00:05Z";
  await looks.look();
  expect(await scene.goals()).toHaveLength(2);
});

nightly(
  "a program that ended between the goal and the record finishes the record, and states no second goal",
  async () => {
    await using scene = await TriggerScene.open();
    await (await scene.start([daily])).look();
    scene.now = "2026-11-21T03:00:01Z";
    let failures = 0;
    const dying = await scene.start([daily], (board) => ({
      ...board,
      recordTrigger: async (order) => {
        if ("goal" in order.record || order.mark === "run") {
          failures += 1;
          throw new Error("The program is gone.");
        }
        return await board.recordTrigger(order);
      },
    }));
    await dying.look();
    expect([failures, (await scene.goals()).length, await scene.events()]).toEqual([1, 1, []]);
    // Meanwhile a person has written another text, and days have passed.
    scene.now = "2026-11-23T09:00:00Z";
    const next = await scene.start([{ ...daily, goal: "Sweep well", missed: "skip" }]);
    await next.look();
    const [goal, ...more] = await scene.goals();
    expect(more).toEqual([]);
    expect(goal?.payload).toBe(`Sweep, for ${at(21)}`);
    expect(await scene.events()).toMatchObject([
      { type: "trigger_fired", cause: at(21), goal: String(goal?.id) },
    ]);
    await next.look();
    expect((await scene.events()).slice(1)).toMatchObject([
      { type: "trigger_skipped", cause: at(23) },
    ]);
  },
);

test("a changed expression begins anew, and what it would have run before is not missed", async () => {
  await using scene = await TriggerScene.open();
  await (await scene.start([daily])).look();
  scene.now = "2026-11-25T12:00:00Z";
  const hourly = { ...daily, cron: "0 * * * *" };
  const looks = await scene.start([hourly]);
  await looks.look();
  expect(await scene.goals()).toEqual([]);
  scene.now = "2026-11-25T13:00:00Z";
  await looks.look();
  expect((await scene.goals()).map(({ payload }) => payload)).toEqual([
    "Sweep, for 2026-11-25T13:00:00.000Z",
  ]);
});

nightly("two programs that look at the same time state one goal", async () => {
  await using scene = await TriggerScene.open();
  const both = [await scene.start([daily]), await scene.start([daily])];
  await Promise.all(both.map((looks) => looks.look()));
  for (const day of [21, 22, 23]) {
    scene.now = `2026-11-${day}T03:00:05Z`;
    await Promise.all(both.map((looks) => looks.look()));
    expect(await scene.goals()).toHaveLength(day - 20);
    await end(scene, (await scene.goals()).at(-1)?.id);
  }
  expect((await scene.events()).filter(({ type }) => type === "trigger_fired")).toHaveLength(3);
});

nightly("a look that fails is tried again, and the log has its reason once", async () => {
  await using scene = await TriggerScene.open();
  let isBroken = true;
  const looks = await scene.start([daily], (board) => ({
    ...board,
    readTrigger: async (name) => {
      if (isBroken) throw new Error("It is broken.");
      return await board.readTrigger(name);
    },
  }));
  await looks.look();
  await looks.look();
  expect(scene.log.filter((line) => line.includes("It is broken."))).toHaveLength(1);
  isBroken = false;
  await looks.look();
  scene.now = "2026-11-21T03:00:00Z";
  await looks.look();
  expect(await scene.goals()).toHaveLength(1);
});
