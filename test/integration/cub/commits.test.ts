// Tools that commit, in real working copies of a real repository.
import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceMode } from "../../../lib/model/agent.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { cubScene } from "../../support/cub/scene.ts";
import { exchangeScene, publishedIn } from "../../support/git/exchange-scene.ts";
import {
  commitFiles,
  git,
  hostEnv,
  instance,
  newGoalId,
  toolGit,
} from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { derived } from "../../support/records/lineage.ts";
import { sampleArtefact } from "../../support/records/sample.ts";

type Answer = { type?: string; payload: string };

/** A cub in a working copy; its tool is `act`, which sees the copy's folder. */
async function codingScene(mode: WorkspaceMode, act: (folder: string) => Answer) {
  const host = await exchangeScene();
  const { copy, folder } = host.agent("coder");
  const scene = await cubScene({
    agent: { workspace_mode: mode },
    over: { workingCopy: copy },
    tool: () => {
      const { type = "CodeCommit", payload } = act(folder);
      return { artefact_type: type, artefact_payload: payload, summary: "" };
    },
  });
  scene.start();
  return {
    ...scene,
    host,
    folder,
    /**
     * Runs the tool on an artefact; the goal pins the host's commit unless `over` says otherwise.
     */
    async workOn(target = sampleArtefact({ metadata: { commit: host.base } })) {
      await scene.standIn.post(target);
      return scene.standIn.ended(await scene.standIn.openGranted(target, scene.agent), scene.agent);
    },
    published: () => publishedIn(host),
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      host[Symbol.dispose]();
    },
  };
}

const commitIn = (folder: string) =>
  commitFiles(folder, { "new.ts": "2;\n" }, "By an agent", toolGit);

/** As a command of the agent's image would, whose git knows no user but that of the copy. */
function shell(folder: string, script: string): void {
  const env = {
    ...hostEnv,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "protocol.file.allow",
    GIT_CONFIG_VALUE_0: "always",
  };
  execFileSync("sh", ["-ec", script], { cwd: folder, env, stdio: "ignore" });
}

