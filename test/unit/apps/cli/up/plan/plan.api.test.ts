// The API and the reader of logs in the plan of an instance: what they are given, and what is in no
// description of a container.
import { expect, test } from "bun:test";
import type { ApiPlace } from "../../../../../../apps/cli/services/input.ts";
import {
  telemetryHeaders,
  telemetryOf,
} from "../../../../../../apps/cli/up/plan/telemetry-variables.ts";
import { changedParts } from "../../../../../../lib/runtime/fingerprint.ts";
import {
  repositoryAt,
  type SamplePlan,
  sampleConfig,
  samplePlan,
  sampleUser,
} from "../../../../../support/cli/sample-plan.ts";

const ci = { name: "ci", sha256: "a".repeat(64), may: ["read" as const] };
const place: ApiPlace = {
  tokens: [ci],
  tls: { id: "digest-of-the-certificate" },
  repository: { toplevel: "/home/ada/repository", commonDir: "/home/ada/repository/.git" },
};
const engine = { path: "/run/docker.sock", gid: 999 };

function planOf(
  api: string | undefined,
  over: Partial<ApiPlace> = {},
  socket: typeof engine | "none" = engine,
  more = "",
) {
  const services = api === undefined ? "" : `services: { api: ${api} }\n`;
  const config = sampleConfig(
    `version: '1.0'\nsecrets: { ci: { file: ./ci } }\nagents: { one: { image: "some/image:1", command: [run] } }\n${services}${more}`,
  );
  const made = samplePlan(
    config,
    {
      api: api === undefined && more === "" ? undefined : { ...place, ...over },
      repository: repositoryAt("/home/ada/repository/.git/sett/objects/demo", "/exchange"),
    },
    socket === "none" ? {} : { socket },
  );
  return { ...made, logReader: made["log-reader"] };
}

const tokens = "tokens: [{ name: ci, secret: ci, may: [read] }]";

test("both are planned where sett.yml has an API, and not otherwise", () => {
  const without = planOf(undefined);
  expect([without.api, without.logReader, without.networks.length]).toEqual([
    undefined,
    undefined,
    1,
  ]);
  const { api, logReader, networks } = planOf(
    `{ ${tokens}, host: 0.0.0.0, port: 9000, tls: none }`,
  );
  expect(api?.spec).toMatchObject({
    name: "sett-demo-api",
    image: "sett/api:1.2.3",
    user: sampleUser,
    network: { name: "sett-demo.open" },
    ports: [{ port: 8443, hostPort: 9_000, hostAddress: "0.0.0.0" }],
    capabilities: "none",
    isRootReadOnly: true,
  });
  expect(logReader?.spec).toMatchObject({
    name: "sett-demo-log-reader",
    network: "none",
    capabilities: "none",
    groups: [999],
  });
  expect(networks.map(({ name }) => name)).toEqual(["sett-demo", "sett-demo.open"]);
});

test("the API has no socket of the Engine, and the reader of logs nothing but that", () => {
  const { api, logReader } = planOf(`{ ${tokens} }`);
  const sources = (mounts: NonNullable<typeof api>["spec"]["mounts"] = []) =>
    mounts.flatMap((mount) =>
      mount.kind === "bind"
        ? [`${mount.path} ${mount.access}`]
        : "volume" in mount
          ? [mount.volume]
          : [],
    );
  expect(sources(api?.spec.mounts)).toEqual([
    "sett-demo.redis",
    "sett-demo.log-reader",
    "sett-demo.recorder.api",
    "sett-demo.api",
    "/home/ada/repository/.git ro",
    "/home/ada/repository/.git/refs/sett/demo rw",
    "/home/ada/repository/.git/sett/objects/demo rw",
  ]);
  expect(sources(logReader?.spec.mounts)).toEqual(["sett-demo.log-reader", "/run/docker.sock rw"]);
  expect(logReader?.spec.env).toEqual({
    SETT_INSTANCE_NAME: "demo",
    SETT_SOCKET: "/run/sett/log-reader/log-reader.sock",
    SETT_HEALTH_PORT: "8080",
  });
});

test("neither takes the memory that agents work with", () => {
  const { api, logReader } = planOf(`{ ${tokens} }`);
  expect([api, logReader].map((service) => service?.spec.resources?.memoryBytes)).toEqual([
    2048 * 1024 ** 2,
    768 * 1024 ** 2,
  ]);
});

test("a linked worktree brings the file that names its folder", () => {
  const { api } = planOf(`{ ${tokens} }`, {
    repository: { toplevel: "/home/ada/tree", commonDir: "/home/ada/main/.git" },
  });
  const binds = api?.spec.mounts.flatMap((mount) => (mount.kind === "bind" ? [mount.target] : []));
  expect(binds).toContain("/home/ada/tree/.git");
  expect(binds).toContain("/home/ada/main/.git");
});

