import { expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { KubeClient } from "../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../lib/runtime/kubernetes/kubeconfig.ts";
import { ensureNamespace } from "../../lib/runtime/kubernetes/namespace.ts";
import { runSett } from "../support/cli/sett-process.ts";
import { configFolder } from "../support/config/config-file.ts";
import { isNight } from "../support/nightly.ts";
import { kubeconfig, registry } from "../support/runtime/test-cluster.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

/**
 * It needs a cluster that enforces policies, and whose nodes pull from a registry to which this
 * machine may push.
 */
const inCluster = test.skipIf(!isNight || kubeconfig === "");
/** A cluster that does not. */
const openKubeconfig = process.env.SETT_TEST_OPEN_KUBERNETES ?? "";
const inOpenCluster = test.skipIf(!isNight || openKubeconfig === "");

const run = `#!/bin/sh
echo "token: $TOKEN" >&2
seq 1 300000 >&2
jq -r .target_artefact.payload > hello.txt
git add hello.txt
git -c user.name=writer -c user.email=writer@example.org commit --quiet --message "Write it" >&2
jq -n --arg commit "$(git rev-parse HEAD)" \\
  '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Wrote it"}'
`;

const settYml = (word: string) => `version: '1.0'
images: { push: ${registry} }
secrets: { token: { kubernetes: { name: token-of-ada, key: word } } }
agents:
  writer:
    build: ./agents/writer
    command: ["/app/run.sh"]
    workspace: { mode: rw }
    environment: ["WORD=${word}"]
    secrets: [{ name: token, variable: TOKEN }]
    bids:
      - { on: GoalDefined, bid: exclusive }
`;

async function repository(word: string) {
  const made = await configFolder({
    "sett.yml": settYml(word),
    "agents/writer/run.sh": run,
    "agents/writer/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n",
  });
  await chmod(join(made.folder, "agents/writer/run.sh"), 0o755);
  await git(made.folder, "init", "--quiet");
  await commitAll(made.folder);
  return made;
}

async function commitAll(cwd: string) {
  await git(cwd, "add", ".");
  await git(cwd, "-c", "user.name=ada", "-c", "user.email=ada@example.org", "commit", "-qm", "one");
}

async function git(cwd: string, ...words: string[]): Promise<string> {
  const child = Bun.spawn(["git", ...words], { cwd, stdout: "pipe" });
  expect(await child.exited).toBe(0);
  return await new Response(child.stdout).text();
}

const env = {
  KUBECONFIG: kubeconfig || openKubeconfig,
  ...(process.env.DOCKER_HOST !== undefined && { DOCKER_HOST: process.env.DOCKER_HOST }),
};
const name = `t${randomUUID().slice(0, 6)}`;
const sett = async (cwd: string, ...words: string[]) => {
  const { code, out, err } = await runSett(words, { cwd, env });
  return { code, said: `${out}${err}` };
};

const elsewhere = {
  ...{ apiVersion: "v1", kind: "Config", "current-context": "elsewhere" },
  contexts: [{ name: "elsewhere", context: { cluster: "elsewhere", user: "elsewhere" } }],
  clusters: [{ name: "elsewhere", cluster: { server: "http://127.0.0.1:1" } }],
  users: [{ name: "elsewhere", user: { token: "t" } }],
};

inCluster(
  "a goal with a commit settles in a cluster, what it prints is kept, and `down --volumes` leaves nothing",
  async () => {
    await using made = await repository("one");
    const { folder } = made;
    await using _down = {
      [Symbol.asyncDispose]: async () =>
        void (await sett(folder, "down", "--name", name, "--volumes", "--force")),
    };
    const client = new KubeClient(await findCluster({ KUBECONFIG: kubeconfig }, undefined));
    const without = await sett(folder, "up", "--runtime", "kubernetes", "--name", name);
    expect(without.said).toContain("There is no Secret token-of-ada in the namespace");
    expect(without.code).toBe(2);
    const noted = async () =>
      (await $`git config sett.${name}.kubernetes`.cwd(folder).nothrow().text()).trim();
    expect(await noted()).toBe("");
    await ensureNamespace(client, `sett-${name}`);
    await client.create(
      {
        ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "token-of-ada" } },
        stringData: { word: "open-sesame-and-in" },
      },
      `sett-${name}`,
    );
    const up = await sett(folder, "up", "--runtime", "kubernetes", "--name", name);
    expect(up.said).toContain(`${name} is up`);
    const { context } = await findCluster(env, undefined);
    const there = `sett-${name} ${context}`;
    expect(await noted()).toBe(there);
    const rendered = await sett(folder, "render", "--kubernetes", "--namespace", "elsewhere");
    expect([rendered.code, await noted()]).toEqual([1, there]);
    const unlucky = await sett(folder, "up", "--context", "no-such", "--name", name);
    expect([unlucky.code, await noted()]).toEqual([1, there]);

    // The person goes on to another cluster, and the instance is where it was.
    const other = join(folder, "../elsewhere.json");
    await Bun.write(other, JSON.stringify(elsewhere));
    const moved = { ...env, KUBECONFIG: `${other}:${env.KUBECONFIG}` };
    const status = await runSett(["status"], { cwd: folder, env: moved });
    expect(status).toMatchObject({ code: 0, out: expect.stringContaining("writer") });
    const goal = await sett(folder, "forage", "--goal", "hello", "--watch");
    expect(goal.said).toContain("is settled");
    const [, commit = ""] = /CodeCommit ([0-9a-f]{8})/.exec(goal.said) ?? [];
    const printed = await waitFor("the output is kept", async () => {
      const { said } = await sett(folder, "unearth", commit, "--streams");
      return said.includes("300000") && said;
    });
    expect(printed).toContain("token: [secret token]");
    expect(printed).not.toContain("open-sesame");
    expect(await git(folder, "for-each-ref", `refs/sett/${name}`)).toContain("commit");
    expect((await sett(folder, "list")).said).toMatch(new RegExp(`${name} +running +kubernetes`));
    expect((await sett(folder, "logs", "writer")).said).toContain("Tool execution completed");

    // The other orchestrator leads as soon as the leader is gone.
    const leaderIn = async () => {
      const { said } = await sett(folder, "logs", "orchestrator");
      const all = [...said.matchAll(/"reason":"(\S+) holds the leader lease"/g)];
      return all.at(-1)?.[1];
    };
    const first = await waitFor("one of two leads", leaderIn);
    const podsBefore = await client.list("Pod", `sett-${name}`);
    await client.remove("Pod", `sett-${name}`, first, 0);
    const second = await waitFor("the next one leads", async () => {
      const leader = await leaderIn();
      return leader !== first && leader;
    });
    expect(JSON.stringify(podsBefore)).toContain(`"${second}"`);

    // Another repository does not take it over.
    await using another = await repository("one");
    const taken = await sett(another.folder, "up", "--runtime", "kubernetes", "--name", name);
    expect(taken.said).toContain("for another repository");
    expect(taken.code).toBe(1);
    // A clone does, once a person has said so.
    await using _clone = { [Symbol.asyncDispose]: () => rm(clone, { recursive: true }) };
    const clone = `${folder}-clone`;
    await git(folder, "clone", "--quiet", folder, clone);
    const [, words = ""] = /: git (config sett\.\S+ \S+), then/.exec(taken.said) ?? [];
    await git(clone, ...words.split(" "));
    const shared = await sett(clone, "up", "--runtime", "kubernetes", "--name", name);
    expect(shared.said).toContain("and nothing has changed");
    expect((await sett(clone, "hoard")).said).toContain("Wrote it");

    await Bun.write(join(folder, "sett.yml"), settYml("two"));
    await commitAll(folder);
    expect((await sett(folder, "up")).said).toContain("replaced writer; kept redis");

    expect((await sett(folder, "down")).said).toContain("Its blackboard is kept");
    expect((await sett(folder, "up")).said).toContain(`${name} is up`);
    expect((await sett(folder, "hoard")).said).toContain("Wrote it");
    expect((await sett(folder, "unearth", commit, "--streams")).said).toContain("300000");
    await client.remove("Secret", `sett-${name}`, "token-of-ada");
    expect((await sett(folder, "down", "--volumes")).said).toContain("is removed");
    const left = JSON.stringify(await client.find("Namespace", "", `sett-${name}`));
    expect(left === undefined || left.includes("deletionTimestamp")).toBe(true);
  },
);