describe("a tool in an rw workspace", () => {
  test("has its commit published, with the payload unchanged and metadata.commit set", async () => {
    let commit: CommitHash | undefined;
    await using scene = await codingScene("rw", (folder) => {
      commit = commitIn(folder);
      return { payload: ` ${commit}\n` };
    });
    const { state, artefact, grant } = await scene.workOn();
    expect([state, artefact.payload, artefact.metadata.commit]).toEqual([
      "done",
      ` ${commit}\n`,
      commit,
    ]);
    expect(scene.published()).toEqual([commit as string]);
    expect(grant).toMatchObject({ base_commit: scene.host.base });
    expect(git(scene.host.path, "rev-parse", "HEAD")).toBe(scene.host.base);
  });

  nightly("has what it committed published although its answer names no commit", async () => {
    await using scene = await codingScene("rw", (folder) => {
      commitIn(folder);
      return { type: "Report", payload: "See for yourself." };
    });
    const { artefact } = await scene.workOn();
    expect(artefact.metadata.commit).toBe(
      CommitHash.parse(toolGit(scene.folder, "rev-parse", "HEAD")),
    );
    expect(scene.published()).toHaveLength(1);
  });

  test("publishes nothing when nothing moved", async () => {
    await using scene = await codingScene("rw", () => ({
      type: "Report",
      payload: "Nothing to do.",
    }));
    const { state, artefact } = await scene.workOn();
    expect([state, artefact.metadata.commit]).toEqual(["done", undefined]);
    expect(scene.published()).toEqual([]);
  });

  const inside = "git init -q part && cd part && git commit -q --allow-empty -m Inside && cd ..";
  const links: Record<string, string> = {
    "a repository": `${inside} && git add part`,
    "a repository whose own folder is elsewhere": `git init -q --separate-git-dir=../apart part && ${inside} && git add part`,
    "a link to a repository": `${inside} && mkdir other && ln -s ../part/.git other/.git && mv part .. && ln -sf ../../part/.git other/.git && git add other`,
    "a linked work tree": "git worktree add -q --detach part && git add part",
    "a file that has become a repository":
      "rm README.md && git init -q README.md && git -C README.md commit -q --allow-empty -m x && git add -A",
    "a submodule whose source is itself, as git advises": `${inside} && git submodule add -q ./part part`,
    "a submodule whose source is in the workspace": `${inside} && git submodule add -q "$PWD/part" part`,
    "a submodule without a source": `${inside} && git config -f .gitmodules submodule.part.path part && git add -A`,
  };

  nightly.each(Object.entries(links))(
    "is refused a commit that has %s in the place of files",
    async (_, make) => {
      await using scene = await codingScene("rw", (folder) => {
        shell(folder, make);
        return { payload: commitIn(folder) };
      });
      const { state, artefact } = await scene.workOn();
      expect([state, artefact.structural_type]).toEqual(["failed", "Failure"]);
      expect(artefact.payload).toContain("the folder has a repository of its own");
      expect(scene.published()).toEqual([]);
    },
  );

  nightly("is refused another commit in a folder that was such a link before", async () => {
    await using scene = await codingScene("rw", (folder) => {
      shell(
        folder,
        "git init -q part; cd part; echo x > file; git add file; git commit -qm Inside",
      );
      return { payload: commitIn(folder) };
    });
    const { path, base } = scene.host;
    git(path, "update-index", "--add", "--cacheinfo", `160000,${base},part`);
    git(path, "commit", "-q", "-m", "A link");
    const commit = CommitHash.parse(git(path, "rev-parse", "HEAD"));
    await scene.host.repository.pin(instance, newGoalId(), commit);
    const { artefact } = await scene.workOn(sampleArtefact({ metadata: { commit } }));
    expect(artefact.payload).toContain("the folder has a repository of its own");
    expect(scene.published()).toEqual([]);
  });

  test("may add a submodule that .gitmodules names, and change files beside one that was there", async () => {
    await using scene = await codingScene("rw", (folder) => {
      const head = toolGit(folder, "rev-parse", "HEAD");
      mkdirSync(join(folder, "lib/part"), { recursive: true });
      toolGit(folder, "update-index", "--add", "--cacheinfo", `160000,${head},lib/part`);
      const modules = '[submodule "a"]\n\tpath = lib/part\n\turl = https://part.invalid\n';
      return { payload: commitFiles(folder, { ".gitmodules": modules }, "Add a part", toolGit) };
    });
    expect((await scene.workOn()).state).toBe("done");
    expect(scene.published()).toHaveLength(1);
  });

  nightly(
    "is refused a commit that moves a submodule to a commit that no repository of the person has",
    async () => {
      await using scene = await codingScene("rw", (folder) => {
        const modules = '[submodule "a"]\n\tpath = lib/part\n\turl = https://part.invalid\n';
        const link = `160000,${"1".repeat(40)},lib/part`;
        mkdirSync(join(folder, "lib/part"), { recursive: true });
        toolGit(folder, "update-index", "--add", "--cacheinfo", link);
        return { payload: commitFiles(folder, { ".gitmodules": modules }, "Add a part", toolGit) };
      });
      const { state, artefact } = await scene.workOn();
      expect([state, artefact.structural_type]).toEqual(["failed", "Failure"]);
      expect(artefact.payload).toContain("moves the submodule `lib/part` to 1111");
      expect(artefact.payload).toContain("which the person's repository does not have");
      expect(scene.published()).toEqual([]);
    },
  );

  /** Pins a commit with the submodule `part` at the second of two commits, and answers both. */
  async function withPart({ path, root, repository }: Awaited<ReturnType<typeof exchangeScene>>) {
    const part = join(root, "part");
    mkdirSync(part);
    git(part, "init", "-q", "-b", "main");
    const first = commitFiles(part, { part: "1\n" });
    commitFiles(part, { part: "2\n" });
    git(path, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "../part", "part");
    const commit = commitFiles(path, {}, "With a part");
    await repository.pin(instance, newGoalId(), commit);
    return { first, target: sampleArtefact({ metadata: { commit } }) };
  }

  nightly(
    "may move a submodule to another commit that is here, and not to one of its own",
    async () => {
      let act = (_part: string) => {};
      await using scene = await codingScene("rw", (folder) => {
        act(join(folder, "part"));
        return { payload: commitIn(folder) };
      });
      const { first, target } = await withPart(scene.host);
      act = (part) => {
        expect(readFileSync(join(part, "part"), "utf8")).toBe("2\n");
        commitFiles(part, { part: "3\n" }, "Own", toolGit);
      };
      const { artefact } = await scene.workOn(target);
      expect(artefact.payload).toContain("moves the submodule `part` to ");
      expect(scene.published()).toEqual([]);
      act = (part) => {
        // It is as it was before.
        expect(readFileSync(join(part, "part"), "utf8")).toBe("2\n");
        toolGit(part, "checkout", "-q", first);
      };
      const again = sampleArtefact({ metadata: target.metadata });
      expect((await scene.workOn(again)).state).toBe("done");
      expect(scene.published()).toHaveLength(1);
    },
  );

  nightly("has a submodule that is not here as an empty folder, and the log names it", async () => {
    await using scene = await codingScene("rw", (folder) => {
      expect(readdirSync(join(folder, "part"))).toEqual([]);
      return { type: "Report", payload: "" };
    });
    const { path, repository } = scene.host;
    git(path, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},part`);
    git(path, "commit", "-q", "-m", "A part");
    const commit = CommitHash.parse(git(path, "rev-parse", "HEAD"));
    await repository.pin(instance, newGoalId(), commit);
    expect((await scene.workOn(sampleArtefact({ metadata: { commit } }))).state).toBe("done");
    expect(scene.lines.find(({ msg }) => msg.startsWith("Submodules are empty"))).toMatchObject({
      level: "warn",
      submodules: "part (111111111111)",
      hint: expect.stringContaining("git submodule update --init --recursive"),
    });
  });

  const pointerTo = (digit: string) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${digit.repeat(64)}\nsize 5\n`;

  /** Pins a commit with a file of LFS, whose content is not here. */
  async function withLfs({ path, repository }: Awaited<ReturnType<typeof exchangeScene>>) {
    const files = { ".gitattributes": "*.bin filter=lfs -text\n", "old.bin": pointerTo("1") };
    const commit = commitFiles(path, files, "With LFS");
    await repository.pin(instance, newGoalId(), commit);
    return sampleArtefact({ metadata: { commit } });
  }

  nightly("is refused a commit with a content of LFS that would be lost", async () => {
    await using scene = await codingScene("rw", (folder) => ({
      payload: commitFiles(folder, { "new.bin": pointerTo("2") }, "New", toolGit),
    }));
    const { state, artefact } = await scene.workOn(await withLfs(scene.host));
    expect(state).toBe("failed");
    expect(artefact.payload).toContain("has a pointer of LFS in `new.bin`");
    expect(scene.published()).toEqual([]);
    expect(scene.lines.find(({ msg }) => msg.startsWith("Files of LFS"))).toMatchObject({
      level: "warn",
      files: "old.bin",
      hint: expect.stringContaining("git lfs pull"),
    });
  });

  nightly(
    "may move a file of LFS, write pointers elsewhere, and commit a content to git itself",
    async () => {
      await using scene = await codingScene("rw", (folder) => {
        toolGit(folder, "mv", "old.bin", "moved.bin");
        return { payload: commitFiles(folder, { "raw.bin": "content\n" }, "Raw", toolGit) };
      });
      expect((await scene.workOn(await withLfs(scene.host))).state).toBe("done");
      await using other = await codingScene("rw", (folder) => ({
        payload: commitFiles(folder, { "example.txt": pointerTo("3") }, "An example", toolGit),
      }));
      expect((await other.workOn()).state).toBe("done");
    },
  );

  test("starts from the target's commit, not from the goal's", async () => {
    let head = "";
    await using scene = await codingScene("rw", (folder) => {
      head = toolGit(folder, "rev-parse", "HEAD");
      return { type: "Report", payload: "" };
    });
    const commit = commitFiles(scene.host.path, { "later.ts": "3;\n" });
    await scene.host.repository.pin(instance, newGoalId(), commit);
    const goal = await scene.standIn.post({ metadata: { commit: scene.host.base } });
    await scene.workOn(derived([goal], { metadata: { commit } }));
    expect(head).toBe(commit);
  });

  test("fails when its CodeCommit names a commit that does not exist", async () => {
    await using scene = await codingScene("rw", () => ({ payload: "f".repeat(40) }));
    const { state, artefact } = await scene.workOn();
    expect([state, artefact.type]).toEqual(["failed", "ToolExecutionFailure"]);
    expect(artefact.metadata.summary).toContain("is not a commit");
    expect(scene.published()).toEqual([]);
  });
});

describe("a tool in an ro workspace", () => {
  test("may commit, but nothing leaves the working copy", async () => {
    await using scene = await codingScene("ro", (folder) => ({
      type: "Report",
      payload: `tried ${commitIn(folder)}`,
    }));
    const { state, artefact } = await scene.workOn();
    expect([state, artefact.metadata.commit]).toEqual(["done", undefined]);
    expect(scene.published()).toEqual([]);
  });

  test("cannot name a commit that no other agent can have", async () => {
    await using scene = await codingScene("ro", (folder) => ({ payload: commitIn(folder) }));
    const { state, artefact } = await scene.workOn();
    expect([state, artefact.type]).toEqual(["failed", "ToolExecutionFailure"]);
    expect(artefact.metadata.summary).toContain("mode: rw");
  });

  test("may name a commit that is in the workspace", async () => {
    await using scene = await codingScene("ro", (folder) => ({
      payload: git(folder, "rev-parse", "HEAD"),
    }));
    expect((await scene.workOn()).state).toBe("done");
  });
});

test("a base commit that is not there is a Failure, and the tool is not run", async () => {
  await using scene = await codingScene("ro", () => ({ payload: "" }));
  const { state, artefact } = await scene.workOn(
    sampleArtefact({ metadata: { commit: CommitHash.parse("e".repeat(40)) } }),
  );
  expect([state, artefact.type]).toEqual(["failed", "ToolExecutionFailure"]);
  const { summary } = artefact.metadata;
  expect(summary).toContain("neither in the workspace nor in the exchange");
  expect(summary).toContain("the goal's ref removed? Post the goal again.");
  expect(scene.inputs).toEqual([]);
});

test("a goal without a commit is worked on in an empty place", async () => {
  await using scene = await codingScene("rw", () => ({ type: "Report", payload: "" }));
  const { state } = await scene.workOn(sampleArtefact());
  expect(state).toBe("done");
  expect(existsSync(join(scene.folder, ".git"))).toBe(false);
});
