// Which work gets a worker next: by examples, and as laws under random loads.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { planWorkers, type WaitingWork, type Worker } from "../../../../lib/core/plan-workers.ts";
import { ClaimId } from "../../../../lib/model/ids.ts";
import { agentName } from "../../../support/records/sample.ts";

const claim = (n: number) =>
  ClaimId.parse(`00000000-0000-4000-8000-${String(n).padStart(12, "0")}`);
const work = (agent: string, n: number, by: string): WaitingWork => ({
  agent: agentName(agent),
  claim: claim(n),
  by,
});
const worker = (agent: string, slot: number, n: number, by: string): Worker => ({
  ...work(agent, n, by),
  slot,
});
const scale = (agent: string, slots: number) => ({ agent: agentName(agent), slots });

test("an agent gets as many workers as it may have, in the order of its work, each in a slot of its own", () => {
  const waiting = [work("coder", 1, "ada"), work("coder", 2, "ada"), work("coder", 3, "ada")];
  const plan = planWorkers({
    scales: [scale("coder", 3)],
    limit: undefined,
    waiting,
    workers: [worker("coder", 2, 9, "ada")],
  });
  expect(plan.starts.map(({ claim, slot }) => [claim, slot])).toEqual([
    [claim(1), 1],
    [claim(2), 3],
  ]);
  expect(plan.waits).toEqual([
    { work: work("coder", 3, "ada"), why: { kind: "agent", workers: 3, of: 3 } },
  ]);
});

test("a person whose work runs already waits for one who has no worker, however early it came", () => {
  const plan = planWorkers({
    scales: [scale("coder", 4)],
    limit: 2,
    waiting: [work("coder", 1, "ada"), work("coder", 2, "ada"), work("coder", 3, "bob")],
    workers: [worker("coder", 1, 9, "ada")],
  });
  expect(plan.starts).toEqual([worker("coder", 2, 3, "bob")]);
  expect(plan.waits.map(({ why }) => why)).toEqual([
    { kind: "instance", workers: 2, of: 2 },
    { kind: "instance", workers: 2, of: 2 },
  ]);
});

test("an agent without a worker comes before one that has some, for the same person", () => {
  const plan = planWorkers({
    scales: [scale("coder", 4), scale("tester", 4)],
    limit: 3,
    waiting: [work("coder", 1, "ada"), work("coder", 2, "ada"), work("tester", 3, "ada")],
    workers: [worker("coder", 1, 9, "ada")],
  });
  expect(plan.starts).toEqual([worker("tester", 1, 3, "ada"), worker("coder", 2, 1, "ada")]);
});

test("a grant has one worker at a time", () => {
  const plan = planWorkers({
    scales: [scale("coder", 4)],
    limit: undefined,
    waiting: [work("coder", 9, "ada")],
    workers: [worker("coder", 1, 9, "ada")],
  });
  expect(plan).toEqual({
    starts: [],
    waits: [{ work: work("coder", 9, "ada"), why: { kind: "in_work" } }],
  });
});

test("of a worker that lasts, a later attempt at its first claim does not wait for it", () => {
  const first = { ...worker("coder", 1, 9, "ada"), attempt: 1 };
  const plan = (attempt: number) =>
    planWorkers({
      scales: [scale("coder", 4)],
      limit: undefined,
      waiting: [{ ...work("coder", 9, "ada"), attempt }],
      workers: [first],
    });
  expect(plan(1).waits).toMatchObject([{ why: { kind: "in_work" } }]);
  expect(plan(2).starts).toEqual([{ ...first, attempt: 2, slot: 2 }]);
});

describe("under any load", () => {
  const agents = ["coder", "tester", "packer"];
  const people = ["ada", "bob", "eve"];
  const load = fc
    .record({
      slots: fc.tuple(fc.integer({ max: 4, min: 1 }), fc.nat(4), fc.nat(4)),
      limit: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
      works: fc.array(fc.tuple(fc.constantFrom(...agents), fc.constantFrom(...people)), {
        maxLength: 20,
      }),
    })
    .map(({ slots, limit, works }) => ({
      limit,
      scales: agents.map((agent, at) => scale(agent, slots[at] ?? 0)),
      waiting: works.map(([agent, by], n) => work(agent, n, by)),
    }));

  test("no cap is exceeded, no work waits while there is room for it, and a reason is true", () => {
    fc.assert(
      fc.property(load, fc.nat(20), (now, done) => {
        // Some of it runs already, as an earlier plan has had it.
        const before = planWorkers({ ...now, workers: [], waiting: now.waiting.slice(0, done) });
        const waiting = [...before.waits.map(({ work }) => work), ...now.waiting.slice(done)];
        const plan = planWorkers({ ...now, workers: before.starts, waiting });
        const all = [...before.starts, ...plan.starts];
        const ofAgent = (agent: string) => all.filter((one) => one.agent === agent);
        expect(all.length).toBeLessThanOrEqual(now.limit ?? Number.POSITIVE_INFINITY);
        for (const { agent, slots } of now.scales) {
          const numbers = ofAgent(agent).map(({ slot }) => slot);
          expect(new Set(numbers).size).toBe(numbers.length);
          expect(Math.max(0, ...numbers)).toBeLessThanOrEqual(slots);
        }
        expect(plan.starts.length + plan.waits.length).toBe(waiting.length);
        for (const { work, why } of plan.waits) {
          if (why.kind === "in_work") throw new Error("No claim is in work twice.");
          expect(why.workers).toBe(why.kind === "agent" ? ofAgent(work.agent).length : all.length);
          expect(why.workers).toBe(why.of);
        }
      }),
    );
  });

  test("no person gets two workers more than another whose work waits for a place", () => {
    fc.assert(
      fc.property(load, (now) => {
        const { starts, waits } = planWorkers({ ...now, workers: [] });
        const countOf = (by: string) => starts.filter((one) => one.by === by).length;
        for (const { work, why } of waits) {
          if (why.kind !== "instance") continue;
          const most = Math.max(...people.map(countOf));
          expect(most - countOf(work.by)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
