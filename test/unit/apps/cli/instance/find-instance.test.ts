// Which instance is meant, and what instances of one repository share; the repositories are real, Docker is not asked.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { findInstance, hasContainers } from "../../../../../apps/cli/instance/find-instance.ts";
import { partOf } from "../../../../../apps/cli/instance/parts.ts";
import { redisUrlOf } from "../../../../../apps/cli/instance/place.ts";
import { leaveExchange } from "../../../../../apps/cli/instance/remove-exchange.ts";
import { exists } from "../../../../../apps/cli/program/workspace-root.ts";
import { suggestFor } from "../../../../../apps/cli/text/suggest.ts";
import { HostRepository } from "../../../../../lib/git/host-repository.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../../../lib/runtime/port.ts";
import { fakeShell } from "../../../../support/cli/fake-shell.ts";
import { instanceParts } from "../../../../support/cli/instance-parts.ts";

let folder: string;
let main: string;
let worktree: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "sett-instances-")));
  main = join(folder, "main");
  worktree = join(folder, "worktree");
  await $`git init --quiet main && cd main && git -c user.name=Ada -c user.email=ada@sett.invalid commit --quiet --allow-empty -m Begin && git worktree add --quiet ../worktree -b other`
    .cwd(folder)
    .quiet();
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

const runtimeWith = (...all: InstanceParts[]) => ({
  instances: async () => all,
  parts: async (instance: InstanceName) =>
    all.find((parts) => parts.instance === instance) ?? { instance, containers: [], networks: [], volumes: [] },
});

async function errorOf(work: () => unknown): Promise<SettError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof SettError) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}

describe("an instance of which no container is left", () => {
  const find = (parts: InstanceParts[], name: string | undefined) =>
    errorOf(() => findInstance(runtimeWith(...parts), { cwd: main }, name, hasContainers));

  test("is told to be down, with the way back, by its name and without", async () => {
    for (const name of ["demo", undefined]) {
      const error = await find([instanceParts("demo", main, "blackboard")], name);
      expect(error.code).toBe("instance-not-found");
      expect(error.message).toContain("demo is down");
      expect(error.hint).toContain("sett up --name demo");
    }
  });

  test("but its network is told to be half-made", async () => {
    expect((await find([instanceParts("demo", main, "network")], "demo")).message).toContain("half-made");
  });

  test("is not what an unknown name means", async () => {
    expect((await find([instanceParts("demo", main, "blackboard")], "dmeo")).message).toBe("There is no instance dmeo.");
  });
});

test("the logs of an agent whose container is gone are told to be gone, with the way back, and another name is none of the parts", async () => {
  const parts = instanceParts("demo", main, "containers");
  expect(partOf(parts, "coder", suggestFor(undefined)).name).toBe("sett-demo-agent-coder");
  const lost = { ...parts, containers: parts.containers.filter(({ name }) => name !== "sett-demo-agent-coder") };
  const error = await errorOf(() => partOf(lost, "coder", suggestFor("demo")));
  expect([error.message, error.hint]).toEqual([
    "The container of coder is gone, and its log with it.",
    "`sett up --name demo` starts it anew.",
  ]);
  const misspelt = await errorOf(() => partOf(parts, "codre", suggestFor(undefined)));
  expect([misspelt.code, misspelt.hint]).toEqual(["agent-not-found", "Did you mean `sett logs coder`?"]);
});

test("a Redis that has stopped or is gone is repaired by up; the logs of one that is gone are not what to look at", async () => {
  const { containers, ...rest } = instanceParts("demo", main, "containers");
  const without = containers.filter(({ labels }) => labels.component !== "redis");
  const error = await errorOf(() => redisUrlOf({ ...rest, containers: without }));
  expect(error.message).toContain("is gone");
  expect(error.hint).not.toContain("sett logs");
  const stopped = containers.map((one) => ({ ...one, state: { state: "exited", exitCode: 0, endedAt: "" } as const }));
  const hint = (await errorOf(() => redisUrlOf({ ...rest, containers: stopped }))).hint;
  expect(hint).toStartWith("`sett up --name demo` starts it again");
  expect(hint).toContain("sett logs redis --name demo");
  expect(hint).not.toContain("sett down");
  expect(error.hint).toBe("`sett up --name demo` starts it anew with all that is recorded.");
});

describe("the exchange of a repository that leaves nothing behind", () => {
  const shell = () => ({ ...fakeShell(), env: { PATH: process.env.PATH } });
  const leave = async (from: string, ...others: InstanceParts[]) => {
    const given = shell();
    const repository = await HostRepository.open(from, { env: given.env });
    await repository.createExchange();
    await leaveExchange(runtimeWith(...others), InstanceName.parse("demo"), repository, given);
    return { isThere: await exists(repository.exchangeDir), err: given.written.err };
  };

  test("stays while another instance is there in another worktree, in either direction, also one that is down", async () => {
    for (const has of ["containers", "network", "blackboard"] as const) {
      expect((await leave(worktree, instanceParts("other", main, has))).isThere).toBe(true);
      expect((await leave(main, instanceParts("other", worktree, has))).isThere).toBe(true);
    }
  });

  test("goes with the last one, whatever other repositories do", async () => {
    const elsewhere = join(folder, "elsewhere");
    await $`git clone --quiet main elsewhere`.cwd(folder).quiet();
    expect((await leave(main, instanceParts("other", elsewhere, "containers"))).isThere).toBe(false);
    expect((await leave(main, instanceParts("demo", main, "blackboard"))).isThere).toBe(false);
    expect((await leave(main)).isThere).toBe(false);
  });

  test("stays, with a word, while agents run whose folder is gone; nobody waits for those that do not run", async () => {
    const gone = join(folder, "gone");
    const kept = await leave(main, instanceParts("other", gone, "containers"));
    expect(kept.isThere).toBe(true);
    expect(kept.err).toContain("other");
    expect(kept.err).toContain(gone);
    expect((await leave(main, instanceParts("other", gone, "blackboard"))).isThere).toBe(false);
  });
});
