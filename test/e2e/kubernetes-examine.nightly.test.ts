// A grant of an instance in a real cluster is looked at beside the record: its command runs again
// in a pod, and a person types in a shell there.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { z } from "zod";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import { KubeClient } from "../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../lib/runtime/kubernetes/kubeconfig.ts";
import { rights } from "../../lib/runtime/kubernetes/rights.ts";
import { finished } from "../support/cli/finished.ts";
import { settOnTerminal } from "../support/cli/pseudo-terminal.ts";
import { runSett } from "../support/cli/sett-process.ts";
import { configFolder } from "../support/config/config-file.ts";
import { isNight } from "../support/nightly.ts";
import { settBinary } from "../support/process/compiled.ts";
import { kubeconfig, registry } from "../support/runtime/test-cluster.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(900_000);

/**
 * It needs a cluster that enforces policies, and whose nodes pull from a registry to which this
 * machine may push.
 */
const isThere = isNight && kubeconfig !== "";
const inCluster = test.skipIf(!isThere);
const name = `x${randomUUID().slice(0, 6)}`;
const home = `sett-${name}`;

const committing = (file: string, content: string, type: string) => `#!/bin/sh
set -e
${content} > ${file}
git add ${file}
git commit --quiet --message "Make it" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "${type}", artefact_payload: $commit, summary: "Made it"}'
`;

/** The coder has workers, and the other one has not. */
const settYml = `version: '1.0'
images: { push: ${registry} }
secrets: { token: { kubernetes: { name: token-of-ada, key: word } } }
agents:
  coder:
    build: ./agents/coder
    command: ["/app/run.sh"]
    workspace: { mode: rw }
    strategy: fresh_per_call
    bids:
      - { on: GoalDefined, bid: exclusive }
  dice:
    build: ./agents/dice
    command: ["/app/run.sh"]
    workspace: { mode: rw }
    secrets: [{ name: token, variable: TOKEN }]
    resources: { limits: { memory: 300M } }
    bids:
      - { on: CodeCommit, bid: exclusive }
`;

const env = {
  KUBECONFIG: kubeconfig,
  ...(process.env.DOCKER_HOST !== undefined && { DOCKER_HOST: process.env.DOCKER_HOST }),
};

let at: Awaited<ReturnType<typeof configFolder>>;
let client: KubeClient;
let made: Artefact;
let diced: Artefact;

async function git(...words: string[]): Promise<string> {
  const child = Bun.spawn(["git", ...words], { cwd: at.folder, stdout: "pipe" });
  expect(await child.exited).toBe(0);
  return await new Response(child.stdout).text();
}

const settWith = async (more: Record<string, string>, ...words: string[]) =>
  await runSett(words, { cwd: at.folder, env: { ...env, ...more } });
const sett = async (...words: string[]) => await settWith({}, ...words);

async function need(...words: string[]): Promise<string> {
  const { code, out, err } = await sett(...words);
  if (code !== 0) throw new Error(`${words.join(" ")}: ${err}`);
  return out;
}

const recorded = async (): Promise<Artefact[]> => JSON.parse(await need("hoard", "--json"));

const examined = async (): Promise<SettEvent[]> =>
  (await need("watch", "--no-follow", "-o", "jsonl", "--type", "grant_examined"))
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));

const Named = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

const Service = z.object({ spec: z.object({ clusterIP: z.string() }) });

/** Nothing of a look may be there once its command has ended. */
const left = async () => {
  const kinds = ["Pod", "Secret", "ConfigMap", "NetworkPolicy"] as const;
  const lists = await Promise.all(kinds.map(async (kind) => await client.list(kind, home)));
  return lists
    .flatMap((list) => Named.parse(list).items)
    .map(({ metadata }) => metadata.name)
    .filter((found) => found.includes("-examine-"));
};

const openShell = (id: string, stdin: Blob | "pipe", ...more: string[]) =>
  Bun.spawn([settBinary, "shell", id, ...more], {
    ...{ cwd: at.folder, env: { ...process.env, ...env }, stdin, stdout: "pipe", stderr: "pipe" },
  });

