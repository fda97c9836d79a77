// Calls of language models: tokens, reservations, records and budgets.
import { noAmounts } from "../../../../../lib/model/amounts.ts";
import type { Amounts, Budget } from "../../../../../lib/model/budget.ts";
import type { CallRecord, ModelToken, OpenCall } from "../../../../../lib/model/model-call.ts";
import { recordOf, reserveOrder } from "../../model-scene.ts";
import { call } from "../call.ts";
import type { World } from "../world.ts";
import type { Move } from "./move.ts";

export const modelMoves: readonly Move[] = [
  {
    weight: 4,
    make: (world) => {
      const bid = missingBid(world);
      if (bid === undefined) return undefined;
      const { claim, agent } = bid;
      const digest = world.hex(64);
      world.tokens.set(`bid:${claim}:${agent}`, digest);
      return call(world.handle(), "allowBidCalls", { claim, agent, digest });
    },
  },
  {
    weight: 3,
    make: (world) => {
      const one = token(world);
      return one && call(world.handle(), "findCaller", one);
    },
  },
  {
    weight: 18,
    make: (world) => {
      const known = world.random.pick(world.calls());
      const id = known && world.random.chance(0.1) ? known.id : world.random.uuid();
      const one = known && known.id === id ? tokenOf(world, known) : token(world);
      if (one === undefined) return undefined;
      const order = reserveOrder(one, {
        id,
        goal: limits(world, 3),
        grant: limits(world, 2),
        reserved: amounts(world, 1),
        leaseMs: world.afterMs(),
      });
      return call(world.handle(), "reserveCall", {
        ...order,
        call: { ...order.call, started_at: world.at, ...soFar(world) },
      });
    },
  },
  {
    weight: 3,
    make: (world) => {
      const calls = world.random
        .some(world.calls(), 0.6)
        .map((one) => ({ ...asOpen(one), ...soFar(world) }));
      return call(world.handle(), "renewCalls", { calls, leaseMs: world.afterMs() });
    },
  },
  {
    weight: 5,
    make: (world) => {
      const open = world.calls().filter((one) => !("outcome" in one));
      const known = world.fitting(open, () => world.random.pick(world.calls()), 0.5);
      return known && call(world.handle(), "endCall", record(world, asOpen(known)));
    },
  },
  {
    weight: 3,
    make: (world) => {
      const isOfUse = world.state.models.open.size > 0 || world.random.chance(0.2);
      return isOfUse
        ? call(world.handle(), "giveBackCalls", { all: world.random.chance(0.5) })
        : undefined;
    },
  },
  {
    weight: 3,
    make: (world) => {
      const cause = world.known(world.causes, () => world.random.uuid(), 0.2);
      world.causes.push(cause);
      const to = world.random.chance(0.5) ? { agent: world.agent() } : {};
      return call(world.handle(), "raiseBudget", {
        goal: world.goal(),
        ...to,
        add: amounts(world, 1),
        actor: "person:Ada",
        cause,
      });
    },
  },
  { weight: 1, make: (world) => call(world.handle(), "readSpending", goalWithCalls(world)) },
  { weight: 2, make: (world) => call(world.handle(), "readCalls", goalWithCalls(world)) },
  { weight: 1, make: (world) => call(world.handle(), "readGateway") },
  {
    weight: 1,
    make: (world) =>
      call(world.handle(), "announceGateway", {
        started_at: world.at,
        goal_budget: limits(world, 3),
        agents: { coder: { model: "strong", budget: limits(world, 1) } },
        models: {
          strong: {
            provider: "anthropic",
            model: "some",
            is_priced: true,
            has_key: world.random.chance(0.5),
          },
        },
      }),
  },
];

/** Mostly. */
function goalWithCalls(world: World) {
  const goals = [...world.state.models.calls]
    .filter(([, calls]) => calls.size > 0)
    .map(([goal]) => goal);
  return world.known(goals, () => world.goal(), 0.8);
}

