// `sett doctor` with a real Engine, a real Redis and real containers; and without each of them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import type { Finding } from "../../../apps/cli/facts/finding.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import { madeLabel, writeLabels } from "../../../lib/runtime/labels.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import { startEngineProxy } from "../../support/docker/engine-proxy.ts";
import { docker, tinyImage } from "../../support/docker/tiny-image.ts";
import { nightly } from "../../support/nightly.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

type Report = { problems: number; findings: Finding[] };

let root: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "sett-doctor-")));
  await $`git init --quiet repository && mkdir outside`.cwd(root);
});

afterAll(async () => {
  await rm(root, { recursive: true });
});

/** The Engine in which the test starts containers, and others as well. */
const engine = {
  SETT_DOCKER_TIMEOUT: "10m",
  ...(process.env.DOCKER_HOST === undefined ? undefined : { DOCKER_HOST: process.env.DOCKER_HOST }),
};

const sett = (folder: string, words: readonly string[], env: Record<string, string> = {}) =>
  runSett(["doctor", ...words], {
    cwd: join(root, folder),
    env: { HOME: root, XDG_STATE_HOME: join(root, "state"), ...engine, ...env },
  });

async function findingsOf(
  folder: string,
  words: readonly string[],
  env: Record<string, string> = {},
) {
  const { code, out, err } = await sett(folder, [...words, "--json"], env);
  expect(err).toBe("");
  const report: Report = JSON.parse(out);
  expect(code).toBe(report.problems > 0 ? 1 : 0);
  const of = (subject: string, check: string) =>
    report.findings.find((finding) => finding.subject === subject && finding.check === check);
  return { code, out, of };
}

const noEngine = () => ({ DOCKER_HOST: `unix://${join(root, "no-engine.sock")}` });

test("without an instance it checks the machine and the Engine, inside and outside of a repository", async () => {
  for (const [folder, found] of [
    ["repository", "this repository has none"],
    ["outside", "none, for this is no git repository"],
  ] as const) {
    const { of } = await findingsOf(folder, []);
    expect(of("instance", "state")).toMatchObject({ level: "note", found });
    expect(of("machine", "git")?.level).toBe("ok");
    expect(of("machine", "disk")?.found).toContain("GiB");
    expect(of("engine", "version")?.found).toMatch(/^\d+\.\d+.*, API 1\.\d+, (?:amd64|arm64)$/);
    expect(of("engine", "clock")?.level).toBe("ok");
  }
});

nightly("without an Engine it says so, and exits with 1", async () => {
  const { code, of } = await findingsOf("repository", [], noEngine());
  expect(code).toBe(1);
  expect(of("engine", "answer")).toMatchObject({
    level: "problem",
    remedy: expect.stringContaining("Is dockerd running?"),
  });
  expect(of("instance", "state")).toMatchObject({ level: "note", found: "not known" });
  const text = (await sett("repository", [], noEngine())).out;
  expect(text).toContain("The Docker Engine does not answer");
  expect(text).toContain("1 problem, ");
});

nightly(
  "an Engine that does not end its answers is waited for 10 s, and named",
  async () => {
    await using proxy = await startEngineProxy();
    await using at = await dockerInstance();
    await at.run("sleep 600");
    const env = { DOCKER_HOST: `unix://${proxy.path}`, SETT_DOCKER_TIMEOUT: "" };
    proxy.hangOn([/^GET \/volumes/]);
    const { of } = await findingsOf("repository", [], env);
    expect(of("engine", "answer")).toMatchObject({
      level: "problem",
      found: expect.stringContaining("not answer within 10 s"),
    });
    expect(of("instance", "state")).toMatchObject({ found: "not known" });
    // Whose a container is cannot be said without its image.
    proxy.hangOn([/^GET \/images\/[^/]+\/json/]);
    const ofParts = await findingsOf("outside", ["--name", at.instance], env);
    expect(ofParts.of("engine", "answer")).toMatchObject({
      level: "problem",
      remedy: expect.stringContaining("docker info"),
    });
  },
  120_000,
);

test("a machine without git has a problem", async () => {
  const { of } = await findingsOf("repository", [], { ...noEngine(), PATH: "/nowhere" });
  expect(of("machine", "git")).toMatchObject({
    level: "problem",
    remedy: "Install git 2.29 or newer.",
  });
});

