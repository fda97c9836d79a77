import { expect, test } from "bun:test";
import type { PartFacts } from "../../../../../apps/cli/doctor/facts.ts";
import { judgePart } from "../../../../../apps/cli/doctor/judge-part.ts";
import type { ContainerSurvey } from "../../../../../lib/runtime/docker/survey.ts";
import type { ImageInfo } from "../../../../../lib/runtime/port.ts";
import { instanceParts } from "../../../../support/cli/instance-parts.ts";

const [agent, service] = instanceParts("demo", "/w", "containers").containers;
if (agent === undefined || service === undefined)
  throw new Error("The sample has an agent and a service.");

const survey: ContainerSurvey = {
  user: "10001:10001",
  isPrivileged: false,
  isRootReadOnly: true,
  runtime: "runc",
  capabilities: { added: [], isAllDropped: true },
  canGainPrivileges: false,
  ports: [],
  networks: ["none"],
  limits: { memoryBytes: 512 * 1024 ** 2, pids: 256 },
  imageVolumes: [],
  failedCheck: undefined,
};

const own = {
  "org.opencontainers.image.title": "sett/orchestrator",
  "org.opencontainers.image.version": "1",
};

const image = (over: Partial<ImageInfo>): ImageInfo => ({
  id: "sha256:1",
  digest: undefined,
  architecture: "amd64",
  user: "",
  env: {},
  entrypoint: [],
  command: [],
  workingDir: "",
  volumes: [],
  labels: {},
  ...over,
});

const sound: PartFacts = {
  part: { ...service, image: { tag: "sett/orchestrator:1", id: "" } },
  survey,
  image: image({ labels: own }),
};
const around = {
  subject: "it",
  container: "sett-demo-it",
  engine: "amd64",
  version: "1",
  up: "sett up",
  isRootless: false,
  isElsewhere: false,
};
const judged = (facts: PartFacts) => judgePart(facts, around);
const levels = (facts: PartFacts): Record<string, string> =>
  Object.fromEntries(judged(facts).map(({ check, level }) => [check, level]));
const surveyed = (over: Partial<ContainerSurvey>): PartFacts => ({
  ...sound,
  survey: { ...survey, ...over },
});
const made = (tag: string, over: Partial<ImageInfo>): PartFacts => ({
  ...sound,
  part: { ...sound.part, image: { tag, id: "" } },
  image: image(over),
});
const published = (address: string) =>
  surveyed({ ports: [{ port: 6379, address, hostPort: 40_000 }] });

test("a service as `sett up` starts it has no finding", () => {
  expect(new Set(Object.values(levels(sound)))).toEqual(new Set(["ok"]));
});

const changes: [string, PartFacts, string, string][] = [
  [
    "another version of sett",
    { ...sound, part: { ...sound.part, labels: { ...sound.part.labels, version: "2" } } },
    "made by",
    "warning",
  ],
  [
    "a starter whose worker has no room",
    { ...sound, part: { ...sound.part, waiting: [{ name: "one", sentence: "no room" }] } },
    "workers",
    "warning",
  ],
  ["a port on this machine", published("127.0.0.1"), "ports", "ok"],
  ["a port on every address", published("0.0.0.0"), "ports", "problem"],
  ["a port on every address of IPv6", published("::"), "ports", "problem"],
  ["a writable service", surveyed({ isRootReadOnly: false }), "root file system", "warning"],
  ["privileged", surveyed({ isPrivileged: true }), "rights", "problem"],
  [
    "a capability",
    surveyed({ capabilities: { added: ["SYS_ADMIN"], isAllDropped: true } }),
    "rights",
    "problem",
  ],
  [
    "the usual capabilities",
    surveyed({ capabilities: { added: [], isAllDropped: false } }),
    "rights",
    "warning",
  ],
  ["privileges to gain", surveyed({ canGainPrivileges: true }), "rights", "warning"],
  ["root by default", surveyed({ user: "" }), "rights", "warning"],
  ["root by number", surveyed({ user: "0:0" }), "rights", "warning"],
  ["an ordinary user", surveyed({ user: "1000" }), "rights", "ok"],
  [
    "a secret",
    { ...sound, part: { ...sound.part, env: { GITHUB_TOKEN: "ghp_hidden" } } },
    "secrets",
    "warning",
  ],
  [
    "an image of another version",
    made("sett/orchestrator:2", { labels: { ...own, "org.opencontainers.image.version": "2" } }),
    "image",
    "warning",
  ],
  ["an image by its digest", made("x@sha256:12", { digest: "x@sha256:12" }), "image", "ok"],
  ["an image by its tag", made("redis:7", { digest: "redis@sha256:12" }), "image", "note"],
  ["an image from nowhere", made("x:latest", {}), "image", "note"],
  [
    "an image that others have made from one of Sett's",
    made("evil:1", { labels: own, digest: "evil@sha256:12" }),
    "image",
    "note",
  ],
  [
    "an image of `sett up`",
    made("x:latest", { labels: { "dev.sett.instance": "demo" } }),
    "image",
    "ok",
  ],
];

test.each(changes)("%s", (_, facts, check, level) => {
  expect(levels(facts)).toEqual({ ...levels(sound), [check]: level });
});

