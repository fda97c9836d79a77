// Clones that lack objects until they are needed: the person's git fetches what agents are to see,
// and agents never fetch.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { settRef } from "../../../lib/git/repository/refs.ts";
import type { GitProgress, GitWait } from "../../../lib/git/run/progress.ts";
import { copyIn, foldersOf } from "../../support/git/folders.ts";
import {
  agentName,
  commitFiles,
  git,
  hostEnv,
  instance,
  newArtefactId,
  newGoalId,
  sampleRepository,
  toolGit,
  workWith,
} from "../../support/git/sample-repository.ts";

/** Four commits, each with another version of one file, and a clone of them. */
async function partialScene(cloneArguments: readonly string[]) {
  const origin = sampleRepository();
  for (const number of [1, 2, 3])
    commitFiles(origin.path, { "deep/er/file": `${number}\n` }, `Commit ${number}`);
  git(origin.path, "config", "uploadpack.allowFilter", "true");
  const path = join(origin.root, "partial");
  git(origin.root, "clone", "-q", ...cloneArguments, `file://${origin.path}`, path);
  const repository = await HostRepository.open(path, { env: hostEnv });
  const workspaceDir = join(origin.root, "agent");
  const copy = copyIn({ workspaceDir, ...foldersOf(repository, instance) });
  return {
    ...{ origin: origin.path, path, repository, copy, workspaceDir },
    lacking: () =>
      git(path, "rev-list", "--objects", "--all", "--missing=print").match(/^\?.*$/gm)?.length ?? 0,
    loseOrigin: () => renameSync(origin.path, join(origin.root, "moved away")),
    [Symbol.dispose]: origin[Symbol.dispose],
  };
}

test.each([
  [["--filter=blob:none"], true, true],
  [["--filter=blob:none", "--sparse"], true, false],
  [["--filter=tree:0", "--no-checkout"], false, false],
])(
  "what only warns fetches nothing: a clone with %p has the names of all files: %p, sizes: %p",
  async (how, hasNames, hasSizes) => {
    using scene = await partialScene(how);
    scene.loseOrigin();
    const lacking = scene.lacking();
    const { repository } = scene;
    const head = await repository.head();
    const names = await repository.namesOf(head);
    expect(names?.includes("deep/er/file")).toBe(hasNames ? true : undefined);
    expect((await repository.sizeOf(head)) !== undefined).toBe(hasSizes);
    expect(await repository.takesMoreThan(head, 1_000_000)).toBe(hasSizes ? false : undefined);
    expect(scene.lacking()).toBe(lacking);
  },
);

test.each([
  [["--filter=blob:none"], 4],
  [["--filter=tree:0"], 4],
  [["--filter=blob:none", "--sparse"], 4],
  [["--filter=tree:0", "--sparse"], 4],
  [["--filter=blob:none", "--depth=2"], 2],
])(
  "agents see all that a clone with %p reaches, and their commits arrive",
  async (how, commits) => {
    using scene = await partialScene(how);
    const { repository, copy, workspaceDir, path } = scene;
    expect(scene.lacking()).toBeGreaterThan(0);
    await repository.exchange(instance).make({ writers: [agentName] });
    const base = await repository.head();
    await repository.pin(instance, newGoalId(), base);
    scene.loseOrigin();

    await copy.prepare(base);
    expect(toolGit(workspaceDir, "log", "-p", "--format=%s", "--", "deep")).toContain("+3");
    expect(toolGit(workspaceDir, "rev-list", "--count", "HEAD")).toBe(`${commits}`);
    expect(toolGit(workspaceDir, "fsck", "--full")).toBe("");
    const commit = commitFiles(
      workspaceDir,
      { "deep/er/file": "by agent\n" },
      "By an agent",
      toolGit,
    );
    await copy.publish(commit, base);
    const result = { artefact: newArtefactId(), commit, agent: agentName };
    const fetched = await repository.fetchCommits(instance, [result]);
    expect(fetched).toMatchObject({ broken: [], imported: [{ commit }] });
    expect(await repository.showChanges(workWith(commit, base), "lines")).toContain("+by agent");
    git(path, "merge", "-q", settRef(instance, result.artefact));
    expect(await repository.dirtyFiles()).toEqual([]);
  },
);

