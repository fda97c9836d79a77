// What a real cluster refuses ends `sett up` with the cluster's reason and with what helps, and
// what it waits for is said.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { KubeClient } from "../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../lib/runtime/kubernetes/kubeconfig.ts";
import { runSett } from "../support/cli/sett-process.ts";
import { configFolder } from "../support/config/config-file.ts";
import { isNight } from "../support/nightly.ts";
import { kubeconfig, registry } from "../support/runtime/test-cluster.ts";

setDefaultTimeout(900_000);

const isThere = isNight && kubeconfig !== "";
const inCluster = test.skipIf(!isThere);
const name = `r${randomUUID().slice(0, 6)}`;
const home = `sett-${name}`;

const settYml = `version: '1.0'
images: { push: ${registry} }
agents:
  one:
    build: ./agents/one
    command: ["/app/run.sh"]
    bids: [{ on: GoalDefined, bid: exclusive }]
`;

const env = {
  KUBECONFIG: kubeconfig,
  ...(process.env.DOCKER_HOST !== undefined && { DOCKER_HOST: process.env.DOCKER_HOST }),
};

let at: Awaited<ReturnType<typeof configFolder>>;
let client: KubeClient;

const sett = async (...words: string[]) => await runSett(words, { cwd: at.folder, env });
const up = async () => await sett("up", "--runtime", "kubernetes", "--name", name);

/** A bound of the namespace, for as long as it is held. */
async function bound(kind: "resourcequotas" | "limitranges", spec: object) {
  const path = `/api/v1/namespaces/${home}/${kind}`;
  await client.json(path, { method: "POST", body: { metadata: { name: "small" }, spec } });
  return {
    async [Symbol.asyncDispose]() {
      await client.json(`${path}/small`, { method: "DELETE" });
    },
  };
}

beforeAll(async () => {
  if (!isThere) return;
  at = await configFolder({
    "sett.yml": settYml,
    "agents/one/run.sh": "#!/bin/sh\nexit 1\n",
    "agents/one/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n",
  });
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  for (const words of [
    ["init", "--quiet"],
    ["add", "."],
    [...identity, "commit", "-qm", "One"],
  ])
    expect(await Bun.spawn(["git", ...words], { cwd: at.folder }).exited).toBe(0);
  client = new KubeClient(await findCluster(env, undefined));
  // One that Sett has not made stays when nothing is in it.
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: home } }, "");
});

afterAll(async () => {
  if (!isThere) return;
  await sett("down", "--volumes", "--name", name);
  await client.remove("Namespace", "", home);
  await at[Symbol.asyncDispose]();
});

inCluster("a quota of claims is no missing Role, and its numbers are said", async () => {
  await using _ = await bound("resourcequotas", { hard: { persistentvolumeclaims: "1" } });
  const { code, err } = await up();
  expect(code).not.toBe(0);
  expect(err).toContain("The quota small allows 1 of persistentvolumeclaims: 1 is in use");
  expect(err).not.toContain("a Role of yours");
});

inCluster("a LimitRange is named with its bound, and no word is said of a log", async () => {
  const limits = [{ type: "Container", max: { memory: "64Mi" } }];
  await using _ = await bound("limitranges", { limits });
  const { code, err } = await up();
  expect(code).not.toBe(0);
  expect(err).toContain("a LimitRange of the namespace refuses its pod");
  expect(err).toContain("maximum memory usage per Container is 64Mi");
  expect(err).not.toContain("Its log is empty");
});

inCluster("a part whose Deployment was deleted is missing until the next `sett up`", async () => {
  expect(await up()).toMatchObject({ code: 0 });
  await client.remove("Deployment", home, `sett-${name}-agent-one`);
  expect((await sett("status")).out).toContain("is missing");
  expect((await sett("list")).out).toMatch(/\d of \d running/);
  expect((await sett("doctor")).out).toContain("starts what is missing");
  expect(await up()).toMatchObject({ code: 0 });
  expect((await sett("status")).out).not.toContain("is missing");
});
