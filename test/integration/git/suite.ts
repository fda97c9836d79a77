// Every implementation of the port of store and exchange holds to this.

import { describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentExchange, HostExchange, Wanted } from "../../../lib/git/exchange/port.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { AgentName, type CommitHash } from "../../../lib/model/ids.ts";
import { errorOf } from "../../support/error-of.ts";
import { agentsGit } from "../../support/git/folders.ts";
import {
  commitFiles,
  git,
  sampleRepository,
  toolGit,
} from "../../support/git/sample-repository.ts";

/** A repository with one commit, the host's side of it, and as many agents as a test needs. */
export interface ExchangeBench extends AsyncDisposable {
  /** For the folders of a test. */
  readonly root: string;
  readonly path: string;
  readonly base: CommitHash;
  readonly host: HostExchange;
  /** As the host's own, until agents see it. */
  make(wanted: Wanted): Promise<void>;
  /** The side of a new container of the agent, whose commands can write where its results are. */
  agent(name: AgentName): AgentExchange;
  /** Does there what such a command does. Resolves with whether it could. */
  readonly command: {
    leave(agent: AgentName, name: string): Promise<boolean>;
    /** Also the place itself, as far as it can. */
    removeAll(agent: AgentName): Promise<boolean>;
    damage(agent: AgentName, commit: CommitHash): Promise<boolean>;
  };
}

const [one, other] = [AgentName.parse("one"), AgentName.parse("other")];
const program = agentsGit;

/** A repository of an agent that borrows what the host shows, at the first commit. */
async function workshop({ root, base }: ExchangeBench, exchange: AgentExchange) {
  const path = join(root, crypto.randomUUID());
  const [gitDir, objectsDir] = [join(path, ".git"), join(path, ".git/objects")];
  mkdirSync(join(objectsDir, "info"), { recursive: true });
  writeFileSync(join(objectsDir, "info/alternates"), `${(await exchange.shown()).objectsDir}\n`);
  toolGit(path, "init", "-q", "--template=");
  toolGit(path, "config", "user.name", "one");
  toolGit(path, "config", "user.email", "one@sett.invalid");
  toolGit(path, "checkout", "-q", "--detach", base);
  const publish = (commit: CommitHash) => exchange.publish({ git: program, gitDir }, commit, base);
  const commit = (files: Record<string, string>) =>
    commitFiles(path, files, "By an agent", toolGit);
  return {
    path,
    commit,
    publish,
    /** As the next grant sees it. */
    async has(object: string) {
      await exchange.begin();
      return hasObject(path, object);
    },
    take: (wanted: CommitHash, agent: AgentName | "" = one) =>
      exchange.take({ git: program, gitDir, objectsDir }, { commit: wanted, agent }),
    async make(files: Record<string, string>) {
      const made = commit(files);
      await publish(made);
      return made;
    },
  };
}

function hasObject(path: string, object: string, objectsDir = join(path, ".git/objects")): boolean {
  const env = { PATH: process.env.PATH, GIT_OBJECT_DIRECTORY: objectsDir };
  return Bun.spawnSync(["git", "-C", path, "cat-file", "-e", object], { env }).exitCode === 0;
}

/** Where a repository has the file `a` of a commit. */
function fileOf(path: string, commit: CommitHash): string {
  const blob = toolGit(path, "rev-parse", `${commit}:a`);
  return join(path, ".git/objects", blob.slice(0, 2), blob.slice(2));
}

async function scene(open: () => Promise<ExchangeBench>) {
  const bench = await open();
  await bench.make({ writers: [one, other] });
  const exchange = bench.agent(one);
  const privately = () => {
    git(bench.path, "checkout", "-q", "-b", "private");
    const commit = commitFiles(bench.path, { "salaries.txt": "secret\n" }, "Private");
    git(bench.path, "checkout", "-q", "main");
    return commit;
  };
  return {
    ...bench,
    one: exchange,
    shop: await workshop(bench, exchange),
    /** Another agent. */
    reader: async () => await workshop(bench, bench.agent(other)),
    holdings: async () => (await bench.host.holdings()).find(({ agent }) => agent === one),
    /** A commit of the person's that no goal reaches. */
    privately,
    /** Makes the repository have the commit, as a fetch would, and takes it out. */
    async fetched(commit: CommitHash, from: string) {
      git(bench.path, "fetch", "-q", from, `${commit}:refs/sett/demo/fetched`);
      await bench.host.release(new Set([commit]));
    },
    async [Symbol.asyncDispose]() {
      await exchange[Symbol.asyncDispose]();
      await bench[Symbol.asyncDispose]();
    },
  };
}