test.each(["--filter=blob:none", "--filter=tree:0"])(
  "results arrive in a clone with %s whose HEAD is at a commit without files by then",
  async (filter) => {
    using scene = await partialScene([filter, "--no-checkout"]);
    const { repository, copy, workspaceDir, path, origin } = scene;
    await repository.exchange(instance).make({ writers: [agentName] });
    const base = await repository.head();
    await repository.pin(instance, newGoalId(), base);
    await copy.prepare(base);
    const commit = commitFiles(workspaceDir, { new: "by agent\n" }, "By an agent", toolGit);
    await copy.publish(commit, base);
    commitFiles(origin, { "deep/later": "a\n" }, "Later");
    git(path, "fetch", "-q", "--update-head-ok", "origin", "main:main");
    scene.loseOrigin();
    const result = { artefact: newArtefactId(), commit, agent: agentName };
    const fetched = await repository.fetchCommits(instance, [result]);
    expect(fetched).toMatchObject({ broken: [], imported: [{ commit }] });
    expect(await repository.showChanges(workWith(commit, base), "lines")).toContain("+by agent");
    expect(scene.lacking()).toBeGreaterThan(0);
  },
);

test.each(["--filter=blob:none", "--filter=tree:0"])(
  "a clone with %s that has packs of its own fetches what these lack as well",
  async (filter) => {
    using scene = await partialScene([filter]);
    const { repository, path, copy, workspaceDir } = scene;
    commitFiles(path, { own: "of the person\n" }, "By the person");
    git(path, "gc", "-q");
    expect(scene.lacking()).toBeGreaterThan(0);
    await repository.exchange(instance).make({ writers: [agentName] });
    const base = await repository.head();
    await repository.pin(instance, newGoalId(), base);
    scene.loseOrigin();
    await copy.prepare(base);
    expect(toolGit(workspaceDir, "fsck", "--full")).toBe("");
    expect(toolGit(workspaceDir, "rev-list", "--count", "HEAD")).toBe("5");
  },
);

test("only as much is fetched as the agents' history needs", async () => {
  using scene = await partialScene(["--filter=tree:0", "--no-checkout"]);
  const exchange = scene.repository.exchange(instance);
  await exchange.make({ writers: [agentName], history: 1 });
  const withOne = scene.lacking();
  expect(withOne).toBeGreaterThan(0);
  await exchange.make({ writers: [agentName] });
  expect(scene.lacking()).toBe(0);
});

test("a goal of a later commit fetches what is new, and says how far it is", async () => {
  using scene = await partialScene(["--filter=blob:none"]);
  const { repository, origin, path } = scene;
  await repository.exchange(instance).make({ writers: [agentName] });
  expect(scene.lacking()).toBe(0);
  commitFiles(origin, { later: "a\n", more: "b\n" }, "Later");
  git(path, "fetch", "-q");
  expect(scene.lacking()).toBe(2);
  const progress: (GitProgress | GitWait)[] = [];
  const later = await repository.resolve("origin/main");
  const telling = await HostRepository.open(path, {
    env: hostEnv,
    onProgress: (each) => progress.push(each),
  });
  await telling.pin(instance, newGoalId(), later);
  expect(progress).toContainEqual({ what: "Receiving objects", done: 2, of: 2 });
  expect(scene.lacking()).toBe(0);
  expect(git(path, "status", "--porcelain")).toBe("");
});

test("a remote that is gone is a sentence, and the goal gets no name", async () => {
  using scene = await partialScene(["--filter=blob:none", "--no-checkout"]);
  scene.loseOrigin();
  const { repository, path } = scene;
  const base = await repository.head();
  await expect(repository.pin(instance, newGoalId(), base)).rejects.toMatchObject({
    code: "repository-unusable",
    message: expect.stringMatching(
      /^The partial clone .*partial lacks \d objects that agents would see, and git cannot fetch them: origin: .*(?:does not exist|not appear to be a git repository)/,
    ),
    hint: expect.stringContaining("git fetch origin"),
  });
  expect(git(path, "for-each-ref", "refs/sett/")).toBe("");
});