function missingBid(world: World) {
  const missing = [...world.state.claims.values()].flatMap(({ claim }) =>
    claim.bidding === "open" && world.isLive(claim)
      ? claim.electorate
          .filter((agent) => !claim.bids.some((bid) => bid.agent === agent))
          .map((agent) => ({ claim: claim.id, agent }))
      : [],
  );
  return world.fitting(missing, () => ({ claim: world.claimId(), agent: world.agent() }));
}

/** Takes the token of a grant that runs or of a bid that is missing, mostly. */
function token(world: World): ModelToken | undefined {
  if (world.random.chance(0.35)) {
    const bid = missingBid(world);
    if (
      bid === undefined ||
      (!world.tokens.has(`bid:${bid.claim}:${bid.agent}`) && world.random.chance(0.9))
    )
      return undefined;
    return {
      kind: "bid",
      ...bid,
      attempt: 0,
      digest: digest(world, `bid:${bid.claim}:${bid.agent}`),
    };
  }
  const running = world.grants(
    (grant, claim) => grant.state === "running" && !!grant.model_token && world.isLive(claim),
  );
  const at = world.fitting(running, () => world.random.pick(world.grants(() => true)));
  if (at === undefined) return undefined;
  const { claim, grant } = at;
  const { agent, attempt } = grant;
  return {
    kind: "grant",
    claim: claim.id,
    agent,
    attempt,
    digest: digest(world, `grant:${claim.id}:${agent}`),
  };
}

function tokenOf(
  world: World,
  { kind, claim_id: claim, agent, attempt }: OpenCall | CallRecord,
): ModelToken {
  return { kind, claim, agent, attempt, digest: digest(world, `${kind}:${claim}:${agent}`) };
}

function digest(world: World, of: string): string {
  return world.random.chance(0.95) ? (world.tokens.get(of) ?? "none") : "wrong";
}

function amounts(world: World, scale: number): Amounts {
  const { random } = world;
  if (random.chance(0.1)) return noAmounts;
  return {
    nanousd: random.below(1_000) * scale,
    tokens: random.below(100) * scale,
    calls: random.below(2) * scale,
  };
}

function limits(world: World, scale: number): Budget {
  const { random } = world;
  return {
    ...(random.chance(0.4) && { nanousd: random.oneOf(0, 1_000, 100_000) * scale }),
    ...(random.chance(0.4) && { tokens: random.oneOf(100, 10_000) * scale }),
    ...(random.chance(0.4) && { calls: random.oneOf(1, 10) * scale }),
  };
}

/** The call as it was reserved. */
function asOpen(known: OpenCall | CallRecord): OpenCall {
  const {
    id,
    goal_id,
    claim_id,
    artefact_id,
    agent,
    kind,
    attempt,
    model,
    provider,
    api,
    asked_model,
    is_stream,
    reserved,
    started_at,
  } = known;
  const caller = { goal_id, claim_id, artefact_id, agent, kind, attempt };
  return { id, ...caller, model, provider, api, asked_model, is_stream, reserved, started_at };
}

/** Plays what the gateway reckons while a call is under way, mostly. */
function soFar(world: World): Pick<OpenCall, "so_far"> {
  if (world.random.chance(0.3)) return {};
  const usage = {
    input: world.random.below(50),
    output: world.random.below(50),
    cached: 0,
    cache_write: 0,
    reasoning: 0,
  };
  return {
    so_far: { usage, cost: amounts(world, 1), is_unpriced: world.random.chance(0.1), tries: 1 },
  };
}

function record(world: World, open: OpenCall): CallRecord {
  const { random } = world;
  const cost = amounts(world, 1);
  if (random.chance(0.6)) return recordOf(open, { cost });
  const problem = "The provider did not answer. ".repeat(random.oneOf(1, 20));
  return recordOf(open, {
    cost,
    outcome: random.oneOf("failed", "refused", "cancelled"),
    status: 502,
    problem,
    is_estimated: true,
    is_unpriced: true,
  });
}
