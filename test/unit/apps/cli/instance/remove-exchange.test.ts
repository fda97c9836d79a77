// When `sett down` removes what the instances of a repository share. The repositories are real, no Engine is asked.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { leaveExchange } from "../../../../../apps/cli/instance/remove-exchange.ts";
import { exists } from "../../../../../apps/cli/program/workspace-root.ts";
import { HostRepository } from "../../../../../lib/git/host-repository.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../../../lib/runtime/port.ts";
import { fakeShell } from "../../../../support/cli/fake-shell.ts";
import { instanceParts, runtimeWith } from "../../../../support/cli/instance-parts.ts";

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

describe("the exchange of a repository that leaves nothing behind", () => {
  const shell = () => ({ ...fakeShell(), env: { PATH: process.env.PATH } });
  const leave = async (from: string, ...others: InstanceParts[]) => {
    const fake = shell();
    const repository = await HostRepository.open(from, { env: fake.env });
    await repository.createExchange();
    await leaveExchange(runtimeWith(...others), InstanceName.parse("demo"), repository, fake);
    return { isThere: await exists(repository.exchangeDir), err: fake.written.err };
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

  test("stays, with a message, while agents run whose folder is gone; agents that do not run do not count", async () => {
    const gone = join(folder, "gone");
    const kept = await leave(main, instanceParts("other", gone, "containers"));
    expect(kept.isThere).toBe(true);
    expect(kept.err).toContain("other");
    expect(kept.err).toContain(gone);
    expect((await leave(main, instanceParts("other", gone, "blackboard"))).isThere).toBe(false);
  });
});
