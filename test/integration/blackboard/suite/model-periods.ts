import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import type { SettEvent } from "../../../../lib/model/event.ts";
import {
  noSpendingLimits,
  type Payer,
  PeriodId,
  type SpendingLimits,
} from "../../../../lib/model/spending.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  amounts,
  recordOf,
  reserve,
  reserveOrder,
  runModelGrant,
} from "../../../support/blackboard/model-scene.ts";
import { at, events, queueGrant, user } from "../../../support/blackboard/scene.ts";
import { sampleArtefact } from "../../../support/records/sample.ts";

const startedAt = "2026-11-26T23:59:59.000Z";
const day = PeriodId.parse("day:2026-11-26");
const month = PeriodId.parse("month:2026-11");
const person: Payer = "person:ada lovelace";

/** Each call reserves 1000 nano-dollars, and costs 400. */
const spending = (limits: Partial<SpendingLimits>) => ({ ...noSpendingLimits, ...limits });
const ofDay = (nanousd: number) => spending({ instance: { day: { nanousd } } });

async function spend(board: Blackboard, order: ReturnType<typeof reserveOrder>): Promise<void> {
  await board.endCall(recordOf(await reserve(board, order)));
}

const budgetEvents = async (board: Blackboard) =>
  (await events(board)).filter(({ type }) => type.startsWith("budget_")).map(shown);
const shown = ({ type, data = {} }: SettEvent) => [type, data.whose, data.period, data.spent];

