// Tools whose working copy has other objects than their names say: what is decided about a commit
// before it is published is decided on the bytes that its readers get.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { maskerOf } from "../../../apps/cub/secrets/masker.ts";
import { publishCommit } from "../../../apps/cub/work/publish-commit.ts";
import { codeCommitType } from "../../../lib/model/artefact.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { exchangeScene, publishedIn } from "../../support/git/exchange-scene.ts";
import { forgePack } from "../../support/git/forged-pack.ts";
import {
  commitFiles,
  hostEnv,
  instance,
  newGoalId,
  toolGit,
} from "../../support/git/sample-repository.ts";
import { isNight } from "../../support/nightly.ts";
import { sampleArtefact } from "../../support/records/sample.ts";

const secret = "0123456789-a-secret-of-the-tests";
const masker = maskerOf([["token", Buffer.from(secret)]]);
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"2".repeat(64)}\nsize 5\n`;

async function scene(paths?: readonly string[]) {
  const host = await exchangeScene();
  const base = commitFiles(host.path, {
    ".gitattributes": "*.bin filter=lfs -text\n",
    "sub/a": "a\n",
  });
  await host.repository.pin(instance, newGoalId(), base);
  const agent = host.agent("coder", undefined, paths);
  await agent.prepare(base);
  const run = (script: string) =>
    execFileSync("sh", ["-ec", script], { cwd: agent.folder, env: hostEnv, stdio: "ignore" });
  const head = () => CommitHash.parse(toolGit(agent.folder, "rev-parse", "HEAD"));
  /** Resolves with what becomes of the commit that the tool leaves. */
  const publish = async (from = base) => {
    const registration = { current: { workspace_mode: "rw" } };
    const artefact = sampleArtefact({ type: codeCommitType, payload: head() });
    const published = await publishCommit(
      { workingCopy: agent.copy, registration, secrets: { masker: () => masker } } as never,
      artefact,
      { base: from, start: base },
    );
    return published.ok ? "published" : published.reason;
  };
  return { host, base, agent, run, head, publish, [Symbol.dispose]: host[Symbol.dispose] };
}

const link = (path: string) =>
  `git update-index --add --cacheinfo 160000,${"1".repeat(40)},${path}`;
const modules = '[submodule "a"]\n\tpath = sub/part\n\turl = https://part.invalid\n';

const changes: Record<string, [script: string, reason: string]> = {
  "a secret in a file": [
    `printf '%s' '${secret}' > sub/a; git add -A`,
    "has the value of the secret `token` in the file `sub/a`",
  ],
  "a folder without files": [link("sub/part"), "has none of the files in `sub/part`"],
  "a submodule that is nowhere": [
    `printf '%s' '${modules}' > .gitmodules; git add -A; ${link("sub/part")}`,
    "moves the submodule `sub/part` to 1111",
  ],
  "a content of LFS": [
    `printf '%s' '${pointer}' > sub/new.bin; git add -A`,
    "has a pointer of LFS in `sub/new.bin`",
  ],
};

test.each(Object.entries(changes).slice(0, isNight ? undefined : 2))(
  "%s is seen although the copy has a harmless tree under the name of the new one",
  async (_, [script, reason]) => {
    using one = await scene();
    const { base, agent } = one;
    one.run("echo fine > sub/b; git add -A; git commit -qm Fine; git branch fine");
    one.run(`git checkout -q HEAD~1; ${script}; git commit -qm Change; git repack -qdl`);
    forgePack(agent.folder, {
      ...{ object: "fine:sub", name: "HEAD:sub" },
      way: [base, `${base}^{tree}`, `${base}:sub`],
    });
    const seen = toolGit(agent.folder, "diff-tree", "-r", "--name-only", base, "HEAD");
    expect(seen.replace(".gitmodules\n", "")).toBe("sub/b");
    expect(await one.publish()).toContain(reason);
    expect(publishedIn(one.host)).toEqual([]);
  },
);

test("a secret in a message is seen although the copy has another commit under its name", async () => {
  using one = await scene();
  one.run(`echo 1 > sub/a; git commit -qam 'Use ${secret}'; echo 2 > sub/a; git commit -qam Two`);
  one.run("git branch fine $(git commit-tree -p HEAD~2 -m Fine HEAD~1^{tree}); git repack -qad");
  forgePack(one.agent.folder, { object: "fine", name: "HEAD~1", way: ["HEAD"] });
  const input = toolGit(one.agent.folder, "rev-list", `${one.base}..HEAD`);
  const seen = execFileSync("git", ["cat-file", "--batch"], { cwd: one.agent.folder, input });
  expect(seen.toString()).not.toContain(secret);
  expect(await one.publish()).toContain("has the value of the secret `token` in its message");
  expect(publishedIn(one.host)).toEqual([]);
});

/** The work begins with a commit of another agent, and its commit is beside that one. */
async function beside() {
  const one = await scene();
  const other = one.host.agent("other");
  await other.prepare(one.base);
  const { commit: theirs } = await other.publish({ "sub/theirs": "theirs\n" });
  await one.agent.prepare(theirs);
  one.run(`git checkout -q ${one.base}`);
  return { ...one, theirs };
}

test("a commit beside the one that the work began with is judged, too", async () => {
  using one = await beside();
  one.run(`${link("sub/part")}; git commit -qm Change`);
  expect(await one.publish(one.theirs)).toContain("has none of the files in `sub/part`");
  one.run("git reset -q --hard HEAD~1; echo fine > sub/a; git commit -qam Fine");
  expect(await one.publish(one.theirs)).toBe("published");
  expect(publishedIn(one.host)).toEqual([one.theirs, one.head()].sort());
});

test("it is compared with what the beginning is, and not with what the copy has under its name", async () => {
  using one = await beside();
  one.run(`${link("sub/part")}; git commit -qm Change; git repack -qdl`);
  forgePack(one.agent.folder, {
    ...{ object: "HEAD:sub", name: `${one.theirs}:sub` },
    way: [one.theirs, `${one.theirs}^{tree}`],
  });
  expect(toolGit(one.agent.folder, "diff-tree", "-r", one.theirs, "HEAD")).toBe("");
  expect(await one.publish(one.theirs)).toContain("has none of the files in `sub/part`");
  expect(publishedIn(one.host)).toEqual([one.theirs]);
});
