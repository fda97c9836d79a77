// Whatever happens, and in whatever order: what is spent and reserved never exceeds a limit, and
// what the dead have reserved is given back.
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { readdir, readFile, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { defaultLimits } from "../../../apps/gateway/deps.ts";
import { createGatewayMetrics } from "../../../apps/gateway/metrics.ts";
import { OpenCalls } from "../../../apps/gateway/open-calls.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { amountKinds, plus } from "../../../lib/model/amounts.ts";
import type { Amounts, Budget } from "../../../lib/model/budget.ts";
import type { GoalId, InstanceName } from "../../../lib/model/ids.ts";
import type { ModelToken, OpenCall } from "../../../lib/model/model-call.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { amounts, digestOf, recordOf, reserveOrder } from "../../support/blackboard/model-scene.ts";
import {
  acquireLeaderLease,
  commitOf,
  postGoal,
  queued,
  running,
  user,
} from "../../support/blackboard/scene.ts";
import { isNight } from "../../support/nightly.ts";
import { agentName, sampleClaim } from "../../support/records/sample.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const server = await startRedisServer();
afterAll(() => server[Symbol.asyncDispose]());
setDefaultTimeout(300_000);

const agents = ["coder", "reviewer", "tester"].map(agentName);
const limits: { goal: Budget; grant: Budget } = {
  goal: { nanousd: 8_000, tokens: 900, calls: 9 },
  grant: { nanousd: 4_000, calls: 5 },
};

const share = fc.constantFrom(0, 0.3, 1);
const call = fc.record({
  agent: fc.nat(2),
  nanousd: fc.integer({ min: 0, max: 2_500 }),
  tokens: fc.integer({ min: 0, max: 300 }),
});
const raise = fc.record({
  agent: fc.option(fc.nat(2)),
  kind: fc.constantFrom(...amountKinds),
  add: fc.integer({ min: 1, max: 900 }),
});
const burst = fc.record({
  calls: fc.array(call, { maxLength: 6 }),
  ends: fc.array(share, { maxLength: 4 }),
  raises: fc.array(raise, { maxLength: 1 }),
});
const crash = fc.constantFrom("none", "none", "none", "gateway", "redis", "redis while it works");
const step = fc.record({ burst, crash });

type Call = typeof call extends fc.Arbitrary<infer Value> ? Value : never;
type Burst = typeof burst extends fc.Arbitrary<infer Value> ? Value : never;

/** One goal, in which each agent has a running grant of its own. */
async function start(board: Blackboard): Promise<{ goal: GoalId; tokens: ModelToken[] }> {
  const epoch = await acquireLeaderLease(board);
  const goal = await postGoal(board);
  const tokens: ModelToken[] = [];
  for (const [index, agent] of agents.entries()) {
    const claim = sampleClaim(goal, [agent]);
    await board.openClaim({
      open: { claim, cause: `test:${index}`, grants: [] },
      epoch,
      bidDeadlineMs: 60_000,
    });
    const granted = { phase: "exclusive" as const, agents: [agent] };
    const set = { status: "pending_exclusive", bidding: "closed", granted } as const;
    await board.commitClaim(commitOf(claim.id, epoch, 0, { set, grants: [queued(agent)] }));
    const digest = digestOf(randomUUID());
    await board.acceptGrant({
      claim: claim.id,
      grant: { ...running(agent), model_token: digest },
      leaseMs: 600_000,
    });
    tokens.push({ kind: "grant", claim: claim.id, agent, attempt: 1, digest });
  }
  return { goal: goal.goal_id, tokens };
}

/**
 * The part of the gateway that keeps budgets, with a connection of its own. `live`: calls that were
 * passed on to a provider.
 */
class Gateway {
  readonly board: Blackboard;
  readonly live = new Map<string, OpenCall>();
  readonly #open: OpenCalls;

  private constructor(board: Blackboard) {
    this.board = board;
    const log = createJsonLog(() => {}, systemClock.now);
    this.#open = new OpenCalls({
      board,
      log,
      clock: systemClock,
      metrics: createGatewayMetrics(),
      limits: defaultLimits,
    });
  }

  static async start(instance: InstanceName): Promise<Gateway> {
    const gateway = new Gateway(await connectBlackboard({ url: server.url, instance, ...patient }));
    await gateway.board.giveBackCalls({ all: true });
    return gateway;
  }

  async reserve(token: ModelToken, { nanousd, tokens }: Call): Promise<void> {
    const order = { ...reserveOrder(token, { reserved: { nanousd, tokens, calls: 1 } }), limits };
    const reply = await this.#open.reserve(order, new AbortController());
    if (reply.outcome === "reserved") this.live.set(reply.call.id, reply.call);
    // It was never passed on.
    if (reply.outcome === "lost")
      await this.#open.end(recordOf(reply.call, { outcome: "cancelled", cost: amounts() }));
  }

  async end(part: number): Promise<Amounts> {
    const [ended] = this.live.values();
    if (ended === undefined) return amounts();
    this.live.delete(ended.id);
    const of = (amount: number) => Math.floor(amount * part);
    const cost = {
      nanousd: of(ended.reserved.nanousd),
      tokens: of(ended.reserved.tokens),
      calls: 1,
    };
    await this.#open.end(recordOf(ended, { cost }));
    return cost;
  }

  tick(): Promise<void> {
    return this.#open.tick();
  }

  /** Its memory is gone. */
  async die(): Promise<void> {
    this.#open.close();
    await this.board[Symbol.asyncDispose]();
  }
}

