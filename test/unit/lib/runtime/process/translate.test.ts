import { describe, expect, test } from "bun:test";
import { urlFor } from "../../../../../apps/cli/services/redis-users.ts";
import type { RedisUser } from "../../../../../lib/blackboard/redis/users.ts";
import type { SettConfig } from "../../../../../lib/model/config.ts";
import { processTranslation } from "../../../../../lib/runtime/process/translate.ts";
import {
  repositoryAt,
  type SamplePlan,
  sampleConfig,
  samplePlan,
} from "../../../../support/cli/sample-plan.ts";
import { agentName } from "../../../../support/records/sample.ts";

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

const configOf = sampleConfig;

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

const over = {
  repository: repositoryAt(
    "/home/ada/repository/.git/sett/objects/demo",
    "/home/ada/repository/.git/sett/exchange/demo",
  ),
  images: {
    redis: image,
    orchestrator: image,
    gateway: image,
    agents: new Map([
      [agentName("coder"), image],
      [agentName("reader"), image],
    ]),
  },
  machine: { cpus: 4, memoryBytes: 6e9, canLimitSystemCalls: false, canLimitProcessors: false },
};
const containers = samplePlan(config, over);
const redisUrl = (user: RedisUser) =>
  urlFor({ host: "127.0.0.1", port: 40_001, ownerPassword: "secret" }, user);

function processes(changed: { version?: string; port?: number; config?: SettConfig } = {}) {
  const { version = "7.0 1 2", port = 40_001 } = changed;
  const programs = {
    api: ["/opt/sett/sett-api"],
    cub: ["/opt/sett/sett-cub"],
    gateway: ["/opt/sett/sett-gateway"],
    orchestrator: ["/opt/sett/sett-orchestrator"],
    version,
  };
  const translation = processTranslation({
    programs,
    workspace: "/home/ada/repository",
    ports: { redis: port, gateway: 40_100, api: 40_200, recorder: port + 300 },
    processes: { folder: "/home/ada/.local/state/sett", supervisor: ["sett", "supervise"] },
  });
  return samplePlan(changed.config ?? config, over, translation);
}

describe("the plan of an instance without containers", () => {
  const { agents, ...plan } = processes();
  const [redis, orchestrator] = [plan.redis.spec, plan.orchestrator.spec];
  const [coder, reader] = agents.map(({ spec }) => spec);

  test("has the same parts, of the same names, and what holds their data", () => {
    const names = ({ services, agents }: SamplePlan) =>
      [...services, ...agents].map(({ spec }) => spec.name);
    expect(names(processes())).toEqual(names(containers));
    const volumes = [...plan.services, ...agents].flatMap((part) => part.volumes);
    expect(volumes.map(({ name }) => name)).toEqual([
      "sett-demo-blackboard",
      "sett-demo-record",
      "sett-demo-workspace-coder",
      "sett-demo-workspace-reader",
    ]);
  });

  test("leaves out the parts that only keep others apart", () => {
    const reaching = configOf(`${text}    egress: [example.com]\n    strategy: fresh_per_call\n`);
    const socket = { path: "/run/docker.sock", gid: 1 };
    const names = ({ services }: SamplePlan) => services.map(({ service }) => service.name);
    expect(names(samplePlan(reaching, over, { socket }))).toEqual([
      "redis",
      "orchestrator",
      "egress",
      "starter",
      "recorder",
    ]);
    const { agents, ...rest } = processes({ config: reaching });
    expect(names({ agents, ...rest })).toEqual(["redis", "orchestrator", "recorder"]);
    expect(agents.map(({ spec }) => spec.env.SETT_EGRESS_URL)).toEqual([undefined, undefined]);
    expect(rest.networks.map(({ name }) => name)).toEqual(["sett-demo"]);
  });

  test("gives an agent the environment of its container, without what a container adds", () => {
    const names = Object.keys(containers.agents[0]?.spec.env ?? {});
    const missing = names.filter((name) => !(name in (coder?.env ?? {})));
    expect(missing.toSorted()).toEqual(["SETT_CAGE", "SETT_GIT_LIBRARY_PATH", "SETT_LOGIN"]);
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
    const fingerprint = ({ services, agents }: SamplePlan) =>
      [...services, ...agents].map(({ spec }) => spec.labels.fingerprint);
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
      .orchestrator.spec.env;
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
  const { gateway, agents } = processes({ config: configOf(withModels) });
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
    processes({ config: withApi, port }).api?.spec.env.SETT_API_SESSION_KEY;
  expect(keyOf(40_001)).toMatch(/^[0-9a-f]{64}$/);
  expect(keyOf(40_002)).toBe(keyOf(40_001) ?? "");
});