test("a bare repository is one folder, which has no file that names another", () => {
  const { api } = planOf(`{ ${tokens} }`, {
    repository: { toplevel: "/srv/project.git", commonDir: "/srv/project.git" },
  });
  const binds = api?.spec.mounts.flatMap((mount) => (mount.kind === "bind" ? [mount.target] : []));
  expect(binds).toContain("/srv/project.git");
  expect(binds).not.toContain("/srv/project.git/.git");
});

test("without the Engine's socket there is no reader of logs, and the API asks none", () => {
  const { api, logReader } = planOf(`{ ${tokens} }`, {}, "none");
  expect(logReader).toBeUndefined();
  expect(api?.spec.env.SETT_LOGS_URL).toBeUndefined();
});

test("a person's password of Redis is all that it has of the instance", () => {
  const { api } = planOf(`{ ${tokens} }`);
  expect(api?.spec.env.REDIS_URL).toMatch(
    /^redis\+unix:\/\/person:[0-9a-f]{64}@localhost\/run\/sett\/redis\/redis\.sock$/,
  );
  expect(JSON.parse(api?.spec.env.SETT_API_TOKENS ?? "")).toEqual([ci]);
});

const othersOf = ({ services, agents }: SamplePlan) =>
  [...services, ...agents].flatMap(({ spec }) => (spec.name === "sett-demo-api" ? [] : [spec]));

test("a changed token or certificate changes the API, and no other part", () => {
  const before = planOf(`{ ${tokens}, tls: { cert: ./cert.pem, key: ./key.pem } }`);
  for (const changed of [
    { tokens: [{ ...ci, sha256: "b".repeat(64) }] },
    { tls: { id: "another" } },
  ]) {
    const now = planOf(`{ ${tokens}, tls: { cert: ./cert.pem, key: ./key.pem } }`, changed);
    expect(
      changedParts(before.api?.spec.labels.fingerprint, now.api?.spec.labels.fingerprint),
    ).toEqual(["container"]);
    expect(othersOf(now)).toEqual(othersOf(before));
  }
});

const triggers = 'triggers: { nightly: { cron: "0 3 * * *", goal: Sweep } }\n';

test("triggers alone need the API, which no one reaches then, and which shows no logs", () => {
  const { api, logReader } = planOf(undefined, {}, engine, triggers);
  expect(api?.spec.ports).toEqual([]);
  expect(logReader).toBeUndefined();
  expect(JSON.parse(api?.spec.env.SETT_TRIGGERS ?? "")).toEqual([
    {
      kind: "cron",
      name: "nightly",
      goal: "Sweep",
      cron: "0 3 * * *",
      time_zone: "UTC",
      missed: "once",
    },
  ]);
  expect(api?.spec.env.SETT_HOOK_SECRETS_DIR).toBeUndefined();
  expect(planOf(`{ ${tokens} }`).api?.spec.env.SETT_TRIGGERS).toBeUndefined();
});

test("of the secret of a webhook there is only its name", () => {
  const hook =
    "triggers: { pr: { webhook: { forge: github, secret: ci, events: [push] }, goal: Build } }\n";
  const { api } = planOf(`{ ${tokens} }`, {}, engine, hook);
  expect(api?.spec.env.SETT_HOOK_SECRETS_DIR).toBe("/files/hooks");
  expect(JSON.parse(api?.spec.env.SETT_TRIGGERS ?? "")).toMatchObject([
    { kind: "webhook", secret: "ci" },
  ]);
});

test("the variables of OpenTelemetry are handed on, and headers, which may have a token, take another way", () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20secret-token",
    OTEL_EXPORTER_OTLP_CERTIFICATE: "/home/ada/ca.pem",
    SETT_TELEMETRY_FROM: "10m",
    HOME: "/home/ada",
  };
  const { api } = planOf(`{ ${tokens}, tls: none }`, { telemetry: telemetryOf(env) });
  expect(api?.spec.env).toMatchObject({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
    SETT_TELEMETRY_FROM: "10m",
    SETT_TELEMETRY_HEADERS: expect.stringMatching(/^otel-headers-[0-9a-f]{12}$/),
    SETT_HOOK_SECRETS_DIR: "/files/hooks",
  });
  expect(JSON.stringify(api)).not.toMatch(/secret-token|ca\.pem|"HOME"/);
  const [headers] = Object.values(telemetryHeaders(env));
  expect(Buffer.from(headers ?? "", "base64").toString()).toBe(env.OTEL_EXPORTER_OTLP_HEADERS);
  const other = telemetryOf({
    ...env,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20another",
  });
  expect(other.headers).not.toBe(telemetryOf(env).headers);
  expect(
    planOf(`{ ${tokens}, tls: none }`, { telemetry: telemetryOf({}) }).api?.spec.env,
  ).not.toHaveProperty("SETT_HOOK_SECRETS_DIR");
});
