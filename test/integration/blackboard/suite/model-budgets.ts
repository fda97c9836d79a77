import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import type { GatewayNotice } from "../../../../lib/blackboard/port/models.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  amounts,
  recordOf,
  reserve,
  reserveOrder,
  runModelGrant,
} from "../../../support/blackboard/model-scene.ts";
import { events, postGoal, user } from "../../../support/blackboard/scene.ts";
import { agentName, newGoalId } from "../../../support/records/sample.ts";

export function modelBudgetsSuite(open: () => Promise<Bench>): void {
  test("a goal whose limit is reached allows no call, and says by how much", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token } = await runModelGrant(board);
    const limits = { goal: { nanousd: 2_500, tokens: 1_000 } };
    await board.endCall(recordOf(await reserve(board, reserveOrder(token, limits))));
    await reserve(board, reserveOrder(token, limits));
    await reserve(board, reserveOrder(token, limits));
    expect(await board.reserveCall(reserveOrder(token, limits))).toEqual({
      outcome: "exhausted",
      scope: "goal",
      kind: "nanousd",
      allowed: 2_500,
      limit: 2_500,
      spent: 400,
      reserved: 2_000,
      needed: 1_000,
    });
    const { spent, reserved } = await board.readSpending(goal.goal_id);
    expect([spent, reserved]).toEqual([
      { nanousd: 400, tokens: 40, calls: 1 },
      { nanousd: 2_000, tokens: 200, calls: 2 },
    ]);
  });

  test("calls that are asked for at the same moment never exceed a limit together", async () => {
    await using bench = await open();
    const { token, goal } = await runModelGrant(bench.board);
    const boards = await Promise.all(Array.from({ length: 4 }, () => bench.another()));
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        boards[index % 4]?.reserveCall(reserveOrder(token, { goal: { calls: 7 } })),
      ),
    );
    expect(replies.filter((reply) => reply?.outcome === "reserved")).toHaveLength(7);
    expect((await bench.board.readSpending(goal.goal_id)).reserved.calls).toBe(7);
  });

  test.each(["nanousd", "tokens", "calls"] as const)(
    "a grant's limit of %s is its own, and the last of it can be spent",
    async (kind) => {
      await using bench = await open();
      const { board } = bench;
      const { token } = await runModelGrant(board);
      const need = reserveOrder(token).call.reserved[kind];
      const limits = { grant: { [kind]: need } };
      await reserve(board, reserveOrder(token, limits));
      const exhausted = {
        outcome: "exhausted",
        scope: "grant",
        kind,
        allowed: need,
        limit: need,
        spent: 0,
        reserved: need,
        needed: need,
      } as const;
      expect(await board.reserveCall(reserveOrder(token, limits))).toEqual(exhausted);
    },
  );

  test("the budget of a grant is that of all attempts and the bid of one agent on one claim", async () => {
    await using bench = await open();
    const { board } = bench;
    const { token } = await runModelGrant(board);
    const another = await runModelGrant(board);
    await board.endCall(recordOf(await reserve(board, reserveOrder(token))));
    const limits = { grant: { calls: 1 } };
    expect(await board.reserveCall(reserveOrder(token, limits))).toMatchObject({
      outcome: "exhausted",
      scope: "grant",
      spent: 1,
    });
    expect(await board.reserveCall(reserveOrder(another.token, limits))).toMatchObject({
      outcome: "reserved",
    });
  });

  test("a limit of 0 allows nothing, also not what costs nothing", async () => {
    await using bench = await open();
    const { token } = await runModelGrant(bench.board);
    const order = reserveOrder(token, { goal: { nanousd: 0 }, reserved: amounts({ calls: 1 }) });
    expect(await bench.board.reserveCall(order)).toMatchObject({
      outcome: "exhausted",
      kind: "nanousd",
      limit: 0,
      needed: 0,
    });
  });

  test("a goal's limits are raised once for each cause, on record, and calls go on", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token } = await runModelGrant(board);
    const limits = { goal: { calls: 1 } };
    await reserve(board, reserveOrder(token, limits));
    const order = {
      goal: goal.goal_id,
      add: amounts({ calls: 1, nanousd: 2_500_000_000 }),
      actor: user,
      cause: randomUUID(),
    };
    expect(await board.raiseBudget(order)).toEqual({ outcome: "raised" });
    expect(await board.raiseBudget(order)).toEqual({ outcome: "already" });
    await reserve(board, reserveOrder(token, limits));
    expect(await board.reserveCall(reserveOrder(token, limits))).toMatchObject({
      outcome: "exhausted",
      limit: 2,
    });
    expect((await board.readSpending(goal.goal_id)).added).toEqual(order.add);
    const [event, ...more] = await events(board, "budget_raised");
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      actor: user,
      goal_id: goal.goal_id,
      data: { usd: 2.5, calls: 1, cause: order.cause },
    });
  });

  test("the limits of one agent's grants are raised for that agent alone", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token, agent } = await runModelGrant(board);
    const raise = { goal: goal.goal_id, add: amounts({ calls: 1 }), actor: user };
    await board.raiseBudget({ ...raise, agent: agentName("reviewer"), cause: "1" });
    const limits = { grant: { calls: 1 } };
    await reserve(board, reserveOrder(token, limits));
    expect(await board.reserveCall(reserveOrder(token, limits))).toMatchObject({
      outcome: "exhausted",
      limit: 1,
    });
    await board.raiseBudget({ ...raise, agent, cause: "2" });
    await reserve(board, reserveOrder(token, limits));
    const { added, addedOfAgents } = await board.readSpending(goal.goal_id);
    expect(added).toEqual(amounts());
    expect(addedOfAgents).toEqual(
      new Map([
        [agentName("reviewer"), amounts({ calls: 1 })],
        [agent, amounts({ calls: 1 })],
      ]),
    );
    expect((await events(board, "budget_raised")).map((event) => String(event.agent))).toEqual([
      "reviewer",
      "coder",
    ]);
  });

  test("no budget is raised of a goal that does not exist, or was ended", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, epoch } = await runModelGrant(board);
    const order = { add: amounts({ calls: 1 }), actor: user, cause: "1" };
    const reason = expect.stringContaining("There is no goal");
    expect(await board.raiseBudget({ ...order, goal: newGoalId() })).toEqual({
      outcome: "refused",
      reason,
    });
    await board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    expect(await board.raiseBudget({ ...order, goal: goal.goal_id })).toMatchObject({
      outcome: "refused",
    });
    const { goal_id: pruned } = await postGoal(board);
    await board.retireGoal({ goal: pruned, artefacts: 1, claims: 0 });
    expect(await board.raiseBudget({ ...order, goal: pruned })).toEqual({
      outcome: "refused",
      reason,
    });
    expect(await events(board, "budget_raised")).toEqual([]);
  });

  test("the last refusal of an attempt is kept, with what was allowed without what people have added", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, claim, agent, token } = await runModelGrant(board);
    const limits = { goal: { nanousd: 2_500 }, grant: { calls: 1 } };
    await board.raiseBudget({
      goal: goal.goal_id,
      agent,
      add: amounts({ calls: 1 }),
      actor: user,
      cause: "1",
    });
    await reserve(board, reserveOrder(token, limits));
    await reserve(board, reserveOrder(token, limits));
    const [first, second] = [
      reserveOrder(token, limits),
      reserveOrder(token, { ...limits, goal: { nanousd: 9_000 } }),
    ];
    await board.reserveCall(first);
    const about = { claim_id: claim.id, agent, attempt: 1 };
    const ofGoal = {
      scope: "goal",
      kind: "nanousd",
      allowed: 2_500,
      limit: 2_500,
      spent: 0,
      reserved: 2_000,
      needed: 1_000,
    } as const;
    expect((await board.readSpending(goal.goal_id)).refusals).toEqual([
      { id: first.call.id, ...about, ...ofGoal },
    ]);
    await board.reserveCall(second);
    const ofGrant = {
      scope: "grant",
      kind: "calls",
      allowed: 1,
      limit: 2,
      spent: 0,
      reserved: 2,
      needed: 1,
    } as const;
    expect((await board.readSpending(goal.goal_id)).refusals).toEqual([
      { id: second.call.id, ...about, ...ofGrant },
    ]);
  });

  test("a call that was refused while others were under way, and is allowed then, leaves no refusal; that of another call stays", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token } = await runModelGrant(board);
    const limits = { goal: { calls: 1 } };
    const call = await reserve(board, reserveOrder(token, limits));
    const later = reserveOrder(token, limits);
    expect(await board.reserveCall(later)).toMatchObject({ outcome: "exhausted" });
    await board.endCall(recordOf(call, { cost: amounts() }));
    await reserve(board, later);
    expect((await board.readSpending(goal.goal_id)).refusals).toEqual([]);
    const refused = reserveOrder(token, limits);
    await board.reserveCall(refused);
    await reserve(board, reserveOrder(token));
    expect((await board.readSpending(goal.goal_id)).refusals.map(({ id }) => id)).toEqual([
      refused.call.id,
    ]);
  });

  test("a goal without calls has spent nothing", async () => {
    await using bench = await open();
    const { goal_id } = await postGoal(bench.board);
    const none = amounts();
    expect(await bench.board.readSpending(goal_id)).toEqual({
      spent: none,
      reserved: none,
      added: none,
      addedOfAgents: new Map(),
      refusals: [],
      payer: "person:ada lovelace",
    });
    expect(await bench.board.readCalls(goal_id)).toEqual({ ended: [], open: [] });
  });

  test("what the gateway announces is read until the next one announces itself", async () => {
    await using bench = await open();
    const { board } = bench;
    expect(await board.readGateway()).toBeUndefined();
    const notice: GatewayNotice = {
      started_at: "2026-01-01T00:00:00.000Z",
      goal_budget: { nanousd: 5_000_000_000 },
      agents: { coder: { model: "strong", budget: { calls: 3 } } },
      models: {
        strong: { provider: "anthropic", model: "some-model", is_priced: true, has_key: true },
      },
    };
    await board.announceGateway(notice);
    expect(await (await bench.another()).readGateway()).toEqual(notice);
    await board.announceGateway({ ...notice, agents: {}, cassettes: "replay" });
    expect(await board.readGateway()).toEqual({ ...notice, agents: {}, cassettes: "replay" });
  });
}