nightly(
  "a Redis that keeps nothing on disk is a problem; as `sett up` sets it, it is none",
  async () => {
    await using server = await startRedisServer({ password: "hidden-word" });
    const env = { ...noEngine(), REDIS_URL: server.url, SETT_INSTANCE_NAME: "demo" };
    await server.cli("CONFIG", "SET", "appendfsync", "everysec", "maxmemory", "1gb");
    const good = await findingsOf("outside", [], env);
    expect(good.code).toBe(0);
    expect(good.of("redis", "persistence")).toMatchObject({
      level: "ok",
      found: "appendonly is on, appendfsync everysec",
    });
    expect(good.of("redis", "memory")).toMatchObject({ level: "ok" });
    expect(good.of("redis", "clock")).toMatchObject({ level: "ok" });
    await server.cli("CONFIG", "SET", "appendonly", "no", "maxmemory", "0");
    const bad = await findingsOf("outside", [], env);
    expect(bad.code).toBe(1);
    expect(bad.of("redis", "persistence")).toMatchObject({
      level: "problem",
      found: "appendonly is off",
    });
    expect(bad.of("redis", "memory")).toMatchObject({ level: "warning" });
    expect(good.out + bad.out).not.toContain("hidden-word");
    await server.stop();
    expect((await findingsOf("outside", [], env)).of("redis", "answer")).toMatchObject({
      level: "problem",
    });
  },
);

test("of containers it names open ports, rights, secrets and what is missing, and shows no secret", async () => {
  await using at = await dockerInstance();
  await at.run("sleep 600", {
    env: { DEPLOY_TOKEN: "hidden-word" },
    user: { uid: 10_001, gid: 10_001 },
    isRootReadOnly: true,
  });
  const labels = writeLabels(
    at.labels({ component: "agent", agent: AgentName.parse("y"), role: "tester" }),
  );
  const flags = Object.entries({ ...labels, [madeLabel]: "one" }).flatMap(([name, value]) => [
    "--label",
    `${name}=${value}`,
  ]);
  const open = ["--publish", "0.0.0.0::8080", "--cap-add", "NET_ADMIN"];
  const started = await docker(
    "run",
    "--detach",
    "--rm",
    "--name",
    at.name("agent-y"),
    ...flags,
    ...open,
    tinyImage,
    "sleep",
    "600",
  );
  expect(started.stderr).toBe("");
  const { code, out, of } = await findingsOf("outside", ["--name", at.instance]);
  expect(code).toBe(1);
  expect(of("instance", "state")).toMatchObject({
    level: "problem",
    found: expect.stringContaining(`${at.instance}: 2 of`),
  });
  expect(of("redis", "answer")).toMatchObject({
    level: "problem",
    found: expect.stringContaining("has no container"),
  });
  expect(of("agent x1", "rights")).toMatchObject({
    level: "ok",
    found: "user 10001:10001, no capabilities, gains no privileges",
  });
  expect(of("agent x1", "root file system")).toMatchObject({ level: "ok" });
  expect(of("agent x1", "ports")).toMatchObject({ level: "ok" });
  expect(of("agent x1", "secrets")).toMatchObject({
    level: "warning",
    found: "in the environment: DEPLOY_TOKEN",
  });
  expect(of("agent x1", "image")).toMatchObject({
    level: "note",
    found: `${tinyImage}, from no registry`,
  });
  expect(of("agent y", "ports")).toMatchObject({
    level: "problem",
    found: expect.stringContaining("8080 at 0.0.0.0"),
  });
  expect(of("agent y", "rights")).toMatchObject({
    level: "problem",
    found: expect.stringContaining("NET_ADMIN"),
  });
  expect(out).not.toContain("hidden-word");
}, 120_000);

test("an instance of a name that the Engine does not have is refused", async () => {
  const { code, err } = await sett("outside", ["--name", "no-such-instance"]);
  expect({ code, err: err.split("\n")[0] }).toEqual({
    code: 1,
    err: expect.stringContaining("There is no instance no-such-instance."),
  });
});

nightly(
  "of a container that is not healthy it says what its health check has said",
  async () => {
    await using at = await dockerInstance();
    const check = { intervalMs: 100, timeoutMs: 20_000, retries: 1, startPeriodMs: 0 };
    const command = ["/bin/sh", "-c", "echo 'Waiting for secrets: token.'; exit 1"];
    const { id } = await at.run("sleep 600", { healthcheck: { ...check, command } });
    await waitFor("its first check", async () => {
      const state = (await at.runtime.observe.find(id))?.state;
      return state?.state === "running" && state.health === "unhealthy";
    });
    const { of } = await findingsOf("outside", ["--name", at.instance]);
    expect(of("agent x1", "state")).toMatchObject({
      level: "problem",
      found: "it runs, and is not healthy: Waiting for secrets: token.",
      remedy: expect.stringContaining(`docker restart ${at.name("agent-x1")}`),
    });
  },
  120_000,
);