beforeAll(async () => {
  if (!isThere) return;
  at = await configFolder({
    "sett.yml": settYml,
    "agents/coder/run.sh": committing("made.txt", "jq -r .target_artefact.payload", "CodeCommit"),
    "agents/coder/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n",
    "agents/dice/run.sh": committing("dice.txt", "cat /proc/sys/kernel/random/uuid", "Diced"),
    "agents/dice/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n",
  });
  for (const agent of ["coder", "dice"])
    await chmod(join(at.folder, `agents/${agent}/run.sh`), 0o755);
  await git("init", "--quiet");
  await git("config", "user.name", "Ada Lovelace");
  await git("config", "user.email", "ada@example.org");
  await git("add", ".");
  await git("commit", "--quiet", "--message", "one");
  client = new KubeClient(await findCluster(env, undefined));
  await client.json("/api/v1/namespaces", {
    method: "POST",
    body: {
      ...{ apiVersion: "v1", kind: "Namespace" },
      metadata: { name: home, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    },
  });
  const token = { apiVersion: "v1", kind: "Secret", metadata: { name: "token-of-ada" } } as const;
  await client.create({ ...token, stringData: { word: "open-sesame-and-in" } }, home);
  await need("up", "--runtime", "kubernetes", "--name", name);
  await need("forage", "--goal", "green", "--watch");
  const artefacts = await recorded();
  const of = (type: string) => artefacts.find((one) => one.type === type) as Artefact;
  [made, diced] = [of("CodeCommit"), of("Diced")];
});

afterAll(async () => {
  if (!isThere) return;
  await sett("down", "--name", name, "--volumes", "--force");
  await client.remove("Namespace", "", home);
  await at[Symbol.asyncDispose]();
});

inCluster(
  "the same inputs make the same files again, and nothing but the log knows of it",
  async () => {
    const before = await recorded();
    const again = JSON.parse(await need("rerun", made.id, "--json"));
    expect(again).toMatchObject({
      ...{ same: true, artefact_id: made.id, differences: [] },
      ...{ grant: { agent: "coder", attempt: 1 }, image: expect.stringContaining("@sha256:") },
    });
    const { code, out } = await sett("rerun", diced.id, "--json");
    const { same, changed } = JSON.parse(out);
    expect({ code, same, changed }).toEqual({ code: 1, same: false, changed: ["dice.txt"] });
    expect(await recorded()).toEqual(before);
    expect(await left()).toEqual([]);
    expect(await examined()).toMatchObject([
      ...[{ agent: "coder", artefact_id: made.id, data: { attempt: 1, how: "rerun", same: true } }],
      ...[
        { agent: "dice", artefact_id: diced.id, data: { attempt: 1, how: "rerun", same: false } },
      ],
    ]);
  },
);

inCluster(
  "a shell has the commit, the input and the limits of the grant, and no way elsewhere",
  async () => {
    const addressOf = async (service: string) =>
      Service.parse(await client.find("Service", home, `${home}-${service}`)).spec.clusterIP;
    const { host } = new URL(client.access.server);
    const [redis, recorder] = [await addressOf("redis"), await addressOf("recorder")];
    const tries = [`${redis}:6379`, `${recorder}:8443`, host].map((to) => {
      const [machine, port] = to.split(":");
      return `timeout 3 bash -c '</dev/tcp/${machine}/${port}' 2>/dev/null && echo open || echo closed`;
    });
    const script = [
      "jq -r .target_artefact.id /tmp/input.json",
      "git rev-parse HEAD",
      "cat made.txt",
      "env | grep -c -e REDIS -e SETT_LOGIN",
      'echo "secret $TOKEN"',
      "ls -d /run/secrets /var/run/secrets 2>/dev/null | wc -l",
      ...tries,
      "/app/run.sh < /tmp/input.json | jq -r .artefact_type",
      "exit 7",
    ].join("\n");
    const { code, out, err } = await finished(openShell(diced.id, new Blob([script])));
    expect({ code, lines: out.trim().split("\n") }).toEqual({
      code: 7,
      lines: [
        ...[made.id, made.payload, "green", "0", "secret ", "0"],
        ...["closed", "closed", "closed", "Diced"],
      ],
    });
    expect(err).toContain("The command was: /app/run.sh < /tmp/input.json");
    const secret = await finished(openShell(diced.id, new Blob(["echo $TOKEN"]), "--secrets"));
    expect(secret.out.trim()).toBe("open-sesame-and-in");
    expect((await recorded()).map(({ id }) => id)).toEqual(
      expect.arrayContaining([made.id, diced.id]),
    );
    expect(await left()).toEqual([]);
    expect((await examined()).at(-1)).toMatchObject({ agent: "dice", data: { how: "shell" } });
  },
);

inCluster(
  "on a terminal the shell has one of its own, of the same size, and Ctrl-C ends a command in it alone",
  async () => {
    await using shell = settOnTerminal(["shell", diced.id], {
      ...{ cwd: at.folder, columns: 77, env: { ...env, LANG: "C.UTF-8" } },
    });
    const shows = (text: string) =>
      shell.showing(text, ({ rows }) => rows.join("\n").includes(text));
    await shows("dice:/workspace$");
    shell.type("stty size; echo begun$((1 + 1)); sleep 600\r");
    await shows("24 77");
    await shows("begun2");
    shell.type("\x03");
    shell.resize(99, 24);
    shell.type("stty size\r");
    await shows("24 99");
    shell.type("exit 9\r");
    expect(await shell.exited).toBe(9);
    expect(await left()).toEqual([]);
  },
);

inCluster(
  "a shell that is ended leaves nothing in the cluster, and one that was killed goes with the next `sett up`",
  async () => {
    const begun = async (child: Bun.Subprocess, before: number) => {
      await waitFor("the shell to be on record", async () => (await examined()).length > before);
      expect(await left()).toHaveLength(3);
      return child;
    };
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGHUP", 129],
    ] as const) {
      const child = await begun(openShell(made.id, "pipe"), (await examined()).length);
      child.kill(signal);
      expect(await child.exited).toBe(code);
      expect(await left()).toEqual([]);
    }
    const killed = await begun(openShell(made.id, "pipe"), (await examined()).length);
    killed.kill("SIGKILL");
    await killed.exited;
    await need("up");
    expect(await left()).toEqual([]);
  },
);

