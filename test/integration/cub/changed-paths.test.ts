// Finds the files that a commit touches since its goal's: with real git, as the cub records them.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { publishCommit } from "../../../apps/cub/work/publish-commit.ts";
import { codeCommitType } from "../../../lib/model/artefact.ts";
import { maxPathsBytes, recordable } from "../../../lib/model/changed-paths.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import {
  commitFiles,
  git,
  hostEnv,
  instance,
  newGoalId,
  toolGit,
} from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleArtefact } from "../../support/records/sample.ts";

async function scene() {
  const host = await exchangeScene();
  const modules =
    '[submodule "mod"]\n\tpath = infra/mod\n\turl = https://x.invalid\n\tignore = all\n';
  git(host.path, "update-index", "--add", "--cacheinfo", `160000,${host.base},infra/mod`);
  const files = {
    ".gitmodules": modules,
    "infra/a.tf": "a\n".repeat(20),
    "infra/b.tf": "b\n",
    "src/x": "x\n",
  };
  execFileSync("mkdir", ["-p", `${host.path}/infra/mod`]);
  const start = commitFiles(host.path, files);
  await host.repository.pin(instance, newGoalId(), start);
  const agent = host.agent("coder");
  await agent.prepare(start);
  const pathsOf = async (script: string, base = start) => {
    execFileSync("sh", ["-ec", script], { cwd: agent.folder, env: hostEnv, stdio: "ignore" });
    const commit = toolGit(agent.folder, "rev-parse", "HEAD");
    const published = await publishCommit(
      {
        ...{ workingCopy: agent.copy, secrets: undefined },
        registration: { current: { workspace_mode: "rw" } },
      } as never,
      sampleArtefact({ type: codeCommitType, payload: commit }),
      { base, start },
    );
    return published.ok ? published.paths : published.reason;
  };
  return { host, start, agent, pathsOf, [Symbol.dispose]: host[Symbol.dispose] };
}

const cases: Record<string, [script: string, paths: string[]]> = {
  "a renamed file, by both names": [
    "git mv infra/a.tf src/a.tf; git commit -qm Move",
    ["infra/a.tf", "src/a.tf"],
  ],
  "a removed file": ["git rm -q infra/b.tf; git commit -qm Remove", ["infra/b.tf"]],
  "a mode": ["git update-index --chmod=+x infra/b.tf; git commit -qm Mode", ["infra/b.tf"]],
};

const rarer: typeof cases = {
  "what an earlier commit has changed": [
    "echo n > infra/new; git add .; git commit -qm One; echo y > src/x; git commit -qam Two",
    ["infra/new", "src/x"],
  ],
  "what a merge brings": [
    "git checkout -q -b side; echo y > infra/b.tf; git commit -qam Side; git checkout -q -b main HEAD~1; echo z > src/x; git commit -qam Main; git merge -q side -m Merge",
    ["infra/b.tf", "src/x"],
  ],
  "a folder that became a link": [
    "git rm -rq --cached infra/mod; rm -rf infra; ln -s src infra; git add -A; git commit -qm Link",
    ["infra", "infra/a.tf", "infra/b.tf", "infra/mod/"],
  ],
  "names of any letters": [
    "echo n > 'infra/a\"b\n→'; git add .; git commit -qm Name",
    ['infra/a"b\n→'],
  ],
  "nothing, where all is taken back": [
    "echo n > infra/new; git add .; git commit -qm One; git rm -q infra/new; git commit -qm Two",
    [],
  ],
};

const named = async (_: string, [script, paths]: [string, string[]]) => {
  using one = await scene();
  expect(await one.pathsOf(script)).toEqual(paths);
};

test.each(Object.entries(cases))("%s", named);

nightly.each(Object.entries(rarer))("%s", named);

test("a submodule is named although the commit asks git to ignore it", async () => {
  using one = await scene();
  const script = `git update-index --cacheinfo 160000,${one.start},infra/mod; git commit -qm Move`;
  expect(await one.host.repository.changedPaths(one.start, await moved(one, script))).toEqual([
    "infra/mod/",
  ]);
});

async function moved({ host }: Awaited<ReturnType<typeof scene>>, script: string) {
  execFileSync("sh", ["-ec", script], { cwd: host.path, env: hostEnv, stdio: "ignore" });
  return await host.repository.head();
}

nightly(
  "the second commit of an agent has the files of its first, since the goal's commit counts",
  async () => {
    using one = await scene();
    await one.pathsOf("echo n > infra/new; git add .; git commit -qm One");
    const base = await one.agent.copy.head();
    expect(await one.pathsOf("echo y > src/x; git commit -qam Two", base)).toEqual([
      "infra/new",
      "src/x",
    ]);
  },
);

test("more than the record takes is not recorded in part", () => {
  const path = "x".repeat(1_000);
  const all = Array.from({ length: 65 }, (_, at) => `${path}${at}`);
  expect(recordable(all)).toHaveLength(65);
  expect(maxPathsBytes).toBeGreaterThan(JSON.stringify(all).length);
  expect(recordable([...all, "y".repeat(1_000)])).toBeUndefined();
});
