// The README of the npm package: npm shows it without the repository beside it.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/root.ts";

const readme = readFileSync(join(root, ".ci/npm/README.md"), "utf8");

test("the README of the npm package has no link that is relative, for npm shows no other file", () => {
  const targets = [...readme.matchAll(/\]\(([^)]+)\)|(?:src|href)="([^"]+)"/g)].map(
    ([, link, attribute]) => link ?? attribute ?? "",
  );
  expect(targets.filter((target) => !/^(?:https:\/\/|#)/.test(target))).toEqual([]);
});
