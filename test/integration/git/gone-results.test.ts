// Names of results whose objects a disk or a person has lost, in a real repository.
import { expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { goneResults } from "../../../lib/git/repository/gone-results.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import {
  commitFiles,
  git,
  hostEnv,
  sampleRepository,
} from "../../support/git/sample-repository.ts";

setDefaultTimeout(200_000);

test("a result without its commit, and one without its files' list, are named, and a fetch mends both", async () => {
  using at = sampleRepository();
  const { path } = at;
  const names = ["whole", "without-commit", "without-tree"].map((one) => `refs/sett/demo/${one}`);
  for (const name of names)
    git(path, "update-ref", name, commitFiles(path, { "door.txt": name }, "Paint"));
  git(path, "update-ref", "refs/sett/other/gone", names[1] ?? "");
  const clone = join(path, "clone.git");
  git(path, "clone", "-q", "--mirror", "--no-local", path, clone);
  const gone = () =>
    goneResults({ commonDir: join(path, ".git") }, InstanceName.parse("demo"), hostEnv);
  expect(await gone()).toEqual([]);
  for (const object of [`${names[1]}`, `${names[2]}^{tree}`]) {
    const hash = git(path, "rev-parse", object);
    rmSync(join(path, ".git/objects", hash.slice(0, 2), hash.slice(2)));
  }
  expect(await gone()).toEqual(names.slice(1));
  git(path, "fetch", "-q", "--refetch", clone, "refs/sett/demo/*:refs/sett/demo/*");
  expect(await gone()).toEqual([]);
});