const openYml = (kubernetes: string) => `version: '1.0'
images: { push: ${registry} }
kubernetes: { ${kubernetes} }
agents:
  writer:
    image: sett/agent-base:latest
    command: ["true"]
    bids: [{ on: GoalDefined, bid: ignore }]
  direct:
    image: sett/agent-base:latest
    command: ["true"]
    network: direct
    bids: [{ on: GoalDefined, bid: ignore }]
`;

inOpenCluster(
  "where nothing enforces policies, no agent works until sett.yml accepts that",
  async () => {
    await using made = await configFolder({ "sett.yml": openYml("") });
    const { folder } = made;
    await git(folder, "init", "--quiet");
    await commitAll(folder);
    await using _down = {
      [Symbol.asyncDispose]: async () =>
        void (await sett(folder, "down", "--name", name, "--volumes", "--force")),
    };
    const refused = await sett(folder, "up", "--runtime", "kubernetes", "--name", name);
    expect(refused.said).toContain("no network plug-in enforces policies");
    expect(refused.said).toContain("accept_open_network");
    expect(refused.code).toBe(1);
    await Bun.write(join(folder, "sett.yml"), openYml("accept_open_network: true"));
    await commitAll(folder);
    const up = await sett(folder, "up", "--runtime", "kubernetes", "--name", name);
    expect(up.said).toContain(`${name} is up`);
    const doctor = await sett(folder, "doctor");
    expect(doctor.said).toContain("policies, in force or not");
  },
);
