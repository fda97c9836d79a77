// Shows what commits have added, as it is searched for secrets before they are published.

import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findInCommits } from "../../../apps/cub/secrets/find-in-commit.ts";
import { maskerOf } from "../../../apps/cub/secrets/masker.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { copyIn, ownFolders } from "../../support/git/folders.ts";
import {
  agentName,
  sampleRepository,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";
import { isNight } from "../../support/nightly.ts";

const value = "0123456789-a-secret-of-the-tests";
const ofToken = maskerOf([["token", Buffer.from(value)]]);

async function preparedCopy(masker = ofToken) {
  const host = sampleRepository();
  const folder = join(host.root, "work");
  mkdirSync(join(host.path, ".git/sett/exchange/demo", agentName), { recursive: true });
  const copy = copyIn({ ...ownFolders(host), workspaceDir: folder });
  await copy.prepare(host.base);
  const commit = (message = "Change") => {
    toolGit(folder, "add", "-A");
    toolGit(folder, "commit", "--quiet", "--allow-empty", "-m", message);
  };
  const findSince = async (base: CommitHash) =>
    await copy.publish(await copy.head(), host.base, {
      base,
      judge: async (changes) => await findInCommits(masker, changes),
    });
  const find = async () => await findSince(host.base);
  return { folder, commit, find, findSince, [Symbol.dispose]: host[Symbol.dispose] };
}

type Copy = Awaited<ReturnType<typeof preparedCopy>>;

const ways: [string, (copy: Copy) => void][] = [
  [
    "a line of a file",
    ({ folder, commit }) => {
      write(folder, { a: `one\n${value}\n` });
      commit();
    },
  ],
  [
    "bytes that are no text",
    ({ folder, commit }) => {
      write(folder, { a: `\0\0${value}\0` });
      commit();
    },
  ],
  [
    "base64 in several lines",
    ({ folder, commit }) => {
      write(folder, { a: Buffer.from(`xx${value}`).toString("base64").replace(/.{20}/g, "$&\n") });
      commit();
    },
  ],
  [
    "a content of Git LFS",
    ({ folder, commit }) => {
      const content = `\0${value}`;
      const oid = createHash("sha256").update(content).digest("hex");
      write(folder, {
        ".gitattributes": "*.bin filter=lfs -text\n",
        "a.bin": `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`,
        [`.git/lfs/objects/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid}`]: content,
      });
      commit();
    },
  ],
  [
    "a file that a later commit removes",
    ({ folder, commit }) => {
      write(folder, { a: value });
      commit();
      toolGit(folder, "rm", "--quiet", "a");
      commit();
    },
  ],
  ["a message", ({ commit }) => commit(`Use ${value}`)],
  ["a message, in a list", ({ commit }) => commit(`Use it\n\n- ${value}`)],
  [
    "a header of a commit that git does not know",
    ({ folder }) => {
      const text = toolGit(folder, "cat-file", "commit", "HEAD").replace(
        "\n\n",
        `\nx-note ${value}\n\n`,
      );
      write(folder, { c: text });
      const commit = toolGit(folder, "hash-object", "-t", "commit", "-w", "--literally", "c");
      toolGit(folder, "update-ref", "--no-deref", "HEAD", commit);
    },
  ],
  [
    "a commit without parents",
    ({ folder, commit }) => {
      toolGit(folder, "config", "log.showRoot", "false");
      toolGit(folder, "checkout", "--quiet", "--orphan", "other");
      write(folder, { a: value });
      commit();
    },
  ],
  [
    "a commit that grafts hide",
    ({ folder, commit }) => {
      const base = toolGit(folder, "rev-parse", "HEAD");
      write(folder, { a: value });
      commit();
      toolGit(folder, "rm", "--quiet", "a");
      commit();
      write(folder, { ".git/info/grafts": `${toolGit(folder, "rev-parse", "HEAD")} ${base}\n` });
    },
  ],
  [
    "a commit that a shallow clone would not have",
    ({ folder, commit }) => {
      write(folder, { a: value });
      commit();
      toolGit(folder, "rm", "--quiet", "a");
      commit();
      write(folder, { ".git/shallow": `${toolGit(folder, "rev-parse", "HEAD")}\n` });
    },
  ],
  [
    "the name of a file",
    ({ folder, commit }) => {
      write(folder, { [value]: "" });
      commit();
    },
  ],
  [
    "the name of an author",
    ({ folder, commit }) => {
      toolGit(folder, "config", "user.name", value);
      commit();
    },
  ],
  [
    "a branch that was merged",
    ({ folder, commit }) => {
      toolGit(folder, "checkout", "--quiet", "-b", "side");
      write(folder, { a: value });
      commit();
      toolGit(folder, "checkout", "--quiet", "--detach", "HEAD~1");
      write(folder, { b: "b" });
      commit();
      toolGit(folder, "merge", "--quiet", "--no-edit", "side");
    },
  ],
  [
    "a merge itself",
    ({ folder, commit }) => {
      toolGit(folder, "checkout", "--quiet", "-b", "side");
      commit();
      toolGit(folder, "checkout", "--quiet", "--detach", "HEAD~1");
      write(folder, { b: "b" });
      commit();
      toolGit(folder, "merge", "--quiet", "--no-commit", "--no-ff", "side");
      write(folder, { a: value });
      commit();
    },
  ],
  [
    "a merge itself, in bytes that are no text",
    ({ folder, commit }) => {
      write(folder, { a: "\0" });
      commit();
      toolGit(folder, "checkout", "--quiet", "-b", "side");
      write(folder, { a: "\0\0" });
      commit();
      toolGit(folder, "checkout", "--quiet", "--detach", "HEAD~1");
      write(folder, { a: "\0b" });
      commit();
      toolGit(folder, "merge", "--quiet", "--no-commit", "-s", "ours", "side");
      write(folder, { a: `\0\0${value}\0` });
      commit();
    },
  ],
  [
    "a merge of three, after a zero byte",
    ({ folder, commit }) => {
      const base = toolGit(folder, "rev-parse", "HEAD");
      for (const name of ["one", "two", "three"]) {
        toolGit(folder, "checkout", "--quiet", "--detach", base);
        write(folder, { [name]: name });
        commit();
        toolGit(folder, "tag", name);
      }
      toolGit(folder, "merge", "--quiet", "--no-commit", "one", "two");
      write(folder, { a: `${"text\n".repeat(4_000)}\0${value}` });
      commit();
    },
  ],
  [
    "the end of a large file",
    ({ folder, commit }) => {
      write(folder, { a: `${"0123456789abcde\n".repeat(200_000)}${value}` });
      commit();
    },
  ],
];

test.each(isNight ? ways : ways.filter((_, at) => at % 3 === 0))(
  "a secret in %s is found",
  async (_, change) => {
    using copy = await preparedCopy();
    change(copy);
    expect(await copy.find()).toMatchObject({
      secret: "token",
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  },
);

test("one that a file had before, and that is removed, is none of theirs", async () => {
  using copy = await preparedCopy();
  write(copy.folder, { a: "nothing", "-b": "-- x" });
  copy.commit();
  expect(await copy.find()).toBeUndefined();
});

test("attributes and settings of the tool hide nothing", async () => {
  using copy = await preparedCopy();
  toolGit(copy.folder, "config", "diff.hidden.textconv", "true");
  toolGit(copy.folder, "config", "log.follow", "true");
  write(copy.folder, { ".gitattributes": "* -diff\n*.b diff=hidden\n", a: value, "a.b": value });
  copy.commit();
  expect(await copy.find()).toMatchObject({ secret: "token" });
});

const words = [
  "committer",
  "/dev/null",
  "Subproject",
  "100644",
  "deleted file mode",
  "diff --git",
  "a file that was there.txt",
];

test("a secret that is a word of git's own hinders no commit, nor one that the files had before", async () => {
  using copy = await preparedCopy(maskerOf(words.map((word) => [word, Buffer.from(word)])));
  const { folder, commit, find } = copy;
  const head = toolGit(folder, "rev-parse", "HEAD");
  write(folder, {
    "a file that was there.txt": "void committer() {\n  one();\n  two();\n  three();\n}\n",
  });
  commit();
  expect(await find()).toEqual({
    secret: "a file that was there.txt",
    commit: toolGit(folder, "rev-parse", "HEAD"),
    place: "the name of the file `[secret a file that was there.txt]`",
  });
  const base = CommitHash.parse(toolGit(folder, "rev-parse", "HEAD"));
  const since = async () => await copy.findSince(base);
  write(folder, {
    "a file that was there.txt": "void committer() {\n  one();\n  two();\n  3();\n}\n",
    new: "",
    "new too": "fine\n",
  });
  commit();
  expect(await since()).toBeUndefined();
  toolGit(folder, "rm", "--quiet", "new", "new too", "a file that was there.txt");
  commit("Remove them");
  toolGit(folder, "merge", "--quiet", "--no-ff", "-m", "Merge", "-s", "ours", head);
  expect(await since()).toBeUndefined();
});

test("it says which commit has the secret, and where in it", async () => {
  using copy = await preparedCopy(maskerOf([["word", Buffer.from("Standard")]]));
  const { folder, commit, find } = copy;
  write(folder, { a: "fine", "docs/größe\n.md": "fine\n" });
  commit();
  write(folder, { a: "removed later", "docs/b c.md": "This is Standard here.\n" });
  commit();
  const guilty = toolGit(folder, "rev-parse", "HEAD");
  write(folder, { "docs/b c.md": "", last: "fine" });
  commit();
  expect(await find()).toEqual({ secret: "word", commit: guilty, place: "the file `docs/b c.md`" });
  commit("A Standard message\n\nwith two paragraphs");
  expect(await find()).toEqual({
    secret: "word",
    commit: toolGit(folder, "rev-parse", "HEAD"),
    place: "its message",
  });
});
