// An instance on an Engine of another machine, from `sett up` to `sett down`: reached by ssh, on a
// machine that has none of the repository's files and ports of its own.
import { expect, setDefaultTimeout, test } from "bun:test";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { startSett } from "../support/cli/sett-process.ts";
import { type EngineByTls, startEngineByTls } from "../support/docker/engine-by-tls.ts";
import { canStartEngine, startFreshEngine } from "../support/docker/fresh-engine.ts";
import { canStartSsh, startSshServer } from "../support/docker/ssh-server.ts";
import { password, startTlsServer } from "../support/redis/tls-server.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(1_200_000);

const images = ["cub", "redis", "orchestrator", "gateway", "api", "agent-base"].map(
  (name) => `sett/${name}`,
);
const command = `goal=$(jq -r .target_artefact.payload); [ -f README.md ]
echo "printed for $goal" >&2
jq -n --arg goal "$goal" '{artefact_type: "Echo", artefact_payload: $goal, summary: "Heard it"}'`;
const token = "0123456789abcdef0123456789abcdef";
const withApi = {
  services: {
    api: { port: 8443, tokens: [{ name: "ci", secret: "ci", may: ["read", "forage"] }] },
  },
  secrets: { ci: { environment: "CI_TOKEN" } },
  triggers: { nightly: { cron: "0 3 * * *", goal: "Echo" } },
};
const configWith = (workspace: object, more: object = {}, around: object = {}) =>
  JSON.stringify({
    ...{ version: "1.0", ...around },
    agents: {
      echo: {
        ...{ image: "sett/agent-base:latest", command: ["sh", "-c", command], workspace },
        bids: [{ on: "GoalDefined", bid: "exclusive" }],
        ...more,
      },
    },
  });

