// Which runtime is meant, where no engine answers; the processes are real.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, realpath, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { InstanceName } from "../../../lib/model/ids.ts";
import type { Runtime } from "../../../lib/runtime/port.ts";
import { processRuntime } from "../../../lib/runtime/process/runtime.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { nightly } from "../../support/nightly.ts";

let root: string;
let runtime: Runtime;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "sett-runtimes-")));
  await $`git init --quiet here && git init --quiet there`.cwd(root);
  runtime = processRuntime({ folder: join(root, "state/sett"), supervisor: ["false"] }, {});
});

afterAll(async () => {
  await rm(root, { recursive: true });
});

const sett = (folder: string, ...words: string[]) =>
  runSett(words, {
    cwd: join(root, folder),
    env: {
      HOME: root,
      XDG_STATE_HOME: join(root, "state"),
      DOCKER_HOST: `unix://${join(root, "no-engine.sock")}`,
    },
  });

/** Returns what an earlier `down` has kept of an instance of this folder. */
async function keepBlackboard(name: string, folder: string, id?: string): Promise<void> {
  const labels = {
    ...(id !== undefined && { id }),
    instance: InstanceName.parse(name),
    workspace: join(root, folder),
    version: "1",
    component: "blackboard" as const,
  };
  await runtime.apply.makeVolume({ name: `sett-${name}-blackboard`, labels: labels });
}

nightly("without processes it is the engine that does not answer", async () => {
  for (const words of [["list"], ["status"], ["down"], ["logs", "coder"]]) {
    const { code, err } = await sett("here", ...words);
    expect({ words, code }).toEqual({ words, code: 1 });
    expect(err).toContain("The Docker Engine does not answer");
  }
});

test("the processes of a repository are found without an engine; list says that it has not seen all", async () => {
  await keepBlackboard("demo", "here");
  const listed = await sett("there", "list", "--json");
  expect(JSON.parse(listed.out)).toMatchObject([
    { name: "demo", state: "down", runtime: "process", workspace: join(root, "here") },
  ]);
  expect(listed.err).toContain("Docker does not answer");
  const status = await sett("here", "status");
  expect(status.err).toContain("demo is down. Its blackboard is kept.");
  expect((await sett("there", "status", "--name", "demo")).err).toContain(
    "demo is down. Its blackboard is kept.",
  );
  expect((await sett("there", "status")).err).toContain("The Docker Engine does not answer");
  expect((await sett("here", "status", "--name", "other")).err).toContain(
    "The Docker Engine does not answer",
  );
});

test("a blackboard that was kept is removed without an engine", async () => {
  await keepBlackboard("demo", "here");
  expect((await sett("here", "down", "--volumes")).code).toBe(0);
  expect(await runtime.observe.instances()).toEqual([]);
});

nightly(
  "what is kept of a repository that was moved is its own there: commands say so, and down removes it",
  async () => {
    const id = "0123456789abcdef.1790000000";
    await $`git init --quiet before && git -C before -c user.name=A -c user.email=a@sett.invalid commit --quiet --allow-empty -m x && git -C before config sett.demo.id ${id} && git -C before config sett.demo.worktree ..`.cwd(
      root,
    );
    await keepBlackboard("demo", "before", id);
    await rename(join(root, "before"), join(root, "after"));
    const status = await sett("after", "status");
    expect(status.err).toContain(`which was at ${join(root, "before")} when it was started`);
    expect((await sett("here", "status")).err).toContain("The Docker Engine does not answer");
    const down = await sett("after", "down", "--volumes");
    expect({ ...down, out: "" }).toMatchObject({
      code: 0,
      err: expect.stringContaining("removed"),
    });
    expect(down.err).not.toContain("cannot be used");
    expect(await runtime.observe.instances()).toEqual([]);
    expect(await $`git -C after config sett.demo.id`.cwd(root).nothrow().text()).toBe("");
  },
);

test("an instance in a cluster that does not answer is neither gone nor started a second time", async () => {
  const folder = join(root, "clustered");
  await $`git init --quiet clustered && git -C clustered -c user.name=A -c user.email=a@sett.invalid commit --quiet --allow-empty -m x`.cwd(
    root,
  );
  await $`git config sett.demo.kubernetes sett-demo && git config sett.demo.id 0123456789abcdef.1790000000 && git update-ref refs/sett/demo/9f3a12b4-0000-4000-8000-000000000000 HEAD`.cwd(
    folder,
  );
  const bids = [{ on: "GoalDefined", bid: "exclusive" }];
  const agents = { echo: { image: "echo", command: ["true"], bids } };
  await Bun.write(join(folder, "sett.yml"), JSON.stringify({ version: "1.0", agents }));
  const cluster = { name: "away", cluster: { server: "http://127.0.0.1:1" } };
  const context = { name: "away", context: { cluster: "away", user: "away" } };
  const user = { name: "away", user: { token: "t" } };
  const kubeconfig = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "away" },
    ...{ contexts: [context], clusters: [cluster], users: [user] },
  };
  await Bun.write(join(root, "kubeconfig"), JSON.stringify(kubeconfig));
  const env = {
    ...{ HOME: root, XDG_STATE_HOME: join(root, "state"), KUBECONFIG: join(root, "kubeconfig") },
    DOCKER_HOST: `unix://${join(root, "no-engine.sock")}`,
  };
  const run = (...words: string[]) => runSett(words, { cwd: folder, env });
  for (const words of [["list"], ["up"], ["up", "--name", "demo", "--runtime", "process"]]) {
    const { code, err } = await run(...words);
    expect({ words, code, err }).toEqual({ words, code: 1, err: expect.any(String) });
    expect(err).toContain("http://127.0.0.1:1, does not answer");
    expect(err).not.toContain("gone");
  }
  const doctor = await run("doctor");
  expect(doctor.out).toContain("not known: the cluster of one cannot be asked");
  await keepBlackboard("other", "here");
  const listed = await run("list");
  expect(listed.out).toContain("other");
  expect(listed.err).toContain(
    "Instances in a cluster are not shown. The API server of the context away",
  );
  expect(listed.err).not.toContain("gone");
});