export function modelPeriodsSuite(open: () => Promise<Bench>): void {
  test("a call counts in the day and the month in which it began, for all and for its payer", async () => {
    await using bench = await open();
    const { board } = bench;
    const { token, goal } = await runModelGrant(board);
    const late = reserveOrder(token, { startedAt });
    await board.endCall({ ...recordOf(await reserve(board, late)), duration_ms: 60_000 });
    await reserve(board, reserveOrder(token, { startedAt: "2026-11-27T00:00:01.000Z" }));
    const next = PeriodId.parse("day:2026-11-27");
    const read = await board.readPeriods([day, next, month]);
    const payer = (await board.readSpending(goal.goal_id)).payer;
    expect(payer).toBe(person);
    expect(
      read.map(({ period, whose, spent, reserved }) => [period, whose, spent, reserved]),
    ).toEqual(
      [
        [day, amounts({ nanousd: 400, tokens: 40, calls: 1 }), amounts()],
        [next, amounts(), amounts({ nanousd: 1_000, tokens: 100, calls: 1 })],
        [
          month,
          amounts({ nanousd: 400, tokens: 40, calls: 1 }),
          amounts({ nanousd: 1_000, tokens: 100, calls: 1 }),
        ],
      ].flatMap(([period, spent, reserved]) => [
        [period, "instance", spent, reserved],
        [period, person, spent, reserved],
      ]) as never,
    );
  });

  test.each([
    ["person:Ada Lovelace <Ada@Example.org>", "person:ada@example.org"],
    ["person:Ada, by claude-code 2.1 <ada@example.org>", "person:ada@example.org"],
    ["person:ada@example.org, by claude-code 2.1", "person:ada@example.org"],
    ["person:Ada, by a tool, by another", "person:ada"],
    ["person:, by a tool", "person:, by a tool"],
    ["person:ÉMILE", "person:Émile"],
    ["trigger:nightly", "trigger:nightly"],
    ["hand", undefined],
  ])("the calls for a goal of %s count for %p", async (actor, payer) => {
    await using bench = await open();
    const goal = sampleArtefact();
    await bench.board.createArtefact(goal, actor);
    expect((await bench.board.readSpending(goal.goal_id)).payer).toBe(payer as Payer);
  });

  test("what is spent in a day refuses the next call, says so once before and once then, and holds new work", async () => {
    await using bench = await open();
    const { board } = bench;
    const { token, goal } = await runModelGrant(board);
    const order = () => reserveOrder(token, { spending: ofDay(1_500), startedAt });
    await spend(board, order());
    await spend(board, order());
    expect(await board.reserveCall(order())).toMatchObject({
      outcome: "exhausted",
      scope: "day",
      whose: "instance",
      kind: "nanousd",
      limit: 1_500,
      spent: 800,
      needed: 1_000,
    });
    await board.reserveCall(order());
    expect(await budgetEvents(board)).toEqual([["budget_reached", "instance", day, 800]]);
    expect(await board.readHolds()).toMatchObject([{ whose: "instance", period: day, spent: 800 }]);
    expect(await board.isHeld(goal.goal_id)).toBe(true);
    // The refusal names the payer, for the question that asks for more.
    expect((await board.readSpending(goal.goal_id)).refusals).toMatchObject([
      { scope: "day", whose: "instance" },
    ]);
  });

  test("four fifths of a limit are a warning, once", async () => {
    await using bench = await open();
    const { board } = bench;
    const { token } = await runModelGrant(board);
    const order = () =>
      reserveOrder(token, {
        spending: spending({ people: { "*": { month: { calls: 10 } } } }),
        startedAt,
      });
    for (let call = 0; call < 8; call += 1) await spend(board, order());
    expect(await budgetEvents(board)).toEqual([]);
    await spend(board, order());
    await spend(board, order());
    expect(await budgetEvents(board)).toEqual([["budget_nearly_reached", person, month, 8]]);
  });

  test("a call that is dearer than the whole limit holds nothing, and neither does what is only reserved", async () => {
    await using bench = await open();
    const { board } = bench;
    const { token, goal } = await runModelGrant(board);
    const reply = await board.reserveCall(reserveOrder(token, { spending: ofDay(999), startedAt }));
    expect(reply.outcome).toBe("exhausted");
    await reserve(board, reserveOrder(token, { spending: ofDay(1_500), startedAt }));
    const second = reserveOrder(token, { spending: ofDay(1_500), startedAt });
    expect((await board.reserveCall(second)).outcome).toBe("exhausted");
    expect(await board.isHeld(goal.goal_id)).toBe(false);
  });

  test("a queued grant is not taken while its payer is held, and its agent is woken afterwards", async () => {
    await using bench = await open();
    const { board } = bench;
    const { token } = await runModelGrant(board);
    const none = reserveOrder(token, { spending: ofDay(0), startedAt });
    await board.reserveCall(none);
    const { claim, agent, epoch } = await queueGrant(board);
    const take = (run: string) =>
      board.takeGrant({
        ...{ claim: claim.id, agent, attempt: 1, queued_at: at, run },
        message: { id: run, text: "started" },
      });
    expect(await take(randomUUID())).toMatchObject({ outcome: "refused" });
    expect(await board.freeHolds({ all: false, now: "2026-11-26T23:59:59.999Z" })).toBe(0);
    expect(await board.freeHolds({ all: false, now: "2026-11-27T00:00:00.000Z" })).toBe(1);
    expect(await board.freeHolds({ all: true, now: startedAt })).toBe(0);
    expect((await budgetEvents(board)).at(-1)).toEqual([
      "budget_freed",
      "instance",
      day,
      undefined,
    ]);
    expect(await board.wakeAgents(epoch - 1)).toEqual({ outcome: "fenced" });
    expect(await board.wakeAgents(epoch)).toEqual({ outcome: "woken" });
    expect(await take(randomUUID())).toMatchObject({ outcome: "taken" });
  });

  test("a person who raises the day's limit lets the work go on, and a repeat raises nothing more", async () => {
    await using bench = await open();
    const { board } = bench;
    const { token, goal } = await runModelGrant(board);
    const limits = spending({ people: { "ada lovelace": { day: { nanousd: 1_000 } } } });
    const order = () => reserveOrder(token, { spending: limits, startedAt });
    await spend(board, order());
    expect(await board.reserveCall(order())).toMatchObject({ scope: "day", whose: person });
    expect(await board.isHeld(goal.goal_id)).toBe(true);
    const raise = {
      period: day,
      whose: person,
      add: amounts({ nanousd: 500 }),
      actor: user,
      cause: randomUUID(),
    };
    expect(await board.raisePeriod(raise)).toEqual({ outcome: "raised" });
    expect(await board.raisePeriod(raise)).toEqual({ outcome: "already" });
    expect(await board.isHeld(goal.goal_id)).toBe(false);
    expect((await board.reserveCall(order())).outcome).toBe("reserved");
    expect((await board.readPeriods([day])).find(({ whose }) => whose === person)?.added).toEqual(
      amounts({ nanousd: 500 }),
    );
  });
}
