// A sequence of calls, made on both blackboards; and the first difference between the two.
import { setSystemTime } from "bun:test";
import { type Call, call, lineOf } from "./call.ts";
import { canonical } from "./canonical.ts";
import { nextCall } from "./moves/all.ts";
import { newGoal } from "./samples.ts";
import { type NormalState, play, type Side } from "./side.ts";
import { firstMs, type memorySide, type RedisSides } from "./sides.ts";
import { World } from "./world.ts";

export type TwinSide = ReturnType<typeof memorySide>;

/** `where`: the outcome of the last call, or the key whose content differs after it. */
export type Difference = { where: string; redis: string; twin: string };
export type Failure = { calls: Call[]; difference: Difference };

/** Sees each call with its outcome, in the order in which they are made. */
export type Observer = (one: Call, outcome: unknown, state: NormalState) => void;

/** Plays a random sequence, and stops at the first difference. */
export async function playRandom(
  sides: { redis: RedisSides; twin: () => TwinSide },
  { seed, length }: { seed: number; length: number },
  observe: Observer = () => {},
): Promise<Failure | undefined> {
  const twin = sides.twin();
  const world = new World(twin.state, seed);
  const calls: Call[] = [];
  const step = await stepOf(await sides.redis.fresh(), twin, (one, outcome, state) => {
    noteLeader(world, one, outcome);
    observe(one, outcome, state);
  });
  try {
    while (calls.length < length) {
      const one = firstCalls(world)[calls.length]?.() ?? nextCall(world, calls);
      calls.push(one);
      const difference = await step(one);
      if (difference !== undefined) return { calls, difference };
    }
    return undefined;
  } finally {
    setSystemTime();
  }
}

/** Plays these calls, and stops at the first difference. */
export async function playAgain(
  sides: { redis: RedisSides; twin: () => TwinSide },
  calls: readonly Call[],
): Promise<Failure | undefined> {
  const step = await stepOf(await sides.redis.fresh(), sides.twin(), () => {});
  try {
    for (const [place, one] of calls.entries()) {
      const difference = await step(one);
      if (difference !== undefined) return { calls: calls.slice(0, place + 1), difference };
    }
    return undefined;
  } finally {
    setSystemTime();
  }
}

/** Nearly nothing can be done before there is a leader, and a goal. */
function firstCalls(world: World): (() => Call)[] {
  if (world.isBare) return [];
  return [
    () => call(0, "acquireLeaderLease", { holder: "one", leaseMs: 60_000, restarted: true }),
    () => call(0, "createArtefact", newGoal(world), "person:Ada"),
  ];
}

function noteLeader(world: World, one: Call, outcome: unknown): void {
  const { outcome: word } = (outcome as { value?: { outcome?: string } } | undefined)?.value ?? {};
  if ("method" in one && one.method === "acquireLeaderLease" && word === "held")
    world.leader = one.by;
}

async function stepOf(
  redis: Side,
  twin: Side,
  observe: Observer,
): Promise<(one: Call) => Promise<Difference | undefined>> {
  const nonces = { redis: new Map<unknown, number>(), twin: new Map<unknown, number>() };
  setSystemTime(firstMs);
  return async (one) => {
    if ("clock" in one) setSystemTime(one.clock);
    const ofRedis = await play(redis, one);
    const ofTwin = await play(twin, one);
    const [before, after] = [canonical(ofRedis), canonical(ofTwin)];
    if (before !== after)
      return { where: `the outcome of ${lineOf(one)}`, redis: before, twin: after };
    const state = withoutNonce(await redis.readState(), nonces.redis);
    observe(one, ofRedis, state);
    return differenceOf(state, withoutNonce(await twin.readState(), nonces.twin));
  };
}

/** Each handle chooses its own: which one it is counts. */
function withoutNonce(state: NormalState, known: Map<unknown, number>): NormalState {
  const orchestrator = state.orchestrator as { nonce?: unknown } | undefined;
  if (orchestrator?.nonce === undefined) return state;
  const { nonce } = orchestrator;
  known.set(nonce, known.get(nonce) ?? known.size);
  return { ...state, orchestrator: { ...orchestrator, nonce: known.get(nonce) } };
}

function differenceOf(redis: NormalState, twin: NormalState): Difference | undefined {
  for (const key of new Set([...Object.keys(redis), ...Object.keys(twin)])) {
    const [one, other] = [canonical(redis[key]), canonical(twin[key])];
    if (one !== other) return { where: `the key ${key}`, redis: one, twin: other };
  }
  return undefined;
}
