// Which instance a command means. The repository is real, no Engine is asked.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { findInstance, hasContainers } from "../../../../../apps/cli/instance/find-instance.ts";
import type { InstanceParts } from "../../../../../lib/runtime/port.ts";
import { instanceParts, runtimeWith } from "../../../../support/cli/instance-parts.ts";
import { errorOf } from "../../../../support/error-of.ts";

let folder: string;
let main: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "sett-instances-")));
  main = join(folder, "main");
  await $`git init --quiet main`.cwd(folder);
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe("an instance of which no container is left", () => {
  const find = (parts: InstanceParts[], name: string | undefined) =>
    errorOf(() =>
      findInstance(runtimeWith(...parts), { cwd: main, env: process.env }, name, hasContainers),
    );

  test("is reported as down, with the command that starts it, by its name and without", async () => {
    for (const name of ["demo", undefined]) {
      const error = await find([instanceParts("demo", main, "blackboard")], name);
      expect(error.code).toBe("instance-not-found");
      expect(error.message).toContain("demo is down");
      expect(error.hint).toContain("sett up --name demo");
    }
  });

  test("but its network shows that a start was killed", async () => {
    expect((await find([instanceParts("demo", main, "network")], "demo")).message).toContain(
      "was killed",
    );
  });

  test("is not what an unknown name means", async () => {
    expect((await find([instanceParts("demo", main, "blackboard")], "dmeo")).message).toBe(
      "There is no instance dmeo.",
    );
  });
});

test("in a work tree of the same repository it says where the instance is, and in another one not", async () => {
  const set = ["-c", "user.name=A", "-c", "user.email=a@sett.invalid"];
  await $`git ${set} commit --quiet --allow-empty -m Start`.cwd(main);
  await $`git worktree add --quiet -b topic ../topic && git init --quiet ../other`.cwd(main);
  const find = (cwd: string) =>
    errorOf(() =>
      findInstance(
        runtimeWith(instanceParts("demo", main, "blackboard")),
        { cwd, env: process.env },
        undefined,
        () => true,
      ),
    );
  const topic = await find(join(folder, "topic"));
  expect(topic.message).toEndWith(`another one of the repository has demo: ${main}.`);
  expect(topic.hint).toContain("--name demo");
  expect((await find(join(folder, "other"))).message).toStartWith(
    "No sett is running for this repository",
  );
});

test("where the repository has begun an instance that is nowhere, another Engine may have it", async () => {
  await $`git init --quiet begun && git -C begun config sett.demo.id aa.1`.cwd(folder);
  const find = (...found: InstanceParts[]) =>
    errorOf(() =>
      findInstance(
        runtimeWith(...found),
        { cwd: join(folder, "begun"), env: process.env },
        undefined,
        () => true,
      ),
    );
  const error = await find(instanceParts("other", main, "blackboard"));
  expect(error.code).toBe("instance-not-found");
  expect(error.message).toContain("which has begun demo");
  expect(error.hint).toContain("DOCKER_HOST");
  await $`git -C begun config sett.demo.engine "processes of /home/ada/state/sett"`.cwd(folder);
  expect((await find()).hint).toContain("XDG_STATE_HOME=/home/ada/state, where its processes are.");
  // It is there, and another repository's by now.
  const taken = await find(instanceParts("demo", main, "blackboard"));
  expect(taken.message).toStartWith("No sett is running for this repository");
  expect(taken.message).not.toContain("has begun");
});