test.skipIf(!canStartEngine || !canStartSsh)(
  "an instance runs on an Engine that sees nothing of this machine, and what cannot be is said before anything is made",
  async () => {
    await using sett = await SettWorkspace.create({
      "sett.yml": configWith(
        { mode: "rw" },
        {},
        { triggers: { release: { tag: "v*", goal: "Echo" } } },
      ),
    });
    await using engine = await startFreshEngine([], [sett.folder]);
    const version = (await sett.need("--version")).trim();
    const tags = images.flatMap((name) => [`${name}:latest`, `${name}:${version}`]);
    await $`docker save ${tags} | docker --host ${engine.host} load`.quiet();
    await using ssh = await startSshServer("unix:///var/run/docker.sock", engine.there);
    sett.env = { ...ssh.env, CI_TOKEN: token };
    const docker = async (...words: string[]) =>
      (await $`docker --host ${engine.host} ${words}`.text()).trim();

    const refused = await sett.sett("up", "--name", sett.name);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("The Docker Engine does not see the files of this machine");
    expect(refused.err).toMatch(/sett\.yml:1:\d+ triggers\.release: waits for a name/);
    expect(await docker("ps", "--all", "--quiet")).toBe("");
    expect(await docker("volume", "ls", "--quiet")).toBe("");
    expect(await sett.git("status", "--porcelain")).toBe("");

    // Its worker is started there, by the socket of that machine.
    const workers = { strategy: "fresh_per_call", replicas: 2 };
    await sett.write({ "sett.yml": configWith({ mode: "rw" }, workers, withApi) });
    await sett.commit("Need no tags");
    await sett.need("up", "--name", sett.name);
    await isBegunOnce(sett);
    await sett.need("forage", "--goal", "hello", "--watch");
    const artefacts = JSON.parse(await sett.need("hoard", "--json"));
    expect(artefacts).toContainEqual(expect.objectContaining({ type: "Echo", payload: "hello" }));
    // That of the API is what sett.yml says.
    const ports = await docker("ps", "--format", "{{.Ports}}");
    expect(ports.match(/\S*->/g)).toEqual(["127.0.0.1:8443->"]);
    expect(await sett.need("logs", "echo")).toContain("Tool execution completed");
    // On a busy machine a health check may have come too late.
    const wrong = ({ level }: { level: string }) => level === "problem" || level === "warning";
    const wrongs = async () =>
      JSON.parse((await sett.sett("doctor", "--json")).out).findings.filter(wrong);
    await waitFor("nothing to be wrong", async () => (await wrongs()).length === 0, {
      happened: async () => JSON.stringify(await wrongs()),
    });

    // Programs of that machine, and the page of this one, state goals there, too.
    const here = [...engine.within(), "curl", "--silent", "--show-error"];
    const authorization = `Authorization: Bearer ${token}`;
    const posted =
      await $`${here} -H ${authorization} --json ${JSON.stringify({ text: "by the API" })} http://127.0.0.1:8443/v1/goals`.json();
    expect(posted.commit).toBe((await sett.git("rev-parse", "HEAD")).trim());
    await using running = startSett(["ui", "--no-open"], { cwd: sett.folder, env: sett.env });
    await running.untilOut("\n");
    const page = new URL(running.out().trim());
    const onPage = await fetch(new URL("/v1/goals", page), {
      method: "POST",
      headers: {
        authorization: `Bearer ${page.searchParams.get("token")}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ text: "on the page" }),
    });
    expect([onPage.status, await onPage.text()]).toEqual([201, expect.any(String)]);
    await waitFor("the goals to be settled", async () => {
      const made = JSON.parse(await sett.need("hoard", "--json")) as { payload: string }[];
      const payloads = made.map(({ payload }) => payload);
      return ["by the API", "on the page"].every(
        (text) => payloads.filter((each) => each === text).length === 2,
      );
    });

    // By TLS it is the same instance.
    await using tls = await startEngineByTls({ engine: engine.host });
    sett.env = {
      ...{ DOCKER_HOST: tls.host, DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: tls.folder },
      ...{ CI_TOKEN: token, OPS_REDIS: password },
    };
    expect(await sett.need("status")).toContain("orchestrator alive");
    expect(await sett.need("up", "--name", sett.name)).toContain("nothing has changed");
    const signalRedis = (signal: string) =>
      docker("exec", `sett-${sett.name}-redis`, "sh", "-c", `kill -${signal} -1`);
    await signalRedis("STOP");
    const silent = await sett.sett("status");
    await signalRedis("CONT");
    const through = `sett-${sett.name}-redis, which is reached through the Docker Engine at ${tls.host}`;
    expect(silent.err).toContain(`Redis does not answer at ${through}.`);
    expect(silent.code).toBe(1);
    await followsThroughACut(sett, tls);
    await sett.need("down", "--volumes", "--force", "--timeout", "1s");
    expect(await docker("ps", "--all", "--quiet")).toBe("");
    expect(await docker("volume", "ls", "--quiet")).toBe("");

    // A Redis that both machines reach holds the blackboard.
    const address = await engine.connect();
    await using redis = await startTlsServer({
      names: `IP:${address}`,
      settings: [`bind 127.0.0.1 ${address}`],
    });
    const url = `rediss://${address}:${redis.tlsPort}`;
    const elsewhere = {
      services: { redis: { url, ca: "./ca.pem", secret: "redis" } },
      secrets: { redis: { environment: "OPS_REDIS" } },
    };
    await copyFile(redis.ca, join(sett.folder, "ca.pem"));
    await sett.write({ "sett.yml": configWith({ mode: "rw" }, {}, elsewhere) });
    await sett.commit("Name a Redis");
    await sett.need("up", "--name", sett.name);
    await sett.need("forage", "--goal", "there", "--watch");
    expect(await redis.server.cli("EXISTS", `sett:${sett.name}:events`)).toBe("1");
    await sett.need("down", "--volumes", "--timeout", "1s");
    expect(await redis.server.cli("KEYS", `sett:${sett.name}:*`)).toBe("");
    expect(await docker("volume", "ls", "--quiet")).toBe("");
  },
);

/** A shell without the variable asks this machine's Engine. */
async function isBegunOnce(sett: SettWorkspace): Promise<void> {
  const { env } = sett;
  sett.env = { CI_TOKEN: token };
  const [second, status] = [await sett.sett("up", "--name", sett.name), await sett.sett("status")];
  sett.env = env;
  expect([second.code, second.err]).toEqual([
    1,
    expect.stringContaining("was up with another Docker Engine, and this one has nothing of it"),
  ]);
  expect(status.err).toContain(`which has begun ${sett.name}: nothing of it was found`);
}

/** Output comes by TLS, and commands that follow wait while the Engine is cut off. */
async function followsThroughACut(sett: SettWorkspace, tls: EngineByTls): Promise<void> {
  await using live = sett.start("watch", "--live");
  await using log = sett.start("logs", "--follow", "echo");
  await live.untilOut("registers agent echo");
  await log.untilOut("printed for hello");
  await sett.need("forage", "--goal", "one by TLS", "--watch");
  await live.untilOut("│ printed for one by TLS");
  await log.untilOut("printed for one by TLS");

  const mend = tls.cut();
  await live.untilErr("Waiting until it answers …");
  await log.untilErr("Waiting until it answers …");
  mend();
  await sett.need("forage", "--goal", "one after the cut", "--watch");
  await live.untilOut("│ printed for one after the cut");
  await log.untilOut("printed for one after the cut");
  await live.untilErr("Redis answers again.");
  await log.untilErr("The Docker Engine answers again.");
  const made = JSON.parse(await sett.need("hoard", "--json")) as Record<string, string>[];
  const echo = made.find(({ type, payload }) => type === "Echo" && payload === "one by TLS");
  expect(await sett.need("unearth", String(echo?.id), "--streams")).toContain(
    "printed for one by TLS",
  );
}