nightly(
  "what an agent has left in the exchange, and a result that git has lost, are named until they are mended",
  async () => {
    await using at = await dockerInstance();
    const labels = {
      ...at.labels({ component: "agent", agent: AgentName.parse("x"), role: "tester" }),
      workspace: join(root, "repository"),
    };
    await at.run("sleep 600", { labels });
    const folder = join(root, "repository/.git/sett/exchange", at.instance, "x");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "left.sh"), "");
    const found = async () => (await findingsOf("repository", ["--name", at.instance])).of;
    const of = await found();
    expect(of("agent x", "exchange")).toMatchObject({
      level: "warning",
      found: "its folder has what was not published: left.sh",
      remedy: expect.stringContaining(folder),
    });
    await rm(join(folder, "left.sh"));
    const repository = ["-C", join(root, "repository")];
    await $`git ${repository} config remote.copy.fetch ${"+refs/*:refs/*"}`.quiet();
    const later = await found();
    expect(later("instance", "exchange")?.level).toBe("ok");
    expect(later("repository", "fetches")).toMatchObject({
      level: "warning",
      remedy: "`git config --add remote.copy.fetch '^refs/sett*'`",
    });
    await $`git ${repository} config --unset remote.copy.fetch`.quiet();
    expect((await found())("repository", "fetches")).toBeUndefined();
    const result = `refs/sett/${at.instance}/a-result`;
    const absent = "0123456789".repeat(4);
    await writeFile(join(root, "repository/.git/packed-refs"), `${absent} ${result}\n`);
    const all = `refs/sett/${at.instance}/*`;
    expect((await found())("repository", "results")).toMatchObject({
      level: "problem",
      found: `git has no commit any more, or not its files' list, for ${result}`,
      remedy: expect.stringContaining(`git fetch --refetch CLONE '${all}:${all}'`),
    });
    await rm(join(root, "repository/.git/packed-refs"));
    expect((await found())("repository", "results")).toBeUndefined();
  },
  120_000,
);

nightly(
  "what agents see, and the checkouts that workers share, are said with their sizes",
  async () => {
    await using at = await dockerInstance();
    const folder = join(root, "shown");
    await $`git init --quiet ${folder} && git -C ${folder} -c user.name=Ada -c user.email=ada@sett.invalid commit --quiet --allow-empty --message Begin && git -C ${folder} repack -adq`;
    const repository = await HostRepository.open(folder, { env: process.env });
    await repository.exchange(InstanceName.parse(at.instance)).make({ writers: [] });
    const agent = { component: "agent", agent: AgentName.parse("x"), role: "tester" } as const;
    await at.run("sleep 600", { labels: { ...at.labels(agent), workspace: folder } });
    const volume = `sett-${at.instance}.layer.0123456789ab-01234567`;
    const labels = writeLabels({ ...at.labels({ component: "layer" }), workspace: folder });
    const named = Object.entries({ ...labels, [madeLabel]: "one" }).flatMap(([name, value]) => [
      "--label",
      `${name}=${value}`,
    ]);
    await docker("volume", "create", ...named, volume);
    try {
      await docker(
        "run",
        "--rm",
        "--volume",
        `${volume}:/layer`,
        tinyImage,
        "sh",
        "-c",
        "head -c 3145728 /dev/zero > /layer/file",
      );
      // An Engine that is busy with the volumes of others may not have counted them soon enough.
      await waitFor("the size of the layers", async () => {
        const { of } = await findingsOf("shown", ["--name", at.instance]);
        expect(of("instance", "store")?.found).toContain("all of it shared with the repository");
        return (
          of("instance", "layers")?.found === "1, 3 MiB; of those of workers at most 4 are kept"
        );
      });
    } finally {
      await docker("volume", "rm", "--force", volume);
    }
  },
  120_000,
);

nightly(
  "the Engine is found by the contexts that docker has written, and one that answers is named where another does not",
  async () => {
    const home = join(root, "with-contexts");
    const { PATH = "" } = process.env;
    const docker = (...words: string[]) => $`docker ${words}`.env({ PATH, HOME: home }).quiet();
    const there = engine?.DOCKER_HOST ?? "unix:///var/run/docker.sock";
    await docker("context", "create", "near", "--docker", `host=${there}`);
    await docker(
      "context",
      "create",
      "stopped",
      "--docker",
      `host=unix://${join(root, "no-engine.sock")}`,
    );
    const engineBy = async (env: Record<string, string>) =>
      await findingsOf("repository", [], { HOME: home, DOCKER_HOST: "", ...env });
    await docker("context", "use", "near");
    expect((await engineBy({})).of("engine", "version")?.level).toBe("ok");
    const remedy = async (env: Record<string, string>) =>
      JSON.stringify((await engineBy(env)).of("engine", "answer"));
    const tried = `Tried: ${join(root, "no-engine.sock")} (by `;
    const stopped = await remedy({ DOCKER_CONTEXT: "stopped" });
    expect(stopped).toContain(`${tried}the context stopped (DOCKER_CONTEXT)).`);
    expect(stopped).toContain(
      "The context near answers: `unset DOCKER_HOST; export DOCKER_CONTEXT=near`.",
    );
    expect(await remedy(noEngine())).toContain(`${tried}DOCKER_HOST).`);
    await docker("context", "use", "stopped");
    expect(await remedy({})).toContain("The context near answers: `docker context use near`.");
    // The same sentence comes from every command that needs an Engine.
    const up = await runSett(["list"], {
      cwd: join(root, "repository"),
      env: { HOME: home, XDG_STATE_HOME: join(root, "state") },
    });
    expect(up.err).toContain("The context near answers: `docker context use near`.");
  },
);