test("the API, which reaches no remote, sends to the command line", async () => {
  using scene = await partialScene(["--filter=blob:none", "--no-checkout"]);
  const there = await HostRepository.open(scene.path, { env: hostEnv, mayFetch: false });
  const pinned = there.pin(instance, newGoalId(), await there.head());
  await expect(pinned).rejects.toMatchObject({
    message: expect.stringContaining("the API cannot reach its remote"),
    hint: expect.stringContaining("sett forage"),
  });
  expect(scene.lacking()).toBeGreaterThan(0);
});

/** A server of git that wants a password, as a private repository of a forge does. */
let locked: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  locked = Bun.serve({
    port: 0,
    fetch: () =>
      new Response("", { status: 401, headers: { "www-authenticate": 'Basic realm="forge"' } }),
  });
});
afterAll(() => locked.stop(true));

test("where a password is missing nothing asks for it, and the sentence says so", async () => {
  using scene = await partialScene(["--filter=blob:none", "--no-checkout"]);
  git(scene.path, "remote", "set-url", "origin", `http://localhost:${locked.port}/clan/sett.git`);
  // A helper of passwords that would wait for a window to be answered.
  git(scene.path, "config", "core.askPass", "sleep 1000000; :");
  const pinned = scene.repository.pin(instance, newGoalId(), await scene.repository.head());
  await expect(pinned).rejects.toMatchObject({
    message: expect.stringMatching(/could not read Username for 'http:.*terminal prompts disabled/),
  });
});

test("a keeper of passwords that takes its time is named while git waits for it", async () => {
  using scene = await partialScene(["--filter=blob:none", "--no-checkout"]);
  const url = `http://localhost:${locked.port}`;
  git(scene.path, "remote", "set-url", "origin", `${url}/clan/sett.git`);
  const go = join(scene.path, ".git/go");
  // It asks a person, who answers when this was named.
  const helper = `!f() { until [ -e "${go}" ]; do sleep 0.1; done; echo username=a; echo password=b; }; f`;
  git(scene.path, "config", `credential.${url}.helper`, helper);
  git(scene.path, "config", "credential.https://elsewhere.invalid.helper", "store");
  const waits: string[] = [];
  const repository = await HostRepository.open(scene.path, {
    env: hostEnv,
    onProgress: (news) => {
      if (!("waitsFor" in news)) return;
      waits.push(news.waitsFor);
      writeFileSync(go, "");
    },
  });
  const pinned = repository.pin(instance, newGoalId(), await repository.head());
  await expect(pinned).rejects.toMatchObject({
    message: expect.stringContaining("Authentication failed"),
  });
  expect(waits).toEqual([
    `Waiting for \`git fetch\`: credential.${url}.helper is set, and runs !f().`,
  ]);
}, 120_000);

test("ssh is the person's own, and is asked to ask for nothing", async () => {
  using scene = await partialScene(["--filter=blob:none", "--no-checkout"]);
  git(scene.path, "remote", "set-url", "origin", "ssh://forge.invalid/clan/sett.git");
  // It answers with what it was given, on the way that git shows.
  const errorWith = async (env: Record<string, string>) => {
    const repository = await HostRepository.open(scene.path, { env: { ...hostEnv, ...env } });
    const pinned = repository.pin(instance, newGoalId(), await repository.head());
    return String(
      await pinned.then(
        () => "",
        (error: unknown) => error,
      ),
    );
  };
  const command = "ssh -F /nonexistent/of-the-person";
  const missing = "Can't open user config file /nonexistent/of-the-person";
  expect(await errorWith({ GIT_SSH_COMMAND: command })).toContain(missing);
  git(scene.path, "config", "core.sshCommand", command);
  expect(await errorWith({})).toContain(missing);
  const echo = `f() { echo "fatal: $*" >&2; exit 1; }; f`;
  expect(await errorWith({ GIT_SSH_COMMAND: echo, GIT_SSH_VARIANT: "ssh" })).not.toContain(
    "BatchMode",
  );
});