/**
 * Two reads, as of one moment: after a crash the gateway may still be writing again what Redis may
 * have lost.
 */
async function readBoth(board: Blackboard, goal: GoalId) {
  return await waitFor("the gateway to have written", async () => {
    const before = await board.readSpending(goal);
    const calls = await board.readCalls(goal);
    const after = await board.readSpending(goal);
    return Bun.deepEquals(before, after) && ([before, calls] as const);
  });
}

/**
 * Returns what is stored holds to the limits, and agrees with the records. `added`: what was
 * raised.
 */
async function check(
  board: Blackboard,
  goal: GoalId,
  { tokens }: { tokens: readonly ModelToken[] },
): Promise<void> {
  const [{ spent, reserved, added, addedOfAgents }, { ended, open }] = await readBoth(board, goal);
  expectWithin(plus(spent, reserved), limits.goal, added);
  expect(spent).toEqual(ended.reduce((sum, { cost }) => plus(sum, cost), amounts()));
  expect(reserved).toEqual(open.reduce((sum, one) => plus(sum, one.reserved), amounts()));
  for (const { agent } of tokens) {
    const all = [
      ...ended.map((one) => ({ ...one, used: one.cost })),
      ...open.map((one) => ({ ...one, used: one.reserved })),
    ];
    const used = all
      .filter((one) => one.agent === agent)
      .reduce((sum, one) => plus(sum, one.used), amounts());
    expectWithin(used, limits.grant, addedOfAgents.get(agent) ?? amounts());
  }
}

function expectWithin(used: Amounts, limit: Budget, added: Amounts): void {
  for (const kind of amountKinds) {
    const most = limit[kind];
    if (most !== undefined) expect(used[kind]).toBeLessThanOrEqual(most + added[kind]);
  }
}