test.each<[string, Partial<ContainerSurvey>, string, string]>([
  ["a writable root", { isRootReadOnly: false }, "root file system", "note"],
  ["the network without a proxy", { networks: ["sett-demo.open"] }, "network", "warning"],
  ["the network of the services", { networks: ["sett-demo"] }, "network", "problem"],
  ["a network beside its own", { networks: ["none", "other"] }, "network", "problem"],
  ["no limit of memory", { limits: { memoryBytes: undefined, pids: 256 } }, "limits", "warning"],
  ["no limit of processes", { limits: { memoryBytes: 1, pids: undefined } }, "limits", "warning"],
  ["folders that stay", { imageVolumes: ["/data"] }, "volumes", "warning"],
  ["the network of this machine", { networks: ["host"] }, "network", "problem"],
])("an agent with %s", (_, over, check, level) => {
  const ofAgent = (facts: PartFacts): PartFacts => ({
    ...facts,
    part: { ...agent, image: sound.part.image },
  });
  expect(levels(ofAgent(sound))).toEqual({
    ...levels(sound),
    network: "ok",
    limits: "ok",
    kernel: "ok",
  });
  expect(levels(ofAgent(surveyed(over)))).toEqual({ ...levels(ofAgent(sound)), [check]: level });
});

test.each<[string, Partial<PartFacts["part"]>, string]>([
  [
    "does not run",
    { state: { state: "exited", exitCode: 1, endedAt: "2026-01-01T00:00:00Z" } },
    "problem",
  ],
  ["waits for its restart", { state: { state: "restarting", exitCode: 3 } }, "problem"],
  ["is paused", { state: { state: "paused" } }, "problem"],
  [
    "does not answer",
    { state: { state: "running", startedAt: "2026-01-01T00:00:00Z", health: "unhealthy" } },
    "problem",
  ],
  ["was killed for its memory", { restarts: 1, isOutOfMemory: true }, "warning"],
  ["was restarted", { restarts: 2 }, "note"],
])("a part that %s is named", (_, over, level) => {
  const facts = { ...sound, part: { ...sound.part, ...over } };
  expect(levels(facts)).toEqual({ ...levels(sound), state: level });
});

test("what a health check has said is in the finding: a problem when it failed repeatedly, before that a warning", () => {
  const reason = "The bid command does not run: spawn EAGAIN";
  const running = (health: "healthy" | "unhealthy", failedCheck: string | undefined) => {
    const state = { state: "running" as const, startedAt: "2026-01-01T00:00:00Z", health };
    const facts = { ...surveyed({ failedCheck }), part: { ...sound.part, state } };
    return judged(facts).find(({ check }) => check === "state");
  };
  expect(running("unhealthy", reason)).toMatchObject({
    level: "problem",
    found: `it runs, and is not healthy: ${reason}`,
  });
  expect(running("unhealthy", "")).toMatchObject({
    level: "problem",
    found: "it runs, and does not answer its health check",
  });
  expect(running("healthy", reason)).toMatchObject({
    level: "warning",
    found: `its last health check failed: ${reason}`,
  });
  expect(running("healthy", undefined)).toBeUndefined();
});

test("a container about which the Engine says nothing is a problem", () => {
  const unanswered = {
    state: "silent" as const,
    message: "The Docker Engine did not answer within 10 s.",
    hint: "Try again.",
  };
  const [first] = judged({ ...sound, survey: undefined, image: undefined, unanswered });
  expect(first).toMatchObject({ check: "answer", level: "problem", remedy: "Try again." });
});

test.each([
  ["starter", true, "ok"],
  ["log-reader", true, "ok"],
  ["starter", false, "warning"],
  ["log-reader", false, "warning"],
  ["gateway", true, "warning"],
] as const)(
  "%s as root, with an Engine elsewhere: %p, is judged %s",
  (subject, isElsewhere, level) => {
    const rights = judgePart(surveyed({ user: "0:0" }), { ...around, subject, isElsewhere }).find(
      ({ check }) => check === "rights",
    );
    expect(rights?.level).toBe(level);
  },
);

test("root of a container is no root where the Engine runs without it", () => {
  const rights = judgePart(surveyed({ user: "0:0" }), { ...around, isRootless: true }).find(
    ({ check }) => check === "rights",
  );
  expect(rights?.level).toBe("ok");
});

test("an image for another machine is emulated", () => {
  expect(levels(made("x@sha256:12", { architecture: "arm64" }))).toMatchObject({
    architecture: "warning",
  });
});

test("a process has no container and no image to judge", () => {
  expect(Object.keys(levels({ ...sound, survey: undefined, image: undefined }))).toEqual([
    "made by",
    "secrets",
  ]);
});

test("a secret is named, and its value is in no finding; an image by its tag has the digest in its remedy", () => {
  const text = JSON.stringify(changes.flatMap(([, facts]) => judged(facts)));
  expect(text).toContain("GITHUB_TOKEN");
  expect(text).not.toContain("hidden");
  expect(text).toContain("image: redis@sha256:12");
  expect(text).toContain("`docker rm --force sett-demo-it`, then `sett up`");
});

test("the API may be published beyond this machine, with TLS; without it that is noted", () => {
  const { part, ...facts } = published("0.0.0.0");
  const api = (env: Record<string, string>): PartFacts => ({
    ...facts,
    part: {
      ...part,
      env,
      labels: { ...part.labels, component: "api" } as PartFacts["part"]["labels"],
    },
  });
  expect(levels(api({ SETT_API_TLS_CERT: "/files/one.crt" })).ports).toBe("ok");
  expect(levels(api({})).ports).toBe("note");
});

test.each([
  ["policies", "ok"],
  ["closed", "warning"],
  ["open", "warning"],
])("an agent of a cluster whose network is %s: %s", (network, level) => {
  const env = { SETT_CAGE: JSON.stringify({ network, limits: {} }) };
  const part = { ...agent, env };
  const found = judgePart({ part, survey: undefined, image: undefined }, around);
  expect(found.filter(({ check }) => check === "network")).toMatchObject([{ level }]);
});
