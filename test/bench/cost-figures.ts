// Measures what one claim costs: processor time by program, commands of Redis, bytes of its
// append-only file. Unlike ratios of wall clocks, these figures hold on a machine on which others
// work, too.
import { startRedisServer } from "../support/redis/redis-server.ts";
import { bytesWritten, commandsOf, pidOf, processorMs } from "./costs.ts";
import { rounded } from "./figures.ts";
import { type Clan, rivals, SettSide, threePhases } from "./sett-side.ts";

type Scene = {
  name: string;
  clan: Clan;
  claims: number;
  isStarted?: boolean;
  sharedProcess?: boolean;
};

const scenes: readonly Scene[] = [
  { name: "three agents", clan: rivals, claims: 3_000 },
  { name: "three phases", clan: threePhases, claims: 800 },
  { name: "a hundred agents", clan: agents(100), claims: 800, sharedProcess: true },
  { name: "the tool started", clan: agents(3), claims: 300, isStarted: true },
];

/** So many agents, of which one works. */
function agents(count: number): Clan {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `agent-${index}`,
      index === 0 ? "exclusive" : "ignore",
    ]),
  );
}

/** Prints a line for each scene whose name begins like this. */
export async function printCosts(only = ""): Promise<void> {
  console.log(
    "milliseconds of processor, commands and KB of the append-only file, each for one claim",
  );
  for (const scene of scenes) if (scene.name.startsWith(only)) console.log(await lineOf(scene));
}

async function lineOf({ name, clan, claims, isStarted, sharedProcess }: Scene): Promise<string> {
  await using redis = await startRedisServer();
  await using sett = await SettSide.start(redis, clan, {
    isStarted: isStarted === true,
    sharedProcess: sharedProcess === true,
  });
  // Warm: the compilers of new processes work for the first thousands of claims.
  await sett.throughput(claims);
  const parts = {
    redis: [await pidOf(redis)],
    orchestrator: sett.orchestratorPids,
    cubs: sett.cubPids,
  };
  const times = async () => Promise.all(Object.values(parts).map(processorMs));
  const [before, commandsBefore] = [await times(), await commandsOf(redis)];
  const bytes = await bytesWritten(redis, () => sett.throughput(claims));
  const [after, commandsAfter] = [await times(), await commandsOf(redis)];
  const each = Object.keys(parts).map(
    (part, index) => [part, ((after[index] ?? 0) - (before[index] ?? 0)) / claims] as const,
  );
  const sum = each.reduce((total, [, ms]) => total + ms, 0);
  const commands = [...commandsAfter].map(
    ([command, count]) => [command, (count - (commandsBefore.get(command) ?? 0)) / claims] as const,
  );
  const total = commands.reduce((all, [, count]) => all + count, 0);
  const most = commands
    .filter(([, count]) => count >= 0.2)
    .sort(([, one], [, other]) => other - one);
  return [
    `${name}: ${rounded(sum, 3)} ms (${each.map(([part, ms]) => `${part} ${rounded(ms, 3)}`).join(", ")})`,
    `${rounded(bytes / claims / 1_024, 2)} KB, ${rounded(total, 1)} commands: ${most.map(([command, count]) => `${command} ${rounded(count, 1)}`).join(", ")}`,
  ].join("\n  ");
}
