import { expect, test } from "bun:test";
import { TriggerName } from "../../../../lib/model/trigger.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { sampleArtefact } from "../../../support/records/sample.ts";

const nightly = TriggerName.parse("nightly");
const actor = "trigger:nightly";
const event = { type: "trigger_fired" as const, data: { kind: "cron", cause: "now" } };
const marked = {
  ...{ record: { trigger: nightly }, mark: "since", value: "one" },
  ...{ fields: { "tag:v1": "a", "tag:v2": "b" }, actor },
};

export function triggersSuite(open: () => Promise<Bench>): void {
  test("what a trigger has done is on record for each trigger, with its event, and a repeat changes nothing", async () => {
    await using bench = await open();
    const { board } = bench;
    expect(await board.readTrigger(nightly)).toEqual(new Map());
    const order = {
      record: { trigger: nightly },
      mark: "run",
      value: "2026-11-24T03:00:00.000Z",
      actor,
    };
    expect(await board.recordTrigger({ ...order, fields: { goal: "one" }, event })).toEqual({
      outcome: "recorded",
    });
    const recorded = new Map([
      ["run", "2026-11-24T03:00:00.000Z"],
      ["goal", "one"],
    ]);
    const other = await bench.another();
    expect(await other.readTrigger(nightly)).toEqual(recorded);
    expect(await other.recordTrigger({ ...order, fields: { goal: "two" }, event })).toEqual({
      outcome: "already",
    });
    expect(await board.readTrigger(nightly)).toEqual(recorded);
    expect(await board.readTrigger(TriggerName.parse("weekly"))).toEqual(new Map());
    const logged = (await board.readEvents("0", 100)).filter(
      ({ type }) => type === "trigger_fired",
    );
    expect(logged).toMatchObject([{ actor, data: { kind: "cron", cause: "now" } }]);
  });

  test("a mark may change without an event, and others stay", async () => {
    await using bench = await open();
    const { board } = bench;
    await board.recordTrigger(marked);
    await board.recordTrigger({ record: { trigger: nightly }, mark: "tag:v1", value: "c", actor });
    expect(Object.fromEntries(await board.readTrigger(nightly))).toEqual({
      since: "one",
      "tag:v1": "c",
      "tag:v2": "b",
    });
    expect(await board.readEvents("0", 100)).toEqual([]);
  });

  test("marks that are forgotten go alone", async () => {
    await using bench = await open();
    const { board } = bench;
    await board.recordTrigger(marked);
    await board.forgetMarks(nightly, []);
    await board.forgetMarks(nightly, ["tag:v1", "tag:v3"]);
    expect(Object.fromEntries(await board.readTrigger(nightly))).toEqual({
      since: "one",
      "tag:v2": "b",
    });
    await board.forgetMarks(TriggerName.parse("weekly"), ["since"]);
    expect(await board.readEvents("0", 100)).toEqual([]);
  });

  test("triggers that sett.yml no longer has are forgotten, and the records of goals stay", async () => {
    await using bench = await open();
    const { board } = bench;
    const weekly = TriggerName.parse("weekly");
    const goal = sampleArtefact();
    await board.createArtefact(goal, actor);
    const mark = { mark: "trigger", value: "one", actor };
    for (const trigger of [nightly, weekly])
      await board.recordTrigger({ record: { trigger }, ...mark });
    await board.recordTrigger({ record: { goal: goal.goal_id }, ...mark });
    expect(await board.forgetTriggers([weekly, TriggerName.parse("never")])).toBe(1);
    expect((await board.readTrigger(nightly)).size).toBe(0);
    expect((await board.readTrigger(weekly)).size).toBe(1);
    expect(await board.forgetTriggers([weekly])).toBe(0);
    expect(await board.forgetTriggers([])).toBe(1);
    expect((await board.readGoal(goal.goal_id)).trigger).toBe("one");
  });

  test("that a trigger has stated a goal is on record once, in the goal's own record", async () => {
    await using bench = await open();
    const { board } = bench;
    const goal = sampleArtefact();
    await board.createArtefact(goal, actor);
    const order = { record: { goal: goal.goal_id }, mark: "trigger", value: "nightly", actor };
    const about = { ...event, goal_id: goal.goal_id };
    expect(await board.recordTrigger({ ...order, event: about })).toEqual({ outcome: "recorded" });
    expect(await (await bench.another()).recordTrigger({ ...order, event: about })).toEqual({
      outcome: "already",
    });
    expect(await board.readGoal(goal.goal_id)).toEqual({
      ended: undefined,
      artefacts: 1,
      payer: "trigger:nightly",
      trigger: "nightly",
    });
    const types = (await board.readEvents("0", 100)).map(({ type, actor: who }) => [type, who]);
    expect(types).toEqual([
      ["artefact_created", actor],
      ["trigger_fired", actor],
    ]);
  });
}
