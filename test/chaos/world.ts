// One instance as processes: a redis-server, two orchestrators of which one is on standby, and the
// clan's cubs.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Blackboard } from "../../lib/blackboard/port/blackboard.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import type { AgentRegistration } from "../../lib/model/agent.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { defaultPolicy } from "../../lib/model/policy.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import type { Breakable } from "../support/http/link.ts";
import { compileForTests, serviceCommand } from "../support/process/compiled.ts";
import { patient, type RedisServer, startRedisServer } from "../support/redis/redis-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { clan } from "./clan.ts";
import type { History } from "./history.ts";
import type { Violation } from "./history-checker.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";
import { type Part, Supervised } from "./supervised.ts";

/** The part of a server that faults and the verdict need. */
export type ChaosRedis = Pick<RedisServer, "url" | "cli" | "kill" | "start"> & {
  freeze(): void | Promise<void>;
  unfreeze(): void | Promise<void>;
};

export type World = AsyncDisposable & {
  readonly redis: ChaosRedis;
  /**
   * An instance elsewhere has services, and one on another machine the link to that. Undefined for
   * processes of this machine.
   */
  readonly far: { link: Breakable | undefined; services: ReadonlyMap<string, Part> } | undefined;
  readonly board: Blackboard;
  /** The disk of Redis; undefined where this user may not make one. */
  readonly disk: SmallDisk | undefined;
  /** The agents as they are registered. */
  readonly clan: readonly AgentRegistration[];
  /** Names holders; a container has another at each start, and is the only one. */
  readonly orchestrators: ReadonlyMap<string, Part>;
  /** One more; undefined where an instance has one alone. */
  readonly startOrchestrator?: (holder: string) => Supervised;
  readonly cubs: ReadonlyMap<string, Part>;
  /** Posts a goal, however long it takes to get through. */
  state(goal: Artefact, signal: AbortSignal): Promise<void>;
  /** The people's part of the verdict, at rest. */
  endings(history: History): Promise<Violation[]>;
  /** Holds the log of each process. */
  readonly folder: string;
  /** To be called where the logs are of no use. */
  forgetLogs(): Promise<void>;
};

const silent = createJsonLog(
  () => {},
  () => new Date(),
);
const holders = ["one", "two"];
const chaosCub = await compileForTests("test/chaos/chaos-cub.ts");
const startup = { timeoutMs: 180_000, everyMs: 50 };

/**
 * `failShare`: of an agent's first attempts, how many fail. Resolves when an orchestrator leads and
 * every cub has sent a heartbeat.
 */
export async function startWorld({
  seed,
  failShare,
}: {
  seed: number;
  failShare: (agent: string) => number;
}): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const disk = parts.use(await mountSmallDisk());
  const instance = InstanceName.parse(`chaos-${seed}`);
  const folder = await mkdtemp(join(tmpdir(), `sett-chaos-${seed}-`));
  const redis = parts.use(await startRedisServer(disk));
  const { url } = redis;
  const board = parts.use(await connectBlackboard({ url, instance, ...patient }));
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
    far: undefined,
    board,
    clan,
    disk,
    orchestrators,
    startOrchestrator,
    cubs,
    folder,
    state: async (goal, signal) => {
      const job = () => board.createArtefact(goal, "person:chaos");
      await untilContact(job, { signal, log: silent });
    },
    endings: async () => [],
    forgetLogs: () => rm(folder, { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
