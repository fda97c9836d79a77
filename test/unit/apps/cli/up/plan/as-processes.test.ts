import { describe, expect, test } from "bun:test";
import { urlFor } from "../../../../../../apps/cli/services/redis-users.ts";
import { asProcesses } from "../../../../../../apps/cli/up/plan/as-processes.ts";
import { planInstance } from "../../../../../../apps/cli/up/plan/plan.ts";
import type { RedisUser } from "../../../../../../lib/blackboard/redis/users.ts";
import { parseConfig } from "../../../../../../lib/config/parse-config.ts";
import { sharedFolders } from "../../../../../../lib/git/exchange/shared-folders.ts";
import type { SettConfig } from "../../../../../../lib/model/config.ts";
import { InstanceName } from "../../../../../../lib/model/ids.ts";
import { agentName } from "../../../../../support/records/sample.ts";

const text = `version: '1.0'
agents:
  coder:
    image: some/image:1
    command: ["./run.sh", "two words"]
    environment: { LOG_LEVEL: debug, GIT_CONFIG_GLOBAL: /home/ada/.gitconfig }
    workspace: { mode: rw }
    prompts: { execution: "Do it" }
  reader:
    image: other:2
    command: [read]
`;

function configOf(yaml: string): SettConfig {
  const { config } = parseConfig({ text: yaml, file: "sett.yml", folder: "/work", host: {} });
  if (config === undefined) throw new Error("The configuration is wrong.");
  return config;
}

const image = {
  tag: "machine",
  id: "machine",
  env: { HOME: "/home/ada", LD_LIBRARY_PATH: "/opt/lib" },
};
const config = configOf(text);
const withModels = `${text}    model: local
models:
  local: { provider: openai, base_url: "http://host.docker.internal:11434/v1", model: qwen3-coder }
`;

const planned = (config: SettConfig) =>
  planInstance({
    instance: InstanceName.parse("demo"),
    workspace: "/home/ada/repository",
    version: "1.2.3",
    id: "0123456789abcdef.1790000000",
    config,
    registrations: [],
    repository: {
      foldersFor: (reader) =>
        sharedFolders(
          {
            objectsDir: "/home/ada/repository/.git/sett/objects/demo",
            exchangeDir: "/home/ada/repository/.git/sett/exchange/demo",
          },
          reader,
        ),
      user: { uid: 1000, gid: 1000 },
    },
    images: {
      redis: image,
      orchestrator: image,
      gateway: image,
      cub: image,
      agents: new Map([
        [agentName("coder"), image],
        [agentName("reader"), image],
      ]),
    },
    password: "secret",
    machine: { cpus: 4, memoryBytes: 6e9, canLimitSystemCalls: true, canLimitProcessors: true },
    engineSocket: undefined,
  });
const containers = planned(config);
const redisUrl = (user: RedisUser) =>
  urlFor({ host: "127.0.0.1", port: 40_001, ownerPassword: "secret" }, user);

function processes(
  over: { version?: string; port?: number; config?: SettConfig } = {},
  plan = containers,
) {
  const { version = "7.0 1 2", port = 40_001 } = over;
  const programs = {
    api: ["/opt/sett/sett-api"],
    cub: ["/opt/sett/sett-cub"],
    gateway: ["/opt/sett/sett-gateway"],
    orchestrator: ["/opt/sett/sett-orchestrator"],
    version,
  };
  return asProcesses(plan, {
    config,
    programs,
    workspace: "/home/ada/repository",
    ports: { redis: port, gateway: 40_100, api: 40_200 },
    processes: { folder: "/home/ada/.local/state/sett", supervisor: ["sett", "supervise"] },
    ...over,
  });
}

