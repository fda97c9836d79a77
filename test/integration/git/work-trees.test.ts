// A bare repository with work trees beside it: its folder has no files, and the sentence says where
// they are.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { errorOf } from "../../support/error-of.ts";
import {
  agentName,
  commitFiles,
  git,
  hostEnv,
  instance,
  sampleRepository,
} from "../../support/git/sample-repository.ts";

const open = (path: string) => HostRepository.open(path, { env: hostEnv });

/** `project/.bare`, `project/main` and `project/topic`. */
function bareLayout({ hasLink }: { hasLink: boolean }) {
  const host = sampleRepository();
  const project = join(host.root, "project");
  mkdirSync(project);
  git(host.root, "clone", "-q", "--bare", host.path, "project/.bare");
  if (hasLink) writeFileSync(join(project, ".git"), "gitdir: ./.bare\n");
  git(join(project, ".bare"), "worktree", "add", "-q", "../main", "main");
  git(join(project, ".bare"), "worktree", "add", "-q", "-b", "topic", "../topic");
  return { project, [Symbol.dispose]: host[Symbol.dispose] };
}

test.each([true, false])(
  "beside work trees the sentence sends to one of them (a file .git there: %p)",
  async (hasLink) => {
    using layout = bareLayout({ hasLink });
    for (const folder of [layout.project, join(layout.project, ".bare")]) {
      await expect(open(folder)).rejects.toMatchObject({
        code: "repository-unusable",
        message: `${folder} has no files of its own, but work trees: main, topic.`,
        hint: expect.stringContaining(`cd '${join(layout.project, "main")}'`),
      });
    }
  },
);

test("a work tree that was removed by hand is not offered, and without one the repository itself is", async () => {
  using layout = bareLayout({ hasLink: true });
  rmSync(join(layout.project, "main"), { recursive: true });
  await expect(open(layout.project)).rejects.toThrow("work trees: topic.");
  rmSync(join(layout.project, "topic"), { recursive: true });
  await expect(open(layout.project)).rejects.toMatchObject({
    message: expect.stringContaining("names a bare repository in another folder"),
    hint: expect.stringContaining(`cd '${join(layout.project, ".bare")}'`),
  });
  expect((await open(join(layout.project, ".bare"))).place.isBare).toBe(true);
});

test("one whose disk is away is not offered, although git keeps it, and a blank in a path is quoted", async () => {
  using layout = bareLayout({ hasLink: true });
  const bare = join(layout.project, ".bare");
  git(bare, "worktree", "lock", "../main");
  rmSync(join(layout.project, "main"), { recursive: true });
  git(bare, "worktree", "move", "../topic", "../my topic");
  await expect(open(layout.project)).rejects.toMatchObject({
    message: expect.stringContaining("work trees: my topic."),
    hint: expect.stringContaining(`cd '${join(layout.project, "my topic")}'`),
  });
});

test("in a work tree all works: what is dirty, the pin, the exchange", async () => {
  using layout = bareLayout({ hasLink: true });
  const repository = await open(join(layout.project, "main"));
  expect(await repository.dirtyFiles()).toEqual([]);
  await repository.exchange(instance).make({ writers: [agentName] });
  commitFiles(join(layout.project, "main"), { "new.txt": "x" });
  expect(await repository.dirtyFiles()).toEqual([]);
  await repository.exchange(instance).remove();
});

test.each([false, true])(
  "a repository with files that calls itself bare is named, with the command that puts it right (settings of each work tree: %p)",
  async (isEach) => {
    using host = sampleRepository();
    git(host.path, "worktree", "add", "-q", "-b", "topic", "../topic");
    const folders = [host.path, ...(isEach ? [join(host.root, "topic")] : [])];
    if (isEach) git(host.path, "config", "extensions.worktreeConfig", "true");
    git(host.path, "config", `sett.${instance}.worktree`, "..");
    git(host.path, "config", "core.bare", "true");
    for (const folder of folders) {
      const refusal = await errorOf(open(folder));
      expect(refusal).toMatchObject({
        code: "repository-unusable",
        message: `The repository of ${folder} has files, and its configuration says that it has none (core.bare is true).`,
      });
      const [, remedy = ""] = /^Put it right: (.*)$/.exec(String(Object(refusal).hint)) ?? [];
      execFileSync("sh", ["-c", remedy], { env: hostEnv });
      expect((await open(folder)).place.isBare).toBe(false);
      git(host.path, "config", "core.bare", "true");
    }
    expect((await open(join(host.root, "topic"))).place.isBare).toBe(false);
  },
);

test.each([[["up", "--yes", "--runtime", "process"]], [["forage", "--goal", "Do it"]]])(
  "sett %p beside the work trees says so, and neither makes a repository nor advises it",
  async (words) => {
    using layout = bareLayout({ hasLink: false });
    const { code, err } = await runSett(words, {
      cwd: layout.project,
      env: { HOME: layout.project },
    });
    expect(code).not.toBe(0);
    expect(err).toContain("work trees: main, topic.");
    expect(err).not.toContain("git init");
  },
);
