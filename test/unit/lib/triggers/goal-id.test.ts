import { expect, test } from "bun:test";
import fc from "fast-check";
import { GoalId, InstanceName } from "../../../../lib/model/ids.ts";
import { TriggerName } from "../../../../lib/model/trigger.ts";
import { goalIdOf } from "../../../../lib/triggers/goal-id.ts";

const demo = InstanceName.parse("demo");
const pr = TriggerName.parse("pr");

test("one moment of a trigger has one id, for ever", () => {
  const id = goalIdOf(demo, pr, ["cron", "2026-11-24T03:00:00.000Z"]);
  expect(id).toBe(GoalId.parse("7119abce-1075-4224-878e-a852b8900b04"));
  expect(goalIdOf(demo, pr, ["cron", "2026-11-24T03:00:00.000Z"])).toBe(id);
});

test("any other instance, trigger or moment has another id, which is an id of a goal", () => {
  const words = fc.array(fc.string(), { maxLength: 4 });
  fc.assert(
    fc.property(words, words, (one, other) => {
      const [first, second] = [goalIdOf(demo, pr, one), goalIdOf(demo, pr, other)];
      expect(GoalId.safeParse(first).success).toBe(true);
      expect(first === second).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
  const all = [
    goalIdOf(demo, pr, ["a", "b"]),
    goalIdOf(demo, pr, ["ab"]),
    goalIdOf(demo, pr, ["a", "b", ""]),
    goalIdOf(InstanceName.parse("demo2"), pr, ["a", "b"]),
    goalIdOf(demo, TriggerName.parse("pr2"), ["a", "b"]),
  ];
  expect(new Set(all).size).toBe(all.length);
});