describe("the plan of an instance without containers", () => {
  const { redis, orchestrator, agents, ...rest } = processes();
  const [coder, reader] = agents.map(({ spec }) => spec);

  test("has the same parts, of the same names, and what holds their data", () => {
    const names = (plan: typeof containers) =>
      [plan.redis, plan.orchestrator, ...plan.agents.map(({ spec }) => spec)].map(
        ({ name }) => name,
      );
    expect(names(processes())).toEqual(names(containers));
    const { redis: _, orchestrator: __, agents: ___, ...kept } = containers;
    expect(rest).toEqual(kept);
    expect(rest.gateway).toBeUndefined();
    expect(agents.map(({ workspace }) => workspace)).toEqual(
      containers.agents.map(({ workspace }) => workspace),
    );
  });

  test("gives an agent the environment of its container, without what the carrier and the filter of system calls add", () => {
    const names = Object.keys(containers.agents[0]?.spec.env ?? {});
    const missing = names.filter((name) => !(name in (coder?.env ?? {})));
    expect(missing.sort()).toEqual([
      "LD_LIBRARY_PATH",
      "SETT_GIT_LIBRARY_PATH",
      "SETT_STOP_SIGNAL",
    ]);
    expect(coder).toMatchObject({
      entrypoint: ["/opt/sett/sett-cub"],
      workingDir: "/home/ada/repository",
      env: {
        HOME: "/home/ada",
        LOG_LEVEL: "debug",
        REDIS_URL: redisUrl({ role: "agent", agent: agentName("coder") }),
        SETT_AGENT_COMMAND: '["./run.sh","two words"]',
        SETT_GIT_BINARY: "git",
        SETT_OBJECTS_DIR: "/home/ada/repository/.git/sett/objects/demo",
        SETT_EXCHANGE_DIR: "/home/ada/repository/.git/sett/exchange/demo",
        SETT_PROMPT_EXECUTION: "Do it",
        SETT_IMAGE_LD_LIBRARY_PATH: "/opt/lib",
      },
    });
  });

  test("puts an agent where its volume is mounted", () => {
    const target = coder?.env.SETT_WORKSPACE_DIR;
    expect(coder?.mounts).toContainEqual({
      kind: "volume",
      volume: "sett-demo-workspace-coder",
      target: "/workspace",
      access: "rw",
    });
    expect(target).toBe("/workspace");
    const data = redis.mounts.find(
      (mount) => mount.kind === "volume" && mount.volume === "sett-demo-blackboard",
    );
    expect(redis.workingDir).toBe(data?.target);
  });

  test("keeps the user's git settings from the agents, unless one names them", () => {
    expect(reader?.env).toMatchObject({ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" });
    expect(coder?.env.GIT_CONFIG_GLOBAL).toBe("/home/ada/.gitconfig");
  });

  test("lets every service listen on this machine alone", () => {
    for (const { env } of [orchestrator, coder, reader].flatMap((spec) => spec ?? []))
      expect(env).toMatchObject({ SETT_HEALTH_HOST: "127.0.0.1", SETT_HEALTH_PORT: "0" });
    expect(redis.entrypoint?.join(" ")).toContain("bind 127.0.0.1\n");
    expect(redis.ports).toEqual([{ port: 6379, hostPort: 40_001 }]);
    expect(JSON.stringify([redis.entrypoint, orchestrator.env])).not.toContain("secret");
  });

  test("is made from something else when a program or the port is another, and only then", () => {
    const fingerprint = (plan: typeof containers) =>
      [plan.redis, plan.orchestrator, ...plan.agents.map(({ spec }) => spec)].map(
        ({ labels }) => labels.fingerprint,
      );
    const now = fingerprint(processes());
    expect(fingerprint(processes())).toEqual(now);
    for (const other of [
      fingerprint(processes({ version: "7.0 1 3" })),
      fingerprint(processes({ port: 40_002 })),
      fingerprint(containers),
    ])
      for (const [index, each] of other.entries()) expect(each).not.toBe(now[index]);
  });

  test("gives the orchestrator, where there are workers, what it needs to start them as agents are started", () => {
    expect(Object.keys(orchestrator.env)).not.toContain("SETT_WORKERS");
    const scalable = configOf(
      text.replace("  reader:\n", "  reader:\n    strategy: fresh_per_call\n    replicas: 3\n"),
    );
    const { SETT_WORKERS: workers = "", SETT_PROCESSES: how = "" } = processes({ config: scalable })
      .orchestrator.env;
    expect(JSON.parse(workers)).toEqual([
      { agent: "reader", replicas: 3, spec: JSON.parse(JSON.stringify(reader)) },
    ]);
    expect(JSON.parse(how)).toEqual({
      folder: "/home/ada/.local/state/sett",
      supervisor: ["sett", "supervise"],
    });
  });
});

test("the gateway of an instance without containers listens on a port of its own, where agents with a model find it, and finds models of this machine", () => {
  const { gateway, agents } = processes({}, planned(configOf(withModels)));
  expect(gateway?.program).toEqual(["/opt/sett/sett-gateway"]);
  expect(gateway?.spec.ports).toEqual([{ port: 8080, hostPort: 40_100 }]);
  expect(gateway?.spec.env).toMatchObject({
    SETT_HEALTH_HOST: "127.0.0.1",
    SETT_HEALTH_PORT: "40100",
    REDIS_URL: redisUrl({ role: "gateway" }),
  });
  expect(gateway?.spec.env.SETT_MODELS).toContain('"base_url":"http://127.0.0.1:11434/v1"');
  expect(agents.map(({ spec }) => spec.env.SETT_GATEWAY_URL)).toEqual([
    undefined,
    "http://127.0.0.1:40100",
  ]);
});

test("the key of the page's sessions lasts as long as the instance, also when Redis gets another port", () => {
  const withApi = configOf(`${text}triggers: { nightly: { cron: "0 3 * * *", goal: Clean up } }\n`);
  const keyOf = (port: number) =>
    processes({ config: withApi, port }, planned(withApi)).api?.spec.env.SETT_API_SESSION_KEY;
  expect(keyOf(40_001)).toMatch(/^[0-9a-f]{64}$/);
  expect(keyOf(40_002)).toBe(keyOf(40_001) ?? "");
});
