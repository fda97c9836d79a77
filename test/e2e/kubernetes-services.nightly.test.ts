// The services of an instance in a real cluster that people, models and forges reach.
import { expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes, randomUUID } from "node:crypto";
import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { sign } from "@octokit/webhooks-methods";
import { z } from "zod";
import { KubeClient } from "../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../lib/runtime/kubernetes/kubeconfig.ts";
import { ensureNamespace } from "../../lib/runtime/kubernetes/namespace.ts";
import { runSett } from "../support/cli/sett-process.ts";
import { configFolder } from "../support/config/config-file.ts";
import { errorOf } from "../support/error-of.ts";
import { MockForge } from "../support/forge/mock-forge.ts";
import { makeCertificate } from "../support/http/make-certificate.ts";
import { isNight } from "../support/nightly.ts";
import { root } from "../support/root.ts";
import { kubeconfig, ownAddress, registry } from "../support/runtime/test-cluster.ts";
import { github } from "../support/triggers/forge-payloads.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(900_000);

/** It needs a cluster whose nodes pull from a registry to which this machine may push. */
const inCluster = test.skipIf(!isNight || kubeconfig === "");

const env = {
  KUBECONFIG: kubeconfig,
  ...(process.env.DOCKER_HOST !== undefined && { DOCKER_HOST: process.env.DOCKER_HOST }),
};

async function git(cwd: string, ...words: string[]): Promise<string> {
  const child = Bun.spawn(["git", ...words], { cwd, stdout: "pipe" });
  expect(await child.exited).toBe(0);
  return await new Response(child.stdout).text();
}

/** `more`: variables of the shell of `sett`. */
async function repository(files: Record<string, string>) {
  const name = `a${randomUUID().slice(0, 6)}`;
  const made = await configFolder(files);
  const { folder: cwd } = made;
  for (const path of Object.keys(files))
    if (path.endsWith(".sh")) await chmod(join(cwd, path), 0o755);
  await git(cwd, "init", "--quiet");
  await git(cwd, "add", ".");
  await git(cwd, "-c", "user.name=ada", "-c", "user.email=ada@example.org", "commit", "-qm", "one");
  const sett = async (words: string[], more: Record<string, string> = {}) => {
    const { code, out, err } = await runSett(words, { cwd, env: { ...env, ...more } });
    return { code, out, said: `${out}${err}` };
  };
  const client = new KubeClient(await findCluster(env, undefined));
  const home = `sett-${name}`;
  return {
    ...{ name, cwd, client, home, sett },
    up: async (more: Record<string, string> = {}) => {
      const up = await sett(["up", "--runtime", "kubernetes", "--name", name], more);
      expect(up.said).toContain(`${name} is up`);
      return up.said;
    },
    /** Another pod of the part runs, and the one before has gone. */
    replacePod: async (part: string) => {
      const selector = `dev.sett.part=${home}-${part}`;
      const pods = async () => Pods.parse(await client.list("Pod", home, selector)).items;
      const [before] = await pods();
      await client.remove("Pod", home, before?.metadata.name ?? "", 0);
      await waitFor(`another pod of ${part}`, async () => {
        const [pod, ...others] = await pods();
        if (others.length > 0 || pod?.metadata.uid === before?.metadata.uid) return false;
        return pod?.status.containerStatuses?.[0]?.state.running !== undefined;
      });
    },
    async [Symbol.asyncDispose]() {
      await sett(["down", "--name", name, "--volumes", "--force"]);
      await made[Symbol.asyncDispose]();
    },
  };
}

const Pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), uid: z.string() }),
      status: z.object({
        containerStatuses: z
          .array(z.object({ state: z.object({ running: z.unknown().optional() }) }))
          .optional(),
      }),
    }),
  ),
});

const asker = {
  "agents/asker/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh asker.ts /app/\n",
  "agents/asker/run.sh": "#!/bin/sh\nBUN_BE_BUN=1 exec /cub/cub run /app/asker.ts\n",
};