export function exchangeSuite(name: string, open: () => Promise<ExchangeBench>): void {
  describe(name, () => {
    describe("what agents see", () => shownSuite(open));
    describe("from agent to agent", () => agentsSuite(open));
    describe("to the host", () => hostSuite(open));
    describe("what a command does to results", () => commandSuite(open));
  });
}

function shownSuite(open: () => Promise<ExchangeBench>): void {
  test("agents see what HEAD and goals reach, and nothing else of the repository", async () => {
    await using at = await scene(open);
    const secret = at.privately();
    await at.make({ writers: [one] });
    expect([await at.shop.has(at.base), await at.shop.has(secret)]).toEqual([true, false]);
    await at.host.show([secret]);
    expect(await at.shop.has(secret)).toBe(true);
  });

  test("a limited history ends where it says, and a whole one ends nowhere", async () => {
    await using at = await scene(open);
    const second = commitFiles(at.path, { more: "more\n" });
    await at.make({ writers: [], history: 1 });
    expect([await at.shop.has(second), await at.shop.has(at.base)]).toEqual([true, false]);
    expect((await at.one.shown()).depth).toBe(`${second}\n`);
    await at.make({ writers: [] });
    expect(await at.shop.has(at.base)).toBe(true);
    expect((await at.one.shown()).depth).toBeUndefined();
  });

  test("what is there is added to, until it is removed, also when there is nothing", async () => {
    await using at = await scene(open);
    await at.shop.make({ a: "a" });
    await at.make({ writers: [one, AgentName.parse("late")] });
    expect([await at.host.exists(), await at.host.mayHoldResults()]).toEqual([true, true]);
    for (const _ of [1, 2]) {
      await at.host.remove();
      expect([await at.host.exists(), await at.host.mayHoldResults()]).toEqual([false, false]);
      expect(await at.host.holdings()).toEqual([]);
    }
  });

  test("a program gets for reading what all share, and for writing its own part alone", async () => {
    await using at = await scene(open);
    const accessOf = (isWriter: boolean) =>
      at.host.foldersFor({ role: "agent", name: one, isWriter }).map(({ access }) => access);
    expect(accessOf(false)).not.toContain("rw");
    expect(accessOf(true).filter((access) => access === "rw")).toHaveLength(1);
  });
}

