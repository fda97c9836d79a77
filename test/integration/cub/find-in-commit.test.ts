// What commits have added, as it is searched for secrets before they are published.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { findInCommits } from "../../../apps/cub/secrets/find-in-commit.ts";
import { maskerOf } from "../../../apps/cub/secrets/masker.ts";
import { WorkingCopy } from "../../../lib/git/working-copy.ts";
import { agentName, sampleRepository, toolGit, write } from "../../support/git/sample-repository.ts";

const value = "0123456789-a-secret-of-the-tests";
const masker = maskerOf([["token", Buffer.from(value)]]);

async function preparedCopy() {
  const host = sampleRepository();
  const folder = join(host.root, "work");
  const copy = new WorkingCopy({
    git: { path: "git", env: { PATH: process.env.PATH } },
    agentName,
    objectsDir: join(host.path, ".git/objects"),
    exchangeDir: join(host.path, ".git/sett/exchange/demo"),
    workspaceDir: folder,
  });
  await copy.prepare(host.base);
  const commit = (message = "Change") => {
    toolGit(folder, "add", "-A");
    toolGit(folder, "commit", "--quiet", "--allow-empty", "-m", message);
  };
  const find = async () => await findInCommits(masker, copy, { commit: await copy.head(), base: host.base });
  return { folder, commit, find, [Symbol.dispose]: host[Symbol.dispose] };
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
      const text = toolGit(folder, "cat-file", "commit", "HEAD").replace("\n\n", `\nx-note ${value}\n\n`);
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
    "the end of a large file",
    ({ folder, commit }) => {
      write(folder, { a: `${"0123456789abcde\n".repeat(200_000)}${value}` });
      commit();
    },
  ],
];

test.each(ways)("a secret in %s is found", async (_, change) => {
  using copy = await preparedCopy();
  change(copy);
  expect(await copy.find()).toBe("token");
});

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
  expect(await copy.find()).toBe("token");
});
