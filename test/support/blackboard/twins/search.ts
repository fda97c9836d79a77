// Looks for a sequence of calls after which Redis and its twin differ, and shrinks it.
import { lineOf } from "./call.ts";
import { type Failure, type Observer, playAgain, playRandom, type TwinSide } from "./sequence.ts";
import { shrink } from "./shrink.ts";
import type { RedisSides } from "./sides.ts";

export type Search = {
  redis: RedisSides;
  twin: () => TwinSide;
  firstSeed: number;
  sequences: number;
  length: number;
};

export type Found = Failure & { seed: number };

/** The first difference, with the fewest calls that show it; undefined where there is none. */
export async function findDifference(
  search: Search,
  observe?: Observer,
): Promise<Found | undefined> {
  const { firstSeed, sequences, length } = search;
  for (let seed = firstSeed; seed < firstSeed + sequences; seed += 1) {
    const failure = await playRandom(search, { seed, length }, observe);
    if (failure !== undefined) return { seed, ...(await shrunk(search, failure)) };
  }
  return undefined;
}

async function shrunk(search: Search, failure: Failure): Promise<Failure> {
  const calls = await shrink(
    failure.calls,
    async (fewer) => (await playAgain(search, fewer)) !== undefined,
  );
  return (await playAgain(search, calls)) ?? failure;
}

/** For people: how to see it again, the calls, and what differs. */
export function reportOf({ seed, calls, difference }: Found): string {
  const { where, redis, twin } = difference;
  const lines = calls.map((one) => `  ${lineOf(one)}`);
  return [
    `Redis and its twin differ. Again: SETT_TWIN_SEED=${seed} SETT_TWIN_SEQUENCES=1. The fewest calls:`,
    ...lines,
    `then differs ${where}:`,
    `  Redis: ${redis}`,
    `  twin:  ${twin}`,
  ].join("\n");
}
