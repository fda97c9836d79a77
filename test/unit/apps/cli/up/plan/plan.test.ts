import { describe, expect, test } from "bun:test";
import type { PlanInput } from "../../../../../../apps/cli/services/input.ts";
import { stopSecondsOf } from "../../../../../../apps/cli/services/limits.ts";
import { passwordFor, urlFor } from "../../../../../../apps/cli/services/redis-users.ts";
import { readSettings } from "../../../../../../apps/orchestrator/settings.ts";
import type { AgentRegistration } from "../../../../../../lib/model/agent.ts";
import { NoticeKind } from "../../../../../../lib/model/notify.ts";
import { Policy } from "../../../../../../lib/model/policy.ts";
import { joinSecret } from "../../../../../../lib/model/split-secret.ts";
import type { EngineSocket } from "../../../../../../lib/runtime/docker/translate.ts";
import { repositoryAt, sampleConfig, samplePlan } from "../../../../../support/cli/sample-plan.ts";
import { agentName, sampleAgent } from "../../../../../support/records/sample.ts";

const text = `version: '1.0'
limits: { bid_deadline: 10s }
agents:
  coder:
    role: builder
    image: some/image:1
    command: ["/app/run.sh", "two words"]
    environment: { LOG_LEVEL: debug }
    workspace: { mode: rw, paths: ["services/door/", "*.md"] }
    resources: { limits: { cpus: '0.50', memory: 512M }, reservations: { memory: 256M } }
    prompts: { execution: "Do it" }
  reader:
    image: other:2
    command: [read]
`;

const configOf = sampleConfig;

const user = { uid: 1000, gid: 1001 };
const redisAddress = { host: "sett-demo-redis", port: 6379, ownerPassword: "secret" };

function plan(over: Partial<PlanInput> = {}, socket?: EngineSocket) {
  const input = {
    repository: repositoryAt(
      "/home/ada/repository/.git/sett/objects/demo",
      "/home/ada/repository/.git/sett/exchange/demo",
    ),
    images: {
      redis: { tag: "redis:7-alpine", id: "sha256:1", env: {} },
      orchestrator: { tag: "sett/orchestrator:1.2.3", id: "sha256:2", env: {} },
      agents: new Map([
        [
          agentName("coder"),
          {
            tag: "some/image:1",
            id: "sha256:3",
            env: { LD_LIBRARY_PATH: "/opt/lib", BUN_OPTIONS: "--smol" },
          },
        ],
        [
          agentName("reader"),
          { tag: "other:2", id: "sha256:4", env: { HOME: "/home/reader", USER: "ada" } },
        ],
      ]),
    },
  };
  const cub = { tag: "sett/cub:1.2.3", id: "sha256:0123456789abcdef" };
  const made = samplePlan(
    over.config ?? configOf(text),
    { ...input, ...over },
    { cub, ...(socket && { socket }) },
  );
  return { ...made, redis: made.redis.spec, orchestrator: made.orchestrator.spec };
}

test("the recorder writes the record alone, in no network, and an agent has a way of its own to it", () => {
  const { recorder, agents } = plan();
  expect(recorder?.spec).toMatchObject({ network: "none", user, capabilities: "none" });
  expect(recorder?.spec.env).not.toHaveProperty("REDIS_URL");
  expect(recorder?.spec.mounts).toContainEqual({
    kind: "volume",
    volume: "sett-demo-record",
    target: "/record",
    access: "rw",
  });
  for (const { agent, spec } of agents) {
    const ways = spec.mounts.flatMap((mount) =>
      mount.kind === "volume" && /record/.test(mount.volume) ? [mount] : [],
    );
    expect(ways).toEqual([
      {
        kind: "volume",
        volume: `sett-demo.recorder.${agent}`,
        target: "/run/sett/recorder",
        access: "ro",
      },
    ]);
  }
  const none = plan({ config: configOf(text.replace("bid_deadline: 10s", "output: 0")) });
  expect(none.recorder).toBeUndefined();
  expect(none.agents.some(({ spec }) => "SETT_RECORDER_URL" in spec.env)).toBe(false);
});