inCluster(
  "keys and certificates of models last: a gateway whose pod was replaced calls them with the newest",
  async () => {
    const seen: (string | null)[] = [];
    await using certificates = await configFolder({});
    const { ca, cert, key } = await makeCertificate(certificates.folder, `IP:${ownAddress}`, false);
    await using provider = Bun.serve({
      ...{ port: 0, hostname: "0.0.0.0", tls: { cert: Bun.file(cert), key: Bun.file(key) } },
      fetch: ({ headers }) => {
        seen.push(headers.get("authorization"));
        const message = { role: "assistant", content: "Hello" };
        const choices = [{ index: 0, message, finish_reason: "stop" }];
        const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
        return Response.json({ id: "one", object: "chat.completion", choices, usage });
      },
    });
    await using here = await repository({
      "sett.yml": `version: '1.0'
images: { push: ${registry} }
models:
  ca: ${ca}
  local:
    provider: openai
    base_url: https://${ownAddress}:${provider.port}/v1
    model: test-model
    key: \${PROVIDER_KEY}
    price: { input: 1, output: 2 }
agents:
  asker:
    build: { context: ./agents/asker }
    command: ["/app/run.sh"]
    model: local
    bids: [{ on: GoalDefined, bid: exclusive }]
`,
      ...asker,
      "agents/asker/asker.ts": await readFile(join(root, "test/support/models/asker.ts"), "utf8"),
    });
    const { sett, client, home } = here;
    const [one, two] = [1, 2].map(() => ({ PROVIDER_KEY: `sk-${randomBytes(9).toString("hex")}` }));
    /** The key with which the model is called next. */
    const used = async () => {
      const before = seen.length;
      await sett(["forage", "--goal", "hello", "--watch"], one);
      return seen.length > before ? seen.at(-1) : undefined;
    };
    await here.up(one);
    expect(await used()).toBe(`Bearer ${one?.PROVIDER_KEY}`);
    await here.replacePod("gateway");
    expect(await waitFor("a call", used)).toBe(`Bearer ${one?.PROVIDER_KEY}`);

    expect(await here.up(two)).not.toContain("replaced");
    expect(await used()).toBe(`Bearer ${two?.PROVIDER_KEY}`);
    await here.replacePod("gateway");
    expect(await waitFor("a call", used)).toBe(`Bearer ${two?.PROVIDER_KEY}`);

    const manifests = await sett(["render", "--kubernetes"], two);
    expect(manifests.code).toBe(0);
    expect(manifests.said).not.toContain(two?.PROVIDER_KEY);
    expect(manifests.said).not.toContain(btoa(two?.PROVIDER_KEY ?? ""));
    expect((await sett(["down"])).code).toBe(0);
    expect(JSON.stringify(await client.list("Secret", home))).not.toContain(".gifts");
  },
);

const token = randomBytes(32).toString("hex");
const hook = randomBytes(32).toString("hex");

const painter = `#!/bin/sh
cat > /dev/null
echo "painting the door" >&2
echo painted > door.txt
git add door.txt
git -c user.name=painter -c user.email=painter@example.org commit --quiet --message "Paint it" >&2
jq -n --arg commit "$(git rev-parse HEAD)" \\
  '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Painted it"}'
`;
const withPainter = (top: string, agents = "") => ({
  "agents/painter/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n",
  "agents/painter/run.sh": painter,
  "sett.yml": `version: '1.0'
images: { push: ${registry} }
${top}agents:
  painter:
    build: ./agents/painter
    command: ["/app/run.sh"]
    workspace: { mode: rw }
    bids: [{ on: GoalDefined, bid: exclusive }]
${agents}`,
});

const Service = z.object({ spec: z.object({ clusterIP: z.string() }) });
const Account = z.object({ status: z.object({ token: z.string() }) });

