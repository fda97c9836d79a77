// Which instances are taken for those of a repository that was moved: real git, and the
// labels that an Engine would show.
import { expect, test } from "bun:test";
import { mkdtempDisposable, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import {
  findInstance,
  hasAnything,
  hasContainers,
} from "../../../apps/cli/instance/find-instance.ts";
import { whereTheyAre } from "../../../apps/cli/instance/moved-instances.ts";
import { workspaceOf } from "../../../apps/cli/instance/workspace-of.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { KeptId } from "../../../lib/git/repository/kept-id.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { errorOf } from "../../support/error-of.ts";
import { nightly } from "../../support/nightly.ts";

const demo = InstanceName.parse("demo");
const id = "0123456789abcdef.1790000000";
const { env } = process;

/** As after `sett down`: the blackboard alone. */
function keptBlackboard(workspace: string, ofId = id): InstanceParts {
  const labels = {
    instance: demo,
    id: ofId,
    workspace,
    version: "0.1.0",
    component: "blackboard",
  } as const;
  return {
    instance: demo,
    containers: [],
    networks: [],
    volumes: [{ name: "sett-demo-blackboard", labels }],
  };
}

async function repositoryAt(folder: string): Promise<HostRepository> {
  return await HostRepository.open(folder, { env });
}

/** A repository in which `sett up` has made the instance. */
async function makeRepository(folder: string): Promise<void> {
  await $`git init --quiet ${folder} && git -C ${folder} -c user.name=A -c user.email=a@sett.invalid commit --quiet --allow-empty -m x`;
  await new KeptId((await repositoryAt(folder)).place, demo, env).write(id);
}

async function foundAt(folder: string, parts: InstanceParts): Promise<string | undefined> {
  const [found] = await whereTheyAre([parts], (await repositoryAt(folder)).place, env);
  return found && workspaceOf(found);
}

test("the instance of a repository that was moved is where the repository is", async () => {
  await using temp = await mkdtempDisposable(join(tmpdir(), "sett-moved-"));
  const [old, now] = [join(temp.path, "old"), join(temp.path, "deeper/now")];
  await makeRepository(old);
  expect(await foundAt(old, keptBlackboard(old))).toBe(old);
  await $`mkdir ${join(temp.path, "deeper")}`;
  await rename(old, now);
  expect(await foundAt(now, keptBlackboard(old))).toBe(now);
  expect(await foundAt(now, keptBlackboard(old, "fedcba9876543210.1790000000"))).toBe(old);
});

test("a bare repository that is there keeps its instance, and one that was moved takes it along", async () => {
  await using temp = await mkdtempDisposable(join(tmpdir(), "sett-moved-"));
  const [from, old] = [join(temp.path, "from"), join(temp.path, "old.git")];
  const now = join(temp.path, "now.git");
  await makeRepository(from);
  await $`git clone --quiet --bare ${from} ${old} && git clone --quiet --bare ${from} ${now}`;
  await new KeptId((await repositoryAt(old)).place, demo, env).write(id);
  expect(await foundAt(now, keptBlackboard(old))).toBe(old);
  await rm(now, { recursive: true });
  await rename(old, now);
  expect(await foundAt(now, keptBlackboard(old))).toBe(now);
});

test("what is at the old place now keeps no instance from the new one: a link to it, or no repository", async () => {
  await using temp = await mkdtempDisposable(join(tmpdir(), "sett-moved-"));
  const [old, now] = [join(temp.path, "old"), join(temp.path, "now")];
  await makeRepository(old);
  await rename(old, now);
  await symlink(now, old);
  expect(await foundAt(now, keptBlackboard(old))).toBe(now);
  await $`rm ${old} && mkdir -p ${join(old, "logs")}`;
  expect(await foundAt(now, keptBlackboard(old))).toBe(now);
});

test("a command that takes what was moved gets it as if it had been made in the new folder", async () => {
  await using temp = await mkdtempDisposable(join(tmpdir(), "sett-moved-"));
  const [old, now] = [join(temp.path, "old"), join(temp.path, "now")];
  await makeRepository(old);
  await rename(old, now);
  const known = {
    instances: async (workspace?: string) =>
      [keptBlackboard(old)].filter(() => workspace === undefined || workspace === old),
    parts: async () => keptBlackboard(old),
  };
  for (const name of [undefined, "demo"]) {
    const taken = await findInstance(known, { cwd: now, env }, name, hasAnything, {
      takesMoved: true,
    });
    expect(workspaceOf(taken)).toBe(now);
  }
  expect(workspaceOf(await findInstance(known, { cwd: now, env }, "demo", hasAnything))).toBe(old);
});

test("a command in the new folder says where its instance was, and what to do", async () => {
  await using temp = await mkdtempDisposable(join(tmpdir(), "sett-moved-"));
  const [old, now] = [join(temp.path, "old"), join(temp.path, "now")];
  await makeRepository(old);
  await rename(old, now);
  const find = (ofId: string) =>
    errorOf(() =>
      findInstance(
        {
          // As an Engine that is asked by the label of the folder.
          instances: async (workspace) =>
            [keptBlackboard(old, ofId)].filter(() => workspace === undefined || workspace === old),
          parts: async () => keptBlackboard(old, ofId),
        },
        { cwd: now, env },
        undefined,
        hasContainers,
      ),
    );
  const error = await find(id);
  expect(error.code).toBe("instance-not-found");
  expect(error.message).toContain(`which was at ${old}`);
  expect(error.hint).toContain("sett up --name demo");
  expect((await find("fedcba9876543210.1790000000")).message).toContain("No sett is running");
});

nightly(
  "a copy of a repository, and another worktree, have an instance no more than before",
  async () => {
    await using temp = await mkdtempDisposable(join(tmpdir(), "sett-moved-"));
    const [old, copy, fix] = [
      join(temp.path, "old"),
      join(temp.path, "copy"),
      join(temp.path, "fix"),
    ];
    await makeRepository(old);
    await $`cp -r ${old} ${copy}`;
    expect(await foundAt(copy, keptBlackboard(old))).toBe(old);

    await $`git -C ${old} worktree add --quiet ${fix}`.quiet();
    await new KeptId((await repositoryAt(fix)).place, demo, env).write(id);
    await $`git -C ${old} worktree remove ${fix}`;
    expect(await foundAt(old, keptBlackboard(fix))).toBe(fix);
  },
);
