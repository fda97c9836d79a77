// A working copy that has a part of a commit's files, with what was prepared for all of it.
import { expect, test } from "bun:test";
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { readLayer, writeLayer } from "../../../lib/git/copy/layer.ts";
import { SparsePaths } from "../../../lib/git/copy/sparse-paths.ts";
import { treeFolder } from "../../../lib/model/layer.ts";
import { copyIn, ownFolders } from "../../support/git/folders.ts";
import {
  commitFiles,
  sampleRepository,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";

const agent = "" as const;
const key = ["vault/lock"];
const files = {
  ".gitignore": "built\n",
  "services/door/key": "key\n",
  "services/other/plan": "plan\n",
  "vault/lock": "one\n",
  "vault/src/gold": "gold\n",
};

/** The command has written where the commit has files, and made a link in the place of a folder. */
const preparedFiles = {
  "built/plan": "not of the commit\n",
  "services/door/built/code": "code\n",
  "vault/built/code": "code\n",
  "vault/src/gold": "changed\n",
};

const seen = [
  ...[".gitignore", "README.md", "built/plan", "services/door/built/code", "services/door/key"],
  "vault/built/code",
];

function prepareIn(folder: string): void {
  write(folder, preparedFiles);
  mkdirSync(join(folder, "services"), { recursive: true });
  symlinkSync("../built", join(folder, "services/other"));
}

function repository() {
  const host = sampleRepository();
  const base = commitFiles(host.path, files);
  const next = commitFiles(host.path, { "services/door/key": "new\n", "vault/src/more": "x\n" });
  const optionsIn = (name: string) => ({
    workspaceDir: join(host.root, name),
    ...ownFolders(host),
  });
  const sparse = new SparsePaths(["services/door/"]);
  return { host, base, next, optionsIn, sparse, [Symbol.dispose]: host[Symbol.dispose] };
}

async function keyOf({ optionsIn, base }: ReturnType<typeof repository>) {
  const { digest } = await copyIn(optionsIn("reader")).readKeyFiles({ commit: base, agent }, key);
  return { key, files: digest };
}

/** All but the repository, sorted. */
function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => !/^\.git(?:\/|$)/.test(name) && !lstatSync(join(folder, name)).isDirectory())
    .toSorted();
}

test.each(["base", "next"] as const)(
  "below the layer of a part, what was prepared is seen, but where the commit has files: %s",
  async (at) => {
    using made = repository();
    const { optionsIn, sparse } = made;
    const maker = copyIn({ ...optionsIn(`layer/${treeFolder}`), sparse });
    await maker.prepare(made.base);
    const folder = join(made.host.root, "layer");
    await writeLayer(folder, await maker.leaveLayer());
    const workspaceDir = join(folder, treeFolder);
    prepareIn(workspaceDir);
    const layer = await readLayer(folder);
    const options = { ...optionsIn(`layer/${treeFolder}`), sparse, layer };
    const copy = copyIn({ ...options, prepared: await keyOf(made) });
    await copy.prepare(made[at], [], { maxBytes: 1e6 });
    expect(filesIn(workspaceDir)).toEqual(seen);
    expect(readFileSync(join(workspaceDir, "built/plan"), "utf8")).toBe("not of the commit\n");
    expect(toolGit(workspaceDir, "status", "--porcelain")).toBe("");
  },
);

test("copied into a part, it is seen in the same way at each grant", async () => {
  using made = repository();
  const folder = join(made.host.root, "prepared");
  prepareIn(folder);
  const prepared = { ...(await keyOf(made)), folder };
  const options = { ...made.optionsIn("work"), sparse: made.sparse, prepared };
  const copy = copyIn(options);
  for (const base of [made.base, made.next, made.base]) {
    await copy.prepare(base);
    expect(filesIn(options.workspaceDir)).toEqual(seen);
    expect(toolGit(options.workspaceDir, "status", "--porcelain")).toBe("");
    write(options.workspaceDir, { "vault/src/gold": "by the command\n" });
  }
  expect(filesIn(folder)).toContain("built/plan");
});
