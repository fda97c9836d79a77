// The gateway in the plan of an instance, and what agents know of it.
import { describe, expect, test } from "bun:test";
import { urlFor } from "../../../../../../apps/cli/services/redis-users.ts";
import { sampleConfig, samplePlan, sampleUser } from "../../../../../support/cli/sample-plan.ts";

const agent = (name: string, more = "") =>
  `  ${name}:\n    image: some/image:1\n    command: [run]\n${more}`;
const configOf = (text: string) => sampleConfig(text, { KEY: "a-secret-key" });

describe("the gateway", () => {
  const settings = `models:
  record: digests
  strong: { provider: anthropic, model: claude-one, key: "$KEY", price: { input: 3, output: 15 } }
retention: { transcripts: 30d }
`;
  const thinker = agent(
    "reader",
    "    model: strong\n    budget: { usd: 1 }\n    on_budget: ask\n",
  );
  const config = configOf(
    `version: '1.0'\nlimits: { budget: { calls: 7 } }\n${settings}agents:\n${agent("coder")}${thinker}`,
  );
  const { gateway, agents } = samplePlan(config);

  test("is planned where sett.yml has models, and not otherwise", () => {
    expect(gateway).toMatchObject({
      spec: { name: "sett-demo-gateway" },
      volumes: [
        { name: "sett-demo-record", owner: sampleUser },
        { name: "sett-demo.gateway.reader", owner: sampleUser },
      ],
    });
    expect(
      samplePlan(configOf(`version: '1.0'\nagents:\n${agent("coder")}`)).gateway,
    ).toBeUndefined();
  });

  test("reaches providers by the proxy and with the certificates that are there, and this machine directly", () => {
    const way = { proxy: "http://proxy:3128", no_proxy: "intern", ca: "/etc/company.pem" };
    const { gateway: behind } = samplePlan({ ...config, models: { ...config.models, way } });
    expect(behind?.spec.env).toMatchObject({
      HTTPS_PROXY: "http://proxy:3128",
      HTTP_PROXY: "http://proxy:3128",
      NO_PROXY: "intern,host.docker.internal",
      NODE_EXTRA_CA_CERTS: "/company-ca.pem",
    });
    expect(behind?.spec.mounts).toContainEqual({
      ...{ kind: "bind", path: "/etc/company.pem", target: "/company-ca.pem", access: "ro" },
    });
  });

  test("knows the models, the budgets and who may ask which model, and no key", () => {
    const { SETT_MODELS = "", SETT_MODEL_AGENTS = "", ...env } = gateway?.spec.env ?? {};
    expect(JSON.parse(SETT_MODELS)).toMatchObject({
      strong: {
        provider: "anthropic",
        model: "claude-one",
        base_url: "https://api.anthropic.com/v1",
        needs_key: true,
      },
    });
    expect(JSON.parse(SETT_MODEL_AGENTS)).toEqual({
      reader: { model: "strong", budget: { nanousd: 1_000_000_000 } },
    });
    expect(env).toEqual({
      SETT_INSTANCE_NAME: "demo",
      REDIS_URL: urlFor(
        { host: "sett-demo-redis", port: 6379, ownerPassword: "secret" },
        { role: "gateway" },
      ),
      SETT_REDIS_TIMEOUT: "3000ms",
      BUN_GC_TIMER_INTERVAL: "30000",
      BUN_JSC_useFTLJIT: "0",
      SETT_REDIS_GIVE_UP: "60000ms",
      SETT_HEALTH_PORT: "8080",
      SETT_SOCKETS_DIR: "/run/sett/gateway",
      SETT_GOAL_BUDGET: '{"calls":7}',
      SETT_MODEL_RECORD: "digests",
      SETT_TRANSCRIPT_RETENTION: "2592000000ms",
      SETT_KEYS_DIR: "/keys",
      SETT_RECORD_DIR: "/record",
    });
    expect(JSON.stringify(samplePlan(config))).not.toContain("a-secret-key");
  });

  test("has its keys in memory, can write nothing but its record, and reaches this machine by name", () => {
    expect(gateway?.spec).toMatchObject({
      user: sampleUser,
      capabilities: "none",
      isRootReadOnly: true,
      hostAlias: "host.docker.internal",
    });
    expect(gateway?.spec.mounts).toEqual([
      { kind: "secrets", target: "/keys", sizeBytes: 1024 ** 2 },
      { kind: "volume", volume: "sett-demo-record", target: "/record", access: "rw" },
      {
        kind: "volume",
        volume: "sett-demo.gateway.reader",
        target: "/run/sett/gateway/reader",
        access: "rw",
      },
      { kind: "tmpfs", target: "/tmp", sizeBytes: 64 * 1024 ** 2 },
    ]);
    expect(gateway?.spec.ports).toBeUndefined();
  });

  test("writes recorded calls into the folder of --record, and only reads that of --replay", () => {
    const cassettesOf = (mode: "record" | "replay") => {
      const { mounts = [], env } =
        samplePlan(config, { cassettes: { mode, folder: "/home/ada/calls" } }).gateway?.spec ?? {};
      return [
        mounts.at(-1),
        env?.SETT_CASSETTE_MODE,
        env?.SETT_CASSETTE_DIR,
        env?.SETT_CASSETTE_SOURCE,
      ];
    };
    const bind = { kind: "bind", path: "/home/ada/calls", target: "/cassettes" };
    const needed = (mode: "record" | "replay") =>
      samplePlan(config, { cassettes: { mode, folder: "/calls" } }).gateway?.spec.env.SETT_MODELS;
    expect(needed("record")).toContain('"needs_key":true');
    expect(needed("replay")).toContain('"needs_key":false');
    expect(cassettesOf("record")).toEqual([
      { ...bind, access: "rw" } as never,
      "record",
      "/cassettes",
      "/home/ada/calls",
    ]);
    expect(cassettesOf("replay")).toEqual([
      { ...bind, access: "ro" } as never,
      "replay",
      "/cassettes",
      "/home/ada/calls",
    ]);
  });

  test("is known to the agents that have a model, and to no other", () => {
    const [coder, reader] = agents.map(({ spec }) =>
      Object.entries(spec.env).filter(([name]) => /GATEWAY|MODEL|BUDGET/.test(name)),
    );
    expect(coder).toEqual([]);
    expect(Object.fromEntries(reader ?? [])).toEqual({
      SETT_GATEWAY_URL: "unix:/run/sett/gateway/gateway.sock",
      SETT_MODEL: "claude-one",
      SETT_MODEL_PROVIDER: "anthropic",
      SETT_MODEL_NAME: "strong",
      SETT_MODEL_TIMEOUT: "600000ms",
      SETT_ON_BUDGET: "ask",
    });
    expect(
      agents.map(({ spec }) =>
        spec.mounts.filter(({ target }) => target.startsWith("/run/sett/gateway")),
      ),
    ).toEqual([
      [],
      [
        {
          kind: "volume",
          volume: "sett-demo.gateway.reader",
          target: "/run/sett/gateway",
          access: "ro",
        },
      ],
    ]);
  });
});
