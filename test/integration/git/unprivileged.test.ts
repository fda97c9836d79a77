import { expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import { foldersOf } from "../../support/git/folders.ts";
import {
  agentName,
  git,
  hostEnv,
  instance,
  sampleRepository,
} from "../../support/git/sample-repository.ts";
import { snapshot } from "../../support/git/snapshot.ts";
import {
  canRunUnprivileged,
  containerUid,
  runAsContainerUser,
  workUnprivileged,
} from "../../support/git/unprivileged.ts";

/**
 * A root-owned repository with an exchange, and the workspace of an agent that runs as 10001 in a
 * folder that root owns.
 */
async function rootScene() {
  const scene = await exchangeScene();
  const volume = join(scene.root, "volume");
  const workspaceDir = join(volume, "workspace");
  mkdirSync(workspaceDir, { recursive: true });
  // Foreign to the agent, yet open: git's ownership check would refuse it.
  chmodSync(workspaceDir, 0o777);
  const options = {
    objectsDir: scene.objectsDir,
    exchangeDir: scene.exchangeDir,
    workspaceDir,
  };
  const tool = (...command: string[]) =>
    runAsContainerUser("sh", ["-euc", ...command], workspaceDir);
  return { ...scene, options, workspaceDir, tool, [Symbol.dispose]: scene[Symbol.dispose] };
}

const commitAll =
  'git="git -c safe.directory=* --git-dir=.git --work-tree=."; $git add -A; $git commit -qm Work; $git rev-parse HEAD';

test.if(canRunUnprivileged())(
  "an unprivileged agent takes a root-owned repository's commit, adds to it and hands it back",
  async () => {
    using scene = await rootScene();
    const before = snapshot(scene.path);
    workUnprivileged(scene.options, [{ do: "prepare", base: scene.base }]);
    expect(statSync(join(scene.workspaceDir, "README.md")).uid).toBe(containerUid);
    const commit = scene.tool(`echo more >> README.md; ${commitAll}`);
    const { ref } = scene.record(CommitHash.parse(commit), agentName);
    const steps = [
      { do: "publish", commit, start: scene.base } as const,
      { do: "resolve", text: commit.slice(0, 10) } as const,
    ];
    expect(workUnprivileged(scene.options, steps)).toBe(commit);
    expect((await scene.fetch()).imported.map(({ ref }) => ref)).toEqual([ref]);
    expect(snapshot(scene.path)).toEqual(before);
    await scene.repository.exchange(instance).remove();
    git(scene.path, "gc", "-q", "--prune=now");
    expect(git(scene.path, "show", "--format=%an", `${ref}:README.md`)).toBe("Hello.\nmore");
  },
);

test.if(canRunUnprivileged())(
  "folders that the tool has locked against itself do not stop the next grant",
  async () => {
    using scene = await rootScene();
    const options = { ...scene.options, keepsIgnored: true };
    workUnprivileged(options, [{ do: "prepare", base: scene.base }]);
    scene.tool(
      "mkdir -p cache/deep untracked/deep; touch cache/deep/kept untracked/deep/file; chmod 0 untracked/deep untracked src .git",
    );
    workUnprivileged(options, [{ do: "prepare", base: scene.base }]);
    expect(existsSync(join(scene.workspaceDir, "untracked"))).toBe(false);
    expect(existsSync(join(scene.workspaceDir, "cache/deep/kept"))).toBe(true);
    expect(readFileSync(join(scene.workspaceDir, "src/one.ts"), "utf8")).toBe("1;\n");
  },
);

test.if(canRunUnprivileged())(
  "files that the tool has made unreadable are written again",
  async () => {
    using scene = await rootScene();
    workUnprivileged(scene.options, [{ do: "prepare", base: scene.base }]);
    scene.tool("chmod 0 README.md src/one.ts .git/index");
    workUnprivileged(scene.options, [{ do: "prepare", base: scene.base }]);
    expect(readFileSync(join(scene.workspaceDir, "README.md"), "utf8")).toBe("Hello.\n");
    expect(statSync(join(scene.workspaceDir, "README.md")).mode & 0o700).toBe(0o600);
  },
);

test.if(canRunUnprivileged()).each([false, true])(
  "what a tool hides in folders that cannot be listed goes, in a container that is new: %p",
  async (isNew) => {
    using scene = await rootScene();
    const prepare = { do: "prepare", base: scene.base } as const;
    const dig =
      "mkdir -p src/sub/in; touch src/left src/sub/left src/sub/in/left; chmod 0500 src/sub/in; chmod 0300 src/sub src";
    const between = { do: "tool", command: dig } as const;
    if (isNew) {
      workUnprivileged(scene.options, [prepare]);
      scene.tool(dig);
    }
    workUnprivileged(scene.options, isNew ? [prepare] : [prepare, between, prepare]);
    expect(readdirSync(join(scene.workspaceDir, "src"))).toEqual(["one.ts"]);
  },
);

test.if(canRunUnprivileged())(
  "tracked files and folders get the modes of a checkout again, and git notices no change",
  async () => {
    using scene = await rootScene();
    const prepare = { do: "prepare", base: scene.base } as const;
    const command = "chmod 4444 src/one.ts; chmod 0666 README.md; chmod 0555 src";
    workUnprivileged(scene.options, [prepare, { do: "tool", command }, prepare]);
    const modes = ["src", "src/one.ts", "README.md"].map(
      (name) => statSync(join(scene.workspaceDir, name)).mode & 0o7777,
    );
    expect(modes.map((mode) => mode.toString(8))).toEqual(["755", "644", "644"]);
    expect(scene.tool("git -c safe.directory=* diff-files --name-only")).toBe("");
  },
);

const bytes = "$(printf '\\377\\376')";

test.if(canRunUnprivileged())(
  "closed folders go whose names are no UTF-8, or whose path is longer than a path may be",
  async () => {
    using scene = await rootScene();
    workUnprivileged(scene.options, [{ do: "prepare", base: scene.base }]);
    const deep = (name: string) => `${name}${`/${name.repeat(200)}`.repeat(12)}`;
    scene.tool(
      `mkdir -p "${bytes}/in${bytes}"; touch "${bytes}/f${bytes}"; mkfifo "${bytes}/in${bytes}/pipe"; chmod 0 "${bytes}"
    mkdir -p ${deep("a")} ${deep("b")}; touch ${deep("b")}/left; chmod 0 ${deep("b")}; mv b ${deep("a")}`,
    );
    workUnprivileged(scene.options, [{ do: "prepare", base: scene.base }]);
    expect(readdirSync(scene.workspaceDir).toSorted()).toEqual([
      ".git",
      ".gitignore",
      "README.md",
      "src",
    ]);
  },
);

test.if(canRunUnprivileged())(
  "a workspace that the agent's user may not write to is a failure that says so",
  async () => {
    using scene = await rootScene();
    chmodSync(scene.workspaceDir, 0o755);
    expect(() => workUnprivileged(scene.options, [{ do: "prepare", base: scene.base }])).toThrow(
      "No working copy can be made in",
    );
  },
);

test.if(canRunUnprivileged())(
  "what only the host may write stays as it was when an agent tries",
  async () => {
    using scene = await rootScene();
    expect(() => scene.tool(`touch '${scene.options.objectsDir}/file'`)).toThrow();
    expect(() => scene.tool(`echo x > '${scene.path}/.git/HEAD'`)).toThrow();
  },
);

test.if(process.getuid?.() === 0)(
  "an agent's folder of the exchange belongs to its user from the first, and nothing in one that has served is given to anybody",
  async () => {
    using scene = await rootScene();
    const own = join(scene.exchangeDir, agentName);
    const owners = () =>
      new Map(entriesOf(scene.exchangeDir).map((path) => [path, lstatSync(path).uid]));
    expect([...owners()]).toEqual([
      [scene.exchangeDir, 0],
      [own, containerUid],
    ]);
    // A recursive change of owner would reach it, by a link that takes a folder's place at the
    // right moment.
    mkdirSync(join(own, "folder"));
    writeFileSync(join(own, "folder/file"), "root's");
    const before = owners();
    await scene.repository.exchange(instance).make({ writers: [agentName] });
    expect(owners()).toEqual(before);
    chownSync(own, 4711, 4711);
    await expect(
      scene.repository.exchange(instance).make({ writers: [agentName] }),
    ).rejects.toThrow("belongs to user 4711, and agents work as 10001.");
    rmSync(own, { recursive: true });
    symlinkSync("/etc", own);
    await expect(
      scene.repository.exchange(instance).make({ writers: [agentName] }),
    ).rejects.toThrow("is no folder.");
    expect(lstatSync("/etc").uid).toBe(0);
  },
);

test.if(process.getuid?.() === 0)(
  "where containers have other users on this machine, it belongs to the one that its agent is here",
  async () => {
    using host = sampleRepository();
    const repository = await HostRepository.open(host.path, { env: hostEnv });
    const writer = { uid: 200_000 + containerUid, gid: 200_000 + containerUid };
    await repository.exchange(instance).make({ writers: [agentName], writer: writer });
    const own = join(foldersOf(repository, instance).exchangeDir, agentName);
    expect([lstatSync(own).uid, lstatSync(own).gid]).toEqual([writer.uid, writer.gid]);
    await repository.exchange(instance).make({ writers: [agentName], writer: writer });
    await expect(repository.exchange(instance).make({ writers: [agentName] })).rejects.toThrow(
      `belongs to user ${writer.uid}`,
    );
  },
);

function entriesOf(folder: string): string[] {
  return [
    folder,
    ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  ];
}
