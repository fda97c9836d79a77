// What an agent with `workspace.paths` may commit: a real repository, and git as a tool uses it.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { publishCommit } from "../../../apps/cub/work/publish-commit.ts";
import { codeCommitType } from "../../../lib/model/artefact.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { exchangeScene, publishedIn } from "../../support/git/exchange-scene.ts";
import { forgePack } from "../../support/git/forged-pack.ts";
import {
  commitFiles,
  git,
  hostEnv,
  instance,
  newGoalId,
  toolGit,
} from "../../support/git/sample-repository.ts";
import { isNight, nightly } from "../../support/nightly.ts";
import { sampleArtefact } from "../../support/records/sample.ts";

const files = {
  "services/door/key": "key\n",
  "services/vault/plan": "one\ntwo\nthree\n",
  "vault/notes.md": "notes\n",
  "vault/gold": "gold\n",
  "vault/deep/ore": "ore\n",
};

/** `other` has no paths. */
async function scene() {
  const host = await exchangeScene();
  const base = commitFiles(host.path, files);
  await host.repository.pin(instance, newGoalId(), base);
  const agent = host.agent("door", undefined, ["services/door/", "*.md"]);
  const other = host.agent("other");
  /** What becomes of a commit that the tool leaves. */
  const publish = async (from: CommitHash = base) => {
    const commit = toolGit(agent.folder, "rev-parse", "HEAD");
    const registration = { current: { workspace_mode: "rw" } };
    const artefact = sampleArtefact({ type: codeCommitType, payload: commit });
    const published = await publishCommit(
      { workingCopy: agent.copy, registration, secrets: undefined } as never,
      artefact,
      { base: from, start: base },
    );
    return published.ok
      ? `published ${published.commit}`
      : published.reason.replaceAll(commit, "C");
  };
  const run = (script: string) =>
    execFileSync("sh", ["-ec", script], { cwd: agent.folder, env: hostEnv, stdio: "ignore" });
  const head = () => CommitHash.parse(toolGit(agent.folder, "rev-parse", "HEAD"));
  const publishedByOther = async (from: CommitHash, change: Record<string, string>) => {
    await other.prepare(from);
    return (await other.publish(change)).commit;
  };
  await agent.prepare(base);
  return {
    ...{ host, base, agent, run, head, publish, publishedByOther },
    [Symbol.dispose]: host[Symbol.dispose],
  };
}

const beyond = (file: string) =>
  `The commit C changes \`${file}\`, which is not in the \`workspace.paths\` of the agent, so nothing was published. ` +
  "Have the tool leave the file as it is, or add it to the paths in sett.yml.";

test("a commit within the paths is published, new folders and files too", async () => {
  using one = await scene();
  one.run(
    "echo new > services/door/key; mkdir -p notes; echo a > notes/a.md; rm vault/notes.md; git add -A --sparse; git commit -qm Turn",
  );
  expect(await one.publish()).toBe(`published ${one.head()}`);
  expect(publishedIn(one.host)).toEqual([one.head()]);
});

const changes: Record<string, [script: string, file: string]> = {
  "a new file": ["mkdir -p vault; echo x > vault/new; git add --sparse vault/new", "vault/new"],
  "a file beside a folder on the way": ["echo x > .gitignore; git add -A", ".gitignore"],
  "a removed file": ["git rm -q --sparse --cached vault/gold", "vault/gold"],
  "a mode": ["git update-index --chmod=+x vault/gold", "vault/gold"],
  "a file that is moved": ["mkdir -p x; git mv services/door/key key", "key"],
  "a name with letters beyond ASCII": ["echo x > größe; git add größe", "größe"],
  "a link to a folder of its own": ["ln -s services/door top; git add top", "top"],
};

test.each(Object.entries(changes).slice(0, isNight ? undefined : 2))(
  "%s outside of them is refused",
  async (_, [script, file]) => {
    using one = await scene();
    one.run(`echo new > services/door/key; ${script}; git commit -qm Change`);
    expect(await one.publish()).toBe(beyond(file));
    expect(publishedIn(one.host)).toEqual([]);
  },
);

nightly("a change that a later commit takes back is refused as well", async () => {
  using one = await scene();
  one.run("echo x > new; git add new; git commit -qm One; git rm -q new; git commit -qm Two");
  const first = toolGit(one.agent.folder, "rev-parse", "HEAD~1");
  expect(await one.publish()).toBe(beyond("new").replace("commit C", `commit ${first}`));
});

