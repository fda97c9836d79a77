import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { settRef } from "../../../lib/git/refs.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import { bareGit, commitFiles, instance, newArtefactId, toolGit } from "../../support/git/sample-repository.ts";

test("a published commit is whole in the exchange, with the base borrowed and not copied", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const { ref, commit } = await agent.publish({ "src/one.ts": "one\n" }, scene.base);
  rmSync(agent.folder, { recursive: true });
  expect(bareGit(scene.exchangeDir, "rev-parse", ref)).toBe(commit);
  expect(bareGit(scene.exchangeDir, "fsck", "--full", "--strict")).toBe("");
  expect(bareGit(scene.exchangeDir, "rev-list", "--count", ref)).toBe("2");
  // A commit, two trees and a blob; perhaps a tree of the base, for the difference to a new one.
  expect(bareGit(scene.exchangeDir, "count-objects", "-v")).toMatch(/in-pack: [45]\n/);
});

test("publishing twice changes nothing", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const { ref, commit } = await agent.publish({ a: "a" }, scene.base);
  const packs = readdirSync(join(scene.exchangeDir, "objects/pack"));
  await agent.copy.publish(commit, ref, scene.base);
  expect(readdirSync(join(scene.exchangeDir, "objects/pack"))).toEqual(packs);
});

test("the base itself can be published, and so can a commit without a base", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const ref = settRef(instance, newArtefactId());
  await agent.copy.publish(scene.base, ref, scene.base);
  expect(bareGit(scene.exchangeDir, "rev-parse", ref)).toBe(scene.base);
  const commit = commitFiles(agent.folder, { a: "a" }, "New", toolGit);
  await agent.copy.publish(commit, settRef(instance, newArtefactId()), undefined);
  expect(bareGit(scene.exchangeDir, "fsck", "--full")).toBe("");
});

test("a name in the exchange never moves to another commit", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const { ref, commit } = await agent.publish({ a: "a" }, scene.base);
  const other = commitFiles(agent.folder, { a: "b" }, "Other", toolGit);
  await expect(agent.copy.publish(other, ref, scene.base)).rejects.toThrow(`cannot become ${other}`);
  expect(bareGit(scene.exchangeDir, "rev-parse", ref)).toBe(commit);
});

test("only Sett's own kind of name, and only a commit, is published", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  for (const ref of ["refs/heads/main", "HEAD", "--all", "refs/sett/demo/../../heads/main", "refs/sett/demo"]) {
    await expect(agent.copy.publish(scene.base, ref, scene.base)).rejects.toThrow("is no name for a commit");
  }
  const tree = CommitHash.parse(toolGit(agent.folder, "rev-parse", "HEAD^{tree}"));
  await expect(agent.copy.publish(tree, settRef(instance, newArtefactId()), undefined)).rejects.toThrow(
    "git pack-objects failed",
  );
});

test("a commit with a part missing gets no name", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const commit = commitFiles(agent.folder, { a: "a" }, "New", toolGit);
  const blob = toolGit(agent.folder, "rev-parse", "HEAD:a");
  rmSync(join(agent.folder, ".git/objects", blob.slice(0, 2), blob.slice(2)));
  const ref = settRef(instance, newArtefactId());
  await expect(agent.copy.publish(commit, ref, scene.base)).rejects.toMatchObject({ code: "git-failed" });
  expect(existsSync(join(scene.exchangeDir, ref))).toBe(false);
});

test("without an exchange the failure says where it should be", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await scene.repository.removeExchange();
  await agent.copy.prepare(scene.base);
  await expect(agent.publish({ a: "a" }, scene.base)).rejects.toThrow(`There is no exchange at ${scene.exchangeDir}.`);
});

test("agents that publish at the same time all succeed, also with the same commit", async () => {
  using scene = await exchangeScene();
  const agents = ["one", "two", "three", "four"].map(scene.agent);
  await Promise.all(agents.map(({ copy }) => copy.prepare(scene.base)));
  const published = await Promise.all(
    agents.flatMap((agent, number) => [agent.publish({ [`file${number}`]: randomBytes(200_000).toString("hex") }, scene.base)]),
  );
  const [first] = agents;
  const same = published.at(0)?.commit ?? scene.base;
  const refs = [1, 2, 3].map(() => settRef(instance, newArtefactId()));
  await Promise.all(refs.map((ref) => first?.copy.publish(same, ref, scene.base)));
  expect(bareGit(scene.exchangeDir, "for-each-ref").split("\n")).toHaveLength(7);
  expect(bareGit(scene.exchangeDir, "fsck", "--full")).toBe("");
});

test("an agent can begin at another's published commit and merge a third one's", async () => {
  using scene = await exchangeScene();
  const [one, two, merger] = [scene.agent("one"), scene.agent("two"), scene.agent("merger")];
  await Promise.all([one.copy.prepare(scene.base), two.copy.prepare(scene.base)]);
  const first = await one.publish({ one: "1" }, scene.base);
  const second = await two.publish({ two: "2" }, scene.base);
  await merger.copy.prepare(first.commit);
  toolGit(merger.folder, "merge", "-q", "-m", "Both", second.commit);
  const merged = await merger.copy.head();
  await merger.copy.publish(merged, settRef(instance, newArtefactId()), first.commit);
  expect(bareGit(scene.exchangeDir, "ls-tree", "--name-only", merged).split("\n")).toContain("two");
});

test("a pack of many megabytes passes through", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const { commit } = await agent.publish({ big: randomBytes(3_000_000).toString("hex") }, scene.base);
  expect(bareGit(scene.exchangeDir, "cat-file", "-s", `${commit}:big`)).toBe("6000000");
});
