// A goal that ends in a commit: a Redis, a repository, an orchestrator, a gateway and an agent
// `painter`, each started by a command of the test's.
import { join } from "node:path";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { settRef } from "../../../lib/git/repository/refs.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { AgentName, CommitHash } from "../../../lib/model/ids.ts";
import { exchangeScene } from "../git/exchange-scene.ts";
import { git, instance } from "../git/sample-repository.ts";
import { type ServiceProcess, startProgram } from "../process/service-process.ts";
import { sampleAgent, sampleArtefact } from "../records/sample.ts";
import { startRedisServer } from "../redis/redis-server.ts";
import { waitFor } from "../wait-for.ts";

/** Each of its outputs is opened by name, its input twice. */
const tool = `
  goal=$(cat /dev/stdin) && [ "$goal" = "$(cat /dev/stdin)" ] || exit 1
  echo green > door.txt
  git add -A && git commit --quiet --message 'Paint the door' > /dev/stderr
  printf '{"artefact_type":"CodeCommit","artefact_payload":"%s","summary":"Painted"}' "$(git rev-parse HEAD)" > /dev/stdout`;

type App = "orchestrator" | "gateway" | "cub";
type Painting = {
  /** The command for each program, and what it needs in its environment. */
  command: (app: App) => [string, ...string[]];
  env: Record<string, string>;
  /** The slower the programs, the longer. */
  timeoutMs: number;
};

export async function startPainting({ command, env, timeoutMs }: Painting) {
  const host = await exchangeScene();
  const { packs: _ } = host.agent("painter");
  const redis = await startRedisServer();
  const board = await connectBlackboard({
    url: redis.url,
    instance,
    timeoutMs: 60_000,
    giveUpMs: 60_000,
    onLost: () => {},
  });
  // A program that is slower than its lease loses an attempt, and has another.
  await board.registerAgents(
    [sampleAgent("painter", { workspace_mode: "rw", retries: 5 })],
    "person:test",
    { exact: true },
  );
  const common = {
    ...env,
    SETT_INSTANCE_NAME: instance,
    REDIS_URL: redis.url,
    SETT_HEALTH_PORT: "0",
  };
  const services = {
    orchestrator: startProgram(command("orchestrator"), common),
    // No agent has a model: it only runs.
    gateway: startProgram(command("gateway"), {
      ...common,
      SETT_MODELS: "{}",
      SETT_MODEL_AGENTS: "{}",
      SETT_RECORD_DIR: join(host.root, "record"),
    }),
    cub: startProgram(command("cub"), {
      ...common,
      SETT_AGENT_NAME: "painter",
      SETT_AGENT_COMMAND: JSON.stringify(["/bin/sh", "-c", tool]),
      SETT_GIT_BINARY: "git",
      SETT_OBJECTS_DIR: host.objectsDir,
      SETT_EXCHANGE_DIR: host.exchangeDir,
      SETT_WORKSPACE_DIR: join(host.root, "workspace"),
    }),
  };
  const started = (app: App) =>
    waitFor(
      `the ${app} to start`,
      () =>
        followed(services[app]).find(({ msg }) =>
          /^(?:Orchestrator|Gateway|Cub) started$/.test(msg),
        ),
      {
        timeoutMs,
      },
    );
  return {
    services,
    timeoutMs,
    /** Returns what `/healthz` says, once it is 200. */
    async wellness(app: App): Promise<unknown> {
      const { port } = await started(app);
      const ask = async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
        return answer.status === 200 ? await answer.json() : undefined;
      };
      return waitFor(`the ${app} to be well`, ask, { timeoutMs });
    },
    /** States a goal and resolves with the commit that the agent has made for it. */
    async paint(): Promise<Artefact> {
      const goal = sampleArtefact({ metadata: { commit: host.base } });
      await board.createArtefact(goal, "person:test");
      return waitFor(
        "the goal to be worked on",
        async () => {
          for (const service of Object.values(services)) followed(service);
          const results = await Promise.all(
            (await board.listArtefactsOfGoal(goal.goal_id)).map((id) => board.readArtefact(id)),
          );
          const failure = results.find((result) => result?.type === "ToolExecutionFailure");
          if (failure !== undefined) throw new Error(failure.payload);
          return results.find((result) => result?.type === "CodeCommit");
        },
        { timeoutMs },
      );
    },
    /** A file of an artefact's commit, once the host has fetched it. */
    async painted({ id, metadata }: Artefact, file: string) {
      const made = {
        artefact: id,
        commit: CommitHash.parse(metadata.commit),
        agent: AgentName.parse("painter"),
      };
      await host.repository.fetchCommits(instance, [made]);
      return git(host.path, "show", `${settRef(instance, id)}:${file}`);
    },
    async [Symbol.asyncDispose]() {
      for (const service of Object.values(services)) await service[Symbol.asyncDispose]();
      await board[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
      host[Symbol.dispose]();
    },
  };
}

/**
 * Its log so far. Throws what it has said on stderr, rather than wait for a program that has none
 * to say any more.
 */
function followed(service: ServiceProcess) {
  if (service.errors() !== "") throw new Error(`It complains:\n${service.errors()}`);
  return service.log();
}
