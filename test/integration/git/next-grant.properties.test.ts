// Whatever a command has left, and whether the same program goes on or another one takes over what
// it has kept: the next grant begins with the files of its commit, and with nothing else.
import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { readKept } from "../../../lib/git/copy/kept-checkout.ts";
import { copyIn, ownFolders } from "../../support/git/folders.ts";
import {
  commitFiles,
  git,
  sampleRepository,
  toolGit,
} from "../../support/git/sample-repository.ts";
import { isNight } from "../../support/nightly.ts";

const key = new Uint8Array(32);

/** Three commits, of which the second has another folder, and the third a file in its place. */
function madeCommits() {
  const host = sampleRepository();
  const one = commitFiles(host.path, { "a/b/c.txt": "one\n", "a/d.txt": "d\n", "e.txt": "e\n" });
  chmodSync(join(host.path, "e.txt"), 0o755);
  symlinkSync("a/b", join(host.path, "link"));
  const two = commitFiles(host.path, { "f/g.txt": "g\n", "a/b/c.txt": "two\n" });
  rmSync(join(host.path, "f"), { recursive: true });
  const three = commitFiles(host.path, { f: "file\n" });
  return { host, commits: [one, two, three] };
}

/** Each name with what is there, but for the repository at the top. */
function seenIn(folder: string, path = ""): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const name = join(path, entry.name);
    if (name === ".git") return [];
    const at = join(folder, name);
    const mode = (lstatSync(at).mode & 0o7777).toString(8);
    if (entry.isDirectory()) return [`${name}/ ${mode}`, ...seenIn(folder, name)];
    if (entry.isSymbolicLink()) return [`${name} -> ${readlinkSync(at)}`];
    return [`${name} ${mode} ${entry.isFile() ? readFileSync(at, "utf8") : "no file"}`];
  });
}

const folders = ["", "a", "a/b", "f"];
const files = ["a/b/c.txt", "a/d.txt", "e.txt", "f", "f/g.txt", "README.md", "link"];
const folder = fc.constantFrom(...folders);
const file = fc.constantFrom(...files);

/**
 * A command that cannot do something of it leaves that out. `elsewhere` is a file of the test: a
 * later deed writes through a link to it.
 */
const deeds: Record<string, (at: string, file: string, elsewhere: string) => void> = {
  "adds a file": (at) => writeFileSync(join(at, "new"), "x"),
  "adds a folder": (at) => mkdirSync(join(at, "new folder/in it"), { recursive: true }),
  "adds a repository": (at) => {
    mkdirSync(join(at, "nested"));
    toolGit(join(at, "nested"), "init", "-q");
  },
  "makes a repository of a folder": (at) => toolGit(at, "init", "-q"),
  "ignores all": (at) => {
    writeFileSync(join(at, ".gitignore"), "*\n");
    writeFileSync(join(at, "ignored"), "x");
  },
  "puts a link in the place of a folder": (at) => {
    renameSync(at, `${at}-moved`);
    symlinkSync(`${at}-moved`, at);
  },
  "swaps a folder": (at) => {
    renameSync(at, `${at}-moved`);
    mkdirSync(at);
    writeFileSync(join(at, "c.txt"), "swapped\n");
  },
  "removes a folder": (at) => rmSync(at, { recursive: true }),
  "closes a folder": (at) => chmodSync(at, 0o700),
  "writes a file": (_, name) => writeFileSync(name, "written\n"),
  "writes a file, and hides that": (_, name) => {
    const { atime, mtime, size } = statSync(name);
    writeFileSync(name, "x".repeat(size));
    utimesSync(name, atime, mtime);
  },
  "closes a file": (_, name) => chmodSync(name, 0o600),
  "makes a folder of a file": (_, name) => {
    rmSync(name);
    mkdirSync(name);
    writeFileSync(join(name, "in it"), "x");
  },
  "links a file elsewhere": (_, name, elsewhere) => {
    rmSync(name);
    symlinkSync(elsewhere, name);
  },
  "removes a file": (_, name) => rmSync(name),
  "commits all": (at) => {
    toolGit(at, "add", "-A");
    toolGit(at, "commit", "-q", "-m", "All");
  },
};

const deed = fc.record({ what: fc.constantFrom(...Object.keys(deeds)), folder, file });
const grant = fc.record({
  commit: fc.integer({ min: 0, max: 2 }),
  deeds: fc.array(deed, { maxLength: 4 }),
  /** Another program goes on: with what was kept, with what was kept first, or without. */
  after: fc.constantFrom("goes on", "goes on", "goes on", "starts again", "is put back", "forgets"),
});

test("each grant begins with the files of its commit, and with nothing else", async () => {
  const { host, commits } = madeCommits();
  using _ = host;
  const wanted = commits.map((commit) => {
    const clone = join(host.root, `clone-${commit}`);
    git(host.root, "clone", "-q", host.path, clone);
    git(clone, "checkout", "-q", commit);
    return seenIn(clone);
  });
  let runs = 0;
  const elsewhere = join(host.root, "elsewhere");
  writeFileSync(elsewhere, "not of a workspace\n");
  const seenElsewhere = () =>
    `${(lstatSync(elsewhere).mode & 0o7777).toString(8)} ${readFileSync(elsewhere, "utf8")}`;
  const all = fc.asyncProperty(fc.array(grant, { minLength: 2, maxLength: 6 }), async (grants) => {
    const workspaceDir = join(host.root, `work-${runs++}`);
    const options = { workspaceDir, ...ownFolders(host), keptBy: key };
    const keptAt = join(workspaceDir, ".git/sett-checkout");
    const older = join(host.root, `older-${runs}`);
    let copy = copyIn(options);
    for (const { commit, deeds: done, after } of grants) {
      const left = seenElsewhere();
      await copy.prepare(commits[commit] ?? host.base);
      expect(seenElsewhere()).toBe(left);
      expect(seenIn(workspaceDir).toSorted()).toEqual((wanted[commit] ?? []).toSorted());
      if (!existsSync(older)) Bun.spawnSync(["cp", "-a", keptAt, older]);
      for (const { what, folder: at, file: name } of done)
        try {
          deeds[what]?.(join(workspaceDir, at), join(workspaceDir, name), elsewhere);
        } catch {
          // See above.
        }
      if (after === "goes on") continue;
      if (after === "is put back" || after === "starts again") {
        if (after === "is put back") {
          rmSync(keptAt, { recursive: true, force: true });
          Bun.spawnSync(["cp", "-a", older, keptAt]);
        }
        copy = copyIn({ ...options, kept: await readKept(workspaceDir, key), isUsed: true });
      } else copy = copyIn(options);
    }
    rmSync(workspaceDir, { recursive: true, force: true });
    rmSync(older, { recursive: true, force: true });
  });
  await fc.assert(all, { numRuns: isNight ? 40 : 15 });
}, 120_000);