test("cubs get the limit of the context where sett.yml sets one", () => {
  expect(specOf("coder").env).not.toHaveProperty("SETT_CONTEXT_BYTES");
  const config = configOf(text.replace("bid_deadline: 10s", "context: 128M"));
  for (const { spec } of plan({ config }).agents)
    expect(spec.env.SETT_CONTEXT_BYTES).toBe(String(128 * 1024 ** 2));
});

const specOf = (name: string) => {
  const found = plan().agents.find(({ agent }) => agent === agentName(name));
  if (found === undefined) throw new Error(`no ${name}`);
  return found.spec;
};

describe("the plan of an instance", () => {
  const { redis, orchestrator, agents, networks, services } = plan();

  test("names every part after the instance and labels it with all there is to know", () => {
    const parts = [...services, ...agents];
    const names = [
      ...networks,
      ...parts.flatMap(({ volumes }) => volumes),
      ...parts.map(({ spec }) => spec),
    ];
    expect([...new Set(names.map(({ name }) => name))]).toEqual([
      "sett-demo",
      "sett-demo-blackboard",
      "sett-demo.redis",
      "sett-demo-record",
      "sett-demo.recorder.coder",
      "sett-demo.recorder.reader",
      "sett-demo-cub-0123456789ab",
      "sett-demo-workspace-coder",
      "sett-demo-workspace-reader",
      "sett-demo-redis",
      "sett-demo-orchestrator",
      "sett-demo-recorder",
      "sett-demo-agent-coder",
      "sett-demo-agent-reader",
    ]);
    const common = { instance: "demo", workspace: "/home/ada/repository", version: "1.2.3" };
    for (const { labels } of names) expect(labels).toMatchObject(common as never);
    expect(specOf("coder").labels).toMatchObject({
      component: "agent",
      agent: "coder",
      role: "builder",
    } as never);
  });

  test("lets no process be root, gain privileges or have a capability, and is restarted after a crash", () => {
    for (const spec of [redis, orchestrator, ...agents.map((each) => each.spec)]) {
      expect(spec.user?.uid).toBeGreaterThan(0);
      expect(spec.capabilities).toBe("none");
      expect(spec.pidsLimit).toBeGreaterThan(0);
      expect(spec.restart).toBe("unless-stopped");
    }
  });

  test("shows no password among the arguments of a process", () => {
    const { entrypoint, command, env } = redis;
    expect(JSON.stringify([entrypoint, command])).not.toContain("secret");
    expect(env).toEqual({
      REDISCLI_AUTH: "secret",
      SETT_REDIS_USERS: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(redis.entrypoint?.join(" ")).toContain("appendfsync everysec");
    expect(redis.entrypoint?.join(" ")).toContain("noeviction");
    expect(redis.entrypoint?.join(" ")).toContain(
      '"save \\"\\"" "maxmemory $maxmemory" "maxmemory-clients $maxmemory_clients"',
    );
    expect(redis.ports).toEqual([{ port: 6379 }]);
  });

  test("gives each service the password of its own user of Redis, and no other's", () => {
    const { env: ofCoder, entrypoint } = specOf("coder");
    expect(ofCoder.REDIS_URL).toBe("redis+unix://agent-coder@localhost/run/sett/redis/redis.sock");
    const argument = entrypoint?.[1]?.slice("--login=".length) ?? "";
    expect(joinSecret({ environment: ofCoder.SETT_LOGIN ?? "", argument })).toBe(
      passwordFor("secret", { role: "agent", agent: agentName("coder") }),
    );
    const passwords = plan().users.map(({ password }) => password);
    expect(new Set([...passwords, "secret"]).size).toBe(5);
    const own = new URL(orchestrator.env.REDIS_URL ?? "").password;
    expect(passwords).toContain(own);
    // The whole of an agent's password is in no description of its container.
    for (const { env } of [orchestrator, ...agents.map(({ spec }) => spec)])
      for (const other of ["secret", ...passwords])
        if (other !== own || env !== orchestrator.env)
          expect(JSON.stringify(env)).not.toContain(other);
  });

  test("keeps the users in a file that the owner's password is put into before Redis starts", () => {
    const script = redis.entrypoint?.join(" ") ?? "";
    expect(script).toContain("aclfile /data/users.acl");
    expect(script).toContain('"$SETT_REDIS_USERS"');
  });

  test("gives the orchestrator its policy and a name to take its leader lease again with", () => {
    expect(Policy.parse(JSON.parse(orchestrator.env.SETT_POLICY ?? ""))).toMatchObject({
      bid_deadline_ms: 10_000,
      review_rounds: 3,
    });
    expect(orchestrator.env).toMatchObject({
      SETT_HOLDER: "orchestrator",
      REDIS_URL: urlFor(redisAddress, { role: "orchestrator" }),
    });
    expect(orchestrator.mounts.some(({ kind }) => kind === "bind")).toBe(false);
  });
});

test("the orchestrator gets its webhooks, and a change of them replaces its container", () => {
  const hooks = (url: string) =>
    `notify:\n  - { url: "${url}", secret: "a secret of some length" }\n`;
  const orchestratorFor = (url: string) =>
    plan({ config: configOf(text + hooks(url)) }).orchestrator;
  const one = orchestratorFor("https://example.org/one");
  expect(JSON.parse(one.env.SETT_NOTIFY ?? "")).toEqual([
    {
      url: "https://example.org/one",
      secret: "a secret of some length",
      on: [...NoticeKind.options],
      remind_every_ms: 86_400_000,
    },
  ]);
  expect(readSettings(one.env).notify.hooks).toEqual(JSON.parse(one.env.SETT_NOTIFY ?? ""));
  expect(orchestratorFor("https://example.org/one").labels.fingerprint).toBe(
    one.labels.fingerprint,
  );
  expect(orchestratorFor("https://example.org/two").labels.fingerprint).not.toBe(
    one.labels.fingerprint,
  );
  expect(plan().orchestrator.env).not.toHaveProperty("SETT_NOTIFY");
});

test("an agent goes on where other people sign than before, and not with other rules for its bids", () => {
  const coderOf = (over: Partial<AgentRegistration>) =>
    plan({ registrations: [sampleAgent("coder", over)] }).agents[0]?.spec.labels.fingerprint;
  const before = coderOf({});
  expect(before).toBeString();
  expect(coderOf({ signing: { signers: "some", people: [], required: true } })).toBe(before);
  expect(coderOf({ retries: 7 })).not.toBe(before);
});

test("where an agent has workers, the starter alone gets the engine's socket, its group, and each agent's plan, the image by its id", () => {
  const scalable = text.replace(
    "    command: [read]\n",
    "    command: [read]\n    replicas: 3\n    strategy: fresh_per_call\n",
  );
  const { orchestrator, starter, agents } = plan(
    { config: configOf(scalable) },
    { path: "/run/engine.sock", gid: 101 },
  );
  expect(starter?.spec.mounts).toContainEqual({
    kind: "bind",
    path: "/run/engine.sock",
    target: "/var/run/docker.sock",
    access: "rw",
  });
  expect(starter?.spec).toMatchObject({
    groups: [101],
    user: { uid: 10001 },
    network: "none",
    isRootReadOnly: true,
  });
  const reader = agents.find(({ agent }) => agent === agentName("reader"));
  expect(JSON.parse(starter?.spec.env.SETT_WORKERS ?? "")).toEqual([
    {
      agent: "reader",
      replicas: 3,
      spec: { ...JSON.parse(JSON.stringify(reader?.spec)), image: "sha256:4" },
    },
  ]);
  expect(starter?.spec.env.REDIS_URL).toBeUndefined();
  expect(JSON.parse(orchestrator.env.SETT_WORKERS ?? "")).toEqual([
    { agent: "reader", replicas: 3 },
  ]);
  const others = [orchestrator, ...agents.map(({ spec }) => spec)].map(({ mounts }) =>
    JSON.stringify(mounts),
  );
  expect(others.map((mounts) => mounts.includes("docker.sock"))).toEqual([false, false, false]);
  expect(others.map((mounts) => mounts.includes("sett-demo.starter"))).toEqual([
    true,
    false,
    false,
  ]);
  expect(plan().starter).toBeUndefined();
});

describe("the container of an agent", () => {
  test("starts with the cub and hands it what sett.yml says", () => {
    const { entrypoint, env, healthcheck, user: owner } = specOf("coder");
    expect(entrypoint).toEqual(["/cub/cub", expect.stringMatching(/^--login=[0-9a-f]{128}$/)]);
    expect(healthcheck).toMatchObject({ command: ["/cub/cub", "--healthcheck"] });
    expect(owner).toEqual(user);
    expect(JSON.parse(env.SETT_AGENT_COMMAND ?? "")).toEqual(["/app/run.sh", "two words"]);
    expect(env).toMatchObject({
      SETT_AGENT_NAME: "coder",
      SETT_AGENT_ROLE: "builder",
      SETT_PROMPT_EXECUTION: "Do it",
      SETT_WORKSPACE_PATHS: '["services/door/","*.md"]',
      LOG_LEVEL: "debug",
      SETT_OBJECTS_DIR: "/git/objects",
      SETT_EXCHANGE_DIR: "/git/exchange",
    });
    expect(env.SETT_PROMPT_CLAIM).toBeUndefined();
    expect(specOf("reader").env.SETT_WORKSPACE_PATHS).toBeUndefined();
  });

  test("keeps the image's library path for its tools, and the image's Bun settings from the cub", () => {
    expect(specOf("coder").env).toMatchObject({
      LD_LIBRARY_PATH: "/cub",
      SETT_IMAGE_LD_LIBRARY_PATH: "/opt/lib",
      BUN_OPTIONS: "",
    });
    expect(specOf("reader").env.SETT_IMAGE_LD_LIBRARY_PATH).toBeUndefined();
  });

  test("has a home to write to, unless the image gives one", () => {
    expect(specOf("coder").env.HOME).toBe("/tmp");
    expect(specOf("reader").env.HOME).toBe("/home/reader");
  });

  test("has the agent's name as its user's, unless the image gives one", () => {
    expect(specOf("coder").env).toMatchObject({ USER: "coder", LOGNAME: "coder" });
    expect(specOf("reader").env).toMatchObject({ USER: "ada", LOGNAME: "ada" });
  });

  test("starts in a folder of its image only where none would have to be made among Sett's own", () => {
    const folderOf = (workingDir: string) => {
      const image = { tag: "some/image:1", id: "sha256:3", env: { HOME: "" }, workingDir };
      const labels = { "dev.sett.owner": "mallory" };
      const agents = new Map([[agentName("coder"), { ...image, labels }]]);
      const made = plan({ images: { orchestrator: image, redis: image, agents } });
      const spec = made.agents.find(({ agent }) => agent === "coder")?.spec;
      expect(spec?.env).toMatchObject({ HOME: "/tmp", USER: "coder" });
      return spec?.workingDir;
    };
    for (const own of ["/workspace/app", "/git/exchange/x", "/tmp/x", "/cub/x", "/run/sett/x"])
      expect([own, folderOf(own)]).toEqual([own, "/workspace"]);
    for (const other of ["", "/", "/app", "/workspace", "/workspaces/door", "/run/settled"])
      expect([other, folderOf(other)]).toEqual([other, undefined]);
  });

  test("sees of the host its committed objects and the exchange, read-only but for the own folder of an rw agent", () => {
    const binds = (name: string) =>
      specOf(name).mounts.flatMap((mount) =>
        mount.kind === "bind" ? [[mount.path, mount.target, mount.access]] : [],
      );
    const objects = ["/home/ada/repository/.git/sett/objects/demo", "/git/objects", "ro"];
    const exchange = ["/home/ada/repository/.git/sett/exchange/demo", "/git/exchange"];
    const own = exchange.map((path) => `${path}/coder`);
    expect(binds("coder")).toEqual([objects, [...exchange, "ro"], [...own, "rw"]]);
    expect(binds("reader")).toEqual([objects, [...exchange, "ro"]]);
  });

  test("stops at the signal that its command cannot send, where system calls can be limited", () => {
    const settingsOf = (canLimitSystemCalls: boolean) => {
      const machine = { cpus: 4, memoryBytes: 6e9, canLimitProcessors: true, canLimitSystemCalls };
      return plan({ machine }).agents.map(({ spec }) => [
        spec.stopSignal,
        spec.env.SETT_STOP_SIGNAL,
        spec.systemCalls,
      ]);
    };
    const [narrow, usual] = [["SIGSYS", "SIGSYS", "narrow"], Array(3).fill(undefined)];
    expect(settingsOf(true)).toEqual([narrow, narrow]);
    expect(settingsOf(false)).toEqual([usual, usual]);
  });

  test("has the resources that were asked for, and time for its tool to end", () => {
    const { resources, stopTimeoutSeconds } = specOf("coder");
    expect(resources).toEqual({
      ...{ nanoCpus: 5e8, memoryBytes: 512 * 1024 ** 2, reservedMemoryBytes: 256 * 1024 ** 2 },
      ...{
        openFiles: 4096,
        fileBytes: 10 * 1024 ** 3,
        pendingSignals: 1024,
        queueBytes: 0,
        oomScore: 500,
      },
    });
    expect(specOf("reader").resources).toMatchObject({ nanoCpus: 3e9, memoryBytes: 3e9 });
    expect(stopTimeoutSeconds).toBe(40);
  });
});

test("an agent leaves some of the machine to the others, unless sett.yml says otherwise", () => {
  const of = (
    resources: string,
    machine: Omit<PlanInput["machine"], "canLimitSystemCalls" | "canLimitProcessors">,
    canLimitProcessors = true,
  ) => {
    const config = configOf(
      `version: '1.0'\nagents:\n  a:\n    image: some/image:1\n    command: [run]\n${resources}`,
    );
    const [agent] = plan({
      config,
      machine: { ...machine, canLimitSystemCalls: false, canLimitProcessors },
    }).agents;
    return { ...agent?.spec.resources, pids: agent?.spec.pidsLimit };
  };
  const gibibyte = 1024 ** 3;
  expect(of("", { cpus: 4, memoryBytes: 6 * gibibyte })).toMatchObject({
    nanoCpus: 3e9,
    memoryBytes: 3 * gibibyte,
    pids: 2304,
  });
  expect(of("", { cpus: 1, memoryBytes: 64 * gibibyte })).toMatchObject({
    nanoCpus: 75e7,
    memoryBytes: 8 * gibibyte,
  });
  const limits = "    resources: { limits: { cpus: 4, memory: 5G, pids: 100, disk: 1G } }\n";
  expect(of(limits, { cpus: 4, memoryBytes: 6 * gibibyte })).toMatchObject({
    ...{ nanoCpus: 4e9, memoryBytes: 5 * gibibyte, pids: 356, fileBytes: gibibyte },
  });
  const reserved = "    resources: { reservations: { cpus: 3.5, memory: 4G } }\n";
  expect(of(reserved, { cpus: 4, memoryBytes: 6 * gibibyte })).toMatchObject({
    nanoCpus: 35e8,
    memoryBytes: 4 * gibibyte,
  });
  expect(of("", { cpus: 4, memoryBytes: 6 * gibibyte }, false).nanoCpus).toBeUndefined();
  expect(of(limits, { cpus: 4, memoryBytes: 6 * gibibyte }, false).nanoCpus).toBe(4e9);
});

test("Redis has the memory that sett.yml gives it, and keeps half of it", () => {
  const services = "services: { redis: { resources: { limits: { memory: 1G, cpus: 2 } } } }\n";
  const { redis } = plan({ config: configOf(`${text}${services}`) });
  expect(redis.resources).toEqual({ memoryBytes: 1024 ** 3, nanoCpus: 2e9, reservedNanoCpus: 8e9 });
  expect(redis.entrypoint?.at(-1)).toContain(`\nmaxmemory=${512 * 1024 ** 2}\n`);
  expect(plan().redis.resources).toEqual({ reservedNanoCpus: 8e9 });
  expect(plan().redis.entrypoint?.at(-1)).toContain("MemTotal");
});

test("parts get the times and ports of sett.yml, and as much time to end", () => {
  const timed = text
    .replace("{ bid_deadline: 10s }", "{ shutdown: 1m, lease: 20s }")
    .replace(
      "    command: [read]\n",
      "    command: [read]\n    shutdown: 90.5s\n    health_port: 9000\n",
    )
    .concat(
      "services: { orchestrator: { health_port: 9001 }, redis: { timeout: 1s, give_up: 2m } }\n",
    );
  const { orchestrator, agents } = plan({ config: configOf(timed) });
  const common = {
    SETT_REDIS_TIMEOUT: "1000ms",
    SETT_REDIS_GIVE_UP: "120000ms",
    SETT_GRANT_LEASE: "20000ms",
  };
  expect(orchestrator.env).toMatchObject({ ...common, SETT_HEALTH_PORT: "9001" });
  const [coder, reader] = agents.map(({ spec }) => spec);
  expect(coder?.env).toMatchObject({ ...common, SETT_SHUTDOWN_TIMEOUT: "60000ms" });
  expect(coder?.env).not.toHaveProperty("SETT_HEALTH_PORT");
  expect(reader?.env).toMatchObject({
    ...common,
    SETT_SHUTDOWN_TIMEOUT: "90500ms",
    SETT_HEALTH_PORT: "9000",
  });
  expect([coder?.stopTimeoutSeconds, reader?.stopTimeoutSeconds]).toEqual([70, 101]);
  expect([coder, reader].map((spec) => spec && stopSecondsOf(spec))).toEqual([70, 101]);
});

test("on an Engine elsewhere no part has a folder of this machine, and no port leads there", () => {
  const far = samplePlan(configOf(text), {}, { isNear: false });
  const near = samplePlan(configOf(text));
  const binds = ({ agents, services }: typeof far) =>
    [...agents, ...services].flatMap(({ spec }) =>
      spec.mounts.filter(({ kind }) => kind === "bind"),
    );
  expect(binds(near).length).toBeGreaterThan(0);
  expect(binds(far)).toEqual([]);
  expect(near.redis?.spec.ports).toEqual([{ port: 6379 }]);
  expect(far.redis?.spec.ports).toEqual([{ port: 6379, isInside: true }]);
});

test("an agent with `mode: none` sees nothing of the repository", () => {
  const without = configOf(
    "version: '1.0'\nagents:\n  one: { image: some/image:1, command: [run], workspace: { mode: none } }\n",
  );
  const { agents } = samplePlan(without, { isLayered: true });
  expect(agents[0]?.spec.mounts.filter(({ kind }) => kind === "bind")).toEqual([]);
  expect(agents[0]?.spec.env.SETT_OBJECTS_DIR).toBeUndefined();
  expect(agents[0]?.volumes.some(({ over }) => over !== undefined)).toBe(false);
});