test("a change is seen although the copy has another tree under the name of the one before", async () => {
  using one = await scene();
  const { folder } = one.agent;
  one.run(
    "mkdir -p vault/deep; cp .gitignore vault/deep/ore; git add -A --sparse; git commit -qm Change",
  );
  const { base } = one;
  // Git makes no difference to another one of what is as small as this.
  forgePack(folder, {
    ...{ object: "HEAD:vault/deep", name: `${base}:vault/deep` },
    way: [base, `${base}^{tree}`, `${base}:vault`],
  });
  expect(toolGit(folder, "diff-tree", "-r", base, "HEAD")).toBe("");
  expect(await one.publish()).toBe(beyond("vault/deep/ore"));
  expect(publishedIn(one.host)).toEqual([]);
});

test("a commit without parents is compared with nothing", async () => {
  using one = await scene();
  one.run("git checkout -q --orphan other; git commit -qm Root");
  expect(await one.publish()).toBe(beyond(".gitignore"));
});

nightly("a merge brings what others have changed, and a next version keeps it", async () => {
  using one = await scene();
  const theirs = await one.publishedByOther(one.base, {
    "vault/gold": "more\n",
    "services/vault/plan": "0\none\ntwo\nthree\n",
    "services/door/key": "theirs\n",
  });
  const ours = await one.publishedByOther(one.base, {
    "services/vault/plan": "one\ntwo\nthree\n4\n",
  });
  await one.agent.prepare(ours);
  one.run(
    `git merge -q --no-edit ${theirs}; git show HEAD:services/vault/plan | grep -c . | grep 5`,
  );
  expect(await one.publish(ours)).toBe(`published ${one.head()}`);
  const merged = one.head();
  one.host.record(merged, "door" as never);
  await one.agent.prepare(merged);
  one.run("echo again > services/door/key; git commit -qam Again");
  expect(await one.publish(merged)).toBe(`published ${one.head()}`);
  expect(git(one.host.path, "rev-parse", "HEAD")).toBe(one.base);
});

nightly("a merge that is another one than git makes is refused", async () => {
  using one = await scene();
  const theirs = await one.publishedByOther(one.base, { "vault/gold": "more\n" });
  await one.agent.prepare(one.base);
  one.run(`git merge -q --no-edit -s ours ${theirs} -m Merge`);
  expect(await one.publish()).toBe(beyond("vault/gold"));
  await one.agent.prepare(theirs);
  one.run(`git commit-tree -p HEAD -p ${one.base} -m Back ${one.base}^{tree} > ../made`);
  one.run("git reset -q --soft $(cat ../made)");
  expect(await one.publish(theirs)).toBe(beyond("vault/gold"));
});

nightly("a conflict is settled within the paths alone", async () => {
  using one = await scene();
  const door = { "services/door/key": "theirs\n" };
  const [theirs, more] = [
    await one.publishedByOther(one.base, door),
    await one.publishedByOther(one.base, { ...door, "vault/gold": "theirs\n" }),
  ];
  const ours = await one.publishedByOther(one.base, {
    "services/door/key": "ours\n",
    "vault/gold": "ours\n",
  });
  await one.agent.prepare(ours);
  one.run(`! git merge -q ${theirs}; echo both > services/door/key; git commit -qam Both`);
  expect(await one.publish(ours)).toBe(`published ${one.head()}`);
  await one.agent.prepare(ours);
  one.run(
    `! git merge -q ${more}; echo both > services/door/key; git checkout --ours vault/gold; git add --sparse -A; git commit -qm Both`,
  );
  expect(await one.publish(ours)).toBe(
    "The merge C has a conflict in `vault/gold`, which is not in the `workspace.paths` of the agent, so nothing was published. Let an agent without `paths` merge.",
  );
});

nightly("a merge of several at once is refused, since git makes none to compare with", async () => {
  using one = await scene();
  const theirs = [
    await one.publishedByOther(one.base, { "vault/gold": "more\n" }),
    await one.publishedByOther(one.base, { "vault/notes.md": "more\n" }),
  ];
  await one.agent.prepare(one.base);
  one.run(
    `echo x > services/door/key; git commit -qam Own; git merge -q --no-edit ${theirs.join(" ")}`,
  );
  expect(await one.publish()).toContain(
    "merges more than one commit at once, so nothing was published",
  );
});

nightly("a commit that was on record before is no change of the agent's", async () => {
  using one = await scene();
  const theirs = await one.publishedByOther(one.base, { "vault/gold": "more\n" });
  await one.agent.prepare(one.base);
  one.run(`git checkout -q ${theirs}`);
  expect(await one.publish()).toBe(`published ${theirs}`);
});
