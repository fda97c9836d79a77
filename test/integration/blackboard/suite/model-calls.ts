import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import type { ModelToken, SoFar } from "../../../../lib/model/model-call.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  amounts,
  digestOf,
  recordOf,
  reserve,
  reserveOrder,
  runModelGrant,
} from "../../../support/blackboard/model-scene.ts";
import {
  commitOf,
  done,
  events,
  openClaim,
  resultOf,
  user,
} from "../../../support/blackboard/scene.ts";
import { agentName, newClaimId } from "../../../support/records/sample.ts";

export function modelCallsSuite(open: () => Promise<Bench>): void {
  const refused = { outcome: "refused" as const, reason: expect.any(String) };

  async function bidScene(board: Blackboard) {
    const scene = await openClaim(board, ["coder", "reviewer"]);
    const token: ModelToken = {
      kind: "bid",
      claim: scene.claim.id,
      agent: agentName("coder"),
      attempt: 0,
      digest: digestOf("bid"),
    };
    const allow = { claim: scene.claim.id, agent: token.agent, digest: token.digest };
    return { ...scene, token, allow };
  }

  test("a token finds its caller while its grant runs, and dies with it", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, claim, agent, token, grant } = await runModelGrant(board);
    const caller = {
      goal_id: goal.goal_id,
      claim_id: claim.id,
      artefact_id: goal.id,
      agent,
      kind: "grant",
      attempt: 1,
    } as const;
    expect(await board.findCaller(token)).toEqual({ outcome: "found", caller });
    await board.finishGrant(done(claim.id, resultOf(goal, claim), grant));
    expect(await board.findCaller(token)).toEqual({ ...refused, isEnded: true });
    expect(await board.reserveCall(reserveOrder(token))).toEqual({ ...refused, isEnded: true });
  });

  test("a call of a tool with a price is charged once, and not where a budget does not allow it", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token, agent } = await runModelGrant(board);
    const started_at = "2026-11-26T23:17:41.000Z";
    const cost = (nanousd: number) => ({ id: randomUUID(), server: "search", nanousd, started_at });
    const limits = {
      goal: { nanousd: 100, calls: 1, tokens: 1 },
      grant: { nanousd: 90 },
      spending: { instance: { day: { nanousd: 70 } }, people: {}, triggers: {} },
    };
    const charge = (one: ReturnType<typeof cost>, over: Partial<typeof limits> = {}) =>
      board.chargeTool({ goal: goal.goal_id, token, charge: one, limits: { ...limits, ...over } });
    const first = cost(60);
    expect(await charge(first)).toEqual({ outcome: "charged" });
    expect(await charge(first)).toEqual({ outcome: "charged" });
    const figures = { outcome: "exhausted", kind: "nanousd", spent: 60, reserved: 0, needed: 20 };
    expect(await charge(cost(20))).toMatchObject({ ...figures, scope: "day", limit: 70 });
    expect(await charge(cost(20), { goal: { nanousd: 70, calls: 1, tokens: 1 } })).toMatchObject({
      ...{ ...figures, scope: "goal" },
    });
    expect(await charge(cost(20), { grant: { nanousd: 70 } })).toMatchObject({
      ...{ ...figures, scope: "grant" },
    });
    expect(
      await board.chargeTool({
        ...{ goal: goal.goal_id, charge: cost(1), limits },
        token: { ...token, digest: digestOf("another") },
      }),
    ).toMatchObject({ outcome: "refused" });

    expect(await board.readToolCharges(goal.goal_id)).toEqual([
      { claim_id: token.claim, agent, server: "search", nanousd: 60, started_at },
    ]);
    const { spent, refusals } = await board.readSpending(goal.goal_id);
    expect([spent, refusals]).toEqual([{ nanousd: 60, tokens: 0, calls: 0 }, []]);
  });

  test("a wrong secret, agent, attempt or claim is no token", async () => {
    await using bench = await open();
    const { board } = bench;
    const { token } = await runModelGrant(board);
    for (const wrong of [
      { digest: digestOf("x") },
      { agent: agentName("reviewer") },
      { claim: newClaimId() },
    ])
      expect(await board.findCaller({ ...token, ...wrong })).toEqual({
        ...refused,
        isEnded: false,
      });
    expect(await board.findCaller({ ...token, attempt: 2 })).toMatchObject(refused);
    expect(await board.findCaller({ ...token, kind: "bid" })).toMatchObject(refused);
  });

  test("a grant that was accepted without a token may call no model", async () => {
    await using bench = await open();
    const { board } = bench;
    const { token, grant, claim, epoch } = await runModelGrant(board);
    const { model_token: _, ...plain } = grant;
    const rev = (await board.readClaim(claim.id))?.claim.rev ?? 0;
    await board.commitClaim(commitOf(claim.id, epoch, rev, { grants: [plain] }));
    expect(await board.findCaller(token)).toEqual({ ...refused, isEnded: false });
  });

  test("the token of a cancelled goal is dead", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, epoch, token } = await runModelGrant(board);
    await board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    expect(await board.findCaller(token)).toEqual({ ...refused, isEnded: true });
  });

  test("an agent may ask its model how to bid until its bid is placed", async () => {
    await using bench = await open();
    const { board } = bench;
    const { token, allow, goal, claim } = await bidScene(board);
    expect(await board.findCaller(token)).toEqual({ ...refused, isEnded: false });
    expect(await board.allowBidCalls(allow)).toEqual({ outcome: "allowed" });
    const call = await reserve(board, reserveOrder(token));
    expect(call).toMatchObject({
      kind: "bid",
      attempt: 0,
      agent: "coder",
      goal_id: goal.goal_id,
      artefact_id: goal.id,
    });
    expect(await board.renewCalls({ calls: [call], leaseMs: 60_000 })).toEqual({ ended: [] });
    await board.placeBid({ claim: claim.id, agent: token.agent, word: "ignore" });
    expect(await board.renewCalls({ calls: [call], leaseMs: 60_000 })).toEqual({
      ended: [call.id],
    });
    expect(await board.findCaller(token)).toEqual({ ...refused, isEnded: true });
    expect(await board.allowBidCalls(allow)).toEqual(refused);
  });

  test("a later token for a bid replaces an earlier one, and is no other agent's", async () => {
    await using bench = await open();
    const { board } = bench;
    const { token, allow } = await bidScene(board);
    await board.allowBidCalls(allow);
    await board.allowBidCalls({ ...allow, digest: digestOf("later") });
    expect(await board.findCaller(token)).toEqual({ ...refused, isEnded: false });
    expect(await board.findCaller({ ...token, digest: digestOf("later") })).toMatchObject({
      outcome: "found",
    });
    const other = { ...token, agent: agentName("reviewer"), digest: digestOf("later") };
    expect(await board.findCaller(other)).toMatchObject(refused);
    expect(await board.allowBidCalls({ ...allow, agent: agentName("stranger") })).toEqual(refused);
    expect(await board.allowBidCalls({ ...allow, claim: newClaimId() })).toEqual(refused);
  });

  test("a repeated reservation is reserved once", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token } = await runModelGrant(board);
    const order = reserveOrder(token, { goal: { calls: 1 } });
    const call = await reserve(board, order);
    expect(await board.reserveCall(order)).toEqual({ outcome: "reserved", call });
    expect((await board.readSpending(goal.goal_id)).reserved).toEqual(order.call.reserved);
    expect(await board.readCalls(goal.goal_id)).toEqual({ ended: [], open: [call] });
    await board.endCall(recordOf(call));
    expect(await board.reserveCall(order)).toMatchObject({ outcome: "refused" });
  });

  test("a call that ends has its true cost and its record, once", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, claim, token } = await runModelGrant(board);
    const record = recordOf(await reserve(board, reserveOrder(token)), {
      problem: "x".repeat(1_000),
    });
    expect(await board.endCall(record)).toEqual({ outcome: "ended" });
    expect(await board.endCall(record)).toEqual({ outcome: "known" });
    const { spent, reserved } = await board.readSpending(goal.goal_id);
    expect([spent, reserved]).toEqual([record.cost, amounts()]);
    expect(await board.readCalls(goal.goal_id)).toEqual({ ended: [record], open: [] });
    const [event, ...more] = await events(board, "model_called");
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      actor: "gateway",
      goal_id: goal.goal_id,
      claim_id: claim.id,
      artefact_id: goal.id,
      agent: "coder",
    });
    expect(event?.data).toEqual({
      call: record.id,
      kind: "grant",
      attempt: 1,
      model: "strong",
      provider: "anthropic",
      asked: "some-model",
      answered: "some-model-1",
      outcome: "ok",
      status: 200,
      input: 30,
      output: 10,
      cached: 5,
      reasoning: 2,
      usd: 0.0000004,
      duration_ms: 1_200,
      tries: 1,
      problem: "x".repeat(300),
      request: digestOf("request"),
      answer: digestOf("answer"),
    });
  });

  test("reservations that lapse are given back, and those that are renewed are not", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token } = await runModelGrant(board);
    const lapsing = await reserve(board, reserveOrder(token, { leaseMs: 0 }));
    const renewed = await reserve(board, reserveOrder(token, { leaseMs: 0 }));
    expect(await board.renewCalls({ calls: [renewed], leaseMs: 60_000 })).toEqual({ ended: [] });
    expect(await board.giveBackCalls({ all: false })).toBe(1);
    expect(await board.giveBackCalls({ all: false })).toBe(0);
    const { spent, reserved } = await board.readSpending(goal.goal_id);
    expect([spent, reserved]).toEqual([amounts(), renewed.reserved]);
    const { ended, open: underWay } = await board.readCalls(goal.goal_id);
    expect(underWay).toEqual([renewed]);
    expect(ended).toMatchObject([{ id: lapsing.id, outcome: "lost", cost: amounts() }]);
    expect((await events(board, "model_called")).map(({ data }) => data?.outcome)).toEqual([
      "lost",
    ]);
  });

  test("reservations are given back in the order in which they lapse", async () => {
    await using bench = await open();
    const { board } = bench;
    const { token } = await runModelGrant(board);
    const late = await reserve(board, reserveOrder(token, { leaseMs: 120_000 }));
    const early = await reserve(board, reserveOrder(token, { leaseMs: 60_000 }));
    expect(await board.giveBackCalls({ all: true })).toBe(2);
    expect((await events(board, "model_called")).map(({ data }) => data?.call)).toEqual([
      early.id,
      late.id,
    ]);
  });

  test("a gateway that starts gives back every reservation", async () => {
    await using bench = await open();
    const { board } = bench;
    const [one, other] = [await runModelGrant(board), await runModelGrant(board)];
    for (const { token } of [one, one, other]) await reserve(board, reserveOrder(token));
    expect(await (await bench.another()).giveBackCalls({ all: true })).toBe(3);
    for (const { goal } of [one, other])
      expect((await board.readSpending(goal.goal_id)).reserved).toEqual(amounts());
  });

  test("a call whose gateway died costs what it has said last, and the rest of its reservation is free", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token } = await runModelGrant(board);
    const call = await reserve(board, orderWithSoFar(token, soFar(100)));
    await board.renewCalls({ calls: [{ ...call, so_far: soFar(300) }], leaseMs: 60_000 });
    expect((await board.readCalls(goal.goal_id)).open).toEqual([{ ...call, so_far: soFar(300) }]);
    const early = await reserve(board, orderWithSoFar(token, soFar(100)));
    expect(await board.giveBackCalls({ all: true })).toBe(2);
    const { ended, open: underWay } = await board.readCalls(goal.goal_id);
    expect(underWay).toEqual([]);
    expect(ended.find(({ id }) => id === call.id)).toMatchObject({
      outcome: "lost",
      is_estimated: true,
      ...soFar(300),
    });
    expect(ended.find(({ id }) => id === early.id)).toMatchObject({
      outcome: "lost",
      is_estimated: true,
      ...soFar(100),
    });
    const { spent, reserved } = await board.readSpending(goal.goal_id);
    expect([spent, reserved]).toEqual([{ nanousd: 400, tokens: 80, calls: 2 }, amounts()]);
  });

  test("a reservation that lapses although its gateway lives was never used, and costs nothing", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token } = await runModelGrant(board);
    await reserve(board, { ...orderWithSoFar(token, soFar(100)), leaseMs: 0 });
    expect(await board.giveBackCalls({ all: false })).toBe(1);
    expect((await board.readSpending(goal.goal_id)).spent).toEqual(amounts());
  });

  test("a call that was lost and ends or goes on after all counts with its true cost", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token } = await runModelGrant(board);
    const call = await reserve(board, orderWithSoFar(token, soFar(100)));
    await board.giveBackCalls({ all: true });
    expect((await board.readSpending(goal.goal_id)).spent).toEqual(soFar(100).cost);
    const { so_far: _, ...ended } = call;
    expect(await board.endCall(recordOf(ended))).toEqual({ outcome: "ended" });
    expect(await board.endCall(recordOf(ended))).toEqual({ outcome: "known" });
    const { spent, reserved } = await board.readSpending(goal.goal_id);
    expect([spent, reserved]).toEqual([recordOf(ended).cost, amounts()]);
    expect((await board.readCalls(goal.goal_id)).ended).toEqual([recordOf(ended)]);
    const other = await reserve(board, orderWithSoFar(token, soFar(100)));
    await board.giveBackCalls({ all: true });
    await board.renewCalls({ calls: [other], leaseMs: 60_000 });
    const renewed = await board.readSpending(goal.goal_id);
    expect([renewed.spent, renewed.reserved]).toEqual([recordOf(ended).cost, other.reserved]);
  });

  test("a reservation that the blackboard has lost is made again, and one call is reserved once", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token } = await runModelGrant(board);
    const call = await reserve(board, reserveOrder(token, { leaseMs: 0 }));
    await board.giveBackCalls({ all: true });
    const unknown = { ...call, id: crypto.randomUUID() };
    for (let times = 0; times < 2; times += 1)
      expect(await board.renewCalls({ calls: [call, unknown], leaseMs: 60_000 })).toEqual({
        ended: [],
      });
    expect((await board.readSpending(goal.goal_id)).reserved).toEqual({
      nanousd: 2_000,
      tokens: 200,
      calls: 2,
    });
    await board.endCall(recordOf(call));
    expect(await board.renewCalls({ calls: [call], leaseMs: 60_000 })).toEqual({ ended: [] });
    expect((await board.readSpending(goal.goal_id)).reserved).toEqual(call.reserved);
  });

  test("a renewal says which calls no longer belong to a running grant", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, claim, token, grant } = await runModelGrant(board);
    const other = await runModelGrant(board);
    const calls = [
      await reserve(board, reserveOrder(token)),
      await reserve(board, reserveOrder(other.token)),
    ];
    await board.finishGrant(done(claim.id, resultOf(goal, claim), grant));
    expect(await board.renewCalls({ calls, leaseMs: 60_000 })).toEqual({
      ended: [calls[0]?.id ?? ""],
    });
    expect(await board.renewCalls({ calls: [], leaseMs: 60_000 })).toEqual({ ended: [] });
  });

  test("calls go with their goal, which is not retired while one is under way", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, claim, token, epoch } = await runModelGrant(board);
    const call = await reserve(board, reserveOrder(token));
    const rev = (await board.readClaim(claim.id))?.claim.rev ?? 0;
    await board.commitClaim(commitOf(claim.id, epoch, rev, { set: { status: "terminated" } }));
    const retire = { goal: goal.goal_id, artefacts: 1, claims: 1 };
    expect(await board.retireGoal(retire)).toEqual({ outcome: "changed" });
    await board.endCall(recordOf(call));
    await board.raiseBudget({
      goal: goal.goal_id,
      add: amounts({ calls: 1 }),
      actor: user,
      cause: "1",
    });
    expect(await board.retireGoal(retire)).toEqual({ outcome: "retired" });
    expect(await board.removeOfGoal(goal.goal_id, 10)).toEqual({ left: 0 });
    const late = { ...call, id: crypto.randomUUID() };
    expect(await board.renewCalls({ calls: [late], leaseMs: 60_000 })).toEqual({
      ended: [late.id],
    });
    expect(await board.endCall(recordOf(late))).toEqual({ outcome: "known" });
    expect(await board.readCalls(goal.goal_id)).toEqual({ ended: [], open: [] });
    expect((await board.readSpending(goal.goal_id)).spent).toEqual(amounts());
  });
}

const soFar = (nanousd: number): SoFar => ({
  usage: { input: 30, output: 10, cached: 0, cache_write: 0, reasoning: 0 },
  cost: { nanousd, tokens: 40, calls: 1 },
  is_unpriced: false,
  tries: 1,
});

function orderWithSoFar(token: ModelToken, so_far: SoFar): ReturnType<typeof reserveOrder> {
  const order = reserveOrder(token);
  return { ...order, call: { ...order.call, so_far } };
}