test("over parallel calls, raised limits, and crashes of the gateway and of Redis, no limit is exceeded", async () => {
  let reserved = 0;
  const run = async (steps: { burst: Burst; crash: string }[]) => {
    const instance = `t-${randomUUID().slice(0, 8)}` as InstanceName;
    let gateway = await Gateway.start(instance);
    const { goal, tokens } = await start(gateway.board);
    let spent = amounts();
    const work = async ({ calls, ends, raises }: Burst) => {
      const raising = raises.map(({ agent, kind, add }) => {
        const order = { goal, add: amounts({ [kind]: add }), actor: user, cause: randomUUID() };
        const name = agent === null ? undefined : agents[agent];
        return gateway.board.raiseBudget(name === undefined ? order : { ...order, agent: name });
      });
      const ending = ends.map(async (part) => {
        const cost = await gateway.end(part);
        spent = plus(spent, cost);
      });
      const reserving = calls.map(async (one) =>
        gateway.reserve(tokens[one.agent] as ModelToken, one),
      );
      await Promise.all([...raising, ...ending, ...reserving, gateway.tick()]);
    };
    for (const { burst: orders, crash: what } of steps) {
      const working = work(orders);
      if (what === "redis while it works") {
        await server.kill();
        await server.start();
      }
      await working;
      reserved += gateway.live.size;
      await check(gateway.board, goal, { tokens });
      if (what === "redis") {
        await server.kill();
        await server.start();
      } else if (what === "gateway") {
        await gateway.die();
        gateway = await Gateway.start(instance);
      }
    }
    // What has reserved and is dead gets nothing; what has ended stays counted.
    await gateway.die();
    gateway = await Gateway.start(instance);
    await check(gateway.board, goal, { tokens });
    const sums = await gateway.board.readSpending(goal);
    expect([sums.reserved, sums.spent]).toEqual([amounts(), spent]);
    await gateway.die();
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), run), {
    seed: 14,
    numRuns: isNight ? 20 : 4,
    endOnFailure: true,
  });
  // Otherwise nothing was tried.
  expect(reserved).toBeGreaterThan(50);
});

test("where Redis has lost its last writes, the gateway makes them again before it reserves anew", async () => {
  let lost = 0;
  const run = async (steps: { burst: Burst; part: number }[]) => {
    const gateway = await Gateway.start(`t-${randomUUID().slice(0, 8)}` as InstanceName);
    const { goal, tokens } = await start(gateway.board);
    let spent = amounts();
    for (const { burst: orders, part } of steps) {
      const safeBytes = await bytesOnDisk();
      const ending = orders.ends.map(async (share) => {
        const cost = await gateway.end(share);
        spent = plus(spent, cost);
      });
      const reserve = (one: Call) => gateway.reserve(tokens[one.agent] as ModelToken, one);
      await Promise.all([...ending, ...orders.calls.slice(0, 3).map(reserve)]);
      await server.kill();
      lost += await forget(safeBytes, part);
      // These come while Redis is away, or when it has just come back.
      const late = orders.calls.slice(3).map(reserve);
      await server.start();
      await Promise.all(late);
      const reserved = [...gateway.live.values()].reduce(
        (sum, one) => plus(sum, one.reserved),
        amounts(),
      );
      expectWithin(plus(spent, reserved), limits.goal, amounts());
      await waitFor("the blackboard to know again what was reserved and spent", async () => {
        const stored = await gateway.board.readSpending(goal);
        return isDeepStrictEqual([stored.reserved, stored.spent], [reserved, spent]);
      });
    }
    await gateway.die();
  };
  const steps = fc.array(fc.record({ burst, part: fc.constantFrom(0, 0.5, 0.9) }), {
    minLength: 2,
    maxLength: 5,
  });
  await fc.assert(fc.asyncProperty(steps, run), {
    seed: 14,
    numRuns: isNight ? 10 : 2,
    endOnFailure: true,
  });
  expect(lost).toBeGreaterThan(1_000);
});

const folder = join(server.folder, "appendonlydir");

async function fileOnDisk(): Promise<string> {
  const newest = (await readdir(folder))
    .filter((name) => name.endsWith(".incr.aof"))
    .sort()
    .at(-1);
  return join(folder, newest ?? "");
}

async function bytesOnDisk(): Promise<number> {
  return (await stat(await fileOnDisk())).size;
}

/**
 * Redis, which is dead, keeps only this part of what it wrote after `safeBytes`. Returns how many
 * bytes it has lost.
 */
async function forget(safeBytes: number, part: number): Promise<number> {
  const file = await fileOnDisk();
  const content = await readFile(file);
  const wanted = safeBytes + Math.floor((content.length - safeBytes) * part);
  // Where a file ends within a transaction, Redis 7.0 does not run it, but leaves its beginning in
  // the file, and runs that at the next start.
  const end = "*1\r\n$4\r\nEXEC\r\n";
  const kept = Math.max(safeBytes, content.lastIndexOf(end, wanted - end.length) + end.length);
  await truncate(file, kept);
  return content.length - kept;
}