inCluster("who may make no pods, and what a quota refuses, is said: nothing is left", async () => {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const metadata = { name: "reader" };
  const role = { kind: "Role", apiGroup: "rbac.authorization.k8s.io", name: "reader" };
  const post = async (path: string, body: object) =>
    await client.json(path, { method: "POST", body });
  await post(`/api/v1/namespaces/${home}/serviceaccounts`, { metadata });
  await post(`${rbac}/namespaces/${home}/roles`, {
    metadata,
    rules: rights.map(({ group, resource, verbs }) => ({
      ...{ apiGroups: [group], resources: [resource], verbs },
    })),
  });
  await post(`${rbac}/namespaces/${home}/rolebindings`, {
    ...{ metadata, roleRef: role },
    subjects: [{ kind: "ServiceAccount", name: "reader", namespace: home }],
  });
  const answer = await post(`/api/v1/namespaces/${home}/serviceaccounts/reader/token`, {
    spec: {},
  });
  const { token } = z.object({ status: z.object({ token: z.string() }) }).parse(answer).status;
  const { server, ca } = client.access;
  const ofReader = join(at.folder, ".git/kubeconfig");
  const cluster = {
    server,
    "certificate-authority-data": Buffer.from(String(ca)).toString("base64"),
  };
  const config = {
    clusters: [{ name: "one", cluster }],
    contexts: [{ name: "here", context: { cluster: "one", user: "reader" } }],
    ...{ "current-context": "here", users: [{ name: "reader", user: { token } }] },
  };
  await Bun.write(ofReader, JSON.stringify(config));
  const unable = await settWith({ KUBECONFIG: ofReader }, "rerun", made.id);
  expect(unable.err).toContain("what Sett needs: create pods.");
  expect(unable.err).toContain("sett render --kubernetes --rbac");

  const kept = await settWith({ KUBECONFIG: ofReader }, "backup", join(at.folder, ".git/x.sett"));
  expect(kept.err).toContain("what Sett needs: create pods.");
  expect(await Bun.file(join(at.folder, ".git/x.sett")).exists()).toBe(false);

  const quotas = `/api/v1/namespaces/${home}/resourcequotas`;
  await post(quotas, { metadata: { name: "none" }, spec: { hard: { pods: "0" } } });
  const refused = await sett("rerun", made.id);
  expect(refused.err).toContain("exceeded quota");
  expect([unable.code, refused.code, await left()]).toEqual([1, 1, []]);
  await client.json(`${quotas}/none`, { method: "DELETE", body: {} });
});
