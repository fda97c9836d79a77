import { expect, test } from "bun:test";
import { join } from "node:path";
import { pruningRemotes } from "../../../../../lib/git/repository/pruning-remotes.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { git, hostEnv, temporaryFolder } from "../../../../support/git/sample-repository.ts";

const demo = InstanceName.parse("demo");

test("git removes the names of an instance at a fetch from just the remotes that are found", async () => {
  using folder = temporaryFolder();
  const [there, path] = [join(folder.path, "there"), join(folder.path, "here")];
  git(folder.path, "init", "-q", there);
  git(there, "commit", "-q", "--allow-empty", "-m", "one");
  git(folder.path, "clone", "-q", there, path);
  const place = { commonDir: join(path, ".git") };
  const name = "refs/sett/demo/5d0c7a91-6c8e-4b51-9d0e-1f2a3b4c5d6e";
  const remotes: [string, string[], boolean][] = [
    ["plain", ["+refs/heads/*:refs/remotes/plain/*"], false],
    ["mirror", ["+refs/*:refs/*"], true],
    ["own", ["+refs/heads/*:refs/remotes/own/*", "refs/sett/*:refs/sett/*"], true],
    ["other", ["refs/sett/other/*:refs/sett/other/*"], false],
    ["part of it", ["refs/sett/demo/5*:refs/sett/demo/5*"], true],
    ["kept", ["+refs/*:refs/*", "^refs/sett*"], false],
    ["some kept", ["+refs/*:refs/*", "^refs/sett/other/*"], true],
    ["one", ["refs/heads/main"], false],
  ];
  for (const [remote, specs] of remotes) {
    git(path, "config", `remote.${remote}.url`, there);
    for (const spec of specs) git(path, "config", "--add", `remote.${remote}.fetch`, spec);
  }
  const found = await pruningRemotes(place, demo, hostEnv);
  expect(found.toSorted()).toEqual(
    remotes.flatMap(([remote, , removes]) => (removes ? [remote] : [])).toSorted(),
  );
  for (const [remote, , removes] of remotes.filter(([, specs]) => specs[0] !== "refs/heads/main")) {
    git(path, "update-ref", name, "HEAD");
    git(path, "fetch", "-q", "--prune", "--update-head-ok", remote);
    expect([remote, git(path, "for-each-ref", name) === ""]).toEqual([remote, removes]);
  }
});