inCluster(
  "the API of a cluster has goals, commits, logs and webhooks, and its reader of logs no Secret",
  async () => {
    const counter = `  counter:
    build: ./agents/painter
    command: ["sh", "-c", "echo counting the doors >&2; echo '{\\"structural_type\\": \\"Terminal\\", \\"artefact_type\\": \\"Done\\", \\"artefact_payload\\": \\"one\\", \\"summary\\": \\"done\\"}'"]
    on_demand: true
    bids: [{ on: CodeCommit, bid: exclusive }]
`;
    const top = `secrets:
  ada: { environment: ADA_TOKEN }
  hook: { kubernetes: { name: hook-of-ada, key: word } }
services:
  api: { tls: none, tokens: [{ name: ada, secret: ada, may: [read, forage] }] }
triggers:
  push:
    webhook: { forge: github, secret: hook, events: [push], branches: [main] }
    goal: "Paint {{ branch }}"
  minutely: { cron: "* * * * *", goal: "Sweep at {{ time }}" }
`;
    await using here = await repository(withPainter(top, counter));
    const { sett, client, home } = here;
    const values = { ADA_TOKEN: token };
    const without = await sett(["up", "--runtime", "kubernetes", "--name", here.name], values);
    expect(without.said).toContain(`There is no Secret hook-of-ada in the namespace ${home}`);
    await ensureNamespace(client, home);
    const metadata = { name: "hook-of-ada" };
    await client.create(
      { ...{ apiVersion: "v1", kind: "Secret", metadata }, stringData: { word: hook } },
      home,
    );
    expect(await here.up(values)).toContain(`the Service ${home}-api in the namespace ${home}`);
    const found = Service.parse(await client.find("Service", home, `${home}-api`));
    const url = `http://${found.spec.clusterIP}:8443`;
    const byApi = (...words: string[]) => sett(words, { SETT_API: url, SETT_API_TOKEN: token });

    const goal = await byApi("forage", "--goal", "Paint the door", "--watch");
    expect(goal.said).toContain("is achieved");
    expect((await byApi("hoard")).said).toContain("Painted it");
    expect(await git(here.cwd, "for-each-ref", `refs/sett/${here.name}`)).toContain("commit");
    expect((await byApi("logs", "painter")).said).toContain("Tool execution completed");
    const ofWorker = async () => (await byApi("logs", "counter")).said;
    expect(await ofWorker()).toMatch(/Tool execution completed|has no part named counter/);
    expect(await (await fetch(url)).text()).toContain("<html");

    const swept = async () => (await byApi("hoard")).said.includes("Sweep at");
    await waitFor("the clock has stated a goal", swept);
    const deliver = async () => {
      const after = (await git(here.cwd, "rev-parse", "HEAD")).trim();
      const head_commit = { id: after, message: "one", timestamp: "2026-11-24T11:00:00Z" };
      const body = JSON.stringify(github.push({ after, head_commit }));
      const headers = {
        ...{ "content-type": "application/json", "x-github-event": "push" },
        "x-github-delivery": randomUUID(),
        "x-hub-signature-256": await sign(hook, body),
      };
      const answer = await fetch(`${url}/hooks/push`, { method: "POST", body, headers });
      return { status: answer.status, text: await answer.text() };
    };
    expect(await deliver()).toMatchObject({ status: 202 });
    await here.replacePod("api");
    await waitFor("the API answers again", async () => (await byApi("status")).code === 0);
    expect(await deliver()).toMatchObject({ status: 202 });
    expect((await byApi("logs", "painter")).said).toContain("Tool execution completed");

    const path = `/api/v1/namespaces/${home}/serviceaccounts/${home}-log-reader/token`;
    const answer = await client.json(path, { method: "POST", body: { spec: {} } });
    const authorization = `Bearer ${Account.parse(answer).status.token}`;
    const access = { ...client.access, credential: async () => ({ authorization }) };
    const reader = new KubeClient(access);
    for (const kind of ["Job", "Pod"] as const) await reader.list(kind, `${home}-workers`);
    await reader.list("Pod", home);
    for (const namespace of [home, `${home}-workers`]) {
      expect(await errorOf(reader.list("Secret", namespace))).toMatchObject({ status: 403 });
      expect(await errorOf(reader.remove("Pod", namespace, "any"))).toMatchObject({ status: 403 });
      const exec = `/api/v1/namespaces/${namespace}/pods/any/exec`;
      expect(await errorOf(reader.json(exec, { method: "POST" }))).toMatchObject({ status: 403 });
    }

    await client.remove("Secret", home, "hook-of-ada");
    expect((await sett(["down", "--volumes"])).said).toContain("is removed");
    const left = JSON.stringify(await client.find("Namespace", "", home));
    expect(left === undefined || left.includes("deletionTimestamp")).toBe(true);
  },
);

inCluster(
  "a goal becomes a pull request by the service of forges, whose pod may be replaced meanwhile",
  async () => {
    using forge = new MockForge(undefined, "0.0.0.0");
    const top = `secrets: { hub-token: { environment: HUB_TOKEN } }
forges: { hub: { kind: github, url: "http://${ownAddress}:${forge.port}", repository: acme/door, token: hub-token } }
people: { ada: { accounts: { hub: ada-l } } }
`;
    const pull = `  pull-request:
    forge: hub
    bids: [{ on: CodeCommit, bid: review }]
    pull_request: { base: main, checks: none, approvals: 1 }
`;
    await using here = await repository(withPainter(top, pull));
    const { sett } = here;
    await git(here.cwd, "push", "--quiet", forge.folder, "HEAD:refs/heads/main");
    await here.up({ HUB_TOKEN: forge.token });
    const goal = (await sett(["forage", "--goal", "Paint the door"])).out.trim();
    await waitFor("a pull request", async () => forge.pulls[0]);
    await here.replacePod("forge");
    forge.review({ login: "ada-l", state: "APPROVED" });
    await waitFor("the approval", async () =>
      (await sett(["report", goal])).said.includes("Approved at the forge by"),
    );
    expect([forge.pulls.length, forge.pushes]).toEqual([1, 1]);
  },
);
