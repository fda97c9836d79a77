import { expect, test } from "bun:test";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isGone } from "../../../../../lib/git/repository/is-gone.ts";
import { temporaryFolder } from "../../../../support/git/sample-repository.ts";

test("what cannot be looked at is not taken for gone", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  await writeFile(at("file"), "");
  await symlink(at("loop"), at("loop"));
  const looks = [folder.path, at("file"), at("loop"), at("nothing"), at("file/below")].map(isGone);
  expect(await Promise.all(looks)).toEqual([false, false, false, true, true]);
});
