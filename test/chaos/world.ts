// One instance as processes: a redis-server, two orchestrators of which one is on standby, and the
// clan's cubs.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Blackboard } from "../../lib/blackboard/port/blackboard.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { defaultPolicy } from "../../lib/model/policy.ts";
import { compileForTests, serviceCommand } from "../support/process/compiled.ts";
import { patient, type RedisServer, startRedisServer } from "../support/redis/redis-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { clan } from "./clan.ts";
import { type FarRedis, startFarRedis } from "./far-redis.ts";
import { randomOf } from "./random.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";
import { Supervised } from "./supervised.ts";

export type World = AsyncDisposable & {
  readonly redis: RedisServer;
  /** Undefined where all reach it on this machine. */
  readonly far: Pick<FarRedis, "link" | "way"> | undefined;
  readonly board: Blackboard;
  /** The disk of Redis; undefined where this user may not make one. */
  readonly disk: SmallDisk | undefined;
  readonly orchestrators: ReadonlyMap<string, Supervised>;
  /** One more. */
  startOrchestrator(holder: string): Supervised;
  readonly cubs: ReadonlyMap<string, Supervised>;
  /** Holds the log of each process. */
  readonly folder: string;
  /** To be called where the logs are of no use. */
  forgetLogs(): Promise<void>;
};

const holders = ["one", "two"];
const chaosCub = await compileForTests("test/chaos/chaos-cub.ts");
const startup = { timeoutMs: 180_000, everyMs: 50 };

/**
 * `isFar`: Redis is reached by TLS over a link. `failShare`: of an agent's first attempts, how many
 * fail. Resolves when an orchestrator leads and every cub has sent a heartbeat.
 */
export async function startWorld({
  seed,
  failShare,
  isFar = false,
}: {
  seed: number;
  isFar?: boolean;
  failShare: (agent: string) => number;
}): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const disk = parts.use(await mountSmallDisk());
  const instance = InstanceName.parse(`chaos-${seed}`);
  const folder = await mkdtemp(join(tmpdir(), `sett-chaos-${seed}-`));
  const random = randomOf(seed);
  const far = isFar
    ? parts.use(await startFarRedis({ folder, instance, random, disk }))
    : undefined;
  const redis = far?.redis ?? parts.use(await startRedisServer(disk));
  const { url } = far ?? redis;
  const board = parts.use(await connectBlackboard({ url: redis.url, instance, ...patient }));
  await board.registerAgents(clan, "person:chaos", { exact: true });
  const start = (
    command: readonly [string, ...string[]],
    name: string,
    environment: Record<string, string>,
  ) => {
    const common = { SETT_INSTANCE_NAME: instance, REDIS_URL: url, SETT_HEALTH_PORT: "0" };
    return new Supervised(command, { ...common, ...environment }, join(folder, `${name}.log`));
  };
  const policy = JSON.stringify({ ...defaultPolicy, clarification: "tiered" });
  const startOrchestrator = (holder: string) =>
    start(serviceCommand("orchestrator"), `orchestrator-${holder}`, {
      SETT_HOLDER: holder,
      SETT_POLICY: policy,
    });
  const orchestrators = new Map(
    holders.map((holder) => [holder, parts.use(startOrchestrator(holder))]),
  );
  const cubs = new Map(
    clan.map(({ name }, index) => {
      const environment = {
        SETT_AGENT_NAME: name,
        SETT_AGENT_COMMAND: "[]",
        SETT_CHAOS_FOLDER: folder,
        SETT_CHAOS_SEED: String(seed * clan.length + index),
        SETT_CHAOS_FAIL_SHARE: String(failShare(name)),
      };
      return [String(name), parts.use(start([chaosCub], name, environment))];
    }),
  );
  // On a busy machine an answer may take longer than the time limit.
  const statuses = () => board.listStatuses().catch(() => new Map());
  await waitFor("the cubs", async () => (await statuses()).size === clan.length, startup);
  await waitFor("an orchestrator", () => board.readLeader().catch(() => undefined), startup);
  const all = parts.move();
  return {
    redis,
    far,
    board,
    disk,
    orchestrators,
    startOrchestrator,
    cubs,
    folder,
    forgetLogs: () => rm(folder, { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
