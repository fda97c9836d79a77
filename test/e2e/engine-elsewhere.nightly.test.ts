// An instance on an Engine of another machine, from `sett up` to `sett down`: reached by ssh, on a
// machine that has none of the repository's files and ports of its own.
import { expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { startEngineByTls } from "../support/docker/engine-by-tls.ts";
import { canStartEngine, startFreshEngine } from "../support/docker/fresh-engine.ts";
import { canStartSsh, startSshServer } from "../support/docker/ssh-server.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";

setDefaultTimeout(300_000);

const images = ["cub", "redis", "orchestrator", "gateway", "agent-base"].map(
  (name) => `sett/${name}`,
);
const command = `goal=$(jq -r .target_artefact.payload); [ -f README.md ]
jq -n --arg goal "$goal" '{artefact_type: "Echo", artefact_payload: $goal, summary: "Heard it"}'`;
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
        { triggers: { nightly: { cron: "0 3 * * *", goal: "Echo" } } },
      ),
    });
    await using engine = await startFreshEngine([], [sett.folder]);
    const version = (await sett.need("--version")).trim();
    const tags = images.flatMap((name) => [`${name}:latest`, `${name}:${version}`]);
    await $`docker save ${tags} | docker --host ${engine.host} load`.quiet();
    await using ssh = await startSshServer("unix:///var/run/docker.sock", engine.there);
    sett.env = ssh.env;
    const docker = async (...words: string[]) =>
      (await $`docker --host ${engine.host} ${words}`.text()).trim();

    const refused = await sett.sett("up", "--name", sett.name);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("The Docker Engine does not see the files of this machine");
    expect(refused.err).toMatch(/sett\.yml:1:\d+ triggers: state goals at a commit/);
    expect(await docker("ps", "--all", "--quiet")).toBe("");
    expect(await docker("volume", "ls", "--quiet")).toBe("");
    expect(await sett.git("status", "--porcelain")).toBe("");

    // Its worker is started there, by the socket of that machine.
    const workers = { strategy: "fresh_per_call", replicas: 2 };
    await sett.write({ "sett.yml": configWith({ mode: "rw" }, workers) });
    await sett.commit("Need no files");
    await sett.need("up", "--name", sett.name);
    await sett.need("forage", "--goal", "hello", "--watch");
    const artefacts = JSON.parse(await sett.need("hoard", "--json"));
    expect(artefacts).toContainEqual(expect.objectContaining({ type: "Echo", payload: "hello" }));
    expect(await docker("ps", "--format", "{{.Names}} {{.Ports}}")).not.toContain("->");
    expect(await sett.need("logs", "echo")).toContain("Tool execution completed");
    const { findings } = JSON.parse(await sett.need("doctor", "--json"));
    const wrong = ({ level }: { level: string }) => level === "problem" || level === "warning";
    expect(findings.filter(wrong)).toEqual([]);

    // By TLS it is the same instance.
    await using tls = await startEngineByTls({ engine: engine.host });
    sett.env = {
      ...{ DOCKER_HOST: tls.host, DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: tls.folder },
    };
    expect(await sett.need("status")).toContain("orchestrator alive");
    expect(await sett.need("up", "--name", sett.name)).toContain("nothing has changed");
    await sett.need("down", "--volumes", "--force", "--timeout", "1s");
    expect(await docker("ps", "--all", "--quiet")).toBe("");
    expect(await docker("volume", "ls", "--quiet")).toBe("");
  },
);