function agentsSuite(open: () => Promise<ExchangeBench>): void {
  test("another agent takes a commit with all that it needs", async () => {
    await using at = await scene(open);
    const [first, second] = [await at.shop.make({ a: "a" }), await at.shop.make({ b: "b" })];
    const reader = await at.reader();
    expect(await reader.has(first)).toBe(false);
    rmSync(at.shop.path, { recursive: true });
    expect(await reader.take(second)).toBeUndefined();
    expect(toolGit(reader.path, "log", "--format=%H", second).split("\n")).toEqual([
      second,
      first,
      at.base,
    ]);
    expect(toolGit(reader.path, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
  });

  test("it is found where the record names another agent or none; what no agent has is not there", async () => {
    await using at = await scene(open);
    const made = await at.shop.make({ a: "a" });
    for (const name of [other, "" as const])
      expect(await (await at.reader()).take(made, name)).toBeUndefined();
    expect(await (await at.reader()).take(at.shop.commit({ b: "b" }))).toBe("");
  });

  test("a commit that lacks a file, or has another content under its name, is not published", async () => {
    await using at = await scene(open);
    const commit = at.shop.commit({ a: "the good file\n" });
    const [good, evil] = [
      fileOf(at.shop.path, commit),
      fileOf(at.shop.path, at.shop.commit({ a: "evil\n" })),
    ];
    for (const damage of [() => rmSync(good), () => copyFileSync(evil, good)]) {
      damage();
      expect(await errorOf(at.shop.publish(commit))).toMatchObject({ code: "git-failed" });
      expect(await (await at.reader()).take(commit)).toBe("");
      expect(await at.host.mayHoldResults()).toBe(false);
    }
  });

  test("publishing twice changes nothing", async () => {
    await using at = await scene(open);
    const commit = await at.shop.make({ a: "a" });
    const before = await at.holdings();
    await at.shop.publish(commit);
    expect(await at.holdings()).toEqual(before as never);
  });
}

function hostSuite(open: () => Promise<ExchangeBench>): void {
  test("the host takes what is on record into a store of its own, and the repository stays as it is", async () => {
    await using at = await scene(open);
    const made = await at.shop.make({ a: "a" });
    await using quarantine = await at.host.quarantine();
    expect(await quarantine.take([{ commit: made, agent: one }])).toEqual(new Map());
    expect(hasObject(at.path, `${made}:a`, quarantine.objectsDir)).toBe(true);
    expect(await quarantine.isPublished(made)).toBe(true);
    expect(hasObject(at.path, made)).toBe(false);
  });

  test("an agent that names a commit of the repository has not published it", async () => {
    await using at = await scene(open);
    const secret = at.privately();
    await using quarantine = await at.host.quarantine();
    await quarantine.take([{ commit: secret, agent: one }]);
    expect(await quarantine.isPublished(secret)).toBe(false);
  });

  test("what was fetched counts no more, and other agents go on from it", async () => {
    await using at = await scene(open);
    const made = await at.shop.make({ a: "a" });
    expect((await at.holdings())?.bytes).toBeGreaterThan(0);
    await at.fetched(made, at.shop.path);
    // Nothing there is fine, too.
    const nothing = { bytes: 0, unpublished: [] };
    expect((await at.holdings()) ?? nothing).toMatchObject(nothing);
    expect(await at.host.mayHoldResults()).toBe(false);
    expect(await (await at.reader()).has(made)).toBe(true);
    // A cub does not take the fetch for the deed of a command.
    expect(await at.one.mend()).toEqual([]);
    expect((await at.holdings()) ?? nothing).toMatchObject(nothing);
  });

  test("what was erased a new container sees no more, and nothing but that is gone", async () => {
    await using at = await scene(open);
    const [fetched, made] = [await at.shop.make({ a: "a" }), await at.shop.make({ b: "b" })];
    await at.fetched(fetched, at.shop.path);
    git(at.path, "update-ref", "-d", "refs/sett/demo/fetched");
    const objects = [`${fetched}^{tree}`, `${fetched}:a`].map((name) =>
      toolGit(at.shop.path, "rev-parse", name),
    );
    await at.host.erase([fetched, made], { first: new Set(objects), last: new Set([fetched]) });
    expect(await at.host.mayHoldResults()).toBe(false);
    const shop = await at.reader();
    expect(await shop.has(at.base)).toBe(true);
    for (const object of [fetched, ...objects]) expect(await shop.has(object)).toBe(false);
  });

  test("commits from elsewhere are taken as those of their agent, for as long as they are brought", async () => {
    await using at = await scene(open);
    using elsewhere = sampleRepository();
    const [commit, unread] = ["a", "b"].map((name) =>
      commitFiles(elsewhere.path, { [name]: name }),
    ) as [CommitHash, CommitHash];
    const pack = Bun.spawnSync([
      "git",
      "-C",
      elsewhere.path,
      "pack-objects",
      "--all",
      "-q",
      "--stdout",
    ]).stdout;
    const results = [commit, unread].map((each) => ({ commit: each, agent: one }));
    {
      await using _ = await at.host.bring(results, async (each) => {
        if (each.commit === unread) throw new SettError("git-failed", "It is not there.");
        return pack;
      });
      await using quarantine = await at.host.quarantine();
      await quarantine.take([{ commit, agent: one }]);
      expect(await quarantine.isPublished(commit)).toBe(true);
    }
    expect(await at.host.mayHoldResults()).toBe(false);
  });
}

function commandSuite(open: () => Promise<ExchangeBench>): void {
  test("what it has left beside them is named, and goes", async () => {
    await using at = await scene(open);
    const made = await at.shop.make({ a: "a" });
    const left = (await at.command.leave(one, "left")) ? ["left"] : [];
    expect((await at.holdings())?.unpublished).toEqual(left);
    await at.one.tidy();
    expect((await at.holdings())?.unpublished).toEqual([]);
    expect(await (await at.reader()).take(made)).toBeUndefined();
  });

  test("what it has removed of them is there again, also when an earlier container had published it", async () => {
    await using at = await scene(open);
    const made = await at.shop.make({ a: "a" });
    await at.command.removeAll(one);
    expect(await at.one.mend()).toEqual([]);
    await using later = at.agent(one);
    await later.begin();
    await at.command.removeAll(one);
    expect(await later.mend()).toEqual([]);
    expect(await (await at.reader()).take(made)).toBeUndefined();
  });

  test("what it has destroyed is named once, and no reader takes it", async () => {
    await using at = await scene(open);
    const made = await at.shop.make({ a: "a" });
    const isDamaged = await at.command.damage(one, made);
    expect(await at.one.mend()).toEqual(isDamaged ? [made] : []);
    expect(await at.one.mend()).toEqual([]);
    expect((await (await at.reader()).take(made)) === undefined).toBe(!isDamaged);
  });
}
